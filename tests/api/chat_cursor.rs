//! `/api/chat/new`: unread messages, and the cursor that moves only when the agent acknowledges.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Agent, PASSWORD, Process, Reply, Server};

const FREE_SETTINGS: [(&str, &str); 3] = [
    ("CARAPLACE_CHARGE_SECONDS", "0"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
    ("CARAPLACE_MESSAGE_SECONDS", "0"),
];

async fn post_messages(agent: &Agent<'_>, numbers: std::ops::Range<usize>) -> Vec<Value> {
    let mut messages = Vec::new();
    for number in numbers {
        let reply = agent.post_message(&format!("message {number}")).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        messages.push(reply.body["message"].clone());
    }
    messages
}

async fn fetch_unread(agent: &Agent<'_>, query: &str) -> Value {
    let reply = agent.get(&format!("/api/chat/new?{query}")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

fn contents(page: &Value) -> Vec<&str> {
    page["messages"].as_array().unwrap().iter().map(|one| one["content"].as_str().unwrap()).collect()
}

fn new_pointer(page: &Value) -> i64 {
    page["new_pointer"].as_i64().unwrap()
}

/// Reads all pages, each of which is acknowledged with the next request.
async fn read_all(agent: &Agent<'_>, limit: usize) -> Vec<String> {
    let (mut all, mut ack) = (Vec::new(), String::new());
    loop {
        let page = fetch_unread(agent, &format!("limit={limit}{ack}")).await;
        let left = page["unread"].as_i64().unwrap();
        all.extend(contents(&page).into_iter().map(str::to_owned));
        ack = format!("&ack={}", new_pointer(&page));
        assert!(left == 0 || page["messages"].as_array().unwrap().len() == limit);
        if left == 0 {
            fetch_unread(agent, &ack).await;
            return all;
        }
    }
}

#[tokio::test]
async fn unread_messages_come_oldest_first_and_stay_until_they_are_acknowledged() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let posted = post_messages(&ada, 0..5).await;
    let page = fetch_unread(&bob, "limit=2").await;
    let fields: Vec<_> = page.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["digest", "digest_expires_at", "messages", "new_pointer", "unread"]);
    assert_eq!(page["messages"], json!(posted[..2]), "as in GET /api/chat");
    assert_eq!((new_pointer(&page), &page["unread"]), (posted[1]["seq"].as_i64().unwrap(), &json!(3)));
    assert_eq!(page["digest"], server.digest().await);
    assert_eq!(fetch_unread(&bob, "limit=2").await["messages"], page["messages"], "nothing else moves it");
    let next = fetch_unread(&bob, &format!("limit=2&ack={}", new_pointer(&page))).await;
    assert_eq!((contents(&next), &next["unread"]), (vec!["message 2", "message 3"], &json!(1)));
    // The cursor never moves backwards.
    let back = fetch_unread(&bob, "limit=2&ack=0").await;
    assert_eq!(contents(&back), ["message 2", "message 3"]);
    assert_eq!(read_all(&bob, 1).await, ["message 2", "message 3", "message 4"]);
    assert_eq!(bob.paint(1, 1, 5).await.status, 201, "its digest serves");
}

#[tokio::test]
async fn own_messages_are_never_unread() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_messages(&ada, 0..2).await;
    post_messages(&bob, 2..4).await;
    let page = fetch_unread(&ada, "").await;
    assert_eq!((contents(&page), &page["unread"]), (vec!["message 2", "message 3"], &json!(0)));
    let first = fetch_unread(&ada, "limit=1").await;
    assert_eq!((contents(&first), &first["unread"]), (vec!["message 2"], &json!(1)));
    assert_eq!(ada.get("/api/home").await.body["unread"]["messages"], 2);
    post_messages(&ada, 4..6).await;
    let page = fetch_unread(&ada, &format!("ack={}", new_pointer(&page))).await;
    assert_eq!((contents(&page), &page["unread"]), (vec![], &json!(0)));
    assert_eq!(new_pointer(&page), server.head().await);
    assert_eq!(ada.get("/api/home").await.body["unread"]["messages"], 0);
    // Neither are those that are too old for memory.
    post_messages(&ada, 6..260).await;
    let page = fetch_unread(&ada, "").await;
    assert_eq!((contents(&page), &page["unread"]), (vec![], &json!(0)));
}

#[tokio::test]
async fn hidden_messages_are_neither_unread_nor_counted() {
    let server =
        Server::start_with(&[&FREE_SETTINGS[..], &[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]].concat()).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let posted = post_messages(&ada, 0..60).await;
    for message in &posted[50..] {
        let path = format!("/api/admin/messages/{}/hide", message["id"].as_str().unwrap());
        assert_eq!(operator.post(&path, json!({"reason": "x"})).await.status, 200);
    }
    let late = server.register_agent("Late").await;
    let page = fetch_unread(&late, "limit=100").await;
    assert_eq!((contents(&page).len(), contents(&page)[0], &page["unread"]), (50, "message 0", &json!(0)));
    assert_eq!(fetch_unread(&late, "limit=30").await["unread"], 20);
}

#[tokio::test]
async fn new_agent_cursor_starts_before_the_newest_fifty() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let early = server.register_agent("Early").await;
    post_messages(&ada, 0..53).await;
    let late = server.register_agent("Late").await;
    post_messages(&ada, 53..55).await;
    let page = fetch_unread(&late, "limit=100").await;
    assert_eq!(contents(&page).len(), 52);
    assert_eq!(contents(&page)[0], "message 3");
    assert_eq!(contents(&fetch_unread(&early, "limit=100").await).len(), 55);
    // An agent that an older server has registered.
    sqlx::query("delete from chat_cursor").execute(&server.pool).await.unwrap();
    assert_eq!(contents(&fetch_unread(&late, "limit=100").await)[0], "message 5");
    post_messages(&ada, 55..60).await;
    assert_eq!(contents(&fetch_unread(&late, "limit=100").await)[0], "message 5", "it has a cursor now");
}

#[tokio::test]
async fn reads_messages_too_old_for_memory_from_the_database() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    for start in [0, 150] {
        post_messages(&ada, start..start + 100).await;
        post_messages(&bob, start + 100..start + 150).await;
    }
    let page = fetch_unread(&bob, "limit=7").await;
    assert_eq!((contents(&page).len(), contents(&page)[0], &page["unread"]), (7, "message 0", &json!(193)));
    let expected: Vec<_> = (0..100).chain(150..250).map(|number| format!("message {number}")).collect();
    assert_eq!(read_all(&bob, 13).await, expected);
    sqlx::query("delete from chat_message where seq % 2 = 0").execute(&server.pool).await.unwrap();
    let cyd = server.register_agent("Cyd").await;
    assert_eq!(fetch_unread(&cyd, "limit=100").await["unread"], 0, "no page is promised that is not there");
}

#[tokio::test]
async fn refuses_acknowledging_future_events() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_messages(&ada, 0..2).await;
    let beyond = server.head().await + 1;
    bob.get(&format!("/api/chat/new?ack={beyond}")).await.assert_refused(400, "bad_cursor");
    bob.get(&format!("/api/chat/new?ack={}", i64::MAX)).await.assert_refused(400, "bad_cursor");
    for wrong in ["ack=-1", "ack=x", "ack=", "limit=0", "limit=101", "limit=5&limit=6"] {
        bob.get(&format!("/api/chat/new?{wrong}")).await.assert_refused(400, "invalid_field");
    }
    assert_eq!(contents(&fetch_unread(&bob, "").await).len(), 2);
    server.get("/api/chat/new").await.assert_refused(401, "key_missing");
    let wrong = server.get_request("/api/chat/new").bearer_auth("cp_wrong");
    Reply::fetch(wrong).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn cursor_is_shared_by_all_instances() {
    let one = Server::start_with(&FREE_SETTINGS).await;
    let other = one.start_instance(&FREE_SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let there = Agent { server: &other, id: bob.id.clone(), key: bob.key.clone() };
    for round in 0..20 {
        post_messages(&ada, round * 2..round * 2 + 2).await;
        // The other instance may not know the acknowledged event yet.
        let page = fetch_unread(&bob, "").await;
        assert_eq!(contents(&page).len(), 2);
        let page = fetch_unread(&there, &format!("ack={}", new_pointer(&page))).await;
        assert_eq!(contents(&page), [""; 0], "round {round}");
        assert_eq!(contents(&fetch_unread(&bob, "").await), [""; 0]);
    }
}

#[tokio::test]
async fn hundred_concurrent_agents_read_each_message_once() {
    const AGENTS: usize = 100;
    const ROUNDS: usize = 3;
    let server = Server::start_with(&FREE_SETTINGS).await;
    let other = server.start_instance(&FREE_SETTINGS).await;
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(server.register_agent(&format!("agent {number}")).await);
    }
    let play = |(number, agent): (usize, &Agent<'_>)| {
        let (id, key) = (agent.id.clone(), agent.key.clone());
        let server = if number % 2 == 0 { &server } else { &other };
        async move {
            let agent = Agent { server, id, key };
            let mut read = Vec::new();
            for round in 0..ROUNDS {
                assert_eq!(agent.post_message(&format!("{number} in round {round}")).await.status, 201);
                read.extend(read_all(&agent, 10).await);
            }
            (agent, read)
        }
    };
    let played = join_all(agents.iter().enumerate().map(play)).await;
    let all: BTreeSet<_> =
        (0..AGENTS).flat_map(|n| (0..ROUNDS).map(move |round| format!("{n} in round {round}"))).collect();
    for (number, (agent, mut read)) in played.into_iter().enumerate() {
        // Every commit arrives here shortly; reading its number makes sure.
        agent.server.catch_up().await;
        read.extend(read_all(&agent, 10).await);
        assert_eq!(read.len(), (AGENTS - 1) * ROUNDS, "{number} has read something twice or not at all");
        let read: BTreeSet<_> = read.into_iter().collect();
        let own = format!("{number} in round ");
        assert_eq!(read, all.iter().filter(|content| !content.starts_with(&own)).cloned().collect());
    }
}

#[tokio::test]
async fn unacknowledged_messages_are_returned_again_after_a_crash() {
    let mut process = Process::start().await;
    let register = async |process: &Process, name: &str| {
        let request = process.client.post(process.url("/api/agents/register")).json(&json!({"name": name}));
        Reply::fetch(request).await.body["agent"]["api_key"].as_str().unwrap().to_owned()
    };
    let (ada, bob) = (register(&process, "Ada").await, register(&process, "Bob").await);
    let say = async |process: &Process, content: &str| {
        let body = json!({"content": content});
        let reply =
            Reply::fetch(process.client.post(process.url("/api/chat")).bearer_auth(&ada).json(&body)).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    };
    let unread = async |process: &Process, query: &str| {
        let url = process.url(&format!("/api/chat/new?{query}"));
        Reply::fetch(process.client.get(url).bearer_auth(&bob)).await.body
    };
    say(&process, "one").await;
    let read = unread(&process, "").await;
    assert_eq!(contents(&unread(&process, &format!("ack={}", new_pointer(&read))).await), [""; 0]);
    say(&process, "two").await;
    assert_eq!(contents(&unread(&process, "").await), ["two"]);
    process.kill();
    process.restart().await;
    let again = unread(&process, "").await;
    assert_eq!(contents(&again), ["two"], "acknowledged stays so, read alone does not count");
}

#[tokio::test]
async fn operators_see_how_far_an_agent_has_read() {
    let settings = [
        ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
        ("CARAPLACE_MESSAGE_SECONDS", "0"),
        ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ];
    let server = Server::start_with(&settings).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let path = format!("/api/admin/agents/{}", ada.id);
    let cursor = async || operator.get(&path).await.body["read_cursor"].clone();
    assert_eq!(cursor().await, json!({"seq": 0, "message_at": null, "messages_behind": 0}));
    let mut messages = Vec::new();
    for text in ["one", "two", "three"] {
        messages.push(bob.post_message(text).await.body["message"].clone());
    }
    assert_eq!(ada.post_message("mine").await.status, 201);
    assert_eq!(cursor().await["messages_behind"], 3, "its own message is not unread");
    let (seq, at) = (messages[1]["seq"].as_i64().unwrap(), &messages[1]["timestamp"]);
    assert_eq!(ada.get(&format!("/api/chat/new?ack={seq}")).await.status, 200);
    assert_eq!(cursor().await, json!({"seq": seq, "message_at": at, "messages_behind": 1}));
    let (_, page) = operator.page(&format!("/admin/agents/{}", ada.id)).await;
    assert!(page.contains("<dt>Chat read</dt>") && page.contains("; 1 message behind"), "{page}");
}
