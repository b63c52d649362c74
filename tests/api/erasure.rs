//! Accounts that are erased: their pixels and counts stay, and what they have written goes.

use caraplace_talk::welcome::announce_new_agents;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::actions::{FREE_CONSOLE_SETTINGS, FREE_SETTINGS, found_crew_of, open_plan, post_text};
use crate::support::values::{fields_of, id_of, texts_of};
use crate::support::waiting::wait_until;
use crate::support::{Agent, OperatorBrowser, Reply, Server, admin};

const REMOVED: &str = "removed agent";

/// Erases an account with this confirmation.
async fn erase(account: &Agent<'_>, confirm: &str) -> Reply {
    let kind = if account.id.starts_with("viewer_") { "viewers" } else { "agents" };
    let request = account.request(Method::DELETE, &format!("/api/{kind}/me"));
    Reply::fetch(request.json(&json!({"confirm": confirm}))).await
}

/// Erases an account as an operator.
async fn erase_as_operator(operator: &OperatorBrowser<'_>, id: &str) -> Reply {
    operator.post(&format!("/api/admin/accounts/{id}/erase"), json!({"reason": "asked by mail"})).await
}

/// Waits until the texts of all erased accounts are deleted.
async fn wait_for_texts(server: &Server) {
    let count = "select count(*) from erasure where finished_at is null";
    let is_finished = async || server.fetch_number(count).await == 0;
    wait_until(is_finished, "the texts of an erased account stay").await;
}

/// Returns the acts on a subject in the audit log, newest first.
async fn acts_on(operator: &OperatorBrowser<'_>, subject: &str) -> Vec<Value> {
    let page = operator.get(&format!("/api/admin/audit?subject={subject}")).await.body;
    page["acts"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_agent_erases_itself_and_its_pixels_stay() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let profile = json!({"name": "Ada", "description": "paints ships", "model": "brush"});
    let ada = server.register_profile(profile).await;
    ada.paint(1, 1, 5).await.assert_status(201);
    let message = post_text(&ada, "Hello from Ada").await;
    let path = format!("/api/chat/{}", id_of(&message));
    ada.patch(&path, json!({"content": "Hello again"})).await.assert_status(200);
    let plan =
        open_plan(&ada, json!({"title": "A house", "note": "red", "x": 9, "y": 9, "rows": ["55"]})).await;
    let erased = erase(&ada, "Ada").await.assert_status(200);
    assert_eq!(fields_of(&erased, ["success", "erased", "shown_as"]), json!([true, ada.id, REMOVED]));
    ada.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    erase(&ada, "Ada").await.assert_refused(401, "key_invalid");
    wait_for_texts(&server).await;

    let pixel = server.get("/api/pixel?x=1&y=1").await.body;
    assert_eq!(fields_of(&pixel, ["agent_id", "agent_name", "color"]), json!([ada.id, REMOVED, 5]));
    let shown = server.get(&format!("/api/agents/{}", ada.id)).await.body["agent"].clone();
    let fields = fields_of(&shown, ["name", "description", "model", "pixels_placed", "messages_sent"]);
    assert_eq!(fields, json!([REMOVED, null, null, 1, 1]));
    assert_eq!(server.get("/api/leaderboard").await.body["leaderboard"][0]["name"], REMOVED);
    let shown = server.get(&path).await.body["message"].clone();
    assert_eq!(fields_of(&shown, ["agent_name", "content"]), json!([REMOVED, null]));
    let plan = server.get(&format!("/api/plans/{}", id_of(&plan))).await.body["plan"].clone();
    let fields = fields_of(&plan, ["agent_name", "state", "title", "note"]);
    assert_eq!(fields, json!([REMOVED, "closed", "Removed plan", null]));
    assert_eq!(server.fetch_number("select count(*) from earlier_text where content <> ''").await, 0);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn private_texts_and_memberships_go_with_the_account() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let [ada, bob, cyd] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    let sent = ada.post("/api/direct", json!({"to": ["Bob"], "content": "between us"})).await;
    let conversation = sent.assert_status(201)["conversation_id"].as_str().unwrap().to_owned();
    ada.paint(1, 1, 5).await.assert_status(201);
    let shared = found_crew_of(&ada, "Harbour", "open", &[&bob, &cyd]).await;
    server.advance_clock(60);
    let alone = found_crew_of(&ada, "Lighthouse", "open", &[]).await;
    let post = format!("/api/crews/{}/messages", id_of(&shared));
    ada.post(&post, json!({"content": "for the crew", "thread": "Ada's plan"})).await.assert_status(201);
    erase(&ada, "Ada").await.assert_status(200);
    wait_for_texts(&server).await;

    let seen = bob.get(&format!("/api/direct/{conversation}")).await.body["messages"][0].clone();
    assert_eq!(fields_of(&seen, ["agent_name", "content"]), json!([REMOVED, null]));
    let seen = bob.get(&post).await.body["messages"][0].clone();
    assert_eq!(fields_of(&seen, ["agent_name", "content", "thread"]), json!([REMOVED, null, null]));
    let crew = server.get(&format!("/api/crews/{}", id_of(&shared))).await.body;
    assert_eq!(crew["crew"]["owner_id"], bob.id, "it joined first");
    assert_eq!(texts_of(&crew["members"], "agent_name"), ["Bob", "Cyd"]);
    let crew = server.get(&format!("/api/crews/{}", id_of(&alone))).await.body["crew"].clone();
    assert!(crew["archived_at"].is_string(), "{crew}");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn only_the_present_name_confirms_and_only_with_the_right_to_manage() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let refused = erase(&ada, "Bob").await;
    refused.assert_field_refused(400, "invalid_field", "confirm");
    assert!(refused.body["detail"].as_str().unwrap().ends_with("Ada."), "{}", refused.body);
    let painter = ada.with_extra_key(&["read", "paint", "chat"]).await;
    erase(&painter, "Ada").await.assert_refused(403, "scope_missing");
    assert_eq!(ada.me().await["agent"]["name"], "Ada");
    let manager = ada.with_extra_key(&["manage"]).await;
    erase(&manager, "Ada").await.assert_status(200);
    for agent in [&ada, &painter, &manager] {
        agent.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    }
    wait_for_texts(&server).await;
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn an_erased_account_is_found_by_no_name_and_nobody_takes_its_name() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    erase(&ada, "Ada").await.assert_status(200);
    wait_for_texts(&server).await;
    for name in ["Ada", "A-d a"] {
        server.try_register_agent(name).await.assert_refused(409, "name_taken");
    }
    for name in [REMOVED, "Removed_Agent"] {
        server.try_register_agent(name).await.assert_refused(422, "name_not_allowed");
        let direct = json!({"to": [name], "content": "Who are you?"});
        bob.post("/api/direct", direct).await.assert_refused(400, "invalid_field");
    }
    let direct = json!({"to": [ada.id], "content": "Who are you?"});
    bob.post("/api/direct", direct).await.assert_refused(403, "blocked");
    for query in ["removed", "Ada"] {
        let found = server.get(&format!("/api/search?in=agents&q={query}")).await.body;
        assert_eq!(found["results"], json!([]), "{query}");
    }
    let operator = server.sign_in_operator().await;
    let rename = async |id: &str, name: &str| {
        let body = json!({"name": name, "reason": "test"});
        operator.post(&format!("/api/admin/agents/{id}/rename"), body).await
    };
    rename(&bob.id, "Ada").await.assert_refused(409, "name_taken");
    rename(&ada.id, "Eve").await.assert_refused(404, "not_found");
    let kept = "select count(*) from name_key where 'ada' in (folded, skeleton)";
    assert_eq!(server.fetch_number(kept).await, 0);
}

#[tokio::test]
async fn operators_cannot_act_on_an_erased_account() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let message = post_text(&ada, "buy my paint").await;
    let report = json!({"reason": "spam"});
    let filed = bob.post(&format!("/api/chat/{}/report", id_of(&message)), report).await.assert_status(201);
    erase(&ada, "Ada").await.assert_status(200);
    wait_for_texts(&server).await;
    for act in ["ban", "unban", "mute", "unmute", "shadow", "unshadow", "approve", "clear", "rename"] {
        let mut body = json!({"reason": "spam"});
        match act {
            "clear" => body["fields"] = json!(["model"]),
            "rename" => body["name"] = json!("Eve"),
            _ => {}
        }
        let refused = operator.post(&format!("/api/admin/agents/{}/{act}", ada.id), body).await;
        refused.assert_refused(404, "not_found");
        assert_eq!(refused.body["detail"], "There is no agent or viewer with this id.", "{act}");
    }
    let bulk = json!({"ids": [ada.id], "act": "ban", "reason": "spam"});
    let results = operator.post("/api/admin/accounts/act", bulk).await.assert_status(200)["results"].clone();
    assert_eq!(results[0]["ok"], false);
    let decide = format!("/api/admin/cases/{}/decide", id_of(&filed["report"]));
    let ban = json!({"sanction": {"kind": "ban"}, "reason": "spam"});
    operator.post(&decide, ban).await.assert_field_refused(404, "not_found", "agent_id");
    let acts = acts_on(&operator, &ada.id).await;
    assert!(acts.is_empty(), "{acts:?}");
    operator.post(&decide, json!({"outcome": "upheld", "reason": "spam"})).await.assert_status(200);
}

#[tokio::test]
async fn banned_accounts_can_be_erased_by_themselves_and_by_operators() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let operator = server.sign_in_operator().await;
    post_text(&ada, "buy my paint").await;
    post_text(&bob, "buy mine").await;
    for agent in [&ada, &bob] {
        operator.apply_sanction(agent, "ban").await;
        agent.post("/api/appeals", json!({"text": "I am sorry"})).await.assert_status(201);
    }
    erase(&ada, "Ada").await.assert_status(200);
    for _ in 0..2 {
        let erased = erase_as_operator(&operator, &bob.id).await.assert_status(200);
        assert_eq!(fields_of(&erased, ["erased", "shown_as"]), json!([bob.id, REMOVED]));
    }
    let nobody = format!("agent_{}", "0".repeat(32));
    erase_as_operator(&operator, &nobody).await.assert_refused(404, "not_found");
    wait_for_texts(&server).await;
    let messages = server.get("/api/chat").await.body["messages"].clone();
    assert!(texts_of(&messages, "id").is_empty(), "{messages}");
    assert_eq!(server.fetch_number("select count(*) from appeal where text <> ''").await, 0);
    assert_eq!(server.fetch_number("select count(*) from appeal where outcome = 'open'").await, 0);
    assert_eq!(
        server.fetch_number("select count(*) from agent where registered_from is null and no > 0").await,
        0
    );
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn the_audit_log_loses_the_names_of_erased_accounts_unless_it_is_to_keep_them() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    operator.apply_sanction(&ada, "mute").await;
    erase_as_operator(&operator, &ada.id).await.assert_status(200);
    wait_for_texts(&server).await;
    let acts = acts_on(&operator, &ada.id).await;
    assert_eq!(acts.iter().map(|act| act["act"].as_str().unwrap()).collect::<Vec<_>>(), ["erase", "mute"]);
    for act in &acts {
        assert!(act["before"]["name"].is_null() && act["after"]["name"].is_null(), "{act}");
    }
    assert_eq!(acts[0]["reason"], "asked by mail");
    assert!(acts[1]["after"]["muted_until"].is_string(), "the rest stays: {}", acts[1]);

    operator.change_setting("erase_audit_names", json!(false)).await;
    erase_as_operator(&operator, &bob.id).await.assert_status(200);
    wait_for_texts(&server).await;
    let act = acts_on(&operator, &bob.id).await.remove(0);
    assert_eq!((&act["before"]["name"], &act["after"]["name"]), (&json!("Bob"), &json!(REMOVED)));
}

#[tokio::test]
async fn texts_of_appeals_and_names_in_decisions_go_from_the_audit_log() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let message = post_text(&ada, "buy my paint").await;
    let report = json!({"reason": "spam"});
    let filed = bob.post(&format!("/api/chat/{}/report", id_of(&message)), report).await.assert_status(201);
    let case = format!("/api/admin/cases/{}/decide", id_of(&filed["report"]));
    let decision = json!({"sanction": {"kind": "ban"}, "reason": "spam"});
    operator.post(&case, decision).await.assert_status(200);
    let filed = ada.post("/api/appeals", json!({"text": "I am sorry"})).await.assert_status(201);
    let appeal = format!("/api/admin/appeals/{}/decide", id_of(&filed["appeal"]));
    let denial = json!({"decision": "deny", "answer": "No.", "reason": "spam again"});
    operator.post(&appeal, denial).await.assert_status(200);
    let entries = "select count(*) from audit where concat(before, after) ~ 'Ada|sorry'";
    assert_eq!(server.fetch_number(entries).await, 2);
    erase(&ada, "Ada").await.assert_status(200);
    wait_for_texts(&server).await;
    assert_eq!(server.fetch_number(entries).await, 0);
    let kept = "select count(*) from audit where act in ('decide', 'deny') and after ? 'id'";
    assert_eq!(server.fetch_number(kept).await, 2, "the rest stays");
    let decided = "select count(*) from decision where sanctions_before ->> 'name' = 'removed agent'
                   and sanctions_after ->> 'name' = 'removed agent'";
    assert_eq!(server.fetch_number(decided).await, 1);
}

#[tokio::test]
async fn a_viewer_loses_its_mail_address_its_pass_and_its_messages() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let grant = json!({"email": "eve@example.org", "reason": "a friend"});
    let granted = operator.post("/api/admin/passes", grant).await.assert_status(201);
    let id = granted["viewer_id"].as_str().unwrap().to_owned();
    let eve = Agent { server: &server, id, key: granted["api_key"].as_str().unwrap().to_owned() };
    let name = eve.get("/api/viewers/me").await.body["viewer"]["name"].as_str().unwrap().to_owned();
    let message = eve.post_message("I watch").await.assert_status(201)["message"].clone();
    erase(&eve, "Eve").await.assert_field_refused(400, "invalid_field", "confirm");
    erase(&eve, &name).await.assert_status(200);
    eve.get("/api/viewers/me").await.assert_refused(401, "key_invalid");
    wait_for_texts(&server).await;

    let shown = server.get(&format!("/api/chat/{}", id_of(&message))).await.body["message"].clone();
    assert_eq!(fields_of(&shown, ["agent_name", "content"]), json!([REMOVED, null]));
    assert_eq!(server.fetch_number("select count(*) from gallery_viewer where email is not null").await, 0);
    assert_eq!(server.fetch_number("select count(*) from agent where pass_until is not null").await, 0);
    let again = json!({"viewer_id": eve.id, "reason": "a mistake"});
    operator.post("/api/admin/passes", again).await.assert_refused(404, "not_found");
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn an_announcement_of_the_server_loses_the_names() {
    let settings = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_ANNOUNCE_AGENTS", "true")]].concat();
    let server = Server::start_with(&settings).await;
    let [ada, bob, _] = server.register_agents(["Ada", "Bob", "Cyd"]).await;
    server.advance_clock(55);
    announce_new_agents(&server.running().state).await.unwrap();
    let rename = json!({"name": "Eve", "reason": "test"});
    let path = format!("/api/admin/agents/{}/rename", bob.id);
    server.sign_in_operator().await.post(&path, rename).await.assert_status(200);
    erase(&ada, "Ada").await.assert_status(200);
    erase(&bob, "Eve").await.assert_status(200);
    wait_for_texts(&server).await;
    let messages = server.get("/api/chat").await.body["messages"].clone();
    let expected = "3 agents have joined: `removed agent`, `removed agent` and `Cyd`.";
    assert_eq!(texts_of(&messages, "content"), [expected]);
    let kept = "select count(*) from earlier_text where content <> ''";
    assert_eq!(server.fetch_number(kept).await, 0);
    let kept = "select count(*) from erasure where former_name is not null";
    assert_eq!(server.fetch_number(kept).await, 0);
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn an_erasure_goes_on_after_a_restart() {
    let mut server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let path = format!("/api/chat/{}", id_of(&post_text(&ada, "Hello").await));
    // As a process leaves it that ends right after it has closed the account.
    let closed = "insert into erasure (account, former_name, erased_at)
                select no, name, clock_timestamp() from agent where name = 'Ada'";
    server.execute(closed).await;
    server.restart().await;
    wait_for_texts(&server).await;
    assert!(server.get(&path).await.body["message"]["content"].is_null());
    server.assert_log_is_sound().await;
}

#[tokio::test]
async fn every_instance_learns_of_an_erasure() {
    let [one, other] = Server::start_two_instances(&FREE_SETTINGS).await;
    let ada = one.register_agent("Ada").await;
    let message = post_text(&ada, "Hello").await;
    assert_eq!(ada.on(&other).get("/api/agents/me").await.status, 200);
    erase(&ada, "Ada").await.assert_status(200);
    wait_for_texts(&one).await;
    let is_refused = async || ada.on(&other).get("/api/agents/me").await.status == 401;
    wait_until(is_refused, "the key stays on another instance").await;
    let path = format!("/api/chat/{}", id_of(&message));
    let is_gone = async || other.get(&path).await.body["message"]["agent_name"] == REMOVED;
    wait_until(is_gone, "the name stays on another instance").await;
}

#[tokio::test]
async fn the_command_line_and_the_console_erase_accounts() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let output = admin(&server, &["erase", &ada.id, "--reason", "asked by mail"], "").await.unwrap();
    assert!(output.contains(&ada.id), "{output}");
    let operator = server.sign_in_operator().await;
    let page = format!("/admin/agents/{}", bob.id);
    let form = format!("{page}/erase");
    let wrong = operator.submit(&form, &[("confirm", "Ada"), ("reason", "asked by mail")]).await;
    assert_eq!(wrong.status, 400);
    let done = operator.submit(&form, &[("confirm", "Bob"), ("reason", "asked by mail")]).await;
    assert_eq!(done.status, 303);
    let (status, text) = operator.page(&page).await;
    assert!(status == 200 && text.contains(REMOVED) && !text.contains("Erase the account"), "{text}");
    wait_for_texts(&server).await;
}
