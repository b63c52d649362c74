//! Approvals that were interrupted: the process died, or lost the database, before the outcome was stored.

use caraplace_companion::drafts::cleanup;
use futures_util::future::join;
use serde_json::{Value, json};

use super::{DraftServer, approved, chat, sun_plan};
use crate::support::actions::post_text;
use crate::support::values::{fields_of, id_of};

/// Makes a draft look as if its approval had been interrupted now.
async fn interrupt(drafting: &DraftServer, draft: &Value, side: &str) {
    let interrupt = "update pending_change set state = 'approving', claimed_at = $2, claimed_by = $3,
        claims = 1, decided_at = null, result = null where id = $1";
    let interrupted = sqlx::query(interrupt).bind(id_of(draft)).bind(drafting.server.clock.now()).bind(side);
    assert_eq!(interrupted.execute(&drafting.server.pool).await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn an_approval_that_did_nothing_is_repeated_after_a_minute() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let draft = drafting.propose(&person, "message", json!({"content": "once"})).await;
    interrupt(&drafting, &draft, "visitor").await;
    person.approve(&draft).await.assert_refused(409, "idempotency_in_flight");
    person.reject(&draft).await.assert_refused(409, "idempotency_in_flight");
    assert_eq!(person.drafts().await[0]["state"], "approving");
    drafting.server.advance_clock(61);
    assert_eq!(person.drafts().await[0]["state"], "pending");
    assert_eq!(approved(&person.approve(&draft).await)["message"]["content"], "once");
    assert_eq!(chat(&drafting.server).await, ["once"]);
}

#[tokio::test]
async fn a_change_that_was_made_is_not_made_again() {
    let drafting = DraftServer::open().await;
    let (ada, viewer) = (drafting.server.register_agent("Ada").await, drafting.viewer().await);
    let (person, operator) = (drafting.with_key(&viewer.key), drafting.operator());
    let message = post_text(&ada, "spam").await;
    let report = json!({"message_id": message["id"], "reason": "spam"});
    for (who, side, kind, change) in [
        (&person, "visitor", "message", json!({"content": "once"})),
        (&person, "visitor", "plan", sun_plan()),
        (&person, "visitor", "report", report),
        (&operator, "operator", "plan", sun_plan()),
        (&operator, "operator", "announcement", json!({"content": "news", "reason": "test"})),
        (&operator, "operator", "hide", json!({"message_id": message["id"], "reason": "test"})),
        (&operator, "operator", "mute", json!({"agent_id": ada.id, "reason": "test"})),
        (&operator, "operator", "setting", json!({"name": "max_charges", "value": 9, "reason": "test"})),
        (&operator, "operator", "rollback", json!({"agent_id": ada.id, "from": "1", "reason": "test"})),
    ] {
        let draft = drafting.propose(who, kind, change).await;
        approved(&who.approve(&draft).await);
        interrupt(&drafting, &draft, side).await;
        drafting.server.advance_clock(61);
        let (head, lines) = (drafting.server.head().await, drafting.audit("").await.len());
        assert_eq!(approved(&who.approve(&draft).await), Value::Null, "{kind} by {side}");
        // The decision was in the log before the interruption.
        assert_eq!((drafting.server.head().await, drafting.audit("").await.len()), (head, lines), "{kind}");
    }
    assert_eq!(drafting.server.get("/api/plans").await.body["plans"].as_array().unwrap().len(), 2);
    assert_eq!(operator.get("/api/admin/reports").await.body["reports"].as_array().unwrap().len(), 1);
}

/// The plan itself does not say which operator has opened it.
#[tokio::test]
async fn the_decision_of_an_operator_is_recorded_after_an_interruption() {
    let drafting = DraftServer::open().await;
    let operator = drafting.operator();
    let draft = drafting.propose(&operator, "plan", sun_plan()).await;
    // The decision waits for this lock, and loses its connection.
    let mut lock = drafting.server.pool.begin().await.unwrap();
    sqlx::query("lock table audit in exclusive mode").execute(&mut *lock).await.unwrap();
    let interruption = async {
        drafting.server.wait_for_lock_waits(1).await;
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
        drafting.server.execute(end).await;
    };
    let (reply, ()) = join(operator.approve(&draft), interruption).await;
    assert!(reply.status >= 500, "{}", reply.body);
    lock.rollback().await.unwrap();
    assert_eq!(drafting.audit(id_of(&draft)).await, [] as [Value; 0]);
    drafting.server.advance_clock(61);
    for _ in 0..2 {
        cleanup::sweep(&drafting.server.running().state.clone()).await.unwrap();
        let [decision] = &drafting.audit(id_of(&draft)).await[..] else { panic!("one decision") };
        assert_eq!(
            fields_of(decision, ["act", "operator"]),
            json!(["approve draft", "owner (key drafting)"])
        );
    }
    assert_eq!(operator.drafts().await[0]["state"], "approved");
    assert_eq!(drafting.server.get("/api/plans").await.body["plans"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_sweep_gives_interrupted_approvals_their_outcome() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let done = drafting.propose(&person, "message", json!({"content": "done"})).await;
    let undone = drafting.propose(&person, "message", json!({"content": "undone"})).await;
    approved(&person.approve(&done).await);
    for draft in [&done, &undone] {
        interrupt(&drafting, draft, "visitor").await;
    }
    let state = drafting.server.running().state.clone();
    cleanup::sweep(&state).await.unwrap();
    assert_eq!(person.drafts().await[1]["state"], "approving", "it may still be carried out");
    drafting.server.advance_clock(61);
    cleanup::sweep(&state).await.unwrap();
    let drafts = person.drafts().await;
    assert_eq!((&drafts[0]["state"], &drafts[1]["state"]), (&json!("pending"), &json!("approved")));
    drafting.server.advance_clock(86_400);
    cleanup::sweep(&state).await.unwrap();
    assert_eq!(person.drafts().await[0]["state"], "expired");
    assert_eq!(chat(&drafting.server).await, ["done"]);
}

#[tokio::test]
async fn only_the_same_side_takes_up_an_interrupted_approval() {
    let drafting = DraftServer::open().await;
    let viewer = drafting.viewer().await;
    let person = drafting.with_key(&viewer.key);
    drafting.operate(&format!("/api/admin/passes/{}/revoke", viewer.id), json!({"reason": "test"})).await;
    let draft = drafting.propose(&person, "plan", sun_plan()).await;
    interrupt(&drafting, &draft, "operator").await;
    drafting.server.advance_clock(61);
    let refused = person.approve(&draft).await;
    refused.assert_refused(409, "idempotency_in_flight");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("only they can approve it"), "{detail}");
    let result = approved(&drafting.operator().approve_from_queue(&draft).await);
    assert_eq!(result["plan"]["agent_id"], Value::Null);
}
