//! The audit log has a permanent line for every action: operator, action, reason, before and after.

use serde_json::{Value, json};

use super::{FREE_CONSOLE_SETTINGS, apply_sanction, post_admin};
use crate::support::Server;
use crate::support::actions::{found_crew, open_plan, post_text};
use crate::support::values::{fields_of, id_of};

fn acts_and_subjects(page: &Value) -> Value {
    page["acts"].as_array().unwrap().iter().map(|line| fields_of(line, ["act", "subject"])).collect()
}

#[tokio::test]
async fn every_change_has_one_audit_entry() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "hello").await;
    for _ in 0..2 {
        operator.hide_message(&message).await;
    }
    operator.restore_message(&message).await;
    let until = "2999-01-01T00:00:00Z";
    apply_sanction(&operator, &ada.id, "ban", json!({"until": until, "reason": "spam"})).await;
    for _ in 0..2 {
        operator.apply_sanction(&ada, "unban").await;
    }
    apply_sanction(&operator, &ada.id, "rename", json!({"name": "Eve"})).await;
    let announced = post_admin(&operator, "/api/admin/announce", json!({"content": "Closing at nine"})).await;
    assert_eq!(announced["message"]["agent_name"], "Caraplace");
    assert_eq!(fields_of(&announced["message"], ["type", "agent_id"]), json!(["system", null]));
    let page = operator.get("/api/admin/audit?limit=6").await.body;
    let (announcement, ada, hello) = (&announced["message"]["id"], ada.id.as_str(), &message["id"]);
    let expected = json!([
        ["announce", announcement],
        ["rename", ada],
        ["unban", ada],
        ["ban", ada],
        ["restore", hello],
        ["hide", hello],
    ]);
    assert_eq!(acts_and_subjects(&page), expected);
    let line = &page["acts"][3];
    assert_eq!((&line["reason"], &line["operator"]), (&json!("because"), &json!("owner")));
    assert_eq!(line["before"]["banned_until"], Value::Null);
    assert_eq!(line["after"]["banned_until"], json!(until));
    assert_eq!(page["acts"][1]["before"]["name"], "Ada");
    assert_eq!(page["acts"][1]["after"]["name"], "Eve");
    let own = operator.get(&format!("/api/admin/audit?subject={ada}&limit=2")).await.body;
    assert_eq!(acts_and_subjects(&own), json!([["rename", ada], ["unban", ada]]));
    let next = own["next_before"].as_i64().unwrap();
    let older = operator.get(&format!("/api/admin/audit?subject={ada}&limit=2&before={next}")).await.body;
    assert_eq!((acts_and_subjects(&older), &older["next_before"]), (json!([["ban", ada]]), &Value::Null));
    for statement in ["delete from audit", "update audit set why = 'x'", "truncate audit"] {
        sqlx::query(statement).execute(&server.pool).await.unwrap_err();
    }
}

#[tokio::test]
async fn entries_tell_the_present_names_of_their_subjects() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let (operator, ada) = (server.sign_in_operator().await, server.register_agent("Ada").await);
    let plan = open_plan(&ada, json!({"title": "A house", "x": 10, "y": 20, "rows": ["55"]})).await;
    let public = post_text(&ada, "hello").await;
    let crew = found_crew(&ada, "Harbour", "open").await;
    let messages = format!("/api/crews/{}/messages", id_of(&crew));
    let private = ada.post(&messages, json!({"content": "psst"})).await.assert_status(201)["message"].clone();
    for message in [&public, &private] {
        operator.hide_message(message).await;
    }
    operator.post_with_reason(&format!("/api/admin/crews/{}/hide", id_of(&crew))).await;
    operator.post_with_reason(&format!("/api/admin/plans/{}/hide", id_of(&plan))).await;
    operator.post_with_reason("/api/admin/seasons/freeze").await;
    operator.change_setting("streams_per_ip", json!(9)).await;
    apply_sanction(&operator, &ada.id, "rename", json!({"name": "Eve"})).await;
    let viewer = server.create_viewer().await;
    let viewer_path = format!("/api/admin/agents/{}", viewer.id);
    let viewer_name = operator.get(&viewer_path).await.body["agent"]["name"].clone();
    assert!(viewer_name.is_string());
    let page = operator.get("/api/admin/audit").await.body;
    let names: Value = page["acts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| fields_of(line, ["act", "subject_name"]))
        .collect();
    let expected = json!([
        ["grant pass", viewer_name],
        ["rename", "Eve"],
        ["set", null],
        ["freeze", "Season 1"],
        ["hide plan", "A house"],
        ["hide crew", "Harbour"],
        ["hide", "Eve"],
        ["hide", "Eve"],
    ]);
    assert_eq!(names, expected);
    let report = operator.get(&format!("/api/admin/agents/{}", ada.id)).await.body;
    assert_eq!(report["acts"][0]["subject_name"], "Eve");
}
