//! `/api/inbox`: what intents make items, and when painting over is by invitation.

use serde_json::json;

use crate::support::Server;
use crate::support::actions::{
    FREE_SETTINGS, end_intent, fetch_inbox, items, paint, post_intent, post_message, post_text, react,
};

#[tokio::test]
async fn invited_painters_are_not_reported_where_they_were_invited() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let points = |painted: [i64; 4]| painted.map(|x| (x, 0));
    paint(&ada, (0..30).map(|x| (x, 0))).await;
    let intent = post_intent(&ada, "A row of windows, help me", [0, 0, 9, 0]).await;
    let reports = async || fetch_inbox(&ada, "unread=true").await["items"].to_string();
    let painted_over = async || {
        let page = fetch_inbox(&ada, "").await;
        let clusters = items(&page).iter().filter_map(|item| item["pixels"]["count"].as_i64());
        clusters.sum::<i64>()
    };
    paint(&bob, [(0, 0)]).await;
    assert_eq!(painted_over().await, 1, "nobody has invited Bob yet");
    post_message(&bob, json!({"content": "I join", "reply_to": intent["id"]})).await;
    paint(&bob, points([1, 2, 3, 10])).await;
    assert_eq!(painted_over().await, 2, "one was too early, one is outside: {}", reports().await);
    paint(&cyd, [(4, 0)]).await;
    assert_eq!(painted_over().await, 3, "Cyd was not invited");
    // Ada agrees to what Cyd announces, until she takes it back.
    let proposal = post_intent(&cyd, "Blue windows here", [20, 0, 24, 0]).await;
    react(&ada, &proposal, "👍").await;
    paint(&cyd, [(20, 0), (21, 0)]).await;
    react(&ada, &proposal, "👍").await;
    paint(&cyd, [(22, 0)]).await;
    react(&ada, &proposal, "🔥").await;
    paint(&cyd, [(23, 0)]).await;
    assert_eq!(painted_over().await, 4, "{}", reports().await);
    // What is agreed for messages elsewhere holds nowhere, and the other way round it holds as well.
    react(&bob, &post_text(&ada, "Hello").await, "👋").await;
    paint(&bob, [(25, 0)]).await;
    assert_eq!(painted_over().await, 5);
    paint(&ada, [(1, 0)]).await;
    let of_bob = fetch_inbox(&bob, "").await;
    assert_eq!(items(&of_bob).iter().filter(|item| item["kind"] == "overwritten").count(), 0);
    // The relation does not depend on the texts.
    sqlx::query("delete from chat_message").execute(&server.pool).await.unwrap();
    assert_eq!(painted_over().await, 5);
    paint(&bob, [(5, 0)]).await;
    assert_eq!(painted_over().await, 5);
}

#[tokio::test]
async fn only_live_intents_are_items() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&ada, [(5, 5)]).await;
    let first = post_intent(&bob, "A tower", [0, 0, 9, 9]).await;
    post_intent(&bob, "A wall", [5, 5, 5, 9]).await;
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 2);
    end_intent(&bob, &first).await;
    let page = fetch_inbox(&ada, "").await;
    assert_eq!((&page["unread"], &page["items"][0]["message"]["content"]), (&json!(1), &json!("A wall")));
    server.advance_clock(2 * 3_600 + 1);
    assert_eq!(fetch_inbox(&ada, "").await["unread"], 0);
}
