//! Decisions on drafts: once, in time, by the right person, on any instance.

use caraplace::server::retention;
use caraplace_companion::drafts::cleanup;
use reqwest::Method;
use serde_json::{Value, json};

use super::{DraftServer, approved, at_once, chat, sun_plan};
use crate::retention::KEEP_ALL;
use crate::support::Reply;
use crate::support::values::{id_of, texts_of};

const DAY_SECONDS: i64 = 86_400;

#[tokio::test]
async fn a_draft_expires_after_a_day() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let draft = drafting.propose(&person, "message", json!({"content": "hello"})).await;
    let late = drafting.propose(&person, "message", json!({"content": "late"})).await;
    drafting.server.advance_clock(DAY_SECONDS + 1);
    assert_eq!(person.drafts().await[1]["state"], "expired");
    person.approve(&draft).await.assert_refused(409, "closed");
    person.reject(&draft).await.assert_refused(409, "closed");
    cleanup::sweep(&drafting.server.running().state).await.unwrap();
    person.approve(&late).await.assert_refused(409, "closed");
    assert_eq!(person.drafts().await[0]["state"], "expired");
    assert_eq!(chat(&drafting.server).await, [] as [&str; 0]);
}

#[tokio::test]
async fn a_rejected_draft_is_never_carried_out_and_an_approved_one_not_rejected() {
    let drafting = DraftServer::open().await;
    let person = drafting.create_pass_holder().await;
    let draft = drafting.propose(&person, "message", json!({"content": "one"})).await;
    for _ in 0..2 {
        let rejected = person.reject(&draft).await;
        assert_eq!((rejected.status, &rejected.body["draft"]["state"]), (200, &json!("rejected")));
    }
    person.approve(&draft).await.assert_refused(409, "closed");
    let draft = drafting.propose(&person, "message", json!({"content": "two"})).await;
    approved(&person.approve(&draft).await);
    person.reject(&draft).await.assert_refused(409, "closed");
    assert_eq!(chat(&drafting.server).await, ["two"]);
}

#[tokio::test]
async fn a_visitor_withdraws_a_plan_that_waits_for_operators() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let draft = drafting.propose(&visitor, "plan", sun_plan()).await;
    assert_eq!(visitor.reject(&draft).await.status, 200);
    drafting.operator().approve_from_queue(&draft).await.assert_refused(409, "closed");
    assert_eq!(drafting.audit(id_of(&draft)).await, [] as [Value; 0]);
}

#[tokio::test]
async fn of_many_approvals_at_once_on_two_instances_one_is_carried_out() {
    let drafting = DraftServer::open().await;
    let other = drafting.start_instance().await;
    let person = drafting.create_pass_holder().await;
    let elsewhere = person.on(&other);
    let draft = drafting.propose(&person, "message", json!({"content": "once"})).await;
    assert_eq!(elsewhere.drafts().await, std::slice::from_ref(&draft));
    let requests = (0..20)
        .map(|number| if number % 2 == 0 { person.approve(&draft) } else { elsewhere.approve(&draft) });
    let replies = at_once(requests).await;
    for reply in &replies {
        if reply.status != 200 {
            reply.assert_refused(409, "idempotency_in_flight");
        }
    }
    assert!(replies.iter().any(|reply| reply.status == 200));
    let result = approved(&elsewhere.approve(&draft).await);
    assert_eq!(approved(&person.approve(&draft).await), result);
    // The other instance may have carried it out.
    drafting.server.catch_up().await;
    assert_eq!(chat(&drafting.server).await, ["once"]);
}

#[tokio::test]
async fn of_an_approval_and_a_rejection_at_once_one_counts() {
    let drafting = DraftServer::open().await;
    let operator = drafting.operator();
    for round in 0..5 {
        let change = json!({"content": format!("round {round}"), "reason": "test"});
        let draft = drafting.propose(&operator, "announcement", change).await;
        let decision = |number| if number % 2 == 0 { "approve" } else { "reject" };
        let replies = at_once((0..4).map(|number| operator.decide(&draft, decision(number)))).await;
        assert!(replies.iter().any(|reply| reply.status == 200));
        let state = operator.drafts().await[0]["state"].clone();
        let is_posted = chat(&drafting.server).await.contains(&format!("round {round}"));
        assert_eq!(is_posted, state == "approved", "{state}");
        let decisions = drafting.audit(id_of(&draft)).await;
        assert_eq!(decisions.len(), 1, "{decisions:?}");
    }
}

#[tokio::test]
async fn drafts_outlive_a_restart_and_are_deleted_with_conversations() {
    let mut drafting = DraftServer::open().await;
    let key = drafting.viewer().await.key;
    let draft = drafting.propose(&drafting.with_key(&key), "message", json!({"content": "one"})).await;
    drafting.server.restart().await;
    let person = drafting.with_key(&key);
    assert_eq!(person.drafts().await, std::slice::from_ref(&draft));
    approved(&person.approve(&draft).await);
    let state = drafting.server.running().state.clone();
    drafting.server.advance_clock(30 * DAY_SECONDS - 60);
    assert_eq!(retention::run_once(&state, &KEEP_ALL).await.unwrap().drafts, 0);
    drafting.server.advance_clock(120);
    assert_eq!(retention::run_once(&state, &KEEP_ALL).await.unwrap().drafts, 1);
    assert_eq!(drafting.with_key(&key).drafts().await, [] as [Value; 0]);
}

#[tokio::test]
async fn drafts_are_forgotten_with_the_conversation() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let draft = drafting.propose(&visitor, "plan", sun_plan()).await;
    let other = drafting.propose(&drafting.browser(), "plan", sun_plan()).await;
    let operator = drafting.operator();
    let moon = json!({"title": "Moon", "x": 0, "y": 0, "rows": ["8"]});
    let decided = drafting.propose(&visitor, "plan", moon).await;
    let reject = format!("/api/admin/drafts/{}/reject", id_of(&decided));
    assert_eq!(operator.post(&reject, json!({})).await.status, 200);
    Reply::fetch(visitor.request(Method::DELETE, "/api/guide")).await.assert_status(200);
    operator.approve_from_queue(&draft).await.assert_refused(404, "not_found");
    assert_eq!(operator.queue("open").await, [other]);
    assert_eq!(id_of(&operator.queue("closed").await[0]), id_of(&decided), "the operators' decisions stay");
}

#[tokio::test]
async fn lists_have_pages() {
    let drafting = DraftServer::open().await;
    let person = drafting.operator();
    let mut ids = Vec::new();
    for number in 0..3 {
        let change = json!({"content": format!("number {number}"), "reason": "test"});
        ids.insert(0, id_of(&drafting.propose(&person, "announcement", change).await).to_owned());
    }
    for path in ["/api/guide/drafts", "/api/admin/drafts"] {
        let first = person.get(&format!("{path}?limit=2")).await.body;
        assert_eq!(texts_of(&first["drafts"], "id"), ids[..2]);
        assert_eq!(first["next_before"], ids[1]);
        let rest = person.get(&format!("{path}?limit=2&before={}", ids[1])).await.body;
        assert_eq!((texts_of(&rest["drafts"], "id"), &rest["next_before"]), (vec![&*ids[2]], &Value::Null));
        let unknown = format!("{path}?before=draft_{}", "0".repeat(32));
        person.get(&unknown).await.assert_refused(400, "bad_cursor");
    }
    let path = format!("/api/guide/drafts?before={}", ids[0]);
    drafting.browser().get(&path).await.assert_refused(400, "bad_cursor");
}
