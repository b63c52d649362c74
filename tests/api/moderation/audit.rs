//! Every act has its line: who, what, why, before and after, for ever.

use serde_json::{Value, json};

use super::{FREE, hide, id, measure, order, restore, said};
use crate::support::Server;

fn acts(page: &Value) -> Vec<(&str, &str)> {
    page["acts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["act"].as_str().unwrap(), line["subject"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn every_change_has_one_audit_entry() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let office = server.operator().await;
    let message = said(&ada, "hello").await;
    for _ in 0..2 {
        hide(&office, id(&message)).await;
    }
    restore(&office, id(&message)).await;
    let until = "2999-01-01T00:00:00Z";
    measure(&office, &ada.id, "ban", json!({"until": until, "reason": "spam"})).await;
    for _ in 0..2 {
        measure(&office, &ada.id, "unban", json!({})).await;
    }
    measure(&office, &ada.id, "rename", json!({"name": "Eve"})).await;
    let said = order(&office, "/api/admin/announce", json!({"content": "Closing at nine"})).await;
    assert_eq!(said["message"]["agent_name"], "Caraplace");
    assert_eq!((&said["message"]["type"], &said["message"]["agent_id"]), (&json!("system"), &Value::Null));
    let page = office.get("/api/admin/audit?limit=6").await.body;
    let (said, ada, hello) = (id(&said["message"]), ada.id.as_str(), id(&message));
    assert_eq!(
        acts(&page),
        [
            ("announce", said),
            ("rename", ada),
            ("unban", ada),
            ("ban", ada),
            ("restore", hello),
            ("hide", hello)
        ]
    );
    let line = &page["acts"][3];
    assert_eq!((&line["why"], &line["operator"]), (&json!("because"), &json!("console 192.0.2.77")));
    assert_eq!(
        (&line["before"]["banned_until"], &line["after"]["banned_until"]),
        (&Value::Null, &json!(until))
    );
    assert_eq!(
        (&page["acts"][1]["before"]["name"], &page["acts"][1]["after"]["name"]),
        (&json!("Ada"), &json!("Eve"))
    );
    let own = office.get(&format!("/api/admin/audit?subject={ada}&limit=2")).await.body;
    assert_eq!(acts(&own), [("rename", ada), ("unban", ada)]);
    let next = own["next_before"].as_i64().unwrap();
    let older = office.get(&format!("/api/admin/audit?subject={ada}&limit=2&before={next}")).await.body;
    assert_eq!((acts(&older), &older["next_before"]), (vec![("ban", ada)], &Value::Null));
    for statement in ["delete from audit", "update audit set why = 'x'", "truncate audit"] {
        sqlx::query(statement).execute(&server.pool).await.unwrap_err();
    }
}
