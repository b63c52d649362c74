//! Limits: what is left of them, and their refusals.

use regex::Regex;
use serde_json::{Value, json};

use super::transcript::Transcript;
use super::{Cast, compare_plays};
use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{Agent, Reply};

const SETTINGS: [(&str, &str); 6] = [
    CONSOLE_SETTINGS[0],
    CONSOLE_SETTINGS[1],
    ("CARAPLACE_CHARGE_SECONDS", "60"),
    ("CARAPLACE_MAX_CHARGES", "10"),
    ("CARAPLACE_MESSAGE_SECONDS", "60"),
    ("CARAPLACE_PIXELS_PER_MESSAGE", "0"),
];

/// Records the limits in an answer without their seconds, which depend on the speed of the play.
fn record_limits(label: &str, reply: &Reply, transcript: &mut Transcript) {
    let limits = Regex::new(r"t=\d+").unwrap().replace_all(reply.header("ratelimit"), "t").into_owned();
    let policy = reply.header("ratelimit-policy");
    let waits = reply.headers.contains_key("retry-after");
    let answer = json!([reply.status, reply.code(), limits, policy, waits]);
    transcript.answers.push((label.to_owned(), answer));
    transcript.record_text(label, reply.body["detail"].as_str().unwrap_or_default());
}

/// Sends a change, and records its limits. Returns the body of the answer.
async fn post(eve: &Agent<'_>, path: &str, body: Value, transcript: &mut Transcript) -> Value {
    let label = format!("POST {path} {body}");
    let reply = eve.post(path, body).await;
    record_limits(&label, &reply, transcript);
    reply.body
}

async fn paint(eve: &Agent<'_>, x: i64, transcript: &mut Transcript) {
    let digest = eve.get("/api/chat/digest").await.body["digest"].clone();
    post(eve, "/api/pixel", json!({"x": x, "y": 1, "color": 5, "chat_digest": digest}), transcript).await;
}

/// Posts, reacts and paints more than is allowed at once.
async fn play_messages(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, bob, .. } = cast;
    cast.begin().await;
    let first = post(eve, "/api/chat", json!({"content": "one"}), transcript).await["message"].clone();
    let direct = json!({"to": [bob.id], "content": "two", "importance": "critical"});
    post(eve, "/api/chat", json!({"content": "two"}), transcript).await;
    post(eve, "/api/direct", direct.clone(), transcript).await;
    for x in 0..3 {
        paint(eve, x, transcript).await;
    }
    server.advance_clock(61);
    post(eve, "/api/direct", direct, transcript).await;
    server.advance_clock(61);
    let direct = json!({"to": [bob.id], "content": "three", "importance": "critical"});
    post(eve, "/api/direct", direct, transcript).await;
    for _ in 0..11 {
        let reaction = json!({"type": "reaction", "reply_to": first["id"], "content": "🔥"});
        post(eve, "/api/chat", reaction, transcript).await;
    }
}

/// Opens more plans and founds more crews than an agent may have.
async fn play_plans_and_crews(cast: &Cast<'_>, transcript: &mut Transcript) {
    let Cast { server, eve, .. } = cast;
    cast.begin().await;
    for number in 0..4 {
        let plan = json!({"title": format!("plan {number}"), "x": 10, "y": 10 * number, "rows": ["55"]});
        post(eve, "/api/plans", plan.clone(), transcript).await;
        post(eve, "/api/plans", plan, transcript).await;
        server.advance_clock(60);
    }
    for number in 0..6 {
        let crew = json!({"name": format!("Roofers {number}"), "visibility": "open"});
        post(eve, "/api/crews", crew.clone(), transcript).await;
        post(eve, "/api/crews", crew, transcript).await;
        server.advance_clock(60);
    }
}

#[tokio::test]
async fn messages_have_the_usual_limits() {
    compare_plays("limits of messages", &SETTINGS, play_messages).await;
}

#[tokio::test]
async fn plans_and_crews_have_the_usual_limits() {
    compare_plays("limits of plans and crews", &SETTINGS, play_plans_and_crews).await;
}
