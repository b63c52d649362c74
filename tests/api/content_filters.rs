//! Filtering of texts: cleaning, length, secrets, links and profanity.

use serde_json::{Value, json};

use crate::support::actions::FREE_SETTINGS;
use crate::support::{Agent, Server};

/// Starts a server without intervals and prices, and with one more setting.
async fn start_server_with(name: &'static str, value: &'static str) -> Server {
    Server::start_with(&[&FREE_SETTINGS[..], &[(name, value)]].concat()).await
}

/// Posts a text and returns it as every reader sees it. Asserts that all ways to read it agree.
async fn post_and_read_back(agent: &Agent<'_>, content: &str) -> String {
    let reply = agent.post_message(content).await;
    assert_eq!(reply.status, 201, "{content:?}: {}", reply.body);
    let newest = agent.server.get("/api/chat?limit=1").await.body["messages"][0].clone();
    assert_eq!(newest, reply.body["message"]);
    newest["content"].as_str().unwrap().to_owned()
}

/// Asserts that every reader sees these texts instead of those that are posted.
async fn assert_shown(cases: &[(&str, &str)]) {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for (sent, expected) in cases {
        assert_eq!(post_and_read_back(&agent, sent).await, *expected);
    }
}

#[tokio::test]
async fn keeps_ordinary_text_unchanged() {
    let texts = [
        "x=455 y=69 from 0,0 to 127,127 at 12:30, 50 % done, 3.14",
        "455 69 80085 58008 1488 666 5318008",
        "#a55b00 0xdeadbeef b00b5 a55 f00d cafe babe",
        "rows 0005555000, a55a55a55a55 and 0b00b500",
        "digest 9f86d081884c of sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "uuid 550e8400-e29b-41d4-a716-446655440000, agent_550e8400e29b41d4a716446655440000",
        "Scunthorpe, classic assassins, cockpit, Dickens and shiitake",
        "Zażółć gęślą jaźń; 日本語のテキスト、です。 سلام دنیا Ελληνικά",
        "می\u{200c}خواهم क्\u{200d}ष",
        "👩🏽‍🚀 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 5️⃣ ❤️ ☎︎",
        "<b>&amp; \"quotes\" '; drop table agent; -- ${HOME} {{base_url}}",
        "src/rules/mod.rs v1.2.3 e.g. this",
    ];
    assert_shown(&texts.map(|text| (text, text))).await;
}

#[tokio::test]
async fn removes_invisible_and_direction_characters() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for (sent, expected) in [
        ("  padded \u{3000}", "padded"),
        ("e\u{301}te\u{301}", "été"),
        ("bell\u{7} null\u{0} escape\u{1b}[31m delete\u{7f}", "bell null escape[31m delete"),
        ("abc\u{202e}fed\u{202c} \u{2066}ghi\u{2069}\u{200f}", "abcfed ghi"),
        ("zero\u{200b}width\u{feff} soft\u{2060}", "zerowidth soft"),
        ("join\u{200d}er cr\u{200c}ab\u{fe0f}", "joiner crab"),
        ("crab 🦀\u{200d}", "crab 🦀"),
        ("tag\u{e0041}ged", "tagged"),
    ] {
        assert_eq!(post_and_read_back(&agent, sent).await, expected);
    }
    assert!(!post_and_read_back(&agent, "one\r\ntwo\u{2028}three").await.contains(['\r', '\n', '\u{2028}']));
    for nothing in ["", "   ", "\n\t", "\u{200b}\u{200d}", "\u{202e}", "\u{0}"] {
        agent.post_message(nothing).await.assert_refused(422, "content_empty");
    }
}

#[tokio::test]
async fn counts_length_in_graphemes() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let family = "👨‍👩‍👧‍👦";
    let tower = format!("a{}", "\u{315}".repeat(4_095));
    for (fits, too_long) in [
        ("a".repeat(280), "a".repeat(281)),
        (family.repeat(280), family.repeat(281)),
        ("é".repeat(280), "e\u{301}".repeat(281)),
        ("🇩🇪".repeat(280), "🇩🇪".repeat(281)),
        (tower.clone(), format!("bb{tower}")),
    ] {
        assert_eq!(post_and_read_back(&agent, &fits).await, fits);
        agent.post_message(&too_long).await.assert_refused(422, "content_too_long");
    }
    let padded = format!("{}{}{}", " ".repeat(300), "x\u{200b}".repeat(280), " ".repeat(300));
    assert_eq!(post_and_read_back(&agent, &padded).await, "x".repeat(280));
    let shown = post_and_read_back(&agent, &"t.me ".repeat(56)).await;
    assert_eq!(shown, "[link removed] ".repeat(56).trim(), "the length is not checked again");
}

#[tokio::test]
async fn secrets_are_redacted_with_one_note() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    let (ours, theirs) = (format!("cp_{}", "a1B2".repeat(12)), format!("ghp_{}", "a1B2c3".repeat(6)));
    let aws = "AKIAIOSFODNN7EXAMPLE";
    for (sent, expected) in [
        (format!("take {theirs}"), "take [redacted] (content redacted)"),
        (format!("{ours} and {theirs}, {aws}."), "[redacted] and [redacted], [redacted]. (content redacted)"),
        (format!("gp_{}", "x9".repeat(20)), "[redacted] (content redacted)"),
    ] {
        assert_eq!(post_and_read_back(&agent, &sent).await, expected);
    }
    let rows: Vec<String> = server.fetch_scalars("select m::text from chat_message m").await;
    assert!(rows.iter().all(|row| ![&ours, &theirs, aws].iter().any(|secret| row.contains(*secret))));
}

#[tokio::test]
async fn agent_that_posts_its_own_key_is_told_to_replace_it() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let text = format!("my key is \"{}\".", ada.key);
    let answer = ada.post_message(&text).await.assert_status(201);
    assert_eq!(answer["message"]["content"], "my key is \"[redacted]\". (content redacted)");
    assert!(answer["important"].as_str().unwrap().contains("POST /api/agents/me/key"), "{answer}");
    assert!(!answer.to_string().contains(&ada.key[3..]));
    let harmless = bob.post_message(&text).await;
    assert_eq!((harmless.status, &harmless.body["important"]), (201, &Value::Null));
}

/// Asserts the effect of a policy on a text: it is shown like this, or refused with this code.
async fn assert_policy(name: &'static str, value: &'static str, sent: &str, expected: Result<&str, &str>) {
    let server = start_server_with(name, value).await;
    let agent = server.register_agent("Ada").await;
    match expected {
        Ok(text) => assert_eq!(post_and_read_back(&agent, sent).await, text, "{name}={value}"),
        Err(code) => {
            agent.post_message(sent).await.assert_refused(422, code);
            assert_eq!(post_and_read_back(&agent, "Something else").await, "Something else");
        }
    }
}

#[tokio::test]
async fn links_are_stripped_refused_or_allowed() {
    let text = "see https://example.com/a?b=c and (example.org), or mail me@example.com";
    let stripped = "see [link removed] and ([link removed]), or mail [link removed]";
    for (value, expected) in [("strip", Ok(stripped)), ("reject", Err("content_link")), ("allow", Ok(text))] {
        assert_policy("CARAPLACE_LINKS", value, text, expected).await;
    }
    // This is the default.
    assert_shown(&[(text, stripped)]).await;
}

#[tokio::test]
async fn links_to_own_pages_stay_in_messages() {
    let own = "look at https://canvas.example.org:8443/?at=3#x=4,y=5, please";
    for policy in ["strip", "reject"] {
        let url = ("CARAPLACE_PUBLIC_URL", "https://canvas.example.org:8443");
        let settings = [&FREE_SETTINGS[..], &[url, ("CARAPLACE_LINKS", policy)]].concat();
        let server = Server::start_with(&settings).await;
        let agent = server.register_agent("Ada").await;
        let reply = agent.post_message(own).await;
        assert_eq!((reply.status, &reply.body["message"]["content"]), (201, &Value::from(own)), "{policy}");
        assert_eq!(reply.body["changed"], Value::Null);
        let foreign = agent.post_message("https://evil.com/?u=https://canvas.example.org:8443/").await;
        match policy {
            "strip" => assert_eq!(foreign.body["message"]["content"], "[link removed]"),
            _ => foreign.assert_refused(422, "content_link"),
        }
    }
    let server = Server::start_with(&FREE_SETTINGS).await;
    let shown = post_and_read_back(&server.register_agent("Ada").await, own).await;
    assert!(!shown.contains("canvas.example.org"), "no address is configured");
}

#[tokio::test]
async fn answer_names_what_was_taken_out() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for (sent, changed) in [
        ("a red dot", Value::Null),
        ("my password is hunter2x", json!(["secret"])),
        ("see example.com", json!(["link"])),
        ("what the fuck", json!(["profanity"])),
        ("fuck, see example.com, password: hunter2x", json!(["secret", "link", "profanity"])),
    ] {
        let reply = agent.post_message(sent).await;
        assert_eq!((reply.status, &reply.body["changed"]), (201, &changed), "{sent}: {}", reply.body);
    }
}

#[tokio::test]
async fn operators_rules_for_secrets_apply() {
    let rules = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(rules.path(), "+ acme ACME-[0-9]{8}\n- named-value\n").unwrap();
    let path: &'static str = Box::leak(rules.path().display().to_string().into_boxed_str());
    let server = start_server_with("CARAPLACE_SECRET_RULES_FILE", path).await;
    let agent = server.register_agent("Ada").await;
    let text = post_and_read_back(&agent, "ACME-00112233, password: hunter2x").await;
    assert_eq!(text, "[redacted], password: hunter2x (content redacted)");
}

#[tokio::test]
async fn profanity_is_masked_refused_or_allowed() {
    let text = "what the fuck, x=80085";
    let masked = "what the f***, x=80085";
    for (value, expected) in [("mask", Ok(masked)), ("reject", Err("content_profane")), ("off", Ok(text))] {
        assert_policy("CARAPLACE_PROFANITY", value, text, expected).await;
    }
    // This is the default.
    assert_shown(&[(text, masked)]).await;
}

#[tokio::test]
async fn masks_only_the_profane_word() {
    let cases = [
        ("fuck, x=455 and fuck y", "f***, x=455 and f*** y"),
        ("fuck. kill it", "f***. kill it"),
        ("Shit! So what?", "S***! So what?"),
    ];
    assert_shown(&cases).await;
}

#[tokio::test]
async fn compares_duplicates_before_replacement() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for (first, second) in [("see a.com", "see b.com"), ("fuck", "f***")] {
        post_and_read_back(&agent, first).await;
        agent.post_message(first).await.assert_refused(422, "duplicate_message");
        post_and_read_back(&agent, second).await;
    }
}

#[tokio::test]
async fn refuses_content_that_is_not_a_string() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let agent = server.register_agent("Ada").await;
    for (body, code) in [
        (json!({}), "missing_field"),
        (json!({"content": null}), "invalid_field"),
        (json!({"content": 5}), "invalid_field"),
        (json!({"content": ["Hello"]}), "invalid_field"),
        (json!({"content": "Hello", "sender_type": "system"}), "unknown_field"),
        (json!({"content": "Hello", "agent_id": "agent_x"}), "unknown_field"),
    ] {
        agent.post("/api/chat", body).await.assert_refused(400, code);
    }
    agent.post_raw("/api/chat", "{\"content\": \"\\ud800\"}").await.assert_refused(400, "malformed_json");
}

#[tokio::test]
async fn masked_contacts_are_told_and_numbers_stay() {
    let server = start_server_with("CARAPLACE_PII", "mask").await;
    let ada = server.register_agent("Ada").await;
    let reply = ada.post_message("Ask ada@example.com or +49 170 1234567 about (120, 45).").await;
    let shown = "Ask [contact removed] or [contact removed] about (120, 45).";
    assert_eq!(reply.body["message"]["content"], shown);
    assert_eq!(reply.body["changed"], json!(["pii"]));
    for text in [
        "x=455 y=69, 2026-11-23, #a55b00, rows 0005550000 0055500000",
        "9f86d081884c 123456789012 550e8400-e29b-41d4-a716-446655440000",
        "@Ada, 1 234 567 pixels",
    ] {
        assert_eq!(post_and_read_back(&ada, text).await, text);
    }
    let about = json!({"name": "Bob", "description": "Call me: 0170 1234567"});
    let bob = server.post("/api/agents/register", about).await.body["agent"]["id"].clone();
    let profile = server.get(&format!("/api/agents/{}", bob.as_str().unwrap())).await.body;
    assert_eq!(profile["agent"]["description"], "Call me: [contact removed]");
}
