//! Operators open, change and close plans, by key and in the console. People with a pass: see
//! `gallery::plans`.

use serde_json::json;

use super::{PLAN_SETTINGS, change, close, new_plan, path_of};
use crate::support::actions::open_plan;
use crate::support::values::{fields_of, id_of};
use crate::support::{Reply, Server};

#[tokio::test]
async fn operators_write_plans_with_a_key() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.client_with_key(&server.create_operator_key("plans").await);
    let plan = open_plan(&operator, new_plan("Ours", 1, 1)).await;
    assert_eq!(fields_of(&plan, ["agent_id", "agent_name"]), json!([null, "Caraplace"]));
    assert_eq!(super::list_titles(&server, "author=Caraplace").await, ["Ours"]);
    let of_ada = open_plan(&ada, new_plan("A roof", 1, 1)).await;
    let body = json!({"expected_version": 1, "title": "A tidy roof"});
    let changed = change(&operator, &of_ada, body).await.assert_status(200);
    assert_eq!(changed["plan"]["title"], "A tidy roof", "{changed}");
    assert_eq!(changed["plan"]["agent_id"], ada.id, "it stays the plan of its author");
    let audit = operator.get(&format!("/api/admin/audit?subject={}", id_of(&of_ada))).await;
    let acts = &audit.body["acts"];
    assert_eq!((acts.as_array().unwrap().len(), &acts[0]["act"]), (1, &json!("change plan")), "{acts}");
    let titles = ["before", "after"].map(|state| acts[0][state]["title"].clone());
    assert_eq!(titles, [json!("A roof"), json!("A tidy roof")]);
    let closed = close(&operator, &of_ada).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
    let claims = format!("{}/claims", path_of(&plan));
    operator.post(&claims, json!({"n": 1})).await.assert_refused(403, "forbidden");
    let wrong = server.client_with_key(&format!("ca_{}", "0".repeat(64)));
    wrong.post("/api/plans", new_plan("None", 1, 1)).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn operators_write_plans_in_the_console() {
    let server = Server::start_with(&PLAN_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let body = new_plan("Ours", 1, 1);
    Reply::fetch(operator.post_request("/api/plans").json(&body)).await.assert_refused(403, "forbidden");
    let other_site = operator.post_request("/api/plans").header("X-CSRF-Token", &operator.csrf);
    let other_site = other_site.header("Sec-Fetch-Site", "cross-site").json(&body);
    Reply::fetch(other_site).await.assert_refused(403, "forbidden");
    let reply = operator.post("/api/plans", body).await.assert_status(201);
    let closed = operator.post(&format!("{}/close", path_of(&reply["plan"])), json!({})).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
}
