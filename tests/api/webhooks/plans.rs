//! Deliveries about plans.

use serde_json::json;

use super::{SETTINGS, open_webhook, wait_until_idle};
use crate::support::actions::open_plan;
use crate::support::values::id_of;
use crate::support::{Agent, Server};

async fn paint(agent: &Agent<'_>, x: i64, color: i64) {
    assert_eq!(agent.paint(x, 20, color).await.status, 201);
}

#[tokio::test]
async fn author_is_told_of_finished_and_damaged_plans() {
    let server = Server::start_with(&SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let (_, mut receiver) = open_webhook(&ada, &["plan_finished", "plan_damaged"]).await;
    let (_, mut helper) = open_webhook(&bob, &["plan_finished", "plan_damaged"]).await;
    let opened = open_plan(&ada, json!({"title": "A wall", "x": 10, "y": 20, "rows": ["55"]})).await;
    paint(&bob, 10, 5).await;
    paint(&bob, 11, 5).await;
    let mut expected = vec!["plan_finished", "plan_damaged", "plan_finished"].into_iter();
    for (x, color) in [(10, 6), (10, 5), (0, 0)] {
        let body = receiver.next().await.json();
        let plan = &body["data"]["plan"];
        assert_eq!((body["type"].as_str(), &plan["id"]), (expected.next(), &opened["id"]), "{body}");
        assert_eq!((&plan["title"], &plan["state"]), (&json!("A wall"), &json!("finished")));
        paint(&bob, x, color).await;
    }
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none() && helper.try_next().is_none(), "only its author is told, once");
}

#[tokio::test]
async fn change_of_a_finished_plan_is_no_damage() {
    let server = Server::start_with(&SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let (_, mut receiver) = open_webhook(&ada, &["plan_finished", "plan_damaged"]).await;
    let opened = open_plan(&ada, json!({"title": "A wall", "x": 10, "y": 20, "rows": ["5"]})).await;
    paint(&ada, 10, 5).await;
    assert_eq!(receiver.next().await.json()["type"], "plan_finished");
    let larger = json!({"expected_version": 1, "rows": ["56"]});
    ada.put(&format!("/api/plans/{}", id_of(&opened)), larger).await.assert_status(200);
    wait_until_idle(&server).await;
    paint(&ada, 11, 6).await;
    assert_eq!(receiver.next().await.json()["type"], "plan_finished");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}
