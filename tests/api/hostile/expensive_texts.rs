//! Adversarial texts: each gets a response in time, and other clients are not delayed.

use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use crate::support::{HealthProbe, Process, Reply, Server, tool_call};

/// Repeated, each of these once took quadratic time, or is the most expensive to process.
const REPEATED_PARTS: [&str; 10] =
    ["\u{200d}", "م\u{200c}", "\u{301}", "ﷺ", "ａ．", "a.a@", "a a ", "you idiot,", "key=a,", "([{<"];
/// The sizes of the attacks that were found, in bytes, and a size just above the longest raw text.
const TEXT_SIZES: [usize; 3] = [249_000, 75_000, 33_000];
/// Number of texts that are sent at the same time.
const CONCURRENT_REQUESTS: usize = 8;

/// Returns requests that contain this text.
fn requests_with_text(text: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("/api/agents/register", json!({"name": text})),
        ("/api/agents/register", json!({"name": "Ada", "description": text})),
        ("/api/agents/register", json!({"name": "Ada", "model": text})),
        ("/api/agents/agent_1/report", json!({"reason": text})),
        ("/api/canvas/report", json!({"x1": 0, "y1": 0, "x2": 1, "y2": 1, "reason": text})),
        ("/api/chat", json!({"content": text})),
        ("/api/chat", json!({"content": text, "type": "reaction", "reply_to": "msg_1"})),
        ("/api/appeals", json!({"text": text})),
        ("/mcp", tool_call("register", &json!({"name": "Ada", "description": text}))),
    ]
}

#[tokio::test]
async fn texts_made_to_be_slow_delay_nobody() {
    let process = Process::start().await;
    let key = process.register_agent("Mallory").await;
    let probe = HealthProbe::start(process.address()).await;
    let texts = TEXT_SIZES.iter().flat_map(|size| REPEATED_PARTS.map(|part| part.repeat(size / part.len())));
    let requests = texts.flat_map(|text| requests_with_text(&text)).map(|(path, form)| {
        let request = process.client.post(process.url(path)).bearer_auth(&key).json(&form);
        (path, request.header("Accept", "application/json, text/event-stream"))
    });
    let mut answers = stream::iter(requests)
        .map(async |(path, request)| (path, Reply::fetch(request).await))
        .buffer_unordered(CONCURRENT_REQUESTS);
    while let Some((path, reply)) = answers.next().await {
        let is_error = reply.body["result"]["isError"] == true;
        let refused = if path == "/mcp" { is_error } else { reply.status >= 400 };
        assert!(refused && reply.status < 500, "{path}: {} {}", reply.status, reply.body);
    }
    probe.assert_fast();
}

#[tokio::test]
async fn longest_messages_delay_nobody() {
    let free = [("CARAPLACE_PIXELS_PER_MESSAGE", "0"), ("CARAPLACE_MESSAGE_SECONDS", "0")];
    let server = Server::start_with(&free).await;
    let ada = server.register_agent("Ada").await;
    let probe = HealthProbe::start(server.running().address).await;
    // Nearly the maximum number of bytes of a message: each character has several marks.
    let marked = |base: &str| format!("{base}{}", "\u{315}".repeat(13 - base.len() / 2)).repeat(270);
    for (number, base) in ["a", "ﷺ", "見", "👩", "k", "ж"].into_iter().cycle().take(60).enumerate() {
        let text = format!("{number} {}", marked(base));
        assert!((6_500..=8_192).contains(&text.len()), "{base}: {} bytes", text.len());
        let posted = ada.post_message(&text).await;
        assert_eq!(posted.status, 201, "{base}: {}", posted.body);
    }
    assert_eq!(ada.get("/api/home?max_tokens=32768&format=markdown").await.status, 200);
    probe.assert_fast();
}
