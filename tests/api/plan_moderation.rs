//! Operators close, hide and restore plans, by the API and in the console.

use serde_json::{Value, json};

use crate::support::Server;
use crate::support::actions::open_plan;
use crate::support::values::id_of;

/// Returns the body of a plan of two pixels.
fn new_plan(title: &str) -> Value {
    json!({"title": title, "x": 10, "y": 20, "rows": ["55"]})
}

async fn audit_actions(server: &Server, id: &str) -> Vec<Value> {
    let page = server.sign_in_operator().await.get(&format!("/api/admin/audit?subject={id}")).await.body;
    page["acts"].as_array().unwrap().iter().map(|line| line["act"].clone()).collect()
}

#[tokio::test]
async fn operator_closes_hides_and_restores_a_plan() {
    let server = Server::start_with_console().await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let plan = open_plan(&ada, new_plan("A house")).await;
    let id = id_of(&plan);
    let path = format!("/api/admin/plans/{id}");
    operator.post(&format!("{path}/hide"), json!({"reason": " "})).await.assert_refused(400, "invalid_field");
    let closed = operator.post(&format!("{path}/close"), json!({"reason": "done"})).await;
    assert_eq!((closed.status, &closed.body["plan"]["state"]), (200, &json!("closed")), "{}", closed.body);
    operator.post(&format!("{path}/close"), json!({"reason": "done"})).await.assert_refused(409, "closed");
    let hidden = operator.post(&format!("{path}/hide"), json!({"reason": "rude"})).await;
    assert_eq!(hidden.body, json!({"success": true, "plan_id": id, "hidden": true}));
    assert_eq!(server.get(&format!("/api/plans/{id}")).await.status, 404);
    let restored = operator.post(&format!("{path}/restore"), json!({"reason": "not rude"})).await;
    assert_eq!((restored.status, &restored.body["hidden"]), (200, &json!(false)));
    assert_eq!(server.get(&format!("/api/plans/{id}")).await.body["plan"]["state"], "closed");
    assert_eq!(audit_actions(&server, id).await, ["restore plan", "hide plan", "close plan"]);
    let unknown = format!("/api/admin/plans/plan_{}/hide", "0".repeat(32));
    operator.post(&unknown, json!({"reason": "rude"})).await.assert_refused(404, "not_found");
    ada.post(&format!("{path}/hide"), json!({"reason": "rude"})).await.assert_refused(403, "forbidden");
}

#[tokio::test]
async fn console_lists_all_plans_and_changes_them() {
    let server = Server::start_with_console().await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    assert!(operator.page("/admin/plans").await.1.contains("No plans yet."));
    let plan = open_plan(&ada, new_plan("A <house>")).await;
    let id = id_of(&plan);
    let (status, html) = operator.page("/admin/plans").await;
    assert_eq!(status, 200);
    for part in ["A &lt;house&gt;", "<td>Open</td>", "0/2", &format!("/admin/plans/{id}/target.png?v=1")] {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
    for (action, state) in [("hide", "<td>Closed, taken down</td>"), ("restore", "<td>Closed</td>")] {
        let reply = operator.submit(&format!("/admin/plans/{id}/{action}"), &[("reason", "because")]).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/admin/plans"));
        let (_, html) = operator.page("/admin/plans").await;
        assert!(html.contains(state), "{state} is missing in {html}");
        let image = operator.get(&format!("/admin/plans/{id}/target.png")).await;
        assert_eq!((image.status, image.header("content-type")), (200, "image/png"));
    }
    let refused = operator.submit(&format!("/admin/plans/{id}/close"), &[("reason", "because")]).await;
    assert_eq!(refused.status, 409);
    let refused = server.browser("192.0.2.78").get(&format!("/admin/plans/{id}/target.png")).await;
    assert_eq!(refused.status, 303, "only for operators");
    assert_eq!(audit_actions(&server, id).await, ["restore plan", "hide plan"]);
}
