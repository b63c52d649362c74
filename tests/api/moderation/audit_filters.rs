//! The audit log is filtered by operator, action, subject and time.

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use super::decisions::{decide, report_message, undo};
use crate::support::actions::post_text;
use crate::support::values::{fields_of, texts_of};
use crate::support::{Agent, OperatorBrowser, Server, admin};

/// The two accounts of a log with four entries, and two times between them.
struct FilledLog<'a> {
    ada: Agent<'a>,
    bob: Agent<'a>,
    times: [String; 2],
}

/// Hides a message; later creates a key, which mutes Bob; later mutes Ada.
async fn fill_log<'a>(server: &'a Server, operator: &OperatorBrowser<'_>) -> FilledLog<'a> {
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let wait = || {
        server.advance_clock(30);
        let time = server.clock.now().to_rfc3339_opts(SecondsFormat::Secs, true);
        server.advance_clock(30);
        time
    };
    operator.hide_message(&post_text(&ada, "hello").await).await;
    let first = wait();
    let program = server.client_with_key(&server.create_operator_key("night shift").await);
    let mute = format!("/api/admin/agents/{}/mute", bob.id);
    program.post(&mute, json!({"reason": "spam"})).await.assert_status(200);
    let second = wait();
    operator.apply_sanction(&ada, "mute").await;
    FilledLog { ada, bob, times: [first, second] }
}

#[tokio::test]
async fn filters_by_operator_action_subject_and_time() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let FilledLog { ada, bob, times: [first, second] } = fill_log(&server, &operator).await;
    for (query, expected) in [
        ("limit=10", &["mute", "mute", "make key", "hide"][..]),
        ("operator=owner%20%28key%20night%20shift%29", &["mute"]),
        ("operator=night%20shift", &[]),
        ("act=mute", &["mute", "mute"]),
        ("act=make%20key", &["make key"]),
        ("subject=ADA", &["mute"]),
        ("subject=Nobody", &[]),
        (&format!("subject={}", bob.id), &["mute"]),
        (&format!("since={second}"), &["mute"]),
        (&format!("until={first}"), &["hide"]),
        (&format!("since={first}&until={second}"), &["mute", "make key"]),
        (&format!("act=mute&operator=owner&subject={}", ada.id), &["mute"]),
        ("act=mute&operator=owner&subject=Bob", &[]),
    ] {
        let page = operator.get(&format!("/api/admin/audit?{query}")).await.assert_status(200);
        assert_eq!(texts_of(&page["acts"], "act"), expected, "{query}");
    }
    let newest = operator.get("/api/admin/audit?act=mute&limit=1").await.body;
    let next = newest["next_before"].as_i64().unwrap();
    let oldest = operator.get(&format!("/api/admin/audit?act=mute&limit=1&before={next}")).await.body;
    assert_eq!([&newest["acts"][0]["subject"], &oldest["acts"][0]["subject"]], [&ada.id, &bob.id]);
    assert!(oldest["next_before"].is_null(), "{oldest}");
}

#[tokio::test]
async fn entries_about_an_account_include_its_network_and_undone_decisions() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let (ada, bob) =
        (server.register_agent_from("Ada", "203.0.113.5").await, server.register_agent("Bob").await);
    let case = report_message(&bob, &post_text(&ada, "rude words").await).await;
    let decided = decide(&operator, &case, json!({"sanction": {"kind": "mute"}, "reason": "rude"})).await;
    undo(&operator, &decided).await;
    let block = operator.post_with_reason(&format!("/api/admin/agents/{}/block-network", ada.id)).await;
    let unblock = format!("/api/admin/networks/{}/unblock", block["block_id"].as_str().unwrap());
    operator.post_with_reason(&unblock).await;
    for subject in ["Ada", &ada.id] {
        let page = operator.get(&format!("/api/admin/audit?subject={subject}")).await.assert_status(200);
        let acts = ["unblock network", "block network", "undo_decision", "decide"];
        assert_eq!(texts_of(&page["acts"], "act"), acts, "{subject}");
        for decision in [&page["acts"][2], &page["acts"][3]] {
            assert_eq!(fields_of(decision, ["subject", "subject_name"]), json!([case, "Ada"]));
        }
    }
    let about_bob = operator.get("/api/admin/audit?subject=Bob").await.body;
    assert_eq!(about_bob["acts"], json!([]), "he has only reported");
}

#[tokio::test]
async fn values_that_cannot_be_meant_are_refused() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let empty = operator.get("/api/admin/audit?act=mute").await;
    empty.assert_field_refused(400, "invalid_field", "act");
    let FilledLog { times: [first, second], .. } = fill_log(&server, &operator).await;
    for (query, field) in [
        ("act=burn", "act"),
        ("act=mute&act=hide", "act"),
        ("operator=a&operator=b", "operator"),
        ("since=yesterday", "since"),
        ("since=5", "since"),
        ("until=2026-01-31", "until"),
        (&format!("since={second}&until={first}"), "until"),
    ] {
        let refused = operator.get(&format!("/api/admin/audit?{query}")).await;
        refused.assert_field_refused(400, "invalid_field", field);
    }
    let refused = operator.get("/api/admin/audit?act=burn").await.body;
    let detail = "act must be an action that the audit log has: hide, make key, mute.";
    assert_eq!(refused["detail"], detail);
}

#[tokio::test]
async fn the_command_line_filters_like_the_api() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let FilledLog { times: [first, second], .. } = fill_log(&server, &operator).await;
    let third = operator.get("/api/admin/audit").await.body["acts"][1]["no"].to_string();
    for (flags, expected) in [
        (&["--operator", "owner (key night shift)"][..], &["mute"][..]),
        (&["--act", "make key"], &["make key"]),
        (&["--subject", "Ada"], &["mute"]),
        (&["--since", &first, "--until", &second], &["mute", "make key"]),
        (&["--before", &third], &["make key", "hide"]),
    ] {
        let words = [&["--json", "audit"][..], flags].concat();
        let output = admin(&server, &words, "").await.unwrap();
        let page: Value = serde_json::from_str(&output).unwrap();
        assert_eq!(texts_of(&page["acts"], "act"), expected, "{flags:?}");
    }
    let listed = admin(&server, &["audit", "--subject", "Ada"], "").await.unwrap();
    assert!(listed.lines().count() == 2 && listed.contains("  Ada   because"), "{listed}");
    let (code, error) = admin(&server, &["audit", "--act", "burn"], "").await.unwrap_err();
    assert!(code == 1 && error.contains("--act must be an action that the audit log has"), "{error}");
}
