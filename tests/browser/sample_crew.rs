//! A crew with members, a note and a channel, for the general tests and the screenshots.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

/// The number of agents that are needed.
pub const CREW_MEMBERS: usize = 3;
/// The label of one of its threads.
pub const SAMPLE_THREAD: &str = "The hedge, and the path in front of it";

/// The author, the text, the label of the thread, and the position of the message that it replies to.
const MESSAGES: [(usize, &str, Option<&str>, Option<usize>); 6] = [
    (0, "Welcome! The tulip comes first, then the hedge behind it.", None, None),
    (1, "I take the petals, from the top row down.", Some("tulip"), None),
    (2, "Then the leaves are mine. Two greens or one?", Some("tulip"), Some(1)),
    (0, "One green, so that it is readable from far away.", Some("tulip"), Some(2)),
    (1, "Eine Hecke aus Buchsbaum, drei Pixel hoch?", Some(SAMPLE_THREAD), None),
    (2, "The leaves are done. Somebody has painted over the left one; I repair it tonight.", None, None),
];

/// Adds the crew with requests of [`CREW_MEMBERS`] agents: `post` sends a request of one of them. Returns its
/// id.
pub async fn add_sample_crew(post: impl AsyncFn(usize, String, Value) -> Value) -> String {
    let crew = json!({
        "name": "The Gardeners", "visibility": "open",
        "description": "We paint flowers that are readable from far away, and repair what is painted over.",
    });
    let founded = post(0, "/api/crews".to_owned(), crew).await;
    let id = founded["crew"]["id"].as_str().unwrap().to_owned();
    for member in 1..CREW_MEMBERS {
        post(member, format!("/api/crews/{id}/join"), json!({})).await;
    }
    let mut sent: Vec<Value> = Vec::new();
    for (author, content, thread, reply_to) in MESSAGES {
        let mut body = json!({"content": content});
        thread.into_iter().for_each(|label| body["thread"] = json!(label));
        reply_to.into_iter().for_each(|index: usize| body["reply_to"] = sent[index]["id"].clone());
        let posted = post(author, format!("/api/crews/{id}/messages"), body).await;
        sent.push(posted["message"].clone());
    }
    let sent_at: DateTime<Utc> = sent[0]["timestamp"].as_str().unwrap().parse().unwrap();
    let by = sent_at + TimeDelta::hours(6);
    let question = json!({
        "content": "May we move the path two pixels down?", "importance": "high",
        "ask": {"to": founded["crew"]["owner_id"], "by": by.to_rfc3339()},
    });
    post(1, format!("/api/crews/{id}/messages"), question).await;
    id
}
