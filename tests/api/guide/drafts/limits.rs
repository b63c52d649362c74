//! The numbers of drafts that wait.

use serde_json::{Value, json};

use super::DraftServer;
use crate::support::values::id_of;

fn plan(number: usize) -> Value {
    json!({"title": format!("Plan {number}"), "x": 0, "y": 0, "rows": ["8"]})
}

#[tokio::test]
async fn ten_drafts_of_a_visitor_wait_at_most() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let mut drafts = Vec::new();
    for number in 0..10 {
        drafts.push(drafting.propose(&visitor, "plan", plan(number)).await);
    }
    drafting.assert_refused(&visitor, "plan", plan(10), "10 of your drafts wait").await;
    drafting.propose(&drafting.browser(), "plan", plan(11)).await;
    assert_eq!(visitor.reject(&drafts[0]).await.status, 200);
    drafting.propose(&visitor, "plan", plan(12)).await;
    drafting.server.advance_clock(86_401);
    drafting.propose(&visitor, "plan", plan(13)).await;
}

#[tokio::test]
async fn the_same_change_is_proposed_once_at_a_time() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let draft = drafting.propose(&visitor, "plan", plan(1)).await;
    drafting.assert_refused(&visitor, "plan", plan(1), "proposed already").await;
    assert_eq!(visitor.drafts().await.len(), 1);
    drafting.propose(&drafting.browser(), "plan", plan(1)).await;
    assert_eq!(visitor.reject(&draft).await.status, 200);
    drafting.propose(&visitor, "plan", plan(1)).await;
}

#[tokio::test]
async fn twenty_drafts_from_an_address_wait_at_most() {
    let drafting = DraftServer::open().await;
    let (first, second) = (drafting.browser(), drafting.browser());
    for visitor in [&first, &second] {
        for number in 0..10 {
            drafting.propose(visitor, "plan", plan(number)).await;
        }
    }
    drafting.assert_refused(&drafting.browser(), "plan", plan(20), "Too many drafts").await;
    drafting.propose(&drafting.create_pass_holder().await, "plan", plan(21)).await;
}

#[tokio::test]
async fn drafts_of_all_visitors_without_an_account_are_limited_together() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let draft = drafting.propose(&visitor, "plan", plan(0)).await;
    // As of 199 other visitors.
    let copy = "insert into pending_change
        (id, browser, kind, decider, summary, change, created_at, expires_at)
        select 'draft_' || lpad(n::text, 32, '0'), decode(lpad(to_hex(n), 64, '0'), 'hex'), kind, decider, summary,
               change, created_at, expires_at
        from pending_change, generate_series(1, 199) n where id = $1";
    sqlx::query(copy).bind(id_of(&draft)).execute(&drafting.server.pool).await.unwrap();
    drafting.assert_refused(&drafting.browser(), "plan", plan(1), "Too many drafts").await;
    drafting.propose(&drafting.create_pass_holder().await, "plan", plan(2)).await;
    assert_eq!(visitor.reject(&draft).await.status, 200);
    drafting.propose(&drafting.browser(), "plan", plan(3)).await;
}
