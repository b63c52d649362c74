//! `POST /api/home/read`: marks what a response of `/api/home` has shown as read.

use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, fetch_home, fetch_markdown, paint, post_text};
use crate::support::{Agent, Server};

/// Returns the numbers of unread items and messages, without crews and questions.
fn numbers(inbox: usize, chat: usize) -> Value {
    json!({"inbox": inbox, "chat": chat, "crews": 0, "asks": 0})
}

/// Returns the unread numbers that remain after marking a response as read.
async fn mark_read(agent: &Agent<'_>, up_to: &Value) -> Value {
    let answer = agent.post("/api/home/read", json!({"up_to": up_to})).await.assert_status(200);
    assert_eq!(answer["success"], true, "{answer}");
    answer["unread"].clone()
}

#[tokio::test]
async fn marks_what_a_response_has_shown_as_read() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, [(1, 1)]).await;
    assert_eq!(fetch_home(&ada, "").await["up_to"], server.head().await, "nothing is unread");
    post_text(&bob, "@Ada, hello").await;
    post_text(&bob, "A red roof").await;
    paint(&bob, [(1, 1)]).await;
    let home = fetch_home(&ada, "").await;
    assert_eq!(home["up_to"], server.head().await);
    let text = fetch_markdown(&ada, "").await;
    assert!(text.contains(&format!("`POST /api/home/read` with up_to {}.", home["up_to"])), "{text}");
    post_text(&bob, "@Ada, one more").await;
    assert_eq!(mark_read(&ada, &home["up_to"]).await, numbers(1, 1));
    let there = ada.on(&other);
    other.catch_up().await;
    for agent in [&ada, &there] {
        let home = fetch_home(agent, "").await;
        assert_eq!(home["unread"], json!({"inbox": 1, "messages": 1}));
        assert_eq!(home["messages"][0]["content"], "@Ada, one more");
        assert_eq!(agent.get("/api/inbox").await.body["unread"], 1);
        assert_eq!(agent.get("/api/chat/new").await.body["messages"][0]["content"], "@Ada, one more");
    }
    assert_eq!(mark_read(&there, &fetch_home(&there, "").await["up_to"]).await, numbers(0, 0));
    assert_eq!(mark_read(&ada, &json!(0)).await, numbers(0, 0), "never backwards");
}

#[tokio::test]
async fn what_was_cut_stays_unread() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let mut posted = Vec::new();
    for number in 0..40 {
        posted.push(post_text(&bob, &format!("Message {number}: {}", "the roof is red ".repeat(10))).await);
    }
    let home = fetch_home(&ada, "").await;
    let shown = home["messages"].as_array().unwrap().len();
    assert!((1..40).contains(&shown));
    assert_eq!(home["up_to"], posted[shown - 1]["seq"], "the last one shown");
    assert_eq!(mark_read(&ada, &home["up_to"]).await, numbers(0, 40 - shown));
    assert_eq!(fetch_home(&ada, "").await["messages"][0], posted[shown]);
    // The newest items are shown first, so that older ones were cut.
    for number in 0..20 {
        post_text(&bob, &format!("@Ada {number}: {}", "a door ".repeat(5))).await;
    }
    ada.get(&format!("/api/chat/new?ack={}", posted[39]["seq"])).await;
    let home = fetch_home(&ada, "").await;
    let shown = home["inbox"].as_array().unwrap().len();
    assert!((1..20).contains(&shown), "{home}");
    // The oldest messages are shown, and with them the items of these.
    let left = 20 - home["messages"].as_array().map_or(0, Vec::len);
    assert_eq!(mark_read(&ada, &home["up_to"]).await, numbers(left, left));
}

#[tokio::test]
async fn refuses_marking_what_no_response_has_shown() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let beyond = server.head().await + 1;
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"up_to": null}), "invalid_field"),
        (json!({"up_to": beyond}), "bad_cursor"),
        (json!({"up_to": -1}), "invalid_field"),
        (json!({"up_to": "1"}), "invalid_field"),
        (json!({"up_to": 1, "ids": []}), "unknown_field"),
    ] {
        ada.post("/api/home/read", body).await.assert_refused(400, code);
    }
    server.post("/api/home/read", json!({"up_to": 1})).await.assert_refused(401, "key_missing");
}

#[tokio::test]
async fn the_tool_marks_what_next_steps_showed() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "@Ada, hello").await;
    post_text(&bob, "A red roof").await;
    let mcp = server.mcp(Some(&ada.key));
    let text = mcp.call_tool_ok("next_steps", json!({})).await.text;
    let (_, up_to) = text.split_once("`mark_read` with home_up_to ").unwrap();
    let up_to: i64 = up_to.split_once('.').unwrap().0.parse().unwrap();
    let both = json!({"home_up_to": up_to, "up_to": up_to});
    mcp.call_tool("mark_read", both).await.assert_refused("invalid_field");
    let marked = mcp.call_tool_ok("mark_read", json!({"home_up_to": up_to})).await;
    assert_eq!(marked.structured["unread"], numbers(0, 0));
    assert!(ada.get("/api/chat/new").await.body["messages"].as_array().unwrap().is_empty());
}
