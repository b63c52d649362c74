//! Settings that change while the server runs, on every instance, and go back.

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Agent, Office, PASSWORD, Reply, Server};

const OPEN: [(&str, &str); 2] =
    [("CARAPLACE_ADMIN_PASSWORD", PASSWORD), ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")];

async fn soon<F: Future<Output = bool>>(what: &str, look: impl Fn() -> F) {
    let seen = async { while !look().await {} };
    tokio::time::timeout(Duration::from_secs(1), seen)
        .await
        .unwrap_or_else(|_| panic!("not within a second: {what}"));
}

async fn set(office: &Office<'_>, name: &str, value: Value) -> Reply {
    office.post("/api/admin/settings", json!({"name": name, "value": value, "why": "A quiet week."})).await
}

async fn chosen(office: &Office<'_>, name: &str, value: Value) -> Value {
    let reply = set(office, name, value).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

async fn registered(server: &Server, name: &str) -> Reply {
    server.post("/api/agents/register", json!({"name": name})).await
}

#[tokio::test]
async fn settings_report_value_source_and_range_and_can_be_reset() {
    let mut server = Server::with(&OPEN).await;
    let office = server.operator().await;
    let listed = office.get("/api/admin/settings").await;
    assert_eq!(listed.header("cache-control"), "no-store");
    let settings = listed.body["settings"].as_array().unwrap().clone();
    assert_eq!(settings.len(), 16);
    assert!(settings.iter().all(|one| one["source"] == "environment" && one["value"] == one["default"]));
    let first = &settings[0];
    assert_eq!(
        (&first["name"], &first["value"], &first["range"]),
        (&json!("max_charges"), &json!(10), &json!("a whole number from 1 to 1000000"))
    );
    let told = chosen(&office, "max_charges", json!(25)).await;
    assert_eq!(
        (&told["value"], &told["default"], &told["source"]),
        (&json!(25), &json!(10), &json!("operator"))
    );
    server.restart().await;
    let office = server.operator().await;
    let ada = server.agent("Ada").await;
    assert_eq!(ada.me().await["max_charges"], 25, "it outlives a restart");
    assert_eq!(server.get("/skill.json").await.body["limits"]["max_charges"], 25);
    let back = chosen(&office, "max_charges", Value::Null).await;
    assert_eq!((&back["value"], &back["source"]), (&json!(10), &json!("environment")));
    assert_eq!(ada.me().await["max_charges"], 10);
    let acts: Vec<(String, Value, Value)> =
        sqlx::query_as("select subject, before, after from audit where act = 'set' order by no")
            .fetch_all(&server.pool)
            .await
            .unwrap();
    let value = |value: Value| json!({"value": value});
    let set = ("max_charges".to_owned(), value(Value::Null), value(json!(25)));
    assert_eq!(acts, [set, ("max_charges".to_owned(), value(json!(25)), value(Value::Null))]);
}

#[tokio::test]
async fn invalid_setting_values_are_refused_with_the_range() {
    let server = Server::with(&OPEN).await;
    let office = server.operator().await;
    for (name, value, field) in [
        ("max_charges", json!(0), "value"),
        ("max_charges", json!(1_000_001), "value"),
        ("max_charges", json!("10"), "value"),
        ("charge_seconds", json!(-1), "value"),
        ("message_seconds", json!(1.5), "value"),
        ("links", json!("sometimes"), "value"),
        ("profanity", json!(true), "value"),
        ("chat_enabled", json!("off"), "value"),
        ("words", json!(7), "value"),
        ("digest_seconds", json!(60), "name"),
        ("listen", json!("0.0.0.0:80"), "name"),
    ] {
        let refused = set(&office, name, value.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{name} {value}");
        if field == "value" {
            let detail = refused.body["detail"].as_str().unwrap();
            assert!(detail.starts_with(&format!("{name} is {value}, but must be ")), "{detail}");
        }
    }
    let acts: i64 = sqlx::query_scalar("select count(*) from audit").fetch_one(&server.pool).await.unwrap();
    let control: i64 =
        sqlx::query_scalar("select control from log_head").fetch_one(&server.pool).await.unwrap();
    assert_eq!((acts, control), (0, 0));
}

#[tokio::test]
async fn changed_settings_apply_on_other_instances_within_a_second() {
    let one = Server::with(&OPEN).await;
    let other = one.second(&OPEN).await;
    let ada = one.agent("Ada").await;
    let there = Agent { server: &other, id: ada.id.clone(), key: ada.key.clone() };
    let office = one.operator().await;
    assert_eq!(there.paint(0, 0, 1).await.status, 201);
    there.say("May I?").await.assert_refused(429, "no_chat_credits");
    chosen(&office, "pixels_per_message", json!(0)).await;
    // The gate knows at once, wherever it is.
    assert_eq!(there.say("May I now?").await.status, 201);
    chosen(&office, "message_seconds", json!(0)).await;
    one.wait(61);
    assert_eq!(there.say("And now?").await.status, 201);
    assert_eq!(there.say("And again?").await.status, 201);
    chosen(&office, "requests_per_minute", json!(2)).await;
    soon("the limit", async || other.get("/api/stats").await.status == 429).await;
    chosen(&office, "requests_per_minute", Value::Null).await;
    soon("no limit", async || other.get("/api/stats").await.status == 200).await;
}

#[tokio::test]
async fn chat_is_disabled_and_enabled_everywhere() {
    let one = Server::with(&OPEN).await;
    let other = one.second(&OPEN).await;
    let ada = one.agent("Ada").await;
    let there = Agent { server: &other, id: ada.id.clone(), key: ada.key.clone() };
    ada.earn_message().await;
    assert_eq!(ada.say("Hello").await.status, 201);
    let digest = one.digest().await;
    let tools = async || other.mcp(None).ask("tools/list", json!({})).await.to_string();
    assert!(tools().await.contains("chat_post"));
    let office = one.operator().await;
    chosen(&office, "chat_enabled", json!(false)).await;
    soon("no chat", async || other.get("/api/chat").await.code() == "chat_disabled").await;
    for server in [&one, &other] {
        server.get("/api/chat").await.assert_refused(404, "chat_disabled");
        assert_eq!(server.get("/skill.json").await.body["chat_enabled"], false);
        let skill = String::from_utf8(server.get("/skill.md").await.bytes).unwrap();
        assert!(skill.contains("the chat is switched off"));
    }
    assert!(!tools().await.contains("chat_post"));
    let page = other.get("/api/events?from=1").await.body["events"].to_string();
    assert!(page.contains("\"chat\"") && !page.contains("Hello"), "{page}");
    let mut stream = other.events(Some(0)).await;
    while let Some(event) = stream.next().await
        && event.id != Some(other.head().await)
    {
        assert_ne!(event.data["content"], "Hello");
    }
    let bare = there.post("/api/pixel", json!({"x": 1, "y": 1, "color": 3})).await;
    assert_eq!(bare.status, 201, "no digest is needed: {}", bare.body);
    chosen(&office, "chat_enabled", json!(true)).await;
    soon("the chat", async || other.get("/api/chat").await.status == 200).await;
    there.post("/api/pixel", json!({"x": 1, "y": 1, "color": 3})).await.assert_refused(400, "digest_missing");
    assert_eq!(other.get("/api/chat").await.body["messages"][0]["content"], "Hello");
    assert_eq!(other.digest().await, digest, "nothing was said meanwhile");
}

#[tokio::test]
async fn changed_content_filters_apply_to_new_messages() {
    let one = Server::with(&OPEN).await;
    let other = one.second(&OPEN).await;
    let ada = other.agent("Ada").await;
    let office = one.operator().await;
    for (name, value) in [("message_seconds", 0), ("pixels_per_message", 0), ("charge_seconds", 0)] {
        chosen(&office, name, json!(value)).await;
    }
    let shown = async |text: &str| {
        let said = ada.say(text).await;
        assert!([201, 422].contains(&said.status), "{}", said.body);
        said.body["message"]["content"].as_str().unwrap_or(said.code()).to_owned()
    };
    assert_eq!(shown("a zorg").await, "a zorg");
    chosen(&office, "words", json!("# ours\n+zorg\n")).await;
    soon("the words", async || {
        other.post("/api/agents/register", json!({"name": "Zorg"})).await.code() == "name_not_allowed"
    })
    .await;
    assert_eq!(shown("one zorg").await, "one z***");
    chosen(&office, "profanity", json!("reject")).await;
    chosen(&office, "links", json!("allow")).await;
    soon("both", async || shown("two zorg at example.com").await == "content_profane").await;
    assert_eq!(shown("see example.com").await, "see example.com");
    chosen(&office, "words", Value::Null).await;
    soon("no words", async || shown("three zorg").await == "three zorg").await;
}

#[tokio::test]
async fn registration_can_be_closed_and_limited() {
    let one = Server::with(&OPEN).await;
    let other = one.second(&OPEN).await;
    let office = one.operator().await;
    chosen(&office, "registration_enabled", json!(false)).await;
    soon("closed", async || registered(&other, "?").await.status == 403).await;
    for server in [&one, &other] {
        let refused = registered(server, "Late").await;
        refused.assert_refused(403, "forbidden");
        assert!(refused.body["hint"].as_str().unwrap().contains("come back"));
    }
    let told = one.mcp(None).call("register", json!({"name": "Late"})).await;
    told.assert_refused("forbidden");
    chosen(&office, "registration_enabled", json!(true)).await;
    chosen(&office, "registrations_per_day", json!(1)).await;
    let two = ["Ada", "Bob"];
    soon("the limit", async || registered(&other, "?").await.status == 400).await;
    assert_eq!(registered(&other, two[0]).await.status, 201);
    registered(&other, two[1]).await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn queued_message_is_refused_after_chat_was_disabled() {
    let server = Server::with(&OPEN).await;
    let (office, ada) = (server.operator().await, server.agent("Ada").await);
    ada.earn_message().await;
    let before = ada.me().await;
    let gate = server.close_gate().await;
    let switched = set(&office, "chat_enabled", json!(false));
    let said = async {
        server.crowded(1).await;
        let said = ada.say("Am I still heard?");
        let opened = async {
            server.crowded(2).await;
            gate.open().await;
        };
        tokio::join!(said, opened).0
    };
    let (switched, said) = tokio::join!(switched, said);
    assert_eq!(switched.status, 200, "{}", switched.body);
    said.assert_refused(404, "chat_disabled");
    assert_eq!(ada.me().await, before);
}
