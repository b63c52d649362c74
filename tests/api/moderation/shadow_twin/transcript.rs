//! The answers of a play without what differs between any two servers, and their comparison.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::accepted::ACCEPTED_DIFFERENCES;
use crate::support::{Agent, Event, Reply};

/// Answers with everything taken out that differs between any two servers: ids, times, digests and the
/// numbers of events.
#[derive(Default)]
pub struct Transcript {
    ids: BTreeMap<String, String>,
    pub answers: Vec<(String, Value)>,
}

static TIMES: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z").unwrap());
static DIGESTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[0-9a-f]{12}\b").unwrap());
/// The times in marks of what was read, in microseconds.
static MARKS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\.\d{16}\b").unwrap());
static ITEMS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"item_\d+").unwrap());
static NUMBERS_IN_TEXT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").unwrap());
static IDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:item_)?(msg|agent|viewer|report|season|plan|crew|dm|thread)_[0-9a-zA-Z-]+").unwrap()
});

const NUMBERS: [&str; 14] = [
    "seq",
    "head",
    "version",
    "new_pointer",
    "from",
    "to",
    "next_from",
    "up_to",
    "age_seconds",
    "charges",
    "id",
    "next_before",
    "score",
    // the last event of a season
    "last",
];
const HEADERS: [&str; 5] =
    ["cache-control", "vary", "content-type", "ratelimit-policy", "idempotent-replayed"];

impl Transcript {
    /// Reads a path, and records the answer. Returns its body.
    pub async fn get(&mut self, agent: &Agent<'_>, path: &str) -> Value {
        let reply = agent.get(path).await;
        self.record(path, &reply);
        reply.body
    }

    /// Reads paths, and records the answers.
    pub async fn get_all<P: AsRef<str>>(&mut self, agent: &Agent<'_>, paths: &[P]) {
        for path in paths {
            self.get(agent, path.as_ref()).await;
        }
    }

    /// Sends a change, and records the answer. Returns its body.
    pub async fn post(&mut self, agent: &Agent<'_>, path: &str, body: Value) -> Value {
        let label = format!("POST {path} {body}");
        let reply = agent.post(path, body).await;
        self.record(&label, &reply);
        reply.body
    }

    /// Replaces a plan, and records the answer. Returns its body.
    pub async fn put(&mut self, agent: &Agent<'_>, path: &str, body: Value) -> Value {
        let label = format!("PUT {path} {body}");
        let reply = agent.put(path, body).await;
        self.record(&label, &reply);
        reply.body
    }

    /// Changes a crew or a text, and records the answer. Returns its body.
    pub async fn patch(&mut self, agent: &Agent<'_>, path: &str, body: Value) -> Value {
        let label = format!("PATCH {path} {body}");
        let reply = agent.patch(path, body).await;
        self.record(&label, &reply);
        reply.body
    }

    /// Deletes a message, and records the answer.
    pub async fn delete(&mut self, agent: &Agent<'_>, path: &str) {
        self.record(&format!("DELETE {path}"), &agent.delete(path).await);
    }

    /// Records an answer.
    pub fn record(&mut self, label: &str, reply: &Reply) {
        let mut names: Vec<&str> = reply.headers.keys().map(reqwest::header::HeaderName::as_str).collect();
        names.sort_unstable();
        let header = |name: &str| reply.headers.get(name).map(|value| value.to_str().unwrap());
        let headers = HEADERS.map(header);
        let body = self.without_identity("", &reply.body);
        let answer = json!({"status": reply.status, "names": names, "headers": headers, "body": body});
        self.answers.push((label.to_owned(), answer));
    }

    /// Records a value.
    pub fn record_value(&mut self, label: &str, value: &Value) {
        let value = self.without_identity("", value);
        self.answers.push((label.to_owned(), value));
    }

    /// Records a text.
    pub fn record_text(&mut self, label: &str, text: &str) {
        let text = self.without_ids(text);
        let text = NUMBERS_IN_TEXT.replace_all(&text, "0").into_owned();
        self.answers.push((label.to_owned(), text.into()));
    }

    /// Records an event of a stream.
    pub fn record_event(&mut self, event: &Event) {
        let data = self.without_identity("", &event.data);
        let answer = json!({"has_id": event.id.is_some(), "data": data});
        self.answers.push((format!("event {}", event.name), answer));
    }

    fn without_identity(&mut self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                // Placements have numbers and times in lists.
                let fields = fields.iter().filter(|(key, _)| *key != "pixels");
                let fields = fields.map(|(key, value)| (key.clone(), self.without_identity(key, value)));
                Value::Object(fields.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.without_identity(key, item)).collect(),
            Value::Number(_) if NUMBERS.contains(&key) => "a number".into(),
            Value::String(text) => self.without_ids(text).into(),
            other => other.clone(),
        }
    }

    fn without_ids(&mut self, text: &str) -> String {
        let times = TIMES.replace_all(text, "a time");
        let digests = DIGESTS.replace_all(&times, "a digest");
        let marks = MARKS.replace_all(&digests, " at a time");
        let items = ITEMS.replace_all(&marks, "an item");
        let name = |found: &regex::Captures<'_>| {
            let count = self.ids.keys().filter(|id| id.starts_with(&found[1])).count();
            self.ids.entry(found[0].to_owned()).or_insert_with(|| format!("{} {count}", &found[1])).clone()
        };
        IDS.replace_all(&items, name).into_owned()
    }
}

/// Fails with all differences of two transcripts of a scene that are not accepted, and with those accepted
/// ones that the scene does not show any more.
pub fn assert_same(scene: &str, ordinary: &Transcript, shadowed: &Transcript) {
    let mut differences = Vec::new();
    for ((label, ordinary), (_, shadowed)) in ordinary.answers.iter().zip(&shadowed.answers) {
        compare(label, ordinary, shadowed, &mut differences);
    }
    for accepted in ACCEPTED_DIFFERENCES {
        let Some((_, place)) = accepted.shown_in.filter(|(name, _)| *name == scene) else { continue };
        let count = differences.len();
        differences.retain(|difference| !difference.starts_with(place));
        assert!(differences.len() < count, "no difference any more: {accepted:?}");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(ordinary.answers.len(), shadowed.answers.len());
}

fn compare(place: &str, ordinary: &Value, shadowed: &Value, differences: &mut Vec<String>) {
    match (ordinary, shadowed) {
        (Value::Object(one), Value::Object(two)) if one.keys().eq(two.keys()) => {
            for (key, value) in one {
                compare(&format!("{place} > {key}"), value, &two[key], differences);
            }
        }
        (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
            for (index, (one, two)) in one.iter().zip(two).enumerate() {
                compare(&format!("{place} > {index}"), one, two, differences);
            }
        }
        _ if ordinary == shadowed => {}
        _ => differences.push(format!("{place}:\n  ordinary {ordinary}\n  shadowed {shadowed}")),
    }
}
