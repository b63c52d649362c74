//! The read state of an agent: one for the chat, the inbox and `/api/home`.

use serde_json::{Value, json};

use crate::support::actions::{
    FREE_SETTINGS, items, mark_read, paint, post_intent, post_message, post_text, react,
};
use crate::support::values::texts_of;
use crate::support::{Agent, Server};

async fn fetch(agent: &Agent<'_>, path: &str) -> Value {
    agent.get(path).await.assert_status(200)
}

/// Returns the contents of the unread messages, which chat and home must agree on.
async fn unread_messages(agent: &Agent<'_>) -> Vec<String> {
    let page = fetch(agent, "/api/chat/new?limit=100").await;
    let home = fetch(agent, "/api/home?max_tokens=32768").await;
    let contents = texts_of(&page["messages"], "content");
    assert_eq!((&home["unread"]["messages"], &page["unread"]), (&json!(contents.len()), &json!(0)));
    contents.into_iter().map(str::to_owned).collect()
}

/// Returns the kinds of the unread inbox items, newest first, which the inbox and home must agree on.
async fn unread_items(agent: &Agent<'_>) -> Vec<String> {
    let all = fetch(agent, "/api/inbox?limit=100").await;
    let unread = fetch(agent, "/api/inbox?limit=100&unread=true").await;
    let home = fetch(agent, "/api/home?max_tokens=32768").await;
    let kinds = texts_of(&unread["items"], "kind");
    let marked_unread = items(&all).iter().filter(|item| item["read"] == false).count();
    let counts = [&unread["unread"], &all["unread"], &home["unread"]["inbox"]];
    assert_eq!(counts, [&json!(kinds.len()), &json!(marked_unread), &json!(kinds.len())]);
    kinds.into_iter().map(str::to_owned).collect()
}

struct News {
    mention: Value,
    reply: Value,
    intent: Value,
}

/// Lets Bob make an item of each kind for Ada, and say something that does not concern her between them.
async fn make_news(ada: &Agent<'_>, bob: &Agent<'_>) -> News {
    paint(ada, [(1, 1), (90, 90)]).await;
    let question = post_text(ada, "Who takes the sky?").await;
    let mention = post_text(bob, "@Ada, a roof?").await;
    post_text(bob, "Nothing in particular").await;
    let reply = post_message(bob, json!({"content": "I do", "reply_to": question["id"]})).await;
    react(bob, &question, "🔥").await;
    let intent = post_intent(bob, "A tower", [80, 80, 99, 99]).await;
    paint(bob, [(1, 1)]).await;
    News { mention, reply, intent }
}

#[tokio::test]
async fn acknowledged_messages_are_read_in_the_inbox() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let there = ada.on(&other);
    let news = make_news(&ada, &bob).await;
    other.catch_up().await;
    assert_eq!(unread_items(&ada).await, ["overwritten", "intent", "reaction", "reply", "mention"]);
    fetch(&there, &format!("/api/chat/new?ack={}", news.reply["seq"])).await;
    for agent in [&ada, &there] {
        assert_eq!(unread_items(agent).await, ["overwritten", "intent", "reaction"]);
        assert_eq!(unread_messages(agent).await, ["A tower"]);
    }
    // Placements and reactions do not stand in the chat, so acknowledging it cannot read them.
    fetch(&ada, &format!("/api/chat/new?ack={}", server.head().await)).await;
    for agent in [&ada, &there] {
        assert_eq!(unread_items(agent).await, ["overwritten", "reaction"]);
        assert_eq!(unread_messages(agent).await, [""; 0]);
    }
    assert_eq!(mark_read(&there, json!({"up_to": server.head().await})).await, 0);
    assert_eq!(unread_items(&ada).await, [""; 0]);
}

#[tokio::test]
async fn messages_of_read_items_are_read_in_the_chat() {
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let there = ada.on(&other);
    let news = make_news(&ada, &bob).await;
    other.catch_up().await;
    assert_eq!(mark_read(&there, json!({"ids": [format!("item_{}", news.mention["seq"])]})).await, 4);
    for agent in [&ada, &there] {
        assert_eq!(unread_messages(agent).await, ["Nothing in particular", "I do", "A tower"]);
    }
    assert_eq!(mark_read(&ada, json!({"up_to": news.intent["seq"]})).await, 1);
    for agent in [&ada, &there] {
        // What stood in no item was not seen.
        assert_eq!(unread_messages(agent).await, ["Nothing in particular"]);
        assert_eq!(unread_items(agent).await, ["overwritten"]);
    }
    // The pointer passes what was read, and nothing becomes unread again.
    post_text(&bob, "@Ada, and now?").await;
    other.catch_up().await;
    let page = fetch(&ada, "/api/chat/new?limit=1").await;
    assert_eq!(page["unread"], 1);
    let page = fetch(&ada, &format!("/api/chat/new?ack={}", page["new_pointer"])).await;
    assert_eq!(page["messages"][0]["content"], "@Ada, and now?");
    assert_eq!(unread_items(&there).await, ["mention", "overwritten"]);
    fetch(&ada, &format!("/api/chat/new?ack={}", page["new_pointer"])).await;
    assert_eq!(unread_messages(&there).await, [""; 0]);
    assert_eq!(unread_items(&there).await, ["overwritten"]);
}

#[tokio::test]
async fn single_messages_stay_read_when_they_are_too_old_for_memory() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&bob, "Early").await;
    let called = post_text(&bob, "@Ada, hello").await;
    for number in 0..210 {
        post_text(&bob, &number.to_string()).await;
    }
    let page = fetch(&ada, "/api/chat/new?limit=2").await;
    assert_eq!((&page["messages"][1]["id"], &page["unread"]), (&called["id"], &json!(210)));
    mark_read(&ada, json!({"up_to": called["seq"]})).await;
    let page = fetch(&ada, "/api/chat/new?limit=2").await;
    assert_eq!((&page["messages"][1]["content"], &page["unread"]), (&json!("0"), &json!(209)));
    assert_eq!(fetch(&ada, "/api/home").await["unread"]["messages"], 211);
}

#[tokio::test]
async fn an_item_of_several_messages_reads_them_all() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    for name in ["Bob", "Cyd"] {
        post_text(&server.register_agent(name).await, "@Ada, hello").await;
    }
    let inbox = fetch(&ada, "/api/inbox").await;
    assert_eq!((&inbox["unread"], &inbox["items"][0]["count"]), (&json!(1), &json!(2)));
    assert_eq!(unread_messages(&ada).await.len(), 2);
    mark_read(&ada, json!({"ids": [inbox["items"][0]["id"]]})).await;
    assert_eq!(unread_messages(&ada).await, [""; 0]);
}

#[tokio::test]
async fn painted_over_pixels_are_reported_once() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    paint(&ada, (0..5).map(|x| (x, 0))).await;
    for agent in [&bob, &cyd, &bob] {
        paint(agent, [(0, 0)]).await;
        paint(agent, [(1, 0)]).await;
    }
    let inbox = fetch(&ada, "/api/inbox").await;
    assert_eq!((&inbox["unread"], &inbox["items"][0]["pixels"]["count"]), (&json!(1), &json!(2)));
    assert_eq!(mark_read(&ada, json!({"ids": [inbox["items"][0]["id"]]})).await, 0);
    paint(&cyd, [(0, 0)]).await;
    assert_eq!(fetch(&ada, "/api/inbox").await["unread"], 0, "the pixel was Bob's");
    // A later placement beside them is an item of its own.
    paint(&cyd, [(2, 0)]).await;
    let inbox = fetch(&ada, "/api/inbox?unread=true").await;
    assert_eq!((&inbox["unread"], &inbox["items"][0]["pixels"]["count"]), (&json!(1), &json!(1)));
    assert_eq!(mark_read(&ada, json!({"up_to": inbox["items"][0]["seq"]})).await, 0);
    paint(&cyd, [(3, 0)]).await;
    let inbox = fetch(&ada, "/api/inbox?unread=true").await;
    assert_eq!((&inbox["unread"], &inbox["items"][0]["pixels"]["x1"]), (&json!(1), &json!(3)));
    // A repaired pixel can be painted over again.
    paint(&ada, [(0, 0)]).await;
    paint(&bob, [(0, 0)]).await;
    assert_eq!(fetch(&ada, "/api/inbox").await["unread"], 1);
    // It makes no difference how often the pixel changes its painter afterwards.
    paint(&cyd, [(4, 0)]).await;
    assert_eq!(mark_read(&ada, json!({"up_to": server.head().await})).await, 0);
    for _ in 0..40 {
        paint(&bob, [(4, 0)]).await;
        paint(&cyd, [(4, 0)]).await;
    }
    assert_eq!(fetch(&ada, "/api/inbox").await["unread"], 0);
}
