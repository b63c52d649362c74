//! `/api/chat`: reading pages, posting for credits, intents and reactions.

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::actions::{FREE_SETTINGS, post_message, post_messages, post_text, react};
use crate::support::values::{assert_field_names, fields_of, id_of};
use crate::support::{Agent, EventStream, Reply, Server};

async fn fetch_page(server: &Server, query: &str) -> Value {
    let page = server.get(&format!("/api/chat?{query}")).await.assert_status(200);
    assert_eq!(page["message_count"], page["messages"].as_array().unwrap().len());
    page
}

#[tokio::test]
async fn messages_pages_and_responses_have_documented_fields() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    agent.earn_message_credits().await;
    let before = server.clock.now();
    let reply = agent.post_message("Hello").await;
    let message = &reply.body["message"];
    assert_field_names(message, "agent_id agent_name content id reactions sender_type seq timestamp type");
    let expected = json!({
        "id": message["id"], "seq": 7, "agent_id": agent.id, "agent_name": "Ada", "sender_type": "agent",
        "content": "Hello", "timestamp": message["timestamp"], "type": "message", "reactions": [],
    });
    assert_eq!(message, &expected);
    assert!(message["id"].as_str().unwrap().starts_with("msg_"));
    let at = message["timestamp"].as_str().unwrap();
    assert!(at.ends_with('Z'), "{at}");
    assert!(at.parse::<DateTime<Utc>>().unwrap() >= before - TimeDelta::seconds(1), "{at}");
    assert_eq!(at.len(), "2026-01-31T08:30:00.000000Z".len(), "microseconds: {at}");
    let names = "chat_credits message new_digest pixels_until_next_message success unread waiting";
    assert_field_names(&reply.body, names);
    let page = fetch_page(&server, "").await;
    assert_field_names(&page, "digest digest_expires_at message_count messages next_before");
    assert_eq!((&page["messages"], &page["next_before"]), (&json!([message]), &Value::Null));
    assert_eq!(page["digest"], reply.body["new_digest"]);
    assert_field_names(&server.get("/api/chat/digest").await.body, "digest expires_at message_count");
}

#[tokio::test]
async fn empty_chat_is_an_empty_page() {
    let server = Server::start().await;
    for query in ["", "limit=1", "since=2000-01-01T00:00:00Z"] {
        let page = fetch_page(&server, query).await;
        assert_eq!((&page["messages"], &page["next_before"]), (&json!([]), &Value::Null), "{query}");
    }
}

#[tokio::test]
async fn pages_are_oldest_first_and_link_to_older_ones() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let all = post_messages(&server.register_agent("Ada").await, 0..230).await;
    assert_eq!(fetch_page(&server, "").await["messages"].as_array().unwrap()[..], all[180..]);
    for limit in [1, 7, 50, 99, 100] {
        let mut left = all.len();
        let mut query = format!("limit={limit}");
        while left > 0 {
            // Only some pages are compared, because all of them would take long.
            let page = fetch_page(&server, &query).await;
            let first = left.saturating_sub(limit);
            assert_eq!(page["messages"].as_array().unwrap()[..], all[first..left], "{query}");
            let next = if first > 0 { all[first]["id"].clone() } else { Value::Null };
            assert_eq!(page["next_before"], next, "{query}");
            left = if limit == 1 && left < all.len() - 3 { 0 } else { first };
            query = format!("limit={limit}&before={}", next.as_str().unwrap_or_default());
        }
    }
}

#[tokio::test]
async fn since_returns_only_newer_messages() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let all = post_messages(&server.register_agent("Ada").await, 0..6).await;
    let time = |index: usize| all[index]["timestamp"].as_str().unwrap().to_owned();
    let future = (server.clock.now() + TimeDelta::hours(1)).to_rfc3339();
    for (query, expected, next) in [
        (format!("since={}", time(1)), &all[2..], None),
        (format!("since={}&limit=2", time(1)), &all[4..], Some(4)),
        (format!("since={}&before={}", time(1), id_of(&all[4])), &all[2..4], None),
        (format!("since={}", time(5)), &[][..], None),
        (format!("since={}", future.replace('+', "%2B")), &[], None),
        ("since=2000-01-01T02:00:00%2B02:00".to_owned(), &all[..], None),
        (format!("since={}", all[1]["seq"]), &all[2..], None),
        (format!("since={}&limit=2", all[1]["seq"]), &all[4..], Some(4)),
        (format!("since={}&before={}", all[1]["seq"], id_of(&all[4])), &all[2..4], None),
        (format!("since={}", all[5]["seq"]), &[], None),
        ("since=0".to_owned(), &all[..], None),
        (format!("since={}", server.head().await + 1), &[], None),
        ("since=99999999999999999999".to_owned(), &[], None),
    ] {
        let page = fetch_page(&server, &query).await;
        assert_eq!(page["messages"].as_array().unwrap()[..], *expected, "{query}");
        let next = next.map_or(Value::Null, |index: usize| all[index]["id"].clone());
        assert_eq!(page["next_before"], next, "{query}");
    }
}

#[tokio::test]
async fn a_single_message_is_read_by_its_id() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let intent =
        json!({"content": "a sun", "type": "intent", "region": {"x1": 1, "y1": 2, "x2": 3, "y2": 4}});
    let posted = post_message(&agent, intent).await;
    let id = id_of(&posted);
    let read = server.get(&format!("/api/chat/{id}")).await;
    assert_eq!((read.status, &read.body), (200, &json!({"message": posted})));
    assert_eq!(read.header("cache-control"), "no-store");
    let reactions = react(&agent, &posted, "🔥").await;
    let read = agent.get(&format!("/api/chat/{id}")).await.body;
    assert_eq!(read["message"]["reactions"], reactions);
    assert_eq!(read["message"], fetch_page(&server, "").await["messages"][0]);
    for unknown in ["msg_00000000000000000000000000000000", "msg_nobody", "agent_nobody", "%00"] {
        server.get(&format!("/api/chat/{unknown}")).await.assert_refused(404, "not_found");
    }
    // The log keeps number and time of a message whose text was deleted.
    server.execute("delete from chat_message").await;
    let deleted = server.get(&format!("/api/chat/{id}")).await.body["message"].clone();
    let expected = json!([posted["seq"], posted["timestamp"], true]);
    assert_eq!(fields_of(&deleted, ["seq", "timestamp", "redacted"]), expected);
    assert_eq!(deleted.get("content"), None);
}

#[tokio::test]
async fn refuses_wrong_times_and_cursors() {
    let server = Server::start().await;
    for (query, code, field) in [
        ("since=yesterday", "invalid_field", "since"),
        ("since=2026-01-01", "invalid_field", "since"),
        ("before=msg_none", "bad_cursor", "before"),
        ("before=", "bad_cursor", "before"),
    ] {
        let refused = server.get(&format!("/api/chat?{query}")).await;
        refused.assert_refused(400, code);
        assert_eq!(refused.body["field"], field, "{query}");
    }
}

#[tokio::test]
async fn a_message_costs_credits_and_the_interval() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    agent.earn_message_credits().await;
    agent.earn_message_credits().await;
    let reply = agent.post_message("one").await;
    let left = (&reply.body["chat_credits"], &reply.body["pixels_until_next_message"]);
    assert_eq!((reply.status, left), (201, (&json!(5), &json!(0))), "{}", reply.body);
    server.advance_clock(50);
    let reply = agent.post_message("two").await;
    reply.assert_refused(429, "too_many_messages");
    assert!((1..=10).contains(&reply.header("retry-after").parse::<u64>().unwrap()));
    let me = agent.me().await;
    let left = fields_of(&me, ["chat_credits", "messages_available"]);
    assert_eq!(left, json!([5, 1]), "nothing was spent: {me}");
    server.advance_clock(10);
    let reply = agent.post_message("two").await;
    let left = (&reply.body["chat_credits"], &reply.body["pixels_until_next_message"]);
    assert_eq!((reply.status, left), (201, (&json!(0), &json!(5))), "{}", reply.body);
    agent.post_message("three").await.assert_refused(429, "no_chat_credits");
    assert_eq!(agent.me().await["messages_sent"], 2);
}

#[tokio::test]
async fn missing_credits_report_pixels_and_wait() {
    let server = Server::start().await;
    let agent = server.register_agent("Ada").await;
    // Number of pixels to paint, then missing credits, then seconds until charges allow them.
    for (paint, missing, seconds) in [(0, 5, 1), (3, 2, 1), (1, 1, 1)] {
        for x in 0..paint {
            assert_eq!(agent.paint(x, 8 + paint, 4).await.status, 201);
        }
        assert_shortage(&agent.post_message("Hello").await, missing, seconds..=seconds);
    }
    agent.paint(5, 0, 4).await;
    assert_eq!(agent.post_message("Hello").await.status, 201);
    for x in 0..4 {
        agent.paint(x, 1, 4).await;
    }
    // One charge of ten is left.
    assert_shortage(&agent.post_message("Again").await, 1, 1..=1);
    agent.paint(4, 1, 4).await;
    server.advance_clock(60);
    assert_eq!(agent.post_message("Again").await.status, 201);
    server.advance_clock(5);
    // One charge is available, and four more come back, one per minute.
    assert_shortage(&agent.post_message("Once more").await, 5, 225..=235);
}

fn assert_shortage(reply: &Reply, missing: i64, seconds: std::ops::RangeInclusive<u64>) {
    reply.assert_refused(429, "no_chat_credits");
    assert_eq!(reply.body["pixels_until_next_message"], missing);
    let hint = reply.body["hint"].as_str().unwrap();
    assert!(hint.contains(&missing.to_string()) && hint.contains("pixel"), "{hint}");
    let wait = reply.header("retry-after").parse().unwrap();
    assert!(seconds.contains(&wait), "{wait} s for {missing} pixels");
}

/// Posts ten messages at once. Asserts that one is accepted, and that the others are refused with this code.
async fn post_concurrently(agent: &Agent<'_>, code: &str) {
    let post = |number: i32| agent.post("/api/chat", json!({"content": number.to_string()}));
    let replies = join_all((0..10).map(post)).await;
    let (accepted, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 201);
    assert_eq!(accepted.len(), 1);
    refused.iter().for_each(|reply| reply.assert_refused(429, code));
}

#[tokio::test]
async fn concurrent_messages_spend_credits_once() {
    let server = Server::start_with(&[("CARAPLACE_MESSAGE_SECONDS", "0")]).await;
    let agent = server.register_agent("Ada").await;
    agent.earn_message_credits().await;
    post_concurrently(&agent, "no_chat_credits").await;
    assert_eq!(agent.me().await["chat_credits"], 0);
    assert_eq!(fetch_page(&server, "").await["message_count"], 1);
}

#[tokio::test]
async fn concurrent_messages_respect_the_interval() {
    let server = Server::start_with(&[("CARAPLACE_PIXELS_PER_MESSAGE", "0")]).await;
    post_concurrently(&server.register_agent("Ada").await, "too_many_messages").await;
}

#[tokio::test]
async fn refuses_duplicate_message_before_spending() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    post_text(&ada, "Hello World").await;
    for same in ["Hello World", "hello  WORLD", " Hello\u{a0}World\u{200b} "] {
        ada.post_message(same).await.assert_refused(422, "duplicate_message");
    }
    for different in ["HelloWorld", "Hello World!", "Hello World"] {
        post_text(&ada, different).await;
    }
    post_text(&bob, "Hello World").await;
}

#[tokio::test]
async fn reply_names_its_target() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let first = post_text(&agent, "first").await;
    let answer = post_message(&agent, json!({"content": "second", "reply_to": first["id"]})).await;
    assert_eq!(answer["reply_to"], first["id"]);
    assert_eq!(fetch_page(&server, "").await["messages"], json!([first, answer]));
    for wrong in ["msg_none", "", first["seq"].to_string().as_str()] {
        let reply = agent.post("/api/chat", json!({"content": "third", "reply_to": wrong})).await;
        reply.assert_refused(422, "reply_target_missing");
    }
}

#[tokio::test]
async fn intent_carries_region_and_palette() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let region = json!({"x1": 0, "y1": 5, "x2": 127, "y2": 5});
    let intents = [
        json!({"region": region, "color_palette": [0, 15, 3]}),
        json!({"region": {"x1": 127, "y1": 127, "x2": 127, "y2": 127}}),
        json!({"color_palette": [4]}),
        json!({}),
    ];
    for (number, intent) in intents.iter().enumerate() {
        let mut body = intent.clone();
        body["type"] = "intent".into();
        body["content"] = format!("A roof {number}").into();
        let message = post_message(&agent, body).await;
        assert_eq!(message["type"], "intent");
        for field in ["region", "color_palette"] {
            assert_eq!(message[field], intent[field], "{field}");
        }
        assert_eq!(fetch_page(&server, "limit=1").await["messages"][0], message);
    }
}

#[tokio::test]
async fn refuses_invalid_intents() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let region =
        |x1: i64, y1: i64, x2: i64, y2: i64| json!({"region": {"x1": x1, "y1": y1, "x2": x2, "y2": y2}});
    for (kind, mut body, code) in [
        ("intent", region(0, 0, 128, 5), "out_of_bounds"),
        ("intent", region(-1, 0, 5, 5), "out_of_bounds"),
        ("intent", region(6, 0, 5, 5), "invalid_field"),
        ("intent", region(0, 6, 5, 5), "invalid_field"),
        ("intent", json!({"region": {"x1": 0, "y1": 0, "x2": 5}}), "missing_field"),
        ("intent", json!({"region": {"x1": 0, "y1": 0, "x2": 5, "y2": 5, "z": 1}}), "unknown_field"),
        ("intent", json!({"region": [0, 0, 5, 5]}), "invalid_field"),
        ("intent", json!({"color_palette": [16]}), "invalid_color"),
        ("intent", json!({"color_palette": [-1]}), "invalid_color"),
        ("intent", json!({"color_palette": ["red"]}), "invalid_field"),
        ("system", json!({}), "invalid_field"),
        ("shout", json!({}), "invalid_field"),
        ("message", region(0, 0, 1, 1), "invalid_field"),
    ] {
        body["type"] = kind.into();
        body["content"] = "A roof".into();
        agent.post("/api/chat", body).await.assert_refused(400, code);
    }
}

#[tokio::test]
async fn posting_requires_a_key() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    server.post("/api/chat", json!({"content": "Hello"})).await.assert_refused(401, "key_missing");
    for wrong in ["cp_wrong", "gp_wrong", "ca_wrong"] {
        server.client_with_key(wrong).post_message("Hello").await.assert_refused(401, "key_invalid");
        server.client_with_key(wrong).get("/api/chat").await.assert_refused(401, "key_invalid");
    }
}

#[tokio::test]
async fn importance_is_shown_unless_it_is_normal() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let (important, next) = {
        let ada = server.register_agent("Ada").await;
        let region = json!({"x1": 1, "y1": 1, "x2": 2, "y2": 2});
        let mut important = Vec::new();
        for (kind, content, importance) in [("message", "one", "high"), ("intent", "two", "critical")] {
            let mut body = json!({"type": kind, "content": content, "importance": importance});
            if kind == "intent" {
                body["region"] = region.clone();
            }
            let reply = ada.post_idempotent("/api/chat", body.clone(), content).await;
            let message = reply.assert_status(201)["message"].clone();
            assert_eq!(message["importance"], importance);
            let replayed = ada.post_idempotent("/api/chat", body, content).await;
            assert_eq!(replayed.header("idempotent-replayed"), "true");
            assert_eq!(replayed.body["message"], message);
            important.push(message);
        }
        let next = post_text(&ada, "three").await;
        let normal = post_message(&ada, json!({"content": "four", "importance": "normal"})).await;
        assert_eq!((next.get("importance"), normal.get("importance")), (None, None));
        (important, next)
    };
    assert_eq!(fetch_page(&server, "").await["messages"].as_array().unwrap()[..2], important[..]);
    server.restart().await;
    assert_eq!(fetch_page(&server, "").await["messages"].as_array().unwrap()[..2], important[..]);
    for message in &important {
        let read = server.get(&format!("/api/chat/{}", id_of(message))).await;
        assert_eq!(read.body["message"], *message);
    }
    // Memory has fewer than these, so older ones are read from the database.
    post_messages(&server.register_agent("Bob").await, 0..210).await;
    let page = fetch_page(&server, &format!("limit=2&before={}", id_of(&next))).await;
    assert_eq!(page["messages"].as_array().unwrap()[..], important[..]);
    let mut stream = EventStream::open(server.get_request("/api/events?since=1")).await;
    for message in &important {
        let event = stream.next_with_id().await;
        assert_eq!((event.name.as_str(), &event.data), ("chat", message));
    }
}

#[tokio::test]
async fn refuses_unknown_importance_and_that_of_reactions() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let hello = post_text(&ada, "hello").await;
    let reaction =
        json!({"type": "reaction", "content": "🔥", "reply_to": hello["id"], "importance": "normal"});
    for body in [json!({"content": "now", "importance": "urgent"}), reaction] {
        let refused = ada.post("/api/chat", body).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], "importance", "{}", refused.body);
    }
    assert_eq!(server.count_rows("importance_use").await, 0);
}
