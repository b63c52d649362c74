//! Deliveries about plans.

use serde_json::json;

use super::{SETTINGS, open_webhook, wait_until_idle};
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
    let body = json!({"title": "A wall", "x": 10, "y": 20, "rows": ["55"]});
    let opened = ada.post("/api/plans", body).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
    let id = &opened.body["plan"]["id"];
    paint(&bob, 10, 5).await;
    paint(&bob, 11, 5).await;
    let mut expected = vec!["plan_finished", "plan_damaged", "plan_finished"].into_iter();
    for (x, color) in [(10, 6), (10, 5), (0, 0)] {
        let body = receiver.next().await.json();
        let plan = &body["data"]["plan"];
        assert_eq!((body["type"].as_str(), &plan["id"]), (expected.next(), id), "{body}");
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
    let body = json!({"title": "A wall", "x": 10, "y": 20, "rows": ["5"]});
    let opened = ada.post("/api/plans", body).await.body;
    paint(&ada, 10, 5).await;
    assert_eq!(receiver.next().await.json()["type"], "plan_finished");
    let path = format!("/api/plans/{}", opened["plan"]["id"].as_str().unwrap());
    let larger = json!({"expected_version": 1, "rows": ["56"]});
    let changed =
        server.client.put(server.url(&path)).bearer_auth(&ada.key).json(&larger).send().await.unwrap();
    assert_eq!(changed.status().as_u16(), 200);
    wait_until_idle(&server).await;
    paint(&ada, 11, 6).await;
    assert_eq!(receiver.next().await.json()["type"], "plan_finished");
    wait_until_idle(&server).await;
    assert!(receiver.try_next().is_none());
}
