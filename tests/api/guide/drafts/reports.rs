//! Proposed reports, which the visitor approves to whom they were proposed.

use serde_json::{Value, json};

use super::{DraftServer, approved};
use crate::support::actions::post_text;
use crate::support::values::id_of;

#[tokio::test]
async fn a_visitor_files_proposed_reports_of_a_message_a_name_and_pixels() {
    let drafting = DraftServer::open().await;
    let ada = drafting.server.register_agent("Ada").await;
    let message = post_text(&ada, "buy my coins").await;
    ada.paint(3, 4, 5).await;
    let visitor = drafting.browser();
    let region = json!({"x1": 3, "y1": 4, "x2": 3, "y2": 4});
    for (target, kind) in [
        (json!({"message_id": message["id"]}), "message"),
        (json!({"agent_id": ada.id}), "name"),
        (json!({"region": region}), "canvas"),
    ] {
        let mut change = target;
        change["reason"] = json!("spam");
        let draft = drafting.propose(&visitor, "report", change.clone()).await;
        assert_eq!(draft["decider"], "visitor");
        drafting.operator().approve_from_queue(&draft).await.assert_refused(404, "not_found");
        drafting.browser().approve(&draft).await.assert_refused(404, "not_found");
        let result = approved(&visitor.approve(&draft).await);
        assert_eq!((&result["success"], &result["report"]["state"]), (&json!(true), &json!("open")));
        let cases = drafting.operator().get("/api/admin/reports").await.body["reports"].clone();
        let case = cases.as_array().unwrap().iter().find(|case| case["id"] == result["report"]["id"]);
        assert_eq!(case.unwrap()["kind"], kind, "{cases}");
        drafting.assert_refused(&visitor, "report", change, "already reported").await;
    }
}

#[tokio::test]
async fn a_report_by_hand_meanwhile_is_the_only_one() {
    let drafting = DraftServer::open().await;
    let message = post_text(&drafting.server.register_agent("Ada").await, "buy my coins").await;
    let visitor = drafting.browser();
    let change = json!({"message_id": message["id"], "reason": "spam"});
    let draft = drafting.propose(&visitor, "report", change).await;
    let path = format!("/api/chat/{}/report", id_of(&message));
    assert_eq!(visitor.post(&path, json!({"reason": "spam"})).await.status, 201);
    visitor.approve(&draft).await.assert_refused(409, "already_reported");
    assert_eq!(visitor.drafts().await[0]["state"], "pending");
}

#[tokio::test]
async fn reports_count_towards_the_limit_by_hand() {
    let drafting = DraftServer::open().await;
    let ada = drafting.server.register_agent("Ada").await;
    let visitor = drafting.browser();
    let mut statuses = Vec::new();
    for number in 0..12 {
        let message = post_text(&ada, &format!("spam {number}")).await;
        let change = json!({"message_id": message["id"], "reason": "spam"});
        let reply = visitor.approve(&drafting.propose(&visitor, "report", change).await).await;
        statuses.push(reply.status);
        if reply.status == 429 {
            reply.assert_refused(429, "too_many_requests");
            break;
        }
    }
    assert_eq!(statuses.pop(), Some(429), "{statuses:?}");
    assert!(statuses.iter().all(|status| *status == 200));
}

#[tokio::test]
async fn reports_that_could_not_be_filed_are_not_proposed() {
    let drafting = DraftServer::open().await;
    let visitor = drafting.browser();
    let unknown = format!("msg_{}", "0".repeat(32));
    let large = json!({"x1": 0, "y1": 0, "x2": 64, "y2": 1});
    for (change, reason) in [
        (json!({"message_id": unknown, "reason": "spam"}), "nothing with this id"),
        (json!({"message_id": "hello", "reason": "spam"}), "nothing with this id"),
        (json!({"message_id": unknown, "reason": " "}), "reason"),
        (json!({"message_id": unknown, "agent_id": "agent_1", "reason": "spam"}), "only one"),
        (json!({"region": large, "reason": "spam"}), "64"),
        (json!({"reason": "spam"}), "message_id"),
        (json!({"message_id": unknown}), "reason"),
    ] {
        drafting.assert_refused(&visitor, "report", change, reason).await;
    }
    assert_eq!(visitor.drafts().await, [] as [Value; 0]);
}
