//! Approvals that were interrupted: the process died, or lost the database, before the outcome was stored.

use caraplace::drafts::cleanup;
use serde_json::{Value, json};

use super::{Studio, approved, chat, id};
use crate::support::actions::post_message;

/// Makes a draft look as if its approval had been interrupted now.
async fn interrupt(studio: &Studio, draft: &Value, side: &str) {
    let interrupted = sqlx::query(
        "update pending_change set state = 'approving', claimed_at = $2, claimed_by = $3, claims = 1,
             decided_at = null, result = null
         where id = $1",
    );
    let interrupted = interrupted.bind(id(draft)).bind(studio.server.clock.now()).bind(side);
    assert_eq!(interrupted.execute(&studio.server.pool).await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn an_approval_that_did_nothing_is_repeated_after_a_minute() {
    let studio = Studio::open().await;
    let viewer = studio.viewer().await;
    let person = studio.with_key(&viewer.key);
    let draft = studio.propose(&person, "message", json!({"content": "once"})).await;
    interrupt(&studio, &draft, "visitor").await;
    person.approve(&draft).await.assert_refused(409, "idempotency_in_flight");
    person.reject(&draft).await.assert_refused(409, "idempotency_in_flight");
    assert_eq!(person.drafts().await[0]["state"], "approving");
    studio.server.advance_clock(61);
    assert_eq!(person.drafts().await[0]["state"], "pending");
    let result = approved(&person.approve(&draft).await);
    assert_eq!(result["message"]["content"], "once");
    assert_eq!(chat(&studio.server).await, ["once"]);
}

#[tokio::test]
async fn a_change_that_was_made_is_not_made_again() {
    let studio = Studio::open().await;
    let (ada, viewer) = (studio.server.register_agent("Ada").await, studio.viewer().await);
    let (person, operator) = (studio.with_key(&viewer.key), studio.operator());
    let message = post_message(&ada, json!({"content": "spam"})).await;
    let plan = json!({"title": "Sun", "x": 0, "y": 0, "rows": ["8"]});
    let report = json!({"message_id": message["id"], "reason": "spam"});
    for (who, side, kind, change) in [
        (&person, "visitor", "message", json!({"content": "once"})),
        (&person, "visitor", "plan", plan.clone()),
        (&person, "visitor", "report", report),
        (&operator, "operator", "plan", plan),
        (&operator, "operator", "announcement", json!({"content": "news", "reason": "test"})),
        (&operator, "operator", "hide", json!({"message_id": message["id"], "reason": "test"})),
        (&operator, "operator", "mute", json!({"agent_id": ada.id, "reason": "test"})),
        (&operator, "operator", "setting", json!({"name": "max_charges", "value": 9, "reason": "test"})),
        (&operator, "operator", "rollback", json!({"agent_id": ada.id, "from": "1", "reason": "test"})),
    ] {
        let draft = studio.propose(who, kind, change).await;
        approved(&who.approve(&draft).await);
        interrupt(&studio, &draft, side).await;
        studio.server.advance_clock(61);
        let (head, lines) = (studio.server.head().await, studio.audit("").await.len());
        let again = who.approve(&draft).await;
        assert_eq!(approved(&again), Value::Null, "{kind} by {side}");
        // The decision was in the log before the interruption.
        assert_eq!((studio.server.head().await, studio.audit("").await.len()), (head, lines), "{kind}");
    }
    assert_eq!(studio.server.get("/api/plans").await.body["plans"].as_array().unwrap().len(), 2);
    assert_eq!(operator.get("/api/admin/reports").await.body["reports"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_sweep_gives_interrupted_approvals_their_outcome() {
    let studio = Studio::open().await;
    let viewer = studio.viewer().await;
    let person = studio.with_key(&viewer.key);
    let done = studio.propose(&person, "message", json!({"content": "done"})).await;
    let undone = studio.propose(&person, "message", json!({"content": "undone"})).await;
    approved(&person.approve(&done).await);
    for draft in [&done, &undone] {
        interrupt(&studio, draft, "visitor").await;
    }
    let state = studio.server.running().state.clone();
    cleanup::sweep(&state).await.unwrap();
    assert_eq!(person.drafts().await[1]["state"], "approving", "it may still be carried out");
    studio.server.advance_clock(61);
    cleanup::sweep(&state).await.unwrap();
    let drafts = person.drafts().await;
    assert_eq!((&drafts[0]["state"], &drafts[1]["state"]), (&json!("pending"), &json!("approved")));
    studio.server.advance_clock(86_400);
    cleanup::sweep(&state).await.unwrap();
    assert_eq!(person.drafts().await[0]["state"], "expired");
    assert_eq!(chat(&studio.server).await, ["done"]);
}

#[tokio::test]
async fn only_the_same_side_takes_up_an_interrupted_approval() {
    let studio = Studio::open().await;
    let viewer = studio.viewer().await;
    let person = studio.with_key(&viewer.key);
    studio.operate(&format!("/api/admin/passes/{}/revoke", viewer.id), json!({"reason": "test"})).await;
    let plan = json!({"title": "Sun", "x": 0, "y": 0, "rows": ["8"]});
    let draft = studio.propose(&person, "plan", plan).await;
    interrupt(&studio, &draft, "operator").await;
    studio.server.advance_clock(61);
    let refused = person.approve(&draft).await;
    refused.assert_refused(409, "idempotency_in_flight");
    assert!(
        refused.body["detail"].as_str().unwrap().contains("only they can approve it"),
        "{}",
        refused.body
    );
    let result = approved(&studio.operator().approve_from_queue(&draft).await);
    assert_eq!(result["plan"]["agent_id"], Value::Null);
}
