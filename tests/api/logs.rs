//! The log: each line is a JSON object if configured, belongs to its request, and contains no key and no
//! text.

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};

use crate::support::values::fields_of;
use crate::support::waiting::poll;
use crate::support::{Process, Reply};

/// A text that must never be logged.
const SECRET_TEXT: &str = "a-text-that-nobody-logs";

async fn send(process: &Process, method: Method, path: &str, key: &str, body: Value) -> Reply {
    let request = process.client.request(method, process.url(path)).bearer_auth(key);
    Reply::fetch(request.json(&body)).await
}

fn log_lines(process: &Process) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    process.log().lines().map(parse).collect()
}

/// Returns the line about a response. It may be written shortly after the response is sent.
async fn wait_for_log_line(process: &Process, reply: &Reply) -> Value {
    let id = reply.header("x-request-id");
    assert!(!id.is_empty());
    let find = async || log_lines(process).into_iter().find(|line| line["request_id"] == id);
    poll(find, "it was not logged").await
}

#[tokio::test]
async fn trace_level_logs_no_keys_and_no_texts() {
    let process = Process::start_with(&[("RUST_LOG", "trace"), ("CARAPLACE_LOG_FORMAT", "json")]).await;
    let key = process.register_agent("Ada").await;
    let wrong = format!("cp_{}", "ab".repeat(32));
    assert_eq!(send(&process, Method::GET, "/api/agents/me", &wrong, json!({})).await.status, 401);
    let digest = process.get("/api/chat/digest").await.body["digest"].clone();
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": digest});
    assert_eq!(send(&process, Method::POST, "/api/pixel", &key, pixel).await.status, 201);
    let leaking = json!({"content": format!("{SECRET_TEXT} {key}")});
    assert_eq!(send(&process, Method::POST, "/api/chat", &key, leaking).await.status, 201);
    let call = json!({"name": "chat_post", "arguments": {"content": format!("{SECRET_TEXT} {key}")}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    assert_eq!(send(&process, Method::POST, "/mcp", &key, message).await.status, 200);
    let malformed = json!({"content": SECRET_TEXT, "reply_to": format!("{SECRET_TEXT}"), "key": key});
    assert_eq!(send(&process, Method::POST, "/api/chat", &key, malformed).await.status, 400);
    let changed = send(&process, Method::POST, "/api/agents/me/key", &key, json!({})).await;
    let new_key = changed.body["api_key"].as_str().unwrap().to_owned();
    let last = send(&process, Method::GET, "/api/agents/me", &new_key, json!({})).await;
    wait_for_log_line(&process, &last).await;
    let log = process.log();
    assert!(log.lines().count() > 50, "trace level logs many lines");
    for secret in [&key, &new_key, &wrong] {
        // Parts of the key must not be logged, either.
        let part = &secret[3..35];
        assert_eq!(log.lines().find(|line| line.contains(part)), None);
    }
    assert_eq!(log.lines().find(|line| line.contains(SECRET_TEXT)), None);
}

#[tokio::test]
async fn logs_failed_and_slow_requests_with_request_id() {
    let settings = [
        ("CARAPLACE_LOG_FORMAT", "json"),
        ("CARAPLACE_SLOW_REQUEST_MS", "1"),
        ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ];
    let process = Process::start_with(&settings).await;
    let picture =
        process.client.get(process.url("/api/canvas/visual")).header("X-Request-Id", "from-the-proxy");
    let slow = wait_for_log_line(&process, &Reply::fetch(picture).await).await;
    assert_eq!(slow["request_id"], "from-the-proxy");
    assert_eq!((&slow["level"], &slow["route"]), (&json!("WARN"), &json!("/api/canvas/visual")));
    assert_eq!((&slow["status"], &slow["message"]), (&json!(200), &json!("request was slow")));
    assert!(slow["ms"].as_f64().unwrap() > 1.0, "{slow}");
    let mut database = PgConnection::connect(&process.database_url()).await.unwrap();
    sqlx::raw_sql("alter table log_head rename to elsewhere").execute(&mut database).await.unwrap();
    let refused = process.get("/readyz").await;
    refused.assert_refused(503, "database_unavailable");
    let line = wait_for_log_line(&process, &refused).await;
    assert_eq!((&line["level"], &line["code"]), (&json!("WARN"), &json!("database_unavailable")));
    assert_eq!(fields_of(&line, ["route", "method", "status"]), json!(["/readyz", "GET", 503]));
    assert_eq!(line["message"], "request failed");
}

#[tokio::test]
async fn logs_only_the_start_when_all_is_well() {
    let process = Process::start().await;
    process.get("/healthz").await;
    let log = process.log();
    for word in
        ["canvas:   Season 1, 128×128, 1 events", "database: private", "/metrics", "/skill.md", "page:"]
    {
        assert!(log.contains(word), "{word} is not in\n{log}");
    }
    // Tests beside this one keep the machine busy, of which a server warns.
    let busy = ["pool timed out", "Overloaded", "The server is busy"];
    let is_of_busy_machine = |line: &str| {
        line.contains("an event loop was blocked")
            || line.contains("trying again") && busy.iter().any(|reason| line.contains(reason))
    };
    let is_warning = |line: &&str| line.contains("WARN") && !is_of_busy_machine(line);
    let warnings: Vec<_> = log.lines().filter(is_warning).collect();
    assert!(warnings.len() == 1 && warnings[0].contains("CARAPLACE_ADMIN_PASSWORD"), "{log}");
    assert!(!log.contains("/healthz answered"), "{log}");
}
