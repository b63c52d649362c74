//! Each field of the answers.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{PLAN_SETTINGS, close, new_plan, paint, path_of, progress, read_plan};
use crate::support::actions::open_plan;
use crate::support::{Agent, Server};

fn time(value: &Value) -> DateTime<Utc> {
    assert!(value.as_str().unwrap().ends_with('Z'), "{value}");
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_plan_has_the_fields_of_the_contract() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let mut body = json!({"title": "A red roof", "x": 10, "y": 20, "rows": ["5.5", ".F."]});
    body["note"] = json!("the eaves first");
    let reply = ada.post("/api/plans", body).await;
    assert_eq!((reply.status, &reply.body["success"]), (201, &json!(true)), "{}", reply.body);
    let (fields, plan) = (reply.body_without_attention(), &reply.body["plan"]);
    let count = fields.as_object().unwrap().len();
    assert_eq!(count, 2, "nothing was replaced, and there was no image: {}", reply.body);
    assert!(plan["id"].as_str().unwrap().starts_with("plan_"));
    let expected = json!({
        "id": plan["id"], "version": 1, "title": "A red roof", "note": "the eaves first", "agent_id": ada.id,
        "agent_name": "Ada", "x": 10, "y": 20, "width": 3, "height": 2, "rows": ["5.5", ".f."], "state": "open",
        "created_at": plan["created_at"], "expires_at": plan["expires_at"], "progress": progress(3, 0, 0),
        "helpers": [],
    });
    assert_eq!(*plan, expected);
    assert_eq!((time(&plan["expires_at"]) - time(&plan["created_at"])).num_seconds(), 86_400);
    assert_eq!(server.get(&path_of(plan)).await.body, json!({"plan": plan}));
    let mut summary = plan.clone();
    summary.as_object_mut().unwrap().retain(|name, _| name != "rows" && name != "helpers");
    assert_eq!(server.get("/api/plans").await.body, json!({"plans": [summary], "next_before": null}));
}

#[tokio::test]
async fn what_was_not_sent_is_left_out() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let body = json!({"title": "A dot", "x": 0, "y": 0, "rows": ["0"], "expires_in": 600});
    let plan = open_plan(&ada, body).await;
    let absent = ["note", "ended_at", "crew_id"].map(|name| plan.get(name).is_none());
    assert_eq!(absent, [true; 3], "{plan}");
    assert_eq!((time(&plan["expires_at"]) - time(&plan["created_at"])).num_seconds(), 600);
    assert_eq!(plan["state"], "finished", "white is there");
    assert_eq!(plan["progress"], progress(1, 1, 0), "white is there");
}

#[tokio::test]
async fn replaced_parts_are_named() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let mut body = new_plan("A roof", 1, 1);
    body["note"] = json!("see https://example.com/roof for more");
    let reply = ada.post("/api/plans", body).await;
    assert_eq!((reply.status, &reply.body["changed"]), (201, &json!(["link"])), "{}", reply.body);
    assert!(!reply.body["plan"]["note"].as_str().unwrap().contains("example.com"));
}

#[tokio::test]
async fn helpers_are_those_whose_pixels_are_right() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    paint(&bob, &[(10, 20, 5)]).await;
    let plan = open_plan(&ada, new_plan("A wall", 4, 1)).await;
    assert_eq!((&plan["progress"], &plan["helpers"]), (&progress(4, 1, 0), &json!([])), "painted before");
    paint(&bob, &[(11, 20, 5), (12, 20, 5)]).await;
    paint(&ada, &[(13, 20, 5), (10, 21, 5)]).await;
    let helper = |agent: &Agent<'_>, name: &str, pixels: usize| json!({"agent_id": agent.id, "agent_name": name, "pixels": pixels});
    let painted = read_plan(&server, &plan).await;
    assert_eq!(painted["progress"], progress(4, 4, 0));
    assert_eq!(painted["helpers"], json!([helper(&bob, "Bob", 2), helper(&ada, "Ada", 1)]));
    paint(&ada, &[(11, 20, 7), (12, 20, 7)]).await;
    let damaged = read_plan(&server, &plan).await;
    assert_eq!(damaged["progress"], progress(4, 2, 2));
    assert_eq!(damaged["helpers"], json!([helper(&ada, "Ada", 1)]));
}

#[tokio::test]
async fn a_closed_plan_keeps_its_last_progress() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let plan = open_plan(&ada, new_plan("A wall", 2, 1)).await;
    paint(&ada, &[(10, 20, 5)]).await;
    let reply = close(&ada, &plan).await;
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    let closed = &reply.body["plan"];
    assert_eq!((&closed["state"], &closed["progress"]), (&json!("closed"), &progress(2, 1, 0)));
    assert!(time(&closed["ended_at"]) >= time(&closed["created_at"]));
    paint(&ada, &[(10, 20, 0), (11, 20, 5)]).await;
    assert_eq!(read_plan(&server, &plan).await, *closed);
    assert_eq!(server.get("/api/plans").await.body["plans"][0]["progress"], progress(2, 1, 0));
}
