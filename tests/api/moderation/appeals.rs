//! Appeals of banned and muted accounts, and the answers.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, apply_sanction, post_admin};
use crate::support::Server;
use crate::support::values::{fields_of, texts_of};

#[tokio::test]
async fn granted_appeal_lifts_the_ban_and_denied_one_gives_the_answer() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let appeal = |text: &str| ada.post("/api/appeals", json!({"text": text}));
    appeal("What?").await.assert_refused(403, "forbidden");
    for (decision, outcome, answer) in [("deny", "denied", "No."), ("grant", "granted", "Welcome back.")] {
        apply_sanction(&operator, &ada.id, "ban", json!({"reason": "spam"})).await;
        let banned = ada.paint(1, 1, 1).await.body;
        assert_eq!(banned["appeal"], Value::Null, "the earlier appeals are against other bans");
        assert_eq!(appeal("It was my cat.").await.assert_status(201)["appeal"]["outcome"], "open");
        appeal("And again.").await.assert_refused(409, "already_reported");
        assert_eq!(ada.paint(1, 1, 1).await.body["appeal"]["outcome"], "open");
        let queue = operator.get("/api/admin/appeals").await.body;
        let listed = &queue["appeals"][0];
        let expected = json!(["It was my cat.", "Ada", "spam"]);
        assert_eq!(fields_of(listed, ["text", "agent_name", "ban_reason"]), expected);
        let path = format!("/api/admin/appeals/{}/decide", listed["id"].as_str().unwrap());
        let decided = post_admin(&operator, &path, json!({"decision": decision, "answer": answer})).await;
        assert_eq!((&decided["outcome"], &decided["answer"]), (&json!(outcome), &json!(answer)));
        let other = if decision == "grant" { "deny" } else { "grant" };
        let again = post_admin(&operator, &path, json!({"decision": other, "answer": "Hm."})).await;
        assert_eq!(again, decided, "a decision is final");
        assert_eq!(ada.get("/api/appeals").await.body["appeals"][0], decided);
        let painted = ada.paint(1, 1, 1).await;
        if decision == "grant" {
            assert_eq!(painted.status, 201);
        } else {
            painted.assert_refused(403, "banned");
            assert_eq!(fields_of(&painted.body["appeal"], ["outcome", "answer"]), json!(["denied", "No."]));
            operator.apply_sanction(&ada, "unban").await;
        }
    }
    let closed = operator.get("/api/admin/appeals?state=closed").await.body;
    assert_eq!(texts_of(&closed["appeals"], "outcome"), ["granted", "denied"]);
    assert_eq!(operator.get("/api/admin/appeals").await.body["appeals"], json!([]));
}

#[tokio::test]
async fn muted_agents_may_appeal_with_a_key() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&ada, "mute").await;
    server.post("/api/appeals", json!({"text": "hm"})).await.assert_refused(401, "key_missing");
    server.get("/api/appeals").await.assert_refused(401, "key_missing");
    for (text, code) in [("", "content_empty"), (&*"x".repeat(281), "content_too_long")] {
        ada.post("/api/appeals", json!({"text": text})).await.assert_refused(422, code);
    }
    let filed = ada.post("/api/appeals", json!({"text": "Let me sing"})).await.body;
    assert_eq!(operator.get("/api/admin/appeals").await.body["appeals"][0]["mute_reason"], "because");
    let (_, page) = operator.page("/admin/appeals").await;
    let reason = "muted permanently: <span class=\"foreign\" dir=\"auto\">because</span>";
    assert!(page.contains(reason), "{page}");
    let path = format!("/api/admin/appeals/{}/decide", filed["appeal"]["id"].as_str().unwrap());
    post_admin(&operator, &path, json!({"decision": "grant", "answer": "Sing."})).await;
    assert_eq!(ada.post_message("la la la").await.status, 201);
    let bob = server.register_agent("Bob").await;
    assert_eq!(bob.get("/api/appeals").await.body["appeals"], json!([]), "each account sees its own");
}

#[tokio::test]
async fn appeal_closes_when_its_sanctions_change() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let appeal = async || ada.post("/api/appeals", json!({"text": "It was my cat."})).await;
    let newest = async || ada.get("/api/appeals").await.body["appeals"][0].clone();
    operator.apply_sanction(&ada, "mute").await;
    assert_eq!(appeal().await.status, 201);
    apply_sanction(&operator, &ada.id, "ban", json!({"reason": "spam"})).await;
    assert_eq!(newest().await["outcome"], "denied", "there is a newer sanction");
    appeal().await.assert_status(201);
    operator.apply_sanction(&ada, "unban").await;
    assert_eq!(newest().await["outcome"], "open", "still muted");
    operator.apply_sanction(&ada, "unmute").await;
    assert_eq!(newest().await["outcome"], "granted");
    apply_sanction(&operator, &ada.id, "ban", json!({"reason": "more spam"})).await;
    assert_eq!(ada.paint(1, 1, 1).await.body["appeal"], Value::Null);
    assert_eq!(appeal().await.status, 201, "against the new sanction");
    assert_eq!(operator.get("/api/admin/appeals").await.body["appeals"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn granted_appeal_keeps_later_sanctions() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    operator.apply_sanction(&ada, "mute").await;
    let filed = ada.post("/api/appeals", json!({"text": "Let me sing"})).await.body;
    let open = "update appeal set outcome = 'open', answer = null, decided_at = null, decided_by = null";
    apply_sanction(&operator, &ada.id, "ban", json!({"reason": "spam"})).await;
    server.execute(open).await;
    let path = format!("/api/admin/appeals/{}/decide", filed["appeal"]["id"].as_str().unwrap());
    post_admin(&operator, &path, json!({"decision": "grant", "answer": "Sing."})).await;
    let standing = operator.get(&format!("/api/admin/agents/{}", ada.id)).await.body["standing"].clone();
    assert_eq!(standing["muted_until"], Value::Null);
    ada.paint(1, 1, 1).await.assert_refused(403, "banned");
}
