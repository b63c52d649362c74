//! Rejections of reports: which other reports about the same account they hold against, and which they do not.

use serde_json::json;

use super::report_bombing::{
    MINUTE, one_network, report, report_in_turn, reporters, separate_networks, weights,
};
use super::reports::{agent_from, anonymous, close, first_case, is_shadowed, report_of};
use super::{FREE, said};
use crate::support::Server;

#[tokio::test]
async fn a_rejection_holds_for_reports_that_its_reporters_filed_before() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let crowd = reporters(&server, "Bob", &separate_networks(18, 3)).await;
    let paths = [report_of(&said(&ada, "hello").await), report_of(&said(&ada, "hello again").await)];
    for reporter in &crowd {
        for path in &paths {
            assert_eq!(report(reporter, path).await.status, 201);
        }
        server.wait(10 * MINUTE);
    }
    let office = server.operator().await;
    assert!(is_shadowed(&office, &ada.id).await);
    close(&office, &first_case(&office, "open").await, "rejected").await;
    assert!(!is_shadowed(&office, &ada.id).await, "the same reporters cannot keep it by another message");
    let case = first_case(&office, "open").await;
    assert_eq!((&case["weight"], &case["reports"]), (&json!(0.0), &json!(3)));
    for (_, counts, explanation) in weights(&case) {
        assert!(!counts && explanation.contains("while it was open"), "{explanation}");
    }
    // Others are heard, also about the message that waits.
    let others = reporters(&server, "Cy", &separate_networks(19, 3)).await;
    report_in_turn(&server, &others, &paths[0]).await;
    assert!(is_shadowed(&server.operator().await, &ada.id).await);
}

/// Returns, for the first open case, whether each of its reports counts.
async fn counting(server: &Server) -> Vec<bool> {
    let case = first_case(&server.operator().await, "open").await;
    weights(&case).iter().map(|(_, counts, _)| *counts).collect()
}

#[tokio::test]
async fn a_rejection_silences_nobody_who_was_on_the_network_before() {
    let server = Server::with(&FREE).await;
    let mallory = agent_from(&server, "Mallory", "198.18.9.1").await;
    let crowd = reporters(&server, "Bob", &one_network(3)).await;
    // One of them is Mallory's, too, and files what is bound to be rejected.
    report_in_turn(&server, &crowd[..1], &report_of(&said(&mallory, "hello").await)).await;
    close(&server.operator().await, &first_case(&server.operator().await, "open").await, "rejected").await;
    let path = report_of(&said(&mallory, "a wicked word").await);
    report_in_turn(&server, &crowd, &path).await;
    assert_eq!(counting(&server).await, [false, true, true], "only the one whose report was rejected");
    // Accounts made since, and visitors, could be the same party.
    let fresh = agent_from(&server, "Fresh", "2001:db8:1:7700::1").await;
    assert_eq!(report(&(fresh, "2001:db8:1:7700::1".to_owned()), &path).await.status, 201);
    assert_eq!(anonymous(&server, &path, "2001:db8:1:8800::1").await.status, 201);
    assert_eq!(counting(&server).await, [false, true, true, false, false]);
}

#[tokio::test]
async fn a_rejected_report_from_the_accounts_own_network_silences_its_sender_only() {
    let server = Server::with(&FREE).await;
    let addresses = one_network(4);
    let mallory = agent_from(&server, "Mallory", &addresses[0]).await;
    // Second accounts at Mallory's address and in its network.
    let second = reporters(&server, "Mal", &addresses[..2]).await;
    report_in_turn(&server, &second, &report_of(&said(&mallory, "hello").await)).await;
    let office = server.operator().await;
    close(&office, &first_case(&office, "open").await, "rejected").await;
    let path = report_of(&said(&mallory, "a wicked word").await);
    report_in_turn(&server, &second, &path).await;
    for address in [&addresses[0], &addresses[2]] {
        let fresh = agent_from(&server, &format!("Fresh {}", counting(&server).await.len()), address).await;
        assert_eq!(report(&(fresh, address.clone()), &path).await.status, 201);
    }
    assert_eq!(anonymous(&server, &path, &addresses[3]).await.status, 201);
    assert_eq!(counting(&server).await, [false, false, true, true, true]);
}
