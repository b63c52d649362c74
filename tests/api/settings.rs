//! Settings that are changed and reset on all instances while the server runs.

use rules::numbers::Seq;
use serde_json::{Value, json};

use crate::support::actions::{CONSOLE_SETTINGS, FREE_CONSOLE_SETTINGS};
use crate::support::values::fields_of;
use crate::support::waiting::{wait_for_value, wait_until};
use crate::support::{OperatorBrowser, PASSWORD, Reply, Server};

async fn post_setting(operator: &OperatorBrowser<'_>, name: &str, value: Value) -> Reply {
    operator
        .post("/api/admin/settings", json!({"name": name, "value": value, "reason": "A quiet week."}))
        .await
}

#[tokio::test]
async fn settings_report_value_source_and_range_and_can_be_reset() {
    let mut server = Server::start_with(&CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let listed = operator.get("/api/admin/settings").await;
    assert_eq!(listed.header("cache-control"), "no-store");
    let settings = listed.body["settings"].as_array().unwrap().clone();
    assert_eq!(settings.len(), 30);
    assert!(settings.iter().all(|one| one["source"] == "environment" && one["value"] == one["default"]));
    let first = &settings[0];
    let expected = json!(["max_charges", 10, "a whole number from 1 to 1000000"]);
    assert_eq!(fields_of(first, ["name", "value", "range"]), expected);
    assert_eq!(fields_of(first, ["kind", "min", "max", "unit"]), json!(["number", 1, 1_000_000, null]));
    assert_eq!(fields_of(first, ["default_origin", "changed_by"]), json!(["default", null]));
    let start = listed.body["at_start"].as_array().unwrap();
    let find = |variable: &str| start.iter().find(|one| one["variable"] == variable).unwrap();
    let listen = find("CARAPLACE_LISTEN");
    assert_eq!(
        fields_of(listen, ["value", "origin", "secret"]),
        json!(["127.0.0.1:0", "environment", false])
    );
    let password = find("CARAPLACE_ADMIN_PASSWORD");
    assert_eq!(fields_of(password, ["value", "origin", "secret"]), json!([null, "environment", true]));
    assert!(!listed.text().contains(PASSWORD));
    let changed = operator.change_setting("max_charges", json!(25)).await;
    assert_eq!(fields_of(&changed, ["value", "default", "source"]), json!([25, 10, "operator"]));
    let expected = json!(["owner", "A quiet week."]);
    assert_eq!(fields_of(&changed, ["changed_by", "changed_reason"]), expected);
    server.restart().await;
    let operator = server.sign_in_operator().await;
    let ada = server.register_agent("Ada").await;
    assert_eq!(ada.me().await["max_charges"], 25, "it outlives a restart");
    assert_eq!(server.get("/skill.json").await.body["limits"]["max_charges"], 25);
    let back = operator.change_setting("max_charges", Value::Null).await;
    assert_eq!((&back["value"], &back["source"]), (&json!(10), &json!("environment")));
    assert_eq!(ada.me().await["max_charges"], 10);
    let acts = sqlx::query_as("select subject, before, after from audit where act = 'set' order by no");
    let acts: Vec<(String, Value, Value)> = acts.fetch_all(&server.pool).await.unwrap();
    let value = |value: Value| json!({"value": value});
    let set = ("max_charges".to_owned(), value(Value::Null), value(json!(25)));
    assert_eq!(acts, [set, ("max_charges".to_owned(), value(json!(25)), value(Value::Null))]);
}

#[tokio::test]
async fn invalid_setting_values_are_refused_with_the_range() {
    let server = Server::start_with(&CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    for (name, value, field) in [
        ("max_charges", json!(0), "value"),
        ("max_charges", json!(1_000_001), "value"),
        ("max_charges", json!("10"), "value"),
        ("charge_seconds", json!(-1), "value"),
        ("message_seconds", json!(1.5), "value"),
        ("links", json!("sometimes"), "value"),
        ("profanity", json!(true), "value"),
        ("secrets", json!("on"), "value"),
        ("message_chars", json!(19), "value"),
        ("message_chars", json!(4_097), "value"),
        ("secrets_timeout_ms", json!(9), "value"),
        ("secrets_timeout_ms", json!(10_001), "value"),
        ("duplicates", json!("off"), "value"),
        ("pii", json!("strip"), "value"),
        ("chat_enabled", json!("off"), "value"),
        ("registration", json!("closed"), "value"),
        ("words", json!(7), "value"),
        ("chat_text_days", json!(36_501), "value"),
        ("digest_seconds", json!(60), "name"),
        ("guide_days", json!(1), "name"),
        ("listen", json!("0.0.0.0:80"), "name"),
    ] {
        let refused = post_setting(&operator, name, value.clone()).await;
        refused.assert_refused(400, "invalid_field");
        assert_eq!(refused.body["field"], field, "{name} {value}");
        if field == "value" {
            let detail = refused.body["detail"].as_str().unwrap();
            assert!(detail.starts_with(&format!("{name} is {value}, but must be ")), "{detail}");
        }
    }
    let acts = server.count_rows("audit").await;
    assert_eq!((acts, server.fetch_number("select control from log_head").await), (0, 0));
}

#[tokio::test]
async fn a_change_without_a_value_resets_nothing() {
    let server = Server::start_with(&CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    for (name, value) in [("max_charges", json!(25)), ("words", json!("+zorg"))] {
        operator.change_setting(name, value.clone()).await;
        let without = json!({"name": name, "reason": "A quiet week."});
        let refused = operator.post("/api/admin/settings", without).await;
        refused.assert_field_refused(400, "missing_field", "value");
        let form = [("name", name), ("reason", "A quiet week.")];
        let refused = operator.submit("/admin/settings", &form).await;
        refused.assert_field_refused(400, "missing_field", "value");
        let listed = operator.get("/api/admin/settings").await.body["settings"].clone();
        let mut settings = listed.as_array().unwrap().iter();
        let kept = settings.find(|setting| setting["name"] == name).unwrap();
        assert_eq!(fields_of(kept, ["value", "source"]), json!([value, "operator"]));
    }
}

#[tokio::test]
async fn a_wrong_rule_for_secrets_is_refused_with_its_line() {
    let server = Server::start_with(&CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    for (rules, sentence) in [
        ("# ours\n+ acme (\n", "Line 2 is wrong: the regex of acme is invalid: unclosed group."),
        ("acme", "Line 1 is wrong: begin it with + to add a rule, - to drop one, or # for a comment."),
    ] {
        let refused = post_setting(&operator, "secret_rules", json!(rules)).await;
        refused.assert_field_refused(400, "invalid_field", "value");
        assert!(refused.body["detail"].as_str().unwrap().ends_with(sentence), "{}", refused.body);
    }
}

#[tokio::test]
async fn changed_settings_apply_on_other_instances_within_a_second() {
    let [one, other] = Server::start_two_instances(&CONSOLE_SETTINGS).await;
    let there = one.register_agent("Ada").await.on(&other);
    let operator = one.sign_in_operator().await;
    assert_eq!(there.paint(0, 0, 1).await.status, 201);
    there.post_message("May I?").await.assert_refused(429, "no_chat_credits");
    operator.change_setting("pixels_per_message", json!(0)).await;
    // The writer knows the change immediately, on every instance.
    assert_eq!(there.post_message("May I now?").await.status, 201);
    operator.change_setting("message_seconds", json!(0)).await;
    one.advance_clock(61);
    assert_eq!(there.post_message("And now?").await.status, 201);
    assert_eq!(there.post_message("And again?").await.status, 201);
    operator.change_setting("requests_per_minute", json!(2)).await;
    let is_limited = async || other.get("/api/stats").await.status == 429;
    wait_until(is_limited, "the other instance never limits requests").await;
    operator.change_setting("requests_per_minute", Value::Null).await;
    let is_unlimited = async || other.get("/api/stats").await.status == 200;
    wait_until(is_unlimited, "the other instance never ends the limit").await;
}

#[tokio::test]
async fn chat_is_disabled_and_enabled_everywhere() {
    let [one, other] = Server::start_two_instances(&CONSOLE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let there = ada.on(&other);
    ada.earn_message_credits().await;
    assert_eq!(ada.post_message("Hello").await.status, 201);
    let digest = one.digest().await;
    let tools = async || other.mcp(None).send_request("tools/list", json!({})).await.to_string();
    assert!(tools().await.contains("chat_post"));
    let operator = one.sign_in_operator().await;
    operator.change_setting("chat_enabled", json!(false)).await;
    let is_disabled = async || other.get("/api/chat").await.code() == "chat_disabled";
    wait_until(is_disabled, "the other instance never disables the chat").await;
    for server in [&one, &other] {
        server.get("/api/chat").await.assert_refused(404, "chat_disabled");
        assert_eq!(server.get("/skill.json").await.body["chat_enabled"], false);
        assert!(server.get("/skill.md").await.text().contains("the chat is switched off"));
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
    operator.change_setting("chat_enabled", json!(true)).await;
    let is_enabled = async || other.get("/api/chat").await.status == 200;
    wait_until(is_enabled, "the other instance never enables the chat again").await;
    there.post("/api/pixel", json!({"x": 1, "y": 1, "color": 3})).await.assert_refused(400, "digest_missing");
    // The message that tells of the switch may follow the setting.
    assert!(other.running().state.log.has_reached(Seq(one.head().await)).await.unwrap());
    let messages = other.get("/api/chat").await.body["messages"].clone();
    assert_eq!(messages[0]["content"], "Hello");
    assert_eq!(messages.as_array().unwrap().len(), 3, "only the switch was told meanwhile: {messages}");
    assert_ne!(other.digest().await, digest);
}

#[tokio::test]
async fn changed_content_filters_apply_to_new_messages() {
    let [one, other] = Server::start_two_instances(&CONSOLE_SETTINGS).await;
    let ada = other.register_agent("Ada").await;
    let operator = one.sign_in_operator().await;
    for (name, value) in [("message_seconds", 0), ("pixels_per_message", 0), ("charge_seconds", 0)] {
        operator.change_setting(name, json!(value)).await;
    }
    let shown = async |text: &str| {
        let posted = ada.post_message(text).await;
        assert!([201, 422].contains(&posted.status), "{}", posted.body);
        posted.body["message"]["content"].as_str().unwrap_or(posted.code()).to_owned()
    };
    assert_eq!(shown("a zorg").await, "a zorg");
    operator.change_setting("words", json!("# ours\n+zorg\n")).await;
    let is_refused = async || other.try_register_agent("Zorg").await.code() == "name_not_allowed";
    wait_until(is_refused, "the other instance never learns the words").await;
    assert_eq!(shown("one zorg").await, "one z***");
    operator.change_setting("profanity", json!("reject")).await;
    operator.change_setting("links", json!("allow")).await;
    let is_profane = async || shown("two zorg at example.com").await == "content_profane";
    wait_until(is_profane, "the other instance never changes the filters for profanity and links").await;
    assert_eq!(shown("see example.com").await, "see example.com");
    operator.change_setting("words", Value::Null).await;
    let is_unchanged = async || shown("three zorg").await == "three zorg";
    wait_until(is_unchanged, "the other instance never forgets the words").await;
}

#[tokio::test]
async fn longest_message_can_be_changed() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let viewer = server.create_viewer().await;
    ada.post_message(&"a".repeat(281)).await.assert_refused(422, "content_too_long");
    operator.change_setting("message_chars", json!(1_000)).await;
    ada.post_message(&"b".repeat(1_000)).await.assert_status(201);
    let refused = ada.post_message(&"c".repeat(1_001)).await;
    refused.assert_refused(422, "content_too_long");
    let told = fields_of(&refused.body, ["detail", "hint"]).to_string();
    assert!(told.contains("at most 1000 and 8192 are allowed") && told.contains("at most 1000 characters"));
    operator.change_setting("message_chars", json!(20)).await;
    ada.post_message(&"d".repeat(21)).await.assert_refused(422, "content_too_long");
    let plan = json!({"title": "A house", "x": 1, "y": 2, "rows": ["5"], "note": "n".repeat(280)});
    ada.post("/api/plans", plan).await.assert_status(201);
    assert_eq!(viewer.get("/api/viewers/me").await.body["message_chars"], 20);
    assert_eq!(server.get("/skill.json").await.body["limits"]["message_chars"], 20);
    assert!(server.get("/skill.md").await.text().contains("at most 20 characters"));
    let document = server.get("/openapi.json").await.body;
    let content = &document["components"]["schemas"]["NewMessage"]["properties"]["content"];
    assert!(content["description"].as_str().unwrap().starts_with("Up to 20 characters"), "{content}");
    let tools = server.mcp(None).send_request("tools/list", json!({})).await.to_string();
    assert!(tools.contains("Up to 20 characters."), "{tools}");
}

#[tokio::test]
async fn registration_can_be_closed_and_limited() {
    let [one, other] = Server::start_two_instances(&CONSOLE_SETTINGS).await;
    let operator = one.sign_in_operator().await;
    operator.change_setting("registration_enabled", json!(false)).await;
    let is_closed = async || other.try_register_agent("?").await.status == 403;
    wait_until(is_closed, "the other instance never closes registration").await;
    for server in [&one, &other] {
        let refused = server.try_register_agent("Late").await;
        refused.assert_refused(403, "forbidden");
        assert!(refused.body["hint"].as_str().unwrap().contains("another day"));
    }
    one.mcp(None).call_tool("register", json!({"name": "Late"})).await.assert_refused("forbidden");
    operator.change_setting("registration_enabled", json!(true)).await;
    operator.change_setting("registrations_per_day", json!(1)).await;
    let is_open = async || other.try_register_agent("?").await.status == 400;
    wait_until(is_open, "the other instance never opens registration again").await;
    assert_eq!(other.try_register_agent("Ada").await.status, 201);
    other.try_register_agent("Bob").await.assert_refused(429, "too_many_requests");
}

#[tokio::test]
async fn queued_message_is_refused_after_chat_was_disabled() {
    let server = Server::start_with(&CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    ada.earn_message_credits().await;
    let before = ada.me().await;
    let head_lock = server.lock_head().await;
    let switched = post_setting(&operator, "chat_enabled", json!(false));
    let posting = async {
        server.wait_for_blocked_writers(1).await;
        let request = ada.post_message("Am I still heard?");
        let opened = async {
            server.wait_for_blocked_writers(2).await;
            head_lock.release().await;
        };
        tokio::join!(request, opened).0
    };
    let (switched, posted) = tokio::join!(switched, posting);
    assert_eq!(switched.status, 200, "{}", switched.body);
    posted.assert_refused(404, "chat_disabled");
    assert_eq!(ada.me().await, before);
}

#[tokio::test]
async fn each_filter_can_be_switched_on_every_instance() {
    let [one, other] = Server::start_two_instances(&FREE_CONSOLE_SETTINGS).await;
    let there = one.register_agent("Ada").await.on(&other);
    let operator = one.sign_in_operator().await;
    let secret = format!("ghp_{}", "a1B2c3".repeat(6));
    let mail = "ada@example.invalid.com";
    for (name, value, text, changed) in [
        ("secrets", "off", secret.as_str(), Value::Null),
        ("secrets", "redact", secret.as_str(), json!(["secret"])),
        ("pii", "mask", mail, json!(["pii"])),
        ("pii", "off", mail, json!(["link"])),
        ("links", "allow", mail, Value::Null),
        ("links", "strip", "example.com", json!(["link"])),
        ("profanity", "off", "shit", Value::Null),
        ("profanity", "mask", "shit", json!(["profanity"])),
    ] {
        operator.change_setting(name, json!(value)).await;
        let turn = std::cell::Cell::new(0);
        let read_changed = async || {
            turn.set(turn.get() + 1);
            let reply = there.post_message(&format!("{name} {value}, {}. {text}", turn.get())).await;
            assert_eq!(reply.status, 201, "{}", reply.body);
            reply.body["changed"].clone()
        };
        let failure = format!("the filter {name} never changes to {value}");
        wait_for_value(read_changed, |shown: &Value| *shown == changed, &failure).await;
    }
    assert_eq!(there.post_message("Again.").await.status, 201);
    there.post_message("again. ").await.assert_refused(422, "duplicate_message");
    operator.change_setting("duplicates", json!("allow")).await;
    assert_eq!(there.post_message("AGAIN.").await.status, 201);
    operator.change_setting("duplicates", Value::Null).await;
    there.post_message("again.").await.assert_refused(422, "duplicate_message");
}
