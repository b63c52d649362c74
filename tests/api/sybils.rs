//! Many accounts behind one address: their common message limit, and the grouping of their mentions.

use caraplace_messages::reads::clear_mention_origins;
use serde_json::{Value, json};

use crate::support::actions::react;
use crate::support::{Agent, PASSWORD, Reply, Server};

/// Settings without intervals; a proxy sends the address.
const LIMITED_SETTINGS: [(&str, &str); 5] = [
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "3"),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
];

/// Makes Eve a viewer with a pass. An instance that has cached the account does not notice it.
const MAKE_EVE_A_VIEWER: &str = "update agent
    set kind = 'viewer', pass_until = now() + interval '1 day', pass_seconds = 0 where name = 'Eve'";

/// Posts a message from another address than the test's own.
async fn post_message_from(agent: &Agent<'_>, address: &str, content: &str) -> Reply {
    let request = agent.post_request("/api/chat").header("X-Forwarded-For", address);
    Reply::fetch(request.json(&json!({"content": content}))).await
}

async fn fetch_items(agent: &Agent<'_>) -> Vec<Value> {
    let inbox = agent.get("/api/inbox").await.body;
    let items = inbox["items"].as_array().unwrap().clone();
    assert_eq!(inbox["unread"], items.iter().filter(|item| item["read"] == false).count());
    items
}

#[tokio::test]
async fn agents_behind_one_address_share_a_message_limit() {
    let server = Server::start_with(&LIMITED_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    assert_eq!(ada.post_message("one").await.status, 201);
    assert_eq!(bob.post("/api/chat", json!({"type": "intent", "content": "a roof"})).await.status, 201);
    server.mcp(Some(&cyd.key)).call_tool_ok("chat_post", json!({"content": "three"})).await;
    let refused = ada.post_message("four").await;
    refused.assert_refused(429, "too_many_messages");
    let wait: i64 = refused.header("retry-after").parse().unwrap();
    assert!((50..=60).contains(&wait), "{wait}");
    assert!(refused.body["detail"].as_str().unwrap().contains('3'), "{}", refused.body);
    let by_tool = server.mcp(Some(&cyd.key)).call_tool("chat_post", json!({"content": "four"})).await;
    by_tool.assert_refused("too_many_messages");
    assert_eq!(ada.me().await["messages_sent"], 1, "nothing was spent");
    // Reactions are not counted.
    react(&bob, &server.get("/api/chat").await.body["messages"][0], "🔥").await;
    assert_eq!(post_message_from(&ada, "198.51.100.7", "four").await.status, 201, "another address");
    server.advance_clock(wait);
    assert_eq!(ada.post_message("five").await.status, 201, "the first of three is a minute ago");
}

#[tokio::test]
async fn address_limit_is_checked_last_and_ignores_refusals() {
    let settings = [("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "2"), ("CARAPLACE_CHARGE_SECONDS", "0")];
    let server = Server::start_with(&settings).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    for _ in 0..5 {
        ada.post_message("I have nothing").await.assert_refused(429, "no_chat_credits");
    }
    for agent in [&ada, &bob] {
        agent.earn_message_credits().await;
        agent.earn_message_credits().await;
    }
    // A replay is free.
    for _ in 0..4 {
        assert_eq!(ada.post_idempotent("/api/chat", json!({"content": "one"}), "a").await.status, 201);
    }
    assert_eq!(bob.post_message("two").await.status, 201);
    // The address has no messages left from here on.
    ada.post_message("one").await.assert_refused(422, "duplicate_message");
    let answer = json!({"content": "three", "reply_to": "msg_nowhere"});
    ada.post("/api/chat", answer).await.assert_refused(422, "reply_target_missing");
    cyd.post_message("three").await.assert_refused(429, "no_chat_credits");
    let early = ada.post_message("three").await;
    early.assert_refused(429, "too_many_messages");
    assert!(early.body["next_message_at"].is_string(), "its own interval: {}", early.body);
    cyd.earn_message_credits().await;
    let last = cyd.post_message("three").await;
    last.assert_refused(429, "too_many_messages");
    assert!(last.body["next_message_at"].is_null(), "{}", last.body);
    assert_eq!(cyd.me().await["chat_credits"], 5, "nothing was spent");
}

#[tokio::test]
async fn address_limit_is_adjustable_and_exempts_viewers() {
    let server = Server::start_with(&LIMITED_SETTINGS).await;
    let (ada, eve) = (server.register_agent("Ada").await, server.register_agent("Eve").await);
    server.execute(MAKE_EVE_A_VIEWER).await;
    for text in ["one", "two", "three"] {
        assert_eq!(ada.post_message(text).await.status, 201);
    }
    ada.post_message("four").await.assert_refused(429, "too_many_messages");
    // The test has changed her row directly, so only an instance that has not cached her reads it.
    let other = server.start_instance(&LIMITED_SETTINGS).await;
    for text in ["one", "two", "three", "four", "five"] {
        eve.on(&other).post_message(text).await.assert_status(201);
    }
    server.sign_in_operator().await.change_setting("messages_per_ip_per_minute", json!(0)).await;
    assert_eq!(ada.post_message("four").await.status, 201, "off");
}

/// Settings without limits, behind a proxy that sends the address.
const FREE_SETTINGS: [(&str, &str); 4] =
    [LIMITED_SETTINGS[0], LIMITED_SETTINGS[1], LIMITED_SETTINGS[3], ("CARAPLACE_CHARGE_SECONDS", "0")];

#[tokio::test]
async fn mentions_from_one_address_share_one_item() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let crowd = server.register_agents(["Bob", "Cyd", "Dee", "Eli"]).await;
    for (number, agent) in crowd.iter().enumerate() {
        let text = format!("@Ada, look at me {number}");
        assert_eq!(post_message_from(agent, "198.51.100.7", &text).await.status, 201);
    }
    let found = fetch_items(&ada).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["kind"], &found[0]["count"]), (&json!("mention"), &json!(4)));
    assert_eq!(found[0]["message"]["content"], "@Ada, look at me 3", "the newest");
    let home = ada.get("/api/home").await.body;
    assert_eq!(home["inbox"][0]["count"], 4, "{home}");
    // After it was read, another mention makes the same item unread again.
    assert_eq!(ada.post("/api/inbox/read", json!({"ids": [found[0]["id"]]})).await.body["unread"], 0);
    assert_eq!(post_message_from(&crowd[0], "198.51.100.7", "@Ada, again").await.status, 201);
    let found = fetch_items(&ada).await;
    assert_eq!((found.len(), &found[0]["count"], &found[0]["read"]), (1, &json!(5), &json!(false)));
    // A mention from another address makes a new item.
    assert_eq!(post_message_from(&crowd[1], "203.0.113.9", "@Ada, from afar").await.status, 201);
    assert_eq!(fetch_items(&ada).await.len(), 2);
}

#[tokio::test]
async fn mentions_by_one_account_are_grouped_once_another_joins() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    for text in ["@Ada, one", "@Ada, two", "@Ada @Cyd, three"] {
        assert_eq!(bob.post_message(text).await.status, 201);
    }
    let found = fetch_items(&ada).await;
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|item| item["count"].is_null()), "{found:?}");
    assert_eq!(cyd.post_message("@Ada, four").await.status, 201);
    assert_eq!(fetch_items(&ada).await[0]["count"], 4);
    assert_eq!((fetch_items(&ada).await.len(), fetch_items(&cyd).await.len()), (1, 1));
    // A day later the next mention makes a new item, and the address' hash is deleted.
    server.advance_clock(86_401);
    assert_eq!(bob.post_message("@Ada, five").await.status, 201);
    assert_eq!(fetch_items(&ada).await.len(), 2);
    let count_origins =
        async || server.fetch_number("select count(*) from notice where origin is not null").await;
    assert_eq!(count_origins().await, 6, "each mention keeps its row");
    clear_mention_origins(&server.running().state).await.unwrap();
    assert_eq!(count_origins().await, 1);
}

/// Returns the contents and counts of an agent's items, newest first.
async fn item_contents(agent: &Agent<'_>) -> Vec<(String, Option<i64>)> {
    let content = |item: &Value| item["message"]["content"].as_str().unwrap().to_owned();
    fetch_items(agent).await.iter().map(|item| (content(item), item["count"].as_i64())).collect()
}

fn expected_contents(expected: &[(&str, Option<i64>)]) -> Vec<(String, Option<i64>)> {
    expected.iter().map(|(content, count)| ((*content).to_owned(), *count)).collect()
}

#[tokio::test]
async fn hiding_the_newest_of_several_mentions_leaves_the_others() {
    let server = Server::start_with(&LIMITED_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    let mut messages = Vec::new();
    for (name, text) in [("Bob", "@Ada, one"), ("Cyd", "@Ada, two"), ("Dee", "@Ada, three")] {
        let posted = post_message_from(&server.register_agent(name).await, "198.51.100.7", text).await;
        messages.push(posted.body["message"].clone());
    }
    assert_eq!(item_contents(&ada).await, expected_contents(&[("@Ada, three", Some(3))]));
    operator.hide_message(&messages[2]).await;
    assert_eq!(item_contents(&ada).await, expected_contents(&[("@Ada, two", Some(2))]));
    operator.hide_message(&messages[0]).await;
    assert_eq!(item_contents(&ada).await, expected_contents(&[("@Ada, two", None)]));
    operator.hide_message(&messages[1]).await;
    assert_eq!(item_contents(&ada).await, []);
    operator.restore_message(&messages[0]).await;
    operator.restore_message(&messages[2]).await;
    assert_eq!(item_contents(&ada).await, expected_contents(&[("@Ada, three", Some(2))]));
    operator.hide_message(&messages[2]).await;
    server.advance_clock(60);
    let eli = server.register_agent("Eli").await;
    assert_eq!(post_message_from(&eli, "198.51.100.7", "@Ada, four").await.status, 201);
    let expected = expected_contents(&[("@Ada, four", Some(2))]);
    assert_eq!(item_contents(&ada).await, expected, "what is hidden is not counted");
    operator.restore_message(&messages[2]).await;
    operator.restore_message(&messages[1]).await;
    assert_eq!(item_contents(&ada).await, expected_contents(&[("@Ada, four", Some(4))]));
}

#[tokio::test]
async fn replies_and_viewer_messages_are_not_grouped() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd, eve] = server.register_agents(["Ada", "Bob", "Cyd", "Eve"]).await;
    server.execute(MAKE_EVE_A_VIEWER).await;
    // The test has changed Eve's row directly, so only an instance that has not cached her reads it.
    let other = server.start_instance(&FREE_SETTINGS).await;
    let [ada, bob, cyd, eve] = [ada, bob, cyd, eve].map(|agent| agent.on(&other));
    let question = ada.post_message("What is this?").await.body["message"]["id"].clone();
    assert_eq!(bob.post_message("@Ada, one").await.status, 201);
    let answer = json!({"content": "@Ada, an answer", "reply_to": question});
    assert_eq!(cyd.post("/api/chat", answer).await.status, 201);
    assert_eq!(eve.post_message("@Ada, from a viewer").await.status, 201);
    assert_eq!(cyd.post_message("@Ada, two").await.status, 201);
    let expected = [("@Ada, two", Some(2)), ("@Ada, from a viewer", None), ("@Ada, an answer", None)];
    assert_eq!(item_contents(&ada).await, expected_contents(&expected));
    let found = fetch_items(&ada).await;
    assert_eq!((&found[0]["importance"], &found[1]["importance"]), (&json!("normal"), &json!("high")));
}

#[tokio::test]
async fn grouping_of_mentions_does_not_depend_on_chat_rows() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(bob.post_message("@Ada, one").await.status, 201);
    sqlx::query("update chat_message set agent = null").execute(&server.pool).await.unwrap();
    assert_eq!(bob.post_message("@Ada, two").await.status, 201);
    assert_eq!(fetch_items(&ada).await.len(), 2, "both are by one account");
}

#[tokio::test]
async fn mention_joins_only_the_newest_fifty_items() {
    let unlimited = [("CARAPLACE_MESSAGES_PER_IP_PER_MINUTE", "0")];
    let server = Server::start_with(&[&FREE_SETTINGS[..], &unlimited[..]].concat()).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    for number in 0..55 {
        assert_eq!(bob.post_message(&format!("@Ada, number {number}")).await.status, 201);
    }
    assert_eq!(cyd.post_message("@Ada, hello").await.status, 201);
    let found = ada.get("/api/inbox?limit=100").await.body;
    assert_eq!((&found["items"][0]["count"], &found["unread"]), (&json!(50), &json!(7)));
    // The older items are grouped when further mentions arrive.
    assert_eq!(bob.post_message("@Ada, bye").await.status, 201);
    let found = ada.get("/api/inbox?limit=100").await.body;
    assert_eq!((&found["items"][0]["count"], &found["unread"]), (&json!(57), &json!(1)));
}

#[tokio::test]
async fn stored_address_hash_differs_per_reader() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [_ada, _bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    assert_eq!(cyd.post_message("@Ada and @Bob, hello").await.status, 201);
    let origins: Vec<Vec<u8>> = server.fetch_scalars("select origin from notice order by agent").await;
    assert_eq!(origins.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16]);
    assert_ne!(origins[0], origins[1]);
}
