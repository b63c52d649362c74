//! Proposed plans: of pass holders, and of visitors without a pass, for whom operators decide.

use serde_json::{Value, json};

use super::{DraftServer, approved};
use crate::support::values::{fields_of, id_of};

fn sun_plan() -> Value {
    json!({"title": "Sun", "x": 100, "y": 4, "rows": ["88", "8."], "note": "at the top right"})
}

#[tokio::test]
async fn an_operator_opens_the_plan_of_a_visitor_without_a_pass() {
    let drafting = DraftServer::open().await;
    let (visitor, stranger, operator) = (drafting.browser(), drafting.browser(), drafting.operator());
    let draft = drafting.propose(&visitor, "plan", sun_plan()).await;
    assert_eq!((&draft["decider"], &draft["change"]), (&json!("operator"), &sun_plan()));
    assert_eq!(draft["summary"], "Open the plan “Sun”, 2×2 pixels from (100, 4) on.");
    assert_eq!(drafting.server.get("/api/plans").await.body["plans"], json!([]));

    visitor.approve(&draft).await.assert_refused(403, "forbidden");
    stranger.approve(&draft).await.assert_refused(404, "not_found");
    stranger.reject(&draft).await.assert_refused(404, "not_found");
    assert_eq!(stranger.drafts().await, [] as [Value; 0]);
    operator.approve(&draft).await.assert_refused(404, "not_found");
    assert_eq!(operator.queue("open").await, std::slice::from_ref(&draft));

    let result = approved(&operator.approve_from_queue(&draft).await);
    assert_eq!((&result["plan"]["title"], &result["plan"]["agent_id"]), (&json!("Sun"), &Value::Null));
    let plans = drafting.server.get("/api/plans").await.body["plans"].clone();
    assert_eq!((plans.as_array().unwrap().len(), &plans[0]["id"]), (1, &result["plan"]["id"]));
    assert_eq!(visitor.drafts().await[0]["state"], "approved", "the visitor sees it");
    assert_eq!(operator.queue("open").await, [] as [Value; 0]);
    assert_eq!(id_of(&operator.queue("closed").await[0]), id_of(&draft));
    let [line] = &drafting.audit(id_of(&draft)).await[..] else { panic!("one decision") };
    let expected = json!(["approve draft", "owner (key drafting)", "guide", draft["id"]]);
    assert_eq!(fields_of(line, ["act", "operator", "actor_kind", "draft_id"]), expected);
    let after = json!({"state": "approved", "kind": "plan", "change": draft["change"], "result": result});
    assert_eq!((&line["before"], &line["after"]), (&json!({"state": "pending"}), &after));
}

#[tokio::test]
async fn a_pass_holder_opens_a_proposed_plan_in_its_own_name() {
    let drafting = DraftServer::open().await;
    let viewer = drafting.viewer().await;
    let person = drafting.with_key(&viewer.key);
    let draft = drafting.propose(&person, "plan", sun_plan()).await;
    assert_eq!(draft["decider"], "visitor");
    let operator = drafting.operator();
    assert_eq!(operator.queue("open").await, [] as [Value; 0], "it is no business of operators");
    operator.approve_from_queue(&draft).await.assert_refused(404, "not_found");

    let result = approved(&person.approve(&draft).await);
    assert_eq!(result["plan"]["agent_id"], json!(viewer.id));
    assert_eq!(approved(&person.approve(&draft).await), result, "a repetition has the same result");
    assert_eq!(drafting.server.get("/api/plans").await.body["plans"].as_array().unwrap().len(), 1);
    assert_eq!(drafting.audit(id_of(&draft)).await, [] as [Value; 0], "viewers are not audited");
}

#[tokio::test]
async fn the_limits_of_plans_hold_when_a_draft_is_approved() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let first = drafting.propose(&person, "plan", sun_plan()).await;
    let moon = json!({"title": "Moon", "x": 4, "y": 4, "rows": ["88", "8."]});
    let second = drafting.propose(&person, "plan", moon).await;
    approved(&person.approve(&first).await);
    let refused = person.approve(&second).await;
    refused.assert_refused(429, "too_many_requests");
    let waiting = person.drafts().await.remove(0);
    let expected = json!(["pending", refused.body["detail"]]);
    assert_eq!(fields_of(&waiting, ["state", "last_refusal"]), expected, "it waits as before");
    drafting.server.advance_clock(61);
    approved(&person.approve(&second).await);
}

#[tokio::test]
async fn a_viewer_whose_pass_has_ended_leaves_the_decision_to_operators() {
    let drafting = DraftServer::open().await;
    let viewer = drafting.viewer().await;
    let person = drafting.with_key(&viewer.key);
    let before = drafting.propose(&person, "plan", sun_plan()).await;
    drafting.operate(&format!("/api/admin/passes/{}/revoke", viewer.id), json!({"reason": "test"})).await;
    person.approve(&before).await.assert_refused(402, "gallery_pass_required");
    let after = drafting.propose(&person, "plan", sun_plan()).await;
    assert_eq!((&before["decider"], &after["decider"]), (&json!("visitor"), &json!("operator")));
    approved(&drafting.operator().approve_from_queue(&after).await);
}

#[tokio::test]
async fn plans_that_could_not_be_opened_are_not_proposed() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let with = |field: &str, value: Value| {
        let mut plan = sun_plan();
        plan[field] = value;
        plan
    };
    for (change, reason) in [
        (with("x", json!(127)), "does not fit on the canvas"),
        (with("rows", json!(["8", "88"])), "same length"),
        (with("title", json!("x".repeat(61))), "title"),
        (with("title", json!(" ")), "visible"),
        (with("expires_in", json!(1)), "expires_in"),
        (with("color", json!(1)), "color"),
        (with("crew_id", json!(format!("crew_{}", "0".repeat(32)))), "crew_id"),
        (json!({"x": 1, "y": 1, "rows": ["8"]}), "title"),
    ] {
        drafting.assert_refused(&visitor, "plan", change, reason).await;
    }
    assert_eq!(visitor.drafts().await, [] as [Value; 0]);
}
