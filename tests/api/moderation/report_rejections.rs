//! Rejections of reports: the other reports about the same account that they cover, and those that they do
//! not.

use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use super::report_bombing::{
    MINUTE_SECONDS, one_network, register_reporters, report, report_in_turn, report_weights, report_with,
    separate_networks,
};
use super::reports::{close_case, first_case, is_shadowed, report_anonymously, report_path};
use crate::support::Server;
use crate::support::actions::post_text;

#[tokio::test]
async fn rejection_discounts_earlier_reports_by_its_reporters() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    let paths = [post_text(&ada, "hello").await, post_text(&ada, "hello again").await];
    let paths = paths.each_ref().map(report_path);
    for reporter in &crowd {
        for path in &paths {
            assert_eq!(report(reporter, path).await.status, 201);
        }
        server.advance_clock(10 * MINUTE_SECONDS);
    }
    let operator = server.sign_in_operator().await;
    assert!(is_shadowed(&operator, &ada.id).await);
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    let prolonged = is_shadowed(&operator, &ada.id).await;
    assert!(!prolonged, "the same reporters cannot prolong it with another message");
    let case = first_case(&operator, "open").await;
    assert_eq!((&case["weight"], &case["reports"]), (&json!(0.0), &json!(3)));
    for (_, counts, explanation) in report_weights(&case) {
        assert!(!counts && explanation.contains("while it was open"), "{explanation}");
    }
    // Others' reports count, also about the message that waits.
    let others = register_reporters(&server, "Cy", &separate_networks(19, 3)).await;
    report_in_turn(&server, &others, &paths[0]).await;
    assert!(is_shadowed(&server.sign_in_operator().await, &ada.id).await);
}

/// Returns, for the first open case, whether each of its reports counts.
async fn which_reports_count(server: &Server) -> Vec<bool> {
    let case = first_case(&server.sign_in_operator().await, "open").await;
    report_weights(&case).iter().map(|(_, counts, _)| *counts).collect()
}

#[tokio::test]
async fn rejection_keeps_earlier_accounts_on_the_network() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let mallory = server.register_agent_from("Mallory", "198.18.9.1").await;
    let crowd = register_reporters(&server, "Bob", &one_network(3)).await;
    // One of them belongs to Mallory, too, and sends a report that is certain to be rejected.
    report_in_turn(&server, &crowd[..1], &report_path(&post_text(&mallory, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    let path = report_path(&post_text(&mallory, "a wicked word").await);
    report_in_turn(&server, &crowd, &path).await;
    let counting = which_reports_count(&server).await;
    assert_eq!(counting, [false, true, true], "only the reporter whose report was rejected");
    // Accounts made since, and visitors, could be the same party.
    let fresh = server.register_agent_from("Fresh", "2001:db8:1:7700::1").await;
    assert_eq!(report(&(fresh, "2001:db8:1:7700::1".to_owned()), &path).await.status, 201);
    assert_eq!(report_anonymously(&server, &path, "2001:db8:1:8800::1").await.status, 201);
    assert_eq!(which_reports_count(&server).await, [false, true, true, false, false]);
}

#[tokio::test]
async fn rejection_from_own_network_discounts_only_its_sender() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let addresses = one_network(4);
    let mallory = server.register_agent_from("Mallory", &addresses[0]).await;
    // Second accounts at Mallory's address and in its network.
    let second = register_reporters(&server, "Mal", &addresses[..2]).await;
    report_in_turn(&server, &second, &report_path(&post_text(&mallory, "hello").await)).await;
    let operator = server.sign_in_operator().await;
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    let path = report_path(&post_text(&mallory, "a wicked word").await);
    report_in_turn(&server, &second, &path).await;
    for address in [&addresses[0], &addresses[2]] {
        let name = format!("Fresh {}", which_reports_count(&server).await.len());
        let fresh = server.register_agent_from(&name, address).await;
        assert_eq!(report(&(fresh, address.clone()), &path).await.status, 201);
    }
    assert_eq!(report_anonymously(&server, &path, &addresses[3]).await.status, 201);
    assert_eq!(which_reports_count(&server).await, [false, false, true, true, true]);
}

#[tokio::test]
async fn rejection_ignores_reports_about_another_painter() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 2)).await;
    let rectangle = json!({"x1": 0, "y1": 0, "x2": 0, "y2": 0, "reason": "rude"});
    for (painter, reporter) in [(&ada, &crowd[0]), (&eve, &crowd[1])] {
        assert_eq!(painter.paint(0, 0, 3).await.status, 201);
        assert_eq!(report_with(reporter, "/api/canvas/report", rectangle.clone()).await.status, 201);
        server.advance_clock(10 * MINUTE_SECONDS);
    }
    let operator = server.sign_in_operator().await;
    close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let case = first_case(&operator, "open").await;
    let counted = report_weights(&case).into_iter().map(|(weight, counts, _)| (weight, counts));
    assert_eq!(counted.collect::<Vec<_>>(), [(0.5, false), (1.0, true)], "{case}");
}

#[tokio::test]
async fn rejected_name_or_shared_region_report_lowers_weight() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 2)).await;
    for (x, painter) in [(0, &ada), (1, &eve)] {
        assert_eq!(painter.paint(x, 0, 3).await.status, 201);
    }
    let both = json!({"x1": 0, "y1": 0, "x2": 1, "y2": 0, "reason": "rude"});
    assert_eq!(report_with(&crowd[0], "/api/canvas/report", both).await.status, 201);
    assert_eq!(report(&crowd[1], &format!("/api/agents/{}/report", ada.id)).await.status, 201);
    let operator = server.sign_in_operator().await;
    for _ in 0..2 {
        close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    }
    report_in_turn(&server, &crowd, &report_path(&post_text(&eve, "hello").await)).await;
    let case = first_case(&operator, "open").await;
    assert!(report_weights(&case).iter().all(|(weight, _, _)| *weight == 0.5), "{case}");
}

#[tokio::test]
async fn many_faded_rejections_add_up() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 1)).await;
    // Each takes a sixth of a halving: forty leave nothing, sixteen would leave a sixth of the weight.
    sqlx::query(
        "with rejected as (
             insert into report_case (id, kind, target, counts, evidence, opened_at, closed_at, closed_by, outcome)
             select 'report_' || number, 'name', 'agent_' || number, false, '{}', day, day, 'operator', 'rejected'
             from generate_series(1, 40) as number, (select now() - interval '35 days' as day) as early
             returning no, opened_at)
         insert into report (case_no, agent, reason, weight, owner, at)
         select rejected.no, agent.no, 'rude', 1, 'owner', opened_at from rejected, agent where agent.id = $1",
    )
    .bind(&crowd[0].0.id)
    .execute(&server.pool)
    .await
    .unwrap();
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "hello").await)).await;
    let case = first_case(&server.sign_in_operator().await, "open").await;
    let (weight, _, explanation) = report_weights(&case)[0];
    assert_eq!(weight, 0.0);
    assert!(explanation.contains("because 40 earlier reports"), "{explanation}");
}
