//! The end of alerts about reports.

use futures_util::future::join;
use serde_json::Value;

use super::FREE_CONSOLE_SETTINGS;
use super::report_bombing::{
    one_network, open_alerts, register_reporters, report, report_in_turn, separate_networks,
};
use super::reports::{close_case, first_case, is_shadowed, report_path};
use crate::support::Server;
use crate::support::actions::post_text;
use crate::support::waiting::wait_until;

#[tokio::test]
async fn alert_raised_during_review_ends_with_the_last_case() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &one_network(3)).await;
    let path = report_path(&post_text(&ada, "hello").await);
    report_in_turn(&server, &crowd[..2], &path).await;
    let operator = server.sign_in_operator().await;
    let case = first_case(&operator, "open").await;
    // An uncommitted alert about the same account makes the report wait when it raises its own.
    let mut other = server.pool.begin().await.unwrap();
    sqlx::query(
        "insert into report_alert (author, cause, reports, networks, raised_at, newest_at)
         select no, 'many', 1, 1, now(), now() from agent where id = $1",
    )
    .bind(&ada.id)
    .execute(&mut *other)
    .await
    .unwrap();
    let decide = async {
        server.wait_for_lock_waits(1).await;
        let open_cases = "select count(*) from report_case where closed_at is null";
        let is_open = async || server.fetch_number(open_cases).await > 0;
        let is_blocked_or_closed = async || server.count_lock_waits().await >= 2 || !is_open().await;
        let release = async {
            wait_until(is_blocked_or_closed, "the decision neither waits nor closes the case").await;
            other.rollback().await.unwrap();
        };
        join(close_case(&operator, &case, "rejected"), release).await;
    };
    let (reply, ()) = join(report(&crowd[2], &path), decide).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    assert_eq!(open_alerts(&operator, &ada.id).await, Vec::<Value>::new(), "all cases are decided");
    assert_eq!(server.count_rows("report_alert").await, 1, "the alert was raised and has ended");
}

#[tokio::test]
async fn an_alert_ends_when_later_reports_shadow_ban() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    report_in_turn(&server, &crowd, &format!("/api/agents/{}/report", ada.id)).await;
    let operator = server.sign_in_operator().await;
    assert_eq!(open_alerts(&operator, &ada.id).await.len(), 1);
    report_in_turn(&server, &crowd, &report_path(&post_text(&ada, "a wicked word").await)).await;
    assert!(is_shadowed(&operator, &ada.id).await);
    let alerts = open_alerts(&operator, &ada.id).await;
    assert_eq!(alerts, Vec::<Value>::new(), "the alert would claim that nothing was imposed");
}
