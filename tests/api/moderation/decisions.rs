//! One decision on a case hides messages, sanctions, rolls back and answers, all or nothing, and can be
//! undone as a whole for ten minutes.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::report_bombing::{register_reporters, report_in_turn, separate_networks};
use super::reports::{close_case, first_case, is_shadowed, report_as, report_path};
use super::{FREE_CONSOLE_SETTINGS, chat_message_ids, id_of};
use crate::support::actions::{place, post_text};
use crate::support::values::{fields_of, texts_of};
use crate::support::waiting::wait_for_rollback;
use crate::support::{Agent, OperatorBrowser, Reply, Server, admin};

async fn post_decision(operator: &OperatorBrowser<'_>, case: &str, body: Value) -> Reply {
    operator.post(&format!("/api/admin/cases/{case}/decide"), body).await
}

/// Decides a case, and returns the decision.
pub(super) async fn decide(operator: &OperatorBrowser<'_>, case: &str, body: Value) -> Value {
    post_decision(operator, case, body).await.assert_status(200)["decision"].clone()
}

pub(super) async fn post_undo(operator: &OperatorBrowser<'_>, decision: &Value) -> Reply {
    let path = format!("/api/admin/decisions/{}/undo", id_of(decision));
    operator.post(&path, json!({"reason": "my mistake"})).await
}

/// Undoes a decision, and returns it.
pub(super) async fn undo(operator: &OperatorBrowser<'_>, decision: &Value) -> Value {
    post_undo(operator, decision).await.assert_status(200)["decision"].clone()
}

/// Reports a message, and returns the id of its case.
pub(super) async fn report_message(reporter: &Agent<'_>, message: &Value) -> String {
    let filed = report_as(reporter, &report_path(message)).await.assert_status(201);
    filed["report"]["id"].as_str().unwrap().to_owned()
}

/// Reports a corner of the canvas, and returns the id of its case.
pub(super) async fn report_corner(reporter: &Agent<'_>) -> String {
    let report = json!({"x1": 0, "y1": 0, "x2": 3, "y2": 3, "reason": "painted over"});
    let filed = reporter.post("/api/canvas/report", report).await.assert_status(201);
    filed["report"]["id"].as_str().unwrap().to_owned()
}

async fn color_and_painter(server: &Server, x: i64) -> Value {
    fields_of(&server.get(&format!("/api/pixel?x={x}&y=0")).await.body, ["color", "agent_name"])
}

/// Returns the actions in the audit log, the newest first.
async fn acts(operator: &OperatorBrowser<'_>) -> Vec<Value> {
    operator.get("/api/admin/audit").await.body["acts"].as_array().unwrap().clone()
}

async fn own_report(reporter: &Agent<'_>, case: &str) -> Value {
    reporter.get(&format!("/api/reports/{case}")).await.assert_status(200)["report"].clone()
}

#[tokio::test]
async fn a_vandal_is_rolled_back_and_banned_by_one_decision() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, eve] = server.register_agents(["Ada", "Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    place(&ada, &[(0, 0, 3), (1, 0, 3)]).await;
    place(&eve, &[(0, 0, 5), (1, 0, 5), (2, 0, 5)]).await;
    place(&ada, &[(3, 0, 7)]).await;
    let case = report_corner(&bob).await;
    let body = json!({
        "sanction": {"kind": "ban"}, "rollback": {"reason_class": "vandalism"}, "reply": "Thank you.",
        "reason": "It painted over others.",
    });
    let decision = decide(&operator, &case, body).await;
    assert_eq!(fields_of(&decision, ["case", "outcome", "hidden", "kept"]), json!([case, "upheld", [], []]));
    assert_eq!(decision["sanctions"]["agent_id"], eve.id);
    wait_for_rollback(&operator, decision["rollback"].as_str().unwrap(), "done").await;
    for (x, expected) in [(0, json!([3, "Ada"])), (2, json!([0, null])), (3, json!([7, "Ada"]))] {
        assert_eq!(color_and_painter(&server, x).await, expected, "({x}, 0)");
    }
    let refused = eve.paint(5, 5, 1).await;
    refused.assert_refused(403, "banned");
    assert_eq!(refused.body["reason"], "It painted over others.");
    let report = own_report(&bob, &case).await;
    assert_eq!(fields_of(&report, ["state", "reply"]), json!(["upheld", "Thank you."]));
    let acts = acts(&operator).await;
    assert_eq!(acts.len(), 1, "{acts:?}");
    assert_eq!(fields_of(&acts[0], ["act", "subject", "after"]), json!(["decide", case, decision]));
    assert_eq!(acts[0]["before"]["sanctions"]["banned_until"], Value::Null);
    let about_eve = operator.get(&format!("/api/admin/agents/{}", eve.id)).await.body;
    assert_eq!(about_eve["acts"][0]["act"], "decide", "the page of the account has it, too");
    server.assert_log_is_sound().await;
    undo(&operator, &decision).await;
    wait_for_rollback(&operator, decision["rollback"].as_str().unwrap(), "undone").await;
    assert_eq!(color_and_painter(&server, 0).await, json!([5, "Eve"]));
    assert_eq!(eve.paint(5, 5, 1).await.status, 201);
}

#[tokio::test]
async fn a_spammer_is_hidden_and_muted_and_comes_back_with_the_undo() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let mut messages = Vec::new();
    for number in 0..6 {
        messages.push(post_text(&eve, &format!("buy number {number}")).await);
    }
    let ids: Vec<&str> = messages.iter().map(id_of).collect();
    let case = report_message(&bob, &messages[0]).await;
    let other = report_message(&bob, &messages[5]).await;
    operator.hide_message(&messages[3]).await;
    let body = json!({"hide": ids, "sanction": {"kind": "mute"}, "reply": "Gone.", "reason": "spam"});
    let decision = decide(&operator, &case, body).await;
    let hidden: Vec<&str> = [0, 1, 2, 4, 5].map(|index: usize| ids[index]).to_vec();
    assert_eq!(texts(&decision["hidden"]), hidden, "one was hidden before");
    assert_eq!(decision["also_closed"], json!([other]));
    assert_eq!(chat_message_ids(&server, "").await.len(), 0);
    eve.post_message("more").await.assert_refused(403, "muted");
    for case in [&case, &other] {
        let report = own_report(&bob, case).await;
        assert_eq!(fields_of(&report, ["state", "reply"]), json!(["upheld", "Gone."]));
    }
    let mut live = server.events(None).await;
    let undone = undo(&operator, &decision).await;
    assert!(undone["undone_at"].is_string() && undone["kept"] == json!([]), "{undone}");
    assert_eq!(live.next_with_id().await.name, "restored");
    assert_eq!(chat_message_ids(&server, "").await, hidden, "the other one stays hidden");
    assert_eq!(eve.post_message("more").await.status, 201);
    for case in [&case, &other] {
        let report = own_report(&bob, case).await;
        assert_eq!((&report["state"], report.get("reply")), (&json!("open"), None));
    }
    post_undo(&operator, &decision).await.assert_refused(409, "closed");
    let acts = acts(&operator).await;
    assert_eq!(texts_of(&json!(acts), "act"), ["undo_decision", "decide", "hide"]);
    assert_eq!(decide(&operator, &case, json!({"reason": "harmless"})).await["outcome"], "rejected");
    server.assert_log_is_sound().await;
}

/// Returns the texts of a list.
pub(super) fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

#[tokio::test]
async fn nothing_is_done_if_one_part_is_invalid() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&eve, "buy this").await;
    let foreign = post_text(&bob, "no, thanks").await;
    place(&eve, &[(0, 0, 5)]).await;
    let case = report_corner(&bob).await;
    let nothing = format!("msg_{}", "0".repeat(32));
    let size = json!({"x1": 0, "y1": 0, "x2": 9_999, "y2": 0});
    for (wrong, status, code) in [
        (json!({"hide": [message["id"], nothing]}), 404, "not_found"),
        (json!({"hide": ["msg_1"]}), 404, "not_found"),
        (json!({"hide": [message["id"], foreign["id"]]}), 400, "invalid_field"),
        (json!({"sanction": {"kind": "mute", "until": "2001-01-01T00:00:00Z"}}), 400, "invalid_field"),
        (json!({"sanction": {"kind": "shadow", "until": "2999-01-01T00:00:00Z"}}), 400, "invalid_field"),
        (json!({"sanction": {"kind": "ban", "agent_id": bob.id}}), 400, "invalid_field"),
        (json!({"sanction": {"kind": "warn"}}), 400, "invalid_field"),
        (json!({"rollback": {"agent_id": bob.id}}), 400, "invalid_field"),
        (json!({"rollback": {"from": "yesterday"}}), 400, "invalid_field"),
        (json!({"rollback": {"region": size}}), 400, "out_of_bounds"),
        (json!({"outcome": "rejected"}), 400, "invalid_field"),
        (json!({"reply": " "}), 400, "invalid_field"),
        (json!({"reason": " "}), 400, "invalid_field"),
        (json!({"and": 1}), 400, "unknown_field"),
    ] {
        let mut body = json!({
            "hide": [message["id"]], "sanction": {"kind": "ban"}, "rollback": {}, "reason": "spam",
        });
        wrong.as_object().unwrap().iter().for_each(|(field, value)| body[field] = value.clone());
        post_decision(&operator, &case, body).await.assert_refused(status, code);
    }
    post_decision(&operator, "report_1", json!({"reason": "x"})).await.assert_refused(404, "not_found");
    assert_eq!(chat_message_ids(&server, "").await, [&message, &foreign].map(id_of));
    assert_eq!(own_report(&bob, &case).await["state"], "open");
    assert_eq!(eve.paint(1, 1, 1).await.status, 201);
    for table in ["decision", "rollback", "audit"] {
        assert_eq!(server.count_rows(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn of_two_operators_one_decides_and_one_undoes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&eve, "buy this").await;
    let case = report_message(&bob, &message).await;
    let body = json!({"hide": [message["id"]], "reason": "spam"});
    let replies = join_all((0..5).map(|_| post_decision(&operator, &case, body.clone()))).await;
    let (done, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 200);
    assert_eq!((done.len(), refused.len()), (1, 4));
    refused.iter().for_each(|reply| reply.assert_refused(409, "closed"));
    let decision = &done[0].body["decision"];
    let replies = join_all((0..5).map(|_| post_undo(&operator, decision))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 200).count(), 1);
    let unknown = json!({"id": format!("decision_{}", "0".repeat(32))});
    post_undo(&operator, &unknown).await.assert_refused(404, "not_found");
    assert_eq!(server.count_rows("audit").await, 2);
}

#[tokio::test]
async fn a_decision_can_be_undone_for_ten_minutes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let mut decisions = Vec::new();
    for text in ["buy this", "buy that"] {
        let message = post_text(&eve, text).await;
        let case = report_message(&bob, &message).await;
        let body = json!({"hide": [message["id"]], "reason": "spam"});
        decisions.push(decide(&operator, &case, body).await);
        server.advance_clock(590);
    }
    let refused = post_undo(&operator, &decisions[0]).await;
    refused.assert_refused(409, "closed");
    assert!(refused.body["hint"].as_str().unwrap().contains("one by one"), "{}", refused.body);
    undo(&operator, &decisions[1]).await;
    let visible = chat_message_ids(&server, "").await;
    let is_visible = |decision: &Value| visible.iter().any(|id| decision["hidden"][0] == **id);
    assert_eq!([&decisions[0], &decisions[1]].map(is_visible), [false, true]);
}

#[tokio::test]
async fn undoing_leaves_what_others_have_changed_since() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&eve, "buy this").await;
    place(&eve, &[(0, 0, 5)]).await;
    let case = report_corner(&bob).await;
    let body =
        json!({"hide": [message["id"]], "sanction": {"kind": "ban"}, "rollback": {}, "reason": "spam"});
    let decision = decide(&operator, &case, body).await;
    let rollback = decision["rollback"].as_str().unwrap();
    wait_for_rollback(&operator, rollback, "done").await;
    operator.post_with_reason(&format!("/api/admin/rollbacks/{rollback}/undo")).await;
    let until = json!({"until": "2999-01-01T00:00:00Z", "reason": "not for ever"});
    operator.post(&format!("/api/admin/agents/{}/ban", eve.id), until).await.assert_status(200);
    let newer = report_corner(&bob).await;
    let kept = undo(&operator, &decision).await["kept"].clone();
    let kept = texts(&kept);
    let named = [&*eve.id, rollback, &*case];
    assert!(kept.len() == 3 && named.iter().zip(&kept).all(|(id, text)| text.contains(*id)), "{kept:?}");
    assert!(chat_message_ids(&server, "").await.iter().any(|id| *id == id_of(&message)));
    eve.paint(1, 1, 1).await.assert_refused(403, "banned");
    assert_eq!(own_report(&bob, &newer).await["state"], "open");
    assert_eq!(own_report(&bob, &case).await["state"], "upheld");
}

#[tokio::test]
async fn a_rejected_case_ends_the_shadow_ban_by_reports_until_it_is_undone() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let eve = server.register_agent("Eve").await;
    let crowd = register_reporters(&server, "Bob", &separate_networks(18, 3)).await;
    report_in_turn(&server, &crowd, &report_path(&post_text(&eve, "a wicked word").await)).await;
    let operator = server.sign_in_operator().await;
    assert!(is_shadowed(&operator, &eve.id).await);
    let case = first_case(&operator, "open").await;
    let decision = decide(&operator, id_of(&case), json!({"reason": "a quote"})).await;
    assert_eq!(decision["outcome"], "rejected");
    assert_eq!(decision["sanctions"]["after"]["shadowed"], false);
    assert!(!is_shadowed(&operator, &eve.id).await);
    let kept = undo(&operator, &decision).await["kept"].clone();
    assert!(texts(&kept).len() == 1 && texts(&kept)[0].contains("plans of agent_"), "{kept}");
    assert!(is_shadowed(&operator, &eve.id).await);
    assert_eq!(first_case(&operator, "open").await["weight"], case["weight"], "the reports count again");
    close_case(&operator, &case, "rejected").await;
    assert!(!is_shadowed(&operator, &eve.id).await, "it is still one by reports");
}

#[tokio::test]
async fn an_appeal_against_a_decided_ban_can_be_granted() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&eve, "mute").await;
    eve.post("/api/appeals", json!({"text": "I am sorry"})).await.assert_status(201);
    place(&eve, &[(0, 0, 5)]).await;
    let case = report_corner(&bob).await;
    let decision =
        decide(&operator, &case, json!({"sanction": {"kind": "ban"}, "reason": "vandalism"})).await;
    let state = async || eve.get("/api/appeals").await.body["appeals"][0]["outcome"].clone();
    assert_eq!(state().await, "denied", "the ban is newer than the appeal");
    undo(&operator, &decision).await;
    assert_eq!(state().await, "open", "against the mute");
    decide(&operator, &case, json!({"sanction": {"kind": "ban"}, "reason": "vandalism"})).await;
    let appeal = eve.post("/api/appeals", json!({"text": "I am still sorry"})).await.assert_status(201);
    let path = format!("/api/admin/appeals/{}/decide", appeal["appeal"]["id"].as_str().unwrap());
    let grant = json!({"decision": "grant", "answer": "Well.", "reason": "sorry enough"});
    operator.post(&path, grant).await.assert_status(200);
    assert_eq!(eve.paint(1, 1, 1).await.status, 201);
}

#[tokio::test]
async fn the_command_line_decides_and_undoes() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [bob, eve] = server.register_agents(["Bob", "Eve"]).await;
    let message = post_text(&eve, "buy this").await;
    let case = report_message(&bob, &message).await;
    let decide =
        ["cases", "decide", &case, "--hide", id_of(&message), "--sanction", "mute", "--reply", "Gone."];
    let until = ["--until", "2999-01-01T00:00:00Z", "--reason", "spam"];
    let output = admin(&server, &[&decide[..], &until].concat(), "").await.unwrap();
    assert!(output.starts_with(&format!("{case} is closed: upheld.")), "{output}");
    assert_eq!(own_report(&bob, &case).await["reply"], "Gone.");
    let (_, id) = output.trim().rsplit_once(' ').unwrap();
    let undone = admin(&server, &["decisions", "undo", id, "--reason", "my mistake"], "").await.unwrap();
    assert_eq!(undone, format!("{id} is undone.\n"));
    assert_eq!(own_report(&bob, &case).await["state"], "open");
}
