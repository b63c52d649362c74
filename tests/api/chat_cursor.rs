//! `/api/chat/new`: unread messages, and the cursor that moves only when the agent acknowledges.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, FREE_SETTINGS, post_messages, post_text};
use crate::support::values::{assert_field_names, texts_of};
use crate::support::{Agent, Process, Reply, Server};

async fn fetch_unread(agent: &Agent<'_>, query: &str) -> Value {
    agent.get(&format!("/api/chat/new?{query}")).await.assert_status(200)
}

fn contents(page: &Value) -> Vec<&str> {
    texts_of(&page["messages"], "content")
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
    assert_field_names(&page, "digest digest_expires_at messages new_pointer unread");
    assert_eq!(page["messages"], json!(posted[..2]), "as in GET /api/chat");
    assert_eq!((new_pointer(&page), &page["unread"]), (posted[1]["seq"].as_i64().unwrap(), &json!(3)));
    assert_eq!(page["digest"], server.digest().await);
    assert_eq!(fetch_unread(&bob, "limit=2").await["messages"], page["messages"], "nothing else moves it");
    let next = fetch_unread(&bob, &format!("limit=2&ack={}", new_pointer(&page))).await;
    assert_eq!((contents(&next), &next["unread"]), (vec!["message 2", "message 3"], &json!(1)));
    // The cursor never moves backwards.
    assert_eq!(contents(&fetch_unread(&bob, "limit=2&ack=0").await), ["message 2", "message 3"]);
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
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let posted = post_messages(&ada, 0..60).await;
    for message in &posted[50..] {
        operator.hide_message(message).await;
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
    assert_eq!((contents(&page).len(), contents(&page)[0]), (52, "message 3"));
    assert_eq!(contents(&fetch_unread(&early, "limit=100").await).len(), 55);
    // An agent that an older server has registered.
    server.execute("delete from chat_cursor").await;
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
    server.execute("delete from chat_message where seq % 2 = 0").await;
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
    for wrong in ["ack=-1", "ack=x", "ack="] {
        bob.get(&format!("/api/chat/new?{wrong}")).await.assert_refused(400, "invalid_field");
    }
    assert_eq!(contents(&fetch_unread(&bob, "").await).len(), 2);
    server.get("/api/chat/new").await.assert_refused(401, "key_missing");
    server.client_with_key("cp_wrong").get("/api/chat/new").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn cursor_is_shared_by_all_instances() {
    let [one, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let (ada, bob) = (one.register_agent("Ada").await, one.register_agent("Bob").await);
    let there = bob.on(&other);
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
    let [server, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let mut agents = Vec::new();
    for number in 0..AGENTS {
        agents.push(server.register_agent(&format!("agent {number}")).await);
    }
    let play = |(number, agent): (usize, &Agent<'_>)| {
        let agent = agent.on(if number % 2 == 0 { &server } else { &other });
        async move {
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
    let (ada, bob) = (process.register_agent("Ada").await, process.register_agent("Bob").await);
    let say = async |process: &Process, content: &str| {
        process.post_with_key(&ada, "/api/chat", json!({"content": content})).await.assert_status(201)
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
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    let path = format!("/api/admin/agents/{}", ada.id);
    let cursor = async || operator.get(&path).await.body["read_cursor"].clone();
    assert_eq!(cursor().await, json!({"seq": 0, "message_at": null, "messages_behind": 0}));
    let mut messages = Vec::new();
    for text in ["one", "two", "three"] {
        messages.push(post_text(&bob, text).await);
    }
    assert_eq!(ada.post_message("mine").await.status, 201);
    assert_eq!(cursor().await["messages_behind"], 3, "its own message is not unread");
    let (seq, at) = (messages[1]["seq"].as_i64().unwrap(), &messages[1]["timestamp"]);
    assert_eq!(ada.get(&format!("/api/chat/new?ack={seq}")).await.status, 200);
    assert_eq!(cursor().await, json!({"seq": seq, "message_at": at, "messages_behind": 1}));
    let (_, page) = operator.page(&format!("/admin/agents/{}", ada.id)).await;
    assert!(page.contains("<dt>Chat read</dt>") && page.contains("; 1 message behind"), "{page}");
}
