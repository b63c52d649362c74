//! The metrics of cases and appeals that wait for an operator.

use caraplace_moderation::reports::alerts;
use serde_json::json;

use super::FREE_CONSOLE_SETTINGS;
use super::reports::{close_case, first_case, report_as, report_path};
use crate::support::Server;
use crate::support::actions::post_text;

/// Counts what waits, and returns the values of cases, the oldest one's seconds, and appeals.
async fn count_waiting(server: &Server) -> [f64; 3] {
    alerts::count_waiting(&server.running().state).await.unwrap();
    let metrics = server.get("/metrics").await.text().to_owned();
    let names =
        ["caraplace_reports_waiting", "caraplace_reports_oldest_seconds", "caraplace_appeals_waiting"];
    names.map(|name| {
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("{name} is missing")).parse().unwrap()
    })
}

#[tokio::test]
async fn metrics_count_open_cases_and_appeals() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let bob = server.register_agent("Bob").await;
    let operator = server.sign_in_operator().await;
    assert_eq!(count_waiting(&server).await, [0.0; 3]);
    for text in ["a wicked word", "another one"] {
        let path = report_path(&post_text(&ada, text).await);
        assert_eq!(report_as(&bob, &path).await.status, 201);
        server.advance_clock(600);
    }
    operator.apply_sanction(&bob, "mute").await;
    assert_eq!(bob.post("/api/appeals", json!({"text": "Why?"})).await.status, 201);
    let [cases, oldest, appeals] = count_waiting(&server).await;
    assert_eq!([cases, appeals], [2.0, 1.0]);
    assert!((1_200.0..1_800.0).contains(&oldest), "{oldest}");
    for _ in 0..2 {
        close_case(&operator, &first_case(&operator, "open").await, "rejected").await;
    }
    operator.apply_sanction(&bob, "unmute").await;
    assert_eq!(count_waiting(&server).await, [0.0; 3], "lifting the mute grants the appeal");
}
