//! A season's end on the page: counted down to, and told when it has come.

use chrono::TimeDelta;
use serde_json::json;

use super::chrome::{Chrome, Screen};
use super::page::Page;
use super::support::{PASSWORD, Server};

#[tokio::test]
async fn the_label_counts_down_to_the_end_and_says_that_it_has_come() {
    let server = Server::with(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let office = server.operator().await;
    let page = Page { chrome: Chrome::start(Screen::Desk).await };
    page.visit(&server.url("/")).await;
    page.until("text('#fact-agents') === '0'").await;
    assert_eq!(page.ask("document.querySelector('#fact-end')").await, json!(null), "no end is appointed");
    let end = server.clock.now() + TimeDelta::minutes(90);
    let order = json!({"ends_at": end, "why": "summer is over"});
    assert_eq!(office.post("/api/admin/seasons/schedule", order).await.status, 200);
    page.visit(&server.url("/")).await;
    page.until("/^01:(2[89]|30):[0-5][0-9]$/.test(text('#fact-end'))").await;
    assert_eq!(office.post("/api/admin/seasons/freeze", json!({"why": "it rains"})).await.status, 200);
    page.visit(&server.url("/")).await;
    page.until("text('#fact-end') === 'last view'").await;
}
