//! Operators open, change and close plans, by key and in the console. People with a pass: see
//! `gallery::plans`.

use serde_json::json;

use super::{FREE_SETTINGS, new_plan, open_plan, path_of, put_request};
use crate::support::{Reply, Server};

#[tokio::test]
async fn operators_write_plans_with_a_key() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let key = server.create_operator_key("plans").await;
    let reply =
        Reply::fetch(server.post_request("/api/plans").bearer_auth(&key).json(&new_plan("Ours", 1, 1))).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let plan = &reply.body["plan"];
    assert_eq!((&plan["agent_id"], &plan["agent_name"]), (&json!(null), &json!("Caraplace")));
    assert_eq!(super::list_titles(&server, "author=Caraplace").await, ["Ours"]);
    let of_ada = open_plan(&ada, new_plan("A roof", 1, 1)).await;
    let body = json!({"expected_version": 1, "title": "A tidy roof"});
    let changed = Reply::fetch(put_request(&server, &of_ada).bearer_auth(&key).json(&body)).await;
    assert_eq!(
        (changed.status, &changed.body["plan"]["title"]),
        (200, &json!("A tidy roof")),
        "{}",
        changed.body
    );
    assert_eq!(changed.body["plan"]["agent_id"], ada.id, "it stays the plan of its author");
    let audit = server.get_request(&format!("/api/admin/audit?subject={}", of_ada["id"].as_str().unwrap()));
    let acts = Reply::fetch(audit.bearer_auth(&key)).await.body["acts"].clone();
    assert_eq!((acts.as_array().unwrap().len(), &acts[0]["act"]), (1, &json!("change plan")), "{acts}");
    let titles = ["before", "after"].map(|state| acts[0][state]["title"].clone());
    assert_eq!(titles, [json!("A roof"), json!("A tidy roof")]);
    let close = server.post_request(&format!("{}/close", path_of(&of_ada))).bearer_auth(&key);
    let closed = Reply::fetch(close.json(&json!({}))).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
    let claims = server.post_request(&format!("{}/claims", path_of(plan))).bearer_auth(&key);
    Reply::fetch(claims.json(&json!({"n": 1}))).await.assert_refused(403, "forbidden");
    let wrong = server.post_request("/api/plans").bearer_auth(format!("ca_{}", "0".repeat(64)));
    Reply::fetch(wrong.json(&new_plan("None", 1, 1))).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn operators_write_plans_in_the_console() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let operator = server.sign_in_operator().await;
    let body = new_plan("Ours", 1, 1);
    let without_token = operator.post_request("/api/plans").json(&body);
    Reply::fetch(without_token).await.assert_refused(403, "forbidden");
    let other_site = operator.post_request("/api/plans").header("X-CSRF-Token", &operator.csrf);
    let other_site = other_site.header("Sec-Fetch-Site", "cross-site").json(&body);
    Reply::fetch(other_site).await.assert_refused(403, "forbidden");
    let reply = operator.post("/api/plans", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let closed = operator.post(&format!("{}/close", path_of(&reply.body["plan"])), json!({})).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
}
