//! The audit log has a permanent line for every action: operator, action, reason, before and after.

use serde_json::{Value, json};

use super::{
    FREE_SETTINGS, apply_sanction, hide_message, message_id, post_admin, post_message, restore_message,
};
use crate::support::Server;

fn acts_and_subjects(page: &Value) -> Vec<(&str, &str)> {
    page["acts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["act"].as_str().unwrap(), line["subject"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn every_change_has_one_audit_entry() {
    let server = Server::start_with(&FREE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_message(&ada, "hello").await;
    for _ in 0..2 {
        hide_message(&operator, message_id(&message)).await;
    }
    restore_message(&operator, message_id(&message)).await;
    let until = "2999-01-01T00:00:00Z";
    apply_sanction(&operator, &ada.id, "ban", json!({"until": until, "reason": "spam"})).await;
    for _ in 0..2 {
        apply_sanction(&operator, &ada.id, "unban", json!({})).await;
    }
    apply_sanction(&operator, &ada.id, "rename", json!({"name": "Eve"})).await;
    let announced = post_admin(&operator, "/api/admin/announce", json!({"content": "Closing at nine"})).await;
    assert_eq!(announced["message"]["agent_name"], "Caraplace");
    assert_eq!(
        (&announced["message"]["type"], &announced["message"]["agent_id"]),
        (&json!("system"), &Value::Null)
    );
    let page = operator.get("/api/admin/audit?limit=6").await.body;
    let (announcement_id, ada, hello) =
        (message_id(&announced["message"]), ada.id.as_str(), message_id(&message));
    assert_eq!(
        acts_and_subjects(&page),
        [
            ("announce", announcement_id),
            ("rename", ada),
            ("unban", ada),
            ("ban", ada),
            ("restore", hello),
            ("hide", hello)
        ]
    );
    let line = &page["acts"][3];
    assert_eq!((&line["reason"], &line["operator"]), (&json!("because"), &json!("console 192.0.2.77")));
    assert_eq!(
        (&line["before"]["banned_until"], &line["after"]["banned_until"]),
        (&Value::Null, &json!(until))
    );
    assert_eq!(
        (&page["acts"][1]["before"]["name"], &page["acts"][1]["after"]["name"]),
        (&json!("Ada"), &json!("Eve"))
    );
    let own = operator.get(&format!("/api/admin/audit?subject={ada}&limit=2")).await.body;
    assert_eq!(acts_and_subjects(&own), [("rename", ada), ("unban", ada)]);
    let next = own["next_before"].as_i64().unwrap();
    let older = operator.get(&format!("/api/admin/audit?subject={ada}&limit=2&before={next}")).await.body;
    assert_eq!((acts_and_subjects(&older), &older["next_before"]), (vec![("ban", ada)], &Value::Null));
    for statement in ["delete from audit", "update audit set why = 'x'", "truncate audit"] {
        sqlx::query(statement).execute(&server.pool).await.unwrap_err();
    }
}
