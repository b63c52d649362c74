//! `/api/reports/{id}`: reporters ask after their reports.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use super::reports::{close_case, first_case, report_anonymously, report_as, report_path};
use crate::support::actions::post_text;
use crate::support::values::id_of;
use crate::support::{Agent, Server};

/// Files a report and returns the path at which it can be asked after.
async fn file_report(reporter: &Agent<'_>, path: &str, body: Value) -> String {
    let reply = reporter.post(path, body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    let id = reply.body["report"]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("report_"), "{id}");
    let expected = json!({"success": true, "report": {"id": id, "state": "open"}});
    assert_eq!(reply.body_without_attention(), expected);
    format!("/api/reports/{id}")
}

async fn ask(reporter: &Agent<'_>, path: &str) -> Value {
    let reply = reporter.get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.header("cache-control").contains("no-store"));
    reply.body["report"].clone()
}

#[tokio::test]
async fn reporters_learn_what_came_of_their_reports() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    let operator = server.sign_in_operator().await;
    for outcome in ["upheld", "rejected"] {
        let message = post_text(&ada, outcome).await;
        let path = file_report(&bob, &report_path(&message), json!({"reason": "rude"})).await;
        let open = ask(&bob, &path).await;
        let expected = json!({
            "id": path.rsplit('/').next(), "message_id": message["id"], "state": "open", "reason": "rude",
            "created_at": open["created_at"],
        });
        assert_eq!(open, expected);
        assert!(open["created_at"].is_string());
        server.advance_clock(60);
        close_case(&operator, &first_case(&operator, "open").await, outcome).await;
        operator.apply_sanction(&ada, "mute").await;
        let decided = ask(&bob, &path).await;
        assert_eq!(decided["state"], outcome);
        assert!(decided["decided_at"].as_str() > open["created_at"].as_str(), "{decided}");
        let mut undecided = decided.clone();
        undecided["state"] = json!("open");
        undecided.as_object_mut().unwrap().remove("decided_at");
        assert_eq!(undecided, open, "neither the operator's reason nor the sanction is told");
        operator.apply_sanction(&ada, "unmute").await;
    }
}

#[tokio::test]
async fn reports_of_names_and_regions_can_be_asked_after() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (ada, bob) = (server.register_agent("Ada").await, server.register_agent("Bob").await);
    assert_eq!(ada.paint(1, 2, 5).await.status, 201);
    let name = format!("/api/agents/{}/report", ada.id);
    let path = file_report(&bob, &name, json!({"reason": "its name"})).await;
    let report = ask(&bob, &path).await;
    assert_eq!((&report["agent_id"], &report["reason"]), (&json!(ada.id), &json!("its name")));
    let region = json!({"x1": 1, "y1": 2, "x2": 3, "y2": 4});
    let mut body = region.clone();
    body["reason"] = json!("its picture");
    let report = ask(&bob, &file_report(&bob, "/api/canvas/report", body).await).await;
    assert_eq!((&report["region"], report.get("message_id"), report.get("agent_id")), (&region, None, None));
}

#[tokio::test]
async fn a_region_can_be_reported_again_after_the_decision() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob] = server.register_agents(["Ada", "Bob"]).await;
    let operator = server.sign_in_operator().await;
    assert_eq!(ada.paint(1, 2, 5).await.status, 201);
    let region = json!({"x1": 1, "y1": 2, "x2": 3, "y2": 4, "reason": "painted over"});
    let first = file_report(&bob, "/api/canvas/report", region.clone()).await;
    for outcome in ["upheld", "rejected"] {
        let early = bob.post("/api/canvas/report", region.clone()).await;
        early.assert_refused(409, "already_reported");
        close_case(&operator, &first_case(&operator, "open").await, outcome).await;
        let next = file_report(&bob, "/api/canvas/report", region.clone()).await;
        assert_eq!((next != first, &ask(&bob, &next).await["state"]), (true, &json!("open")));
    }
    assert_eq!(ask(&bob, &first).await["state"], "upheld");
    // A decision closes its case as well.
    let case = first_case(&operator, "open").await;
    operator.post_with_reason(&format!("/api/admin/cases/{}/decide", id_of(&case))).await;
    file_report(&bob, "/api/canvas/report", region).await;
}

#[tokio::test]
async fn a_report_is_shown_to_its_reporters_only() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let [ada, bob, cyd, dee] = server.register_agents(["Ada", "Bob", "Cyd", "Dee"]).await;
    let message = post_text(&ada, "hello").await;
    let path = file_report(&bob, &report_path(&message), json!({"reason": "rude"})).await;
    let same_case = file_report(&cyd, &report_path(&message), json!({"reason": "a lie"})).await;
    assert_eq!(same_case, path, "both reports belong to one case");
    assert_eq!(ask(&bob, &path).await["reason"], "rude");
    assert_eq!(ask(&cyd, &path).await["reason"], "a lie");
    for other in [&ada, &dee] {
        other.get(&path).await.assert_refused(404, "not_found");
    }
    server.get(&path).await.assert_refused(401, "key_missing");
    bob.get("/api/reports/report_x").await.assert_refused(404, "not_found");
    // A visitor without a key is told the id, but cannot prove that the report is its own.
    let reply = report_anonymously(&server, &report_path(&message), "203.0.113.9").await;
    assert_eq!(format!("/api/reports/{}", reply.body["report"]["id"].as_str().unwrap()), path);
    report_as(&bob, &report_path(&message)).await.assert_refused(409, "already_reported");
    server.client_with_key("cp_wrong").get(&path).await.assert_refused(401, "key_invalid");
}
