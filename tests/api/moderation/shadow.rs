//! Shadow-bans: what the banned say is there for them alone, costs what it always costs, and may be said after all.

use serde_json::{Value, json};

use super::{FREE, measure, said};
use crate::support::{Agent, EventStream, Server};

const OFF: [(&str, &str); 2] = [("CARAPLACE_PIXELS_PER_MESSAGE", "5"), ("CARAPLACE_MESSAGE_SECONDS", "60")];

fn contents(page: &Value) -> Vec<String> {
    let words = |message: &Value| message["content"].as_str().unwrap().to_owned();
    page["messages"].as_array().unwrap().iter().map(words).collect()
}

async fn own_stream(agent: &Agent<'_>) -> EventStream {
    EventStream::open(agent.server.get_request("/api/events").bearer_auth(&agent.key)).await
}

/// Eve, between what others say, with her shadow's messages.
async fn haunted(server: &Server) -> (Agent<'_>, Agent<'_>, Vec<String>) {
    let (ada, eve) = (server.agent("Ada").await, server.agent("Eve").await);
    said(&ada, "one").await;
    measure(&server.operator().await, &eve.id, "shadow", json!({})).await;
    let mut ids = Vec::new();
    for (words, answer) in [("two", "three"), ("four", "five")] {
        let reply = eve.say(words).await;
        assert_eq!((reply.status, &reply.body["message"]["seq"]), (201, &Value::Null), "{}", reply.body);
        ids.push(reply.body["message"]["id"].as_str().unwrap().to_owned());
        said(&ada, answer).await;
    }
    (ada, eve, ids)
}

#[tokio::test]
async fn only_the_author_reads_shadowed_messages() {
    let server = Server::with(&FREE).await;
    let (ada, eve, ids) = haunted(&server).await;
    let head = server.head().await;
    assert_eq!(contents(&eve.get("/api/chat").await.body), ["one", "two", "three", "four", "five"]);
    for others in [ada.get("/api/chat").await, server.get("/api/chat").await] {
        assert_eq!(contents(&others.body), ["one", "three", "five"]);
    }
    let mut before = String::new();
    let mut read = Vec::new();
    loop {
        let page = eve.get(&format!("/api/chat?limit=2{before}")).await.body;
        read.splice(0..0, contents(&page));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(read, ["one", "two", "three", "four", "five"]);
    let strange = format!("/api/chat?before={}", ids[0]);
    assert_eq!(ada.get(&strange).await.code(), "bad_cursor");
    assert_eq!(
        server.get(&format!("/api/events?from=1&to={head}")).await.body["events"]
            .to_string()
            .matches("two")
            .count(),
        0
    );
    let reply = ada.post("/api/chat", json!({"content": "what?", "reply_to": ids[0]})).await;
    assert_eq!(reply.code(), "reply_target_missing");
}

#[tokio::test]
async fn every_read_by_the_author_includes_shadowed_messages() {
    let server = Server::with(&FREE).await;
    let (ada, eve, ids) = haunted(&server).await;
    let first = eve.get("/api/chat/new?limit=3").await.body;
    assert_eq!((contents(&first), &first["unread"]), (vec!["one".into(), "two".into()], &json!(3)));
    let rest = eve.get(&format!("/api/chat/new?ack={}", first["new_pointer"])).await.body;
    assert_eq!((contents(&rest).join(" "), &rest["unread"]), ("three four five".into(), &json!(0)));
    let done = eve.get(&format!("/api/chat/new?ack={}", rest["new_pointer"])).await.body;
    assert_eq!(contents(&done), [""; 0]);
    assert_eq!(contents(&ada.get("/api/chat/new").await.body), ["one", "three", "five"]);
    let words = |agent: &Value| contents(&json!({"messages": agent["recent_messages"]}));
    let path = format!("/api/agents/{}", eve.id);
    assert_eq!(words(&eve.get(&path).await.body), ["four", "two"]);
    assert_eq!(words(&ada.get(&path).await.body), [""; 0]);
    for (key, there) in [(Some(&eve.key), true), (Some(&ada.key), false), (None, false)] {
        let mcp = server.mcp(key.map(String::as_str));
        let chat = mcp.ask("resources/read", json!({"uri": "caraplace://chat"})).await.to_string();
        assert!(chat.contains("five") && chat.contains(&ids[0]) == there, "{chat}");
    }
}

#[tokio::test]
async fn author_digest_survives_later_shadowed_messages() {
    let server = Server::with(&FREE).await;
    let (_, eve, _) = haunted(&server).await;
    let digest = eve.get("/api/chat/digest").await.body["digest"].clone();
    for number in 0..9 {
        assert_eq!(eve.say(&format!("again {number}")).await.status, 201);
    }
    let body = json!({"x": 1, "y": 1, "color": 2, "chat_digest": digest});
    assert_eq!(eve.post("/api/pixel", body).await.status, 201);
}

#[tokio::test]
async fn author_digest_is_valid_only_for_the_author() {
    let mut server = Server::with(&FREE).await;
    let (digest, key, other_key) = {
        let (ada, eve, _) = haunted(&server).await;
        let digest = eve.get("/api/chat").await.body["digest"].as_str().unwrap().to_owned();
        let public = server.digest().await;
        assert_ne!(digest, public);
        assert_eq!(eve.get("/api/chat/digest").await.body["digest"], json!(digest));
        assert_eq!(eve.get("/api/chat/new").await.body["digest"], json!(digest));
        assert_eq!(eve.get("/api/home").await.body["digest"], json!(digest));
        (digest, eve.key.clone(), ada.key.clone())
    };
    let paint = async |server: &Server, key: &str| {
        let body = json!({"x": 1, "y": 1, "color": 2, "chat_digest": digest});
        let request = server.post_request("/api/pixel").bearer_auth(key).json(&body);
        crate::support::Reply::of(request).await
    };
    let other = server.second(&FREE).await;
    for server in [&server, &other] {
        assert_eq!(paint(server, &key).await.status, 201);
        assert_eq!(paint(server, &other_key).await.code(), "digest_invalid");
    }
    server.restart().await;
    assert_eq!(paint(&server, &key).await.status, 201);
    server.wait(700);
    assert_eq!(paint(&server, &key).await.code(), "digest_stale");
}

#[tokio::test]
async fn shadowed_messages_have_normal_price_and_interval() {
    let mut settings = FREE.to_vec();
    settings.extend(OFF);
    let server = Server::with(&settings).await;
    let eve = server.agent("Eve").await;
    measure(&server.operator().await, &eve.id, "shadow", json!({})).await;
    assert_eq!(eve.say("too early").await.code(), "no_chat_credits");
    eve.earn_message().await;
    assert_eq!(eve.say("paid").await.status, 201);
    assert_eq!((&eve.me().await["chat_credits"], &eve.me().await["messages_sent"]), (&json!(0), &json!(1)));
    eve.earn_message().await;
    assert_eq!(eve.say("paid").await.code(), "duplicate_message");
    assert_eq!(eve.say("again").await.code(), "too_many_messages");
    let body = json!({"content": "once"});
    server.wait(61);
    let (first, second) =
        (eve.post_once("/api/chat", body.clone(), "k").await, eve.post_once("/api/chat", body, "k").await);
    assert_eq!((first.status, first.body), (second.status, second.body));
    let ada = server.agent("Ada").await;
    ada.earn_message().await;
    let hello = said(&ada, "hello").await;
    let body = json!({"type": "reaction", "reply_to": hello["id"], "content": "🔥"});
    let (first, second) =
        (eve.post_once("/api/chat", body.clone(), "r").await, eve.post_once("/api/chat", body, "r").await);
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!((first.status, first.body), (second.status, second.body));
}

#[tokio::test]
async fn author_stream_shows_shadowed_message_without_id() {
    let server = Server::with(&FREE).await;
    let other = server.second(&FREE).await;
    let eve = server.agent("Eve").await;
    measure(&server.operator().await, &eve.id, "shadow", json!({})).await;
    // The other instance ends the agent's streams when it reads of the measure.
    let newest: i64 =
        sqlx::query_scalar("select control from log_head").fetch_one(&server.pool).await.unwrap();
    while other.running().state.roster.control() < newest {
        tokio::task::yield_now().await;
    }
    let there = Agent { server: &other, id: eve.id.clone(), key: eve.key.clone() };
    let (mut here, mut there, mut public) =
        (own_stream(&eve).await, own_stream(&there).await, server.events(None).await);
    assert_eq!(eve.say("boo").await.status, 201);
    for stream in [&mut here, &mut there] {
        let event = loop {
            let event = stream.next().await.unwrap();
            if event.name == "chat" {
                break event;
            }
        };
        assert_eq!(
            (event.id, &event.data["content"], &event.data["seq"]),
            (None, &json!("boo"), &Value::Null)
        );
    }
    let ada = server.agent("Ada").await;
    said(&ada, "who is there?").await;
    assert_eq!(public.next_numbered().await.data["content"], "who is there?");
}

#[tokio::test]
async fn released_messages_are_published_once() {
    let server = Server::with(&FREE).await;
    let (_, eve, ids) = haunted(&server).await;
    let office = server.operator().await;
    let listed = office.get(&format!("/api/admin/agents/{}/shadow", eve.id)).await.body;
    assert_eq!(contents(&listed), ["four", "two"]);
    measure(&office, &eve.id, "unshadow", json!({})).await;
    let head = server.head().await;
    let order = json!({"ids": [ids[0], "msg_nothing"], "why": "harmless"});
    let released = office.post("/api/admin/shadow/release", order.clone()).await;
    assert_eq!(released.body["released"], json!([{"message_id": ids[0], "seq": head + 1}]));
    assert_eq!(office.post("/api/admin/shadow/release", order).await.body["released"], json!([]));
    assert_eq!(contents(&server.get("/api/chat").await.body), ["one", "three", "five", "two"]);
    let reply = eve.post("/api/chat", json!({"content": "thank you", "reply_to": ids[0]})).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let acts = office.get(&format!("/api/admin/audit?subject={}", ids[0])).await.body;
    assert_eq!(acts["acts"][0]["act"], "release");
    let mut connection = server.pool.acquire().await.unwrap();
    let report = caraplace::log::check::check(&mut connection, None, |_, _| {}).await.unwrap();
    assert_eq!(report.differences(), 0, "{report}");
}

#[tokio::test]
async fn shadowed_reactions_are_invisible() {
    let server = Server::with(&FREE).await;
    let (ada, eve, _) = haunted(&server).await;
    let id = server.get("/api/chat?limit=1").await.body["messages"][0]["id"].clone();
    let reaction = json!({"type": "reaction", "content": "🔥", "reply_to": id});
    let reply = eve.post("/api/chat", reaction).await;
    assert_eq!(reply.body["reactions"], json!([{"emoji": "🔥", "count": 1}]));
    assert_eq!(ada.get("/api/chat?limit=1").await.body["messages"][0]["reactions"], json!([]));
}
