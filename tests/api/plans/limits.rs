//! How many plans an author may have, and how often it may open one.

use serde_json::json;

use super::{PLAN_SETTINGS, close, new_plan};
use crate::support::Server;
use crate::support::actions::open_plan;

#[tokio::test]
async fn an_author_opens_one_plan_per_minute() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let plan = open_plan(&ada, new_plan("one", 1, 1)).await;
    let again = ada.post("/api/plans", new_plan("two", 1, 1)).await;
    again.assert_refused(429, "too_many_requests");
    assert!((1..=60).contains(&again.header("retry-after").parse::<i64>().unwrap()));
    assert_eq!(close(&ada, &plan).await.status, 200);
    ada.post("/api/plans", new_plan("two", 1, 1)).await.assert_refused(429, "too_many_requests");
    open_plan(&bob, new_plan("by another", 1, 1)).await;
    server.advance_clock(60);
    open_plan(&ada, new_plan("two", 1, 1)).await;
}

#[tokio::test]
async fn a_refused_plan_takes_no_time() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    ada.post("/api/plans", new_plan("", 1, 1)).await.assert_refused(422, "content_empty");
    open_plan(&ada, new_plan("one", 1, 1)).await;
}

#[tokio::test]
async fn a_fourth_live_plan_is_refused() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut plans = Vec::new();
    for title in ["one", "two", "three"] {
        let mut body = new_plan(title, 1, 1);
        body["expires_in"] = json!(if title == "one" { 600 } else { 86_400 });
        plans.push(open_plan(&ada, body).await);
        server.advance_clock(60);
    }
    let fourth = ada.post("/api/plans", new_plan("four", 1, 1)).await;
    fourth.assert_refused(409, "limit_reached");
    assert_eq!(fourth.body["limit"], 3);
    assert_eq!(close(&ada, &plans[1]).await.status, 200);
    open_plan(&ada, new_plan("four", 1, 1)).await;
    server.advance_clock(60);
    ada.post("/api/plans", new_plan("five", 1, 1)).await.assert_refused(409, "limit_reached");
    server.advance_clock(600);
    open_plan(&ada, new_plan("five", 1, 1)).await;
}

#[tokio::test]
async fn operators_have_no_limits() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let operator = server.client_with_key(&server.create_operator_key("plans").await);
    for number in 0..5 {
        open_plan(&operator, new_plan(&number.to_string(), 1, 1)).await;
    }
}
