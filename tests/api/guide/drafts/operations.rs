//! Proposed actions of operators: each leaves the same trace as by hand, and the draft in it.

use serde_json::{Value, json};

use super::{DraftServer, Person, approved, chat, id_of};
use crate::direct::send_ok;
use crate::support::actions::{paint, post_text};
use crate::support::values::fields_of;
use crate::support::waiting::wait_for_rollback;

/// Approves a draft by the operator. Returns the result.
async fn approve(operator: &Person<'_>, draft: &Value) -> Value {
    approved(&operator.approve(draft).await)
}

/// Asserts that the newest entries of the audit log are those of an approved draft. Returns that of the
/// change.
async fn change_line(drafting: &DraftServer, draft: &Value) -> Value {
    let lines = drafting.audit("").await;
    let of_draft: Vec<&Value> = lines.iter().filter(|line| line["draft_id"] == draft["id"]).collect();
    let [decision, change] = of_draft[..] else { panic!("{lines:?}") };
    assert_eq!((&decision["act"], &decision["subject"]), (&json!("approve draft"), &draft["id"]));
    for line in [decision, change] {
        assert_eq!(
            (&line["actor_kind"], &line["operator"]),
            (&json!("guide"), &json!("owner (key drafting)"))
        );
    }
    change.clone()
}

/// Returns an entry of the audit log without what differs between two of the same action.
fn without_draft(line: &Value) -> Value {
    let mut line = line.clone();
    let fields = line.as_object_mut().unwrap();
    for field in ["no", "at", "draft_id", "actor_kind", "subject"] {
        fields.remove(field);
    }
    line
}

#[tokio::test]
async fn a_message_is_taken_down_as_by_hand() {
    let drafting = DraftServer::open().await;
    let (ada, operator) = (drafting.server.register_agent("Ada").await, drafting.operator());
    let (by_hand, message) = (post_text(&ada, "one").await, post_text(&ada, "two").await);
    let hide = format!("/api/admin/messages/{}/hide", id_of(&by_hand));
    drafting.operate(&hide, json!({"reason": "spam"})).await;
    let line_by_hand = drafting.audit("").await.remove(0);
    assert_eq!((&line_by_hand["actor_kind"], &line_by_hand["draft_id"]), (&json!("operator"), &Value::Null));

    let change = json!({"message_id": message["id"], "reason": "spam"});
    let draft = drafting.propose(&operator, "hide", change.clone()).await;
    assert_eq!(draft["decider"], "operator");
    assert_eq!(chat(&drafting.server).await, ["two"]);
    let result = approve(&operator, &draft).await;
    assert_eq!((&result["message_id"], &result["hidden"]), (&message["id"], &json!(true)));
    assert_eq!(chat(&drafting.server).await, [] as [&str; 0]);
    let line = change_line(&drafting, &draft).await;
    assert_eq!((without_draft(&line), &line["subject"]), (without_draft(&line_by_hand), &message["id"]));
    drafting.assert_refused(&operator, "hide", change, "no message").await;
}

#[tokio::test]
async fn moderation_by_a_draft_needs_the_scope_of_moderation() {
    let drafting = DraftServer::open().await;
    let message = post_text(&drafting.server.register_agent("Ada").await, "rude").await;
    let owner = drafting.server.sign_in_operator().await;
    let body = json!({"name": "manager", "scopes": ["read", "manage"]});
    let made = owner.post("/api/admin/keys", body).await.assert_status(201);
    let manager = drafting.with_key(made["api_key"].as_str().unwrap());
    let change = json!({"message_id": message["id"], "reason": "spam"});
    let draft = drafting.propose(&drafting.operator(), "hide", change).await;
    for refused in [manager.approve(&draft).await, manager.approve_from_queue(&draft).await] {
        refused.assert_refused(403, "scope_missing");
        assert_eq!(refused.body["scope"], "moderate");
    }
    assert_eq!(chat(&drafting.server).await, ["rude"]);
    let announcement = json!({"content": "Hello", "reason": "news"});
    let draft = drafting.propose(&drafting.operator(), "announcement", announcement).await;
    approved(&manager.approve_from_queue(&draft).await);
}

#[tokio::test]
async fn a_direct_message_is_taken_down_and_no_empty_response_says_so_before() {
    let drafting = DraftServer::open().await;
    let [ada, bob] = drafting.server.register_agents(["Ada", "Bob"]).await;
    let sent = send_ok(&bob, &[&ada.id], "rude").await;
    let change = json!({"message_id": sent["message"]["id"], "reason": "spam"});
    let draft = drafting.propose(&drafting.operator(), "hide", change).await;
    let result = approve(&drafting.operator(), &draft).await;
    assert_eq!((&result["hidden"], &result["seq"]), (&json!(true), &Value::Null));
    change_line(&drafting, &draft).await;
    let stored = sqlx::query_scalar("select count(*) from idempotency where key = $1").bind(id_of(&draft));
    let stored: i64 = stored.fetch_one(&drafting.server.pool).await.unwrap();
    assert_eq!(stored, 0, "it would settle an interrupted approval that did nothing");
}

#[tokio::test]
async fn an_account_is_muted_as_by_hand() {
    let drafting = DraftServer::open().await;
    let [ada, eve] = drafting.server.register_agents(["Ada", "Eve"]).await;
    let operator = drafting.operator();
    let until = "2999-01-01T00:00:00Z";
    let by_hand = json!({"until": until, "reason": "spam"});
    drafting.operate(&format!("/api/admin/agents/{}/mute", eve.id), by_hand).await;
    let line_by_hand = drafting.audit(&eve.id).await.remove(0);
    let change = json!({"agent_id": ada.id, "until": until, "reason": "spam"});
    let draft = drafting.propose(&operator, "mute", change).await;
    assert_eq!(ada.post_message("still here").await.status, 201);
    let result = approve(&operator, &draft).await;
    assert_eq!((&result["agent_id"], &result["standing"]["muted_until"]), (&json!(ada.id), &json!(until)));
    ada.post_message("hello").await.assert_refused(403, "muted");
    let line = change_line(&drafting, &draft).await;
    assert_eq!((&line["act"], &line["reason"]), (&line_by_hand["act"], &line_by_hand["reason"]));
    assert_eq!(line["after"]["muted_until"], line_by_hand["after"]["muted_until"]);
}

#[tokio::test]
async fn an_announcement_is_posted_by_the_system() {
    let drafting = DraftServer::open().await;
    let operator = drafting.operator();
    let change = json!({"content": "Closing at nine", "reason": "the evening"});
    let draft = drafting.propose(&operator, "announcement", change).await;
    assert_eq!(approve(&operator, &draft).await["message"]["agent_name"], "Caraplace");
    assert_eq!(chat(&drafting.server).await, ["Closing at nine"]);
    let line = change_line(&drafting, &draft).await;
    let expected = json!(["announce", "the evening", {"content": "Closing at nine"}]);
    assert_eq!(fields_of(&line, ["act", "reason", "after"]), expected);
}

#[tokio::test]
async fn a_setting_is_changed_and_reset() {
    let drafting = DraftServer::open().await;
    let operator = drafting.operator();
    for value in [json!(25), Value::Null] {
        let change = json!({"name": "max_charges", "value": value, "reason": "A quiet week."});
        let draft = drafting.propose(&operator, "setting", change).await;
        let result = approve(&operator, &draft).await;
        assert_eq!(result["value"], if value.is_null() { json!(64) } else { value.clone() });
        let line = change_line(&drafting, &draft).await;
        assert_eq!((&line["act"], &line["after"]), (&json!("set"), &json!({"value": value})));
    }
}

#[tokio::test]
async fn a_rollback_covers_what_was_painted_before_the_proposal() {
    let drafting = DraftServer::open().await;
    let (eve, operator) = (drafting.server.register_agent("Eve").await, drafting.operator());
    let head = paint(&eve, [(0, 0), (1, 0)]).await;
    let change = json!({"agent_id": eve.id, "from": "1", "reason": "graffiti", "reason_class": "vandalism"});
    let draft = drafting.propose(&operator, "rollback", change).await;
    assert_eq!(draft["change"]["to"], json!(head.to_string()));
    paint(&eve, [(2, 0)]).await;
    let result = approve(&operator, &draft).await;
    assert_eq!((&result["to"], &result["reason_class"]), (&json!(head), &json!("vandalism")));
    wait_for_rollback(&drafting.server.sign_in_operator().await, id_of(&result), "done").await;
    let row = drafting.server.get("/api/canvas").await.body["rows"][0].as_str().unwrap().to_owned();
    assert!(row.starts_with("0050"), "{row}");
    let line = change_line(&drafting, &draft).await;
    assert_eq!((&line["act"], &line["subject"]), (&json!("roll_back"), &result["id"]));
}

#[tokio::test]
async fn only_operators_are_proposed_what_only_operators_can_do() {
    let drafting = DraftServer::open().await;
    let (ada, viewer) = (drafting.server.register_agent("Ada").await, drafting.viewer().await);
    let message = post_text(&ada, "one").await;
    let reason = "spam";
    for (kind, change) in [
        ("hide", json!({"message_id": message["id"], "reason": reason})),
        ("mute", json!({"agent_id": ada.id, "reason": reason})),
        ("rollback", json!({"agent_id": ada.id, "from": "1", "reason": reason})),
        ("announcement", json!({"content": "hello", "reason": reason})),
        ("setting", json!({"name": "max_charges", "value": 1, "reason": reason})),
    ] {
        for person in [drafting.browser(), drafting.with_key(&viewer.key)] {
            drafting.assert_refused(&person, kind, change.clone(), "Only operators").await;
        }
    }
    let operator = drafting.operator();
    for (kind, change, named) in [
        ("hide", json!({"message_id": "msg_1", "reason": reason}), "no message"),
        ("hide", json!({"message_id": message["id"], "reason": " "}), "reason"),
        ("mute", json!({"agent_id": "agent_1", "reason": reason}), "no agent"),
        ("mute", json!({"agent_id": ada.id, "until": "2001-01-01T00:00:00Z", "reason": reason}), "until"),
        ("rollback", json!({"from": "1", "reason": reason}), "agent_id"),
        ("rollback", json!({"agent_id": ada.id, "from": "soon", "reason": reason}), "from"),
        ("announcement", json!({"content": "x".repeat(281), "reason": reason}), "281"),
        ("setting", json!({"name": "secret", "value": 1, "reason": reason}), "not a setting"),
        ("setting", json!({"name": "max_charges", "value": 0, "reason": reason}), "max_charges"),
    ] {
        drafting.assert_refused(&operator, kind, change, named).await;
    }
    assert_eq!(operator.drafts().await, [] as [Value; 0]);
}

#[tokio::test]
async fn an_operator_rejects_a_draft_with_a_trace() {
    let drafting = DraftServer::open().await;
    let operator = drafting.operator();
    let change = json!({"content": "Closing at nine", "reason": "the evening"});
    let draft = drafting.propose(&operator, "announcement", change).await;
    let rejected = operator.reject(&draft).await;
    assert_eq!((rejected.status, &rejected.body["draft"]["state"]), (200, &json!("rejected")));
    operator.approve_from_queue(&draft).await.assert_refused(409, "closed");
    let lines = drafting.audit(id_of(&draft)).await;
    assert_eq!((lines.len(), &lines[0]["act"]), (1, &json!("reject draft")));
    assert_eq!(chat(&drafting.server).await, [] as [&str; 0]);
}
