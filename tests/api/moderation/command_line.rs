//! Moderation with `caraplace admin` while a server runs.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, chat_message_ids, id_of};
use crate::support::actions::post_text;
use crate::support::values::fields_of;
use crate::support::{Server, admin};

async fn run_admin(server: &Server, words: &[&str]) -> Value {
    let words: Vec<&str> = ["--json"].iter().chain(words).copied().collect();
    let output = admin(server, &words, "").await.unwrap_or_else(|error| panic!("{words:?}: {error:?}"));
    serde_json::from_str(&output).unwrap()
}

async fn assert_admin_refused(server: &Server, words: &[&str], sentence: &str) {
    let (code, output) = admin(server, words, "").await.unwrap_err();
    assert!(code == 1 && output.contains(sentence), "{words:?}: {output}");
}

#[tokio::test]
async fn every_command_works_beside_a_running_server() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let message = post_text(&ada, "hello").await;
    let mut live = server.events(None).await;
    let reason_args = ["--reason", "spam"];
    let run = async |words: &[&str]| {
        let words: Vec<&str> = words.iter().chain(&reason_args).copied().collect();
        run_admin(&server, &words).await
    };
    assert_eq!(run(&["hide", id_of(&message)]).await["hidden"], true);
    assert_eq!(live.next_with_id().await.name, "hidden");
    assert_eq!(chat_message_ids(&server, "").await.len(), 0);
    assert_eq!(run(&["restore", id_of(&message)]).await["hidden"], false);
    assert_eq!(run(&["announce", "Closing at nine"]).await["content"], "Closing at nine");
    live.next_with_id().await;
    live.next_with_id().await;
    assert_eq!(chat_message_ids(&server, "").await.len(), 2);
    let ban = ["ban", &ada.id, "--reason", "graffiti", "--why", "spam", "--until", "2999-01-01T00:00:00Z"];
    run_admin(&server, &ban).await;
    let refusal = ada.paint(1, 1, 1).await;
    refusal.assert_refused(403, "banned");
    assert_eq!(refusal.body["reason"], "graffiti");
    ada.post("/api/appeals", json!({"text": "Please"})).await;
    let appeal = run_admin(&server, &["appeals"]).await["appeals"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(run(&["appeals", "grant", &appeal, "--answer", "Well."]).await["outcome"], "granted");
    assert_eq!(ada.paint(1, 1, 1).await.status, 201);
    let muted = run(&["mute", &ada.id]).await;
    assert_eq!(fields_of(&muted, ["muted_until", "mute_reason"]), json!(["9999-12-31T23:59:59Z", "spam"]));
    run(&["unmute", &ada.id]).await;
    assert_eq!(run(&["rename", &ada.id, "Eve"]).await["name"], "Eve");
    bob.post(&format!("/api/agents/{}/report", ada.id), json!({"reason": "rude"})).await;
    let case = run_admin(&server, &["reports"]).await["reports"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(run_admin(&server, &["reports", "show", &case]).await["told"][0]["reason"], "rude");
    assert_eq!(run(&["reports", "uphold", &case]).await["outcome"], "upheld");
    let acts = run_admin(&server, &["audit", "--limit", "100"]).await;
    let acts = acts["acts"].as_array().unwrap();
    assert!(acts.iter().all(|line| line["operator"] == "command line" && line["reason"] == "spam"));
    let newest: Vec<&str> = acts.iter().map(|line| line["act"].as_str().unwrap()).collect();
    let expected =
        ["close", "rename", "unmute", "mute", "grant", "pardon", "ban", "announce", "restore", "hide"];
    assert_eq!(newest, expected);
    let listed = admin(&server, &["audit", "--subject", &ada.id, "--limit", "1"], "").await.unwrap();
    assert!(listed.lines().count() == 2 && listed.contains("rename"), "{listed}");
}

#[tokio::test]
async fn failed_commands_explain_the_reason() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, _bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let reason_args = ["--reason", "spam"];
    let nobody = format!("agent_{}", "0".repeat(32));
    for (words, sentence) in [
        (&["hide", "msg_1"][..], "no message with the id"),
        (&["ban", &nobody], "no agent or viewer with the id"),
        (&["ban", "Zed"], "no agent or viewer named Zed"),
        (&["ban", "bo"], "such as: Bob (agent_"),
        (&["ban", &ada.id, "--until", "2001-01-01T00:00:00Z"], "must be in the future"),
        (&["rename", &ada.id, "B0b"], "name"),
        (&["rename", &ada.id, "admin"], "reserved"),
        (&["announce", "  "], "no visible characters"),
        (&["reports", "uphold", "report_1"], "nothing with the id"),
        (&["appeals", "deny", "appeal_1", "--answer", "no"], "nothing with the id"),
    ] {
        let words: Vec<&str> = words.iter().chain(&reason_args).copied().collect();
        assert_admin_refused(&server, &words, sentence).await;
    }
    assert_admin_refused(&server, &["unban", &ada.id, "--reason", " "], "--reason").await;
    assert_eq!(admin(&server, &["unban", &ada.id], "").await.unwrap_err().0, 2, "--reason is needed");
    assert_eq!(run_admin(&server, &["audit"]).await["acts"], json!([]));
}

#[tokio::test]
async fn a_season_is_named_once() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    for (words, sentence) in [
        (&["freeze"][..], "Season 1 is now frozen.\n"),
        (&["open", "--after", "1", "--title", "Harbour"], "Season 2 (Harbour) is open.\n"),
    ] {
        let words = [&["season"][..], words, &["--reason", "because"]].concat();
        assert_eq!(admin(&server, &words, "").await.unwrap(), sentence);
    }
}

#[tokio::test]
async fn commands_take_names_and_list_what_they_are_about() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada Pixel").await, server.register_agent("Bob").await);
    let message = post_text(&ada, "hello harbour").await;
    run_admin(&server, &["ban", "ada  PIXEL", "--reason", "spam"]).await;
    ada.paint(1, 1, 1).await.assert_refused(403, "banned");
    let banned = run_admin(&server, &["accounts", "--state", "banned"]).await;
    assert_eq!(banned["accounts"][0]["id"], ada.id);
    run_admin(&server, &["unban", "Ada Pixel", "--reason", "enough"]).await;
    let oldest = ["accounts", "--kind", "agent", "--sort", "oldest", "--limit", "1"];
    let page = run_admin(&server, &oldest).await;
    assert_eq!(page["accounts"][0]["id"], ada.id);
    let before = page["next_before"].as_str().unwrap();
    let next = run_admin(&server, &[&oldest[..], &["--before", before]].concat()).await;
    assert_eq!(next["accounts"][0]["id"], bob.id);
    let found = run_admin(&server, &["messages", "--text", "HARBOUR", "--author", "ada pixel"]).await;
    assert_eq!(id_of(&found["messages"][0]), id_of(&message));
    for list in ["crews", "plans", "webhooks", "clients"] {
        assert_eq!(run_admin(&server, &[list]).await[list], json!([]), "{list}");
    }
    let shown = admin(&server, &["accounts", "--name", "bo"], "").await.unwrap();
    assert!(shown.contains("Bob") && !shown.contains("Ada"), "{shown}");
}
