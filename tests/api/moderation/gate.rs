//! What an operator does goes through the gate: when it is closed, nothing is done and nothing is written down.

use serde_json::{Value, json};

use super::{FREE, said};
use crate::support::Server;

async fn acts(server: &Server) -> i64 {
    sqlx::query_scalar("select count(*) from audit").fetch_one(&server.pool).await.unwrap()
}

#[tokio::test]
async fn act_that_cannot_be_audited_is_not_applied() {
    let server = Server::with(&FREE).await;
    let ada = server.agent("Ada").await;
    let office = server.operator().await;
    let message = said(&ada, "hello").await;
    let (head, written) = (server.head().await, acts(&server).await);
    sqlx::query("alter table audit add check (why <> 'unspeakable')").execute(&server.pool).await.unwrap();
    let hide = format!("/api/admin/messages/{}/hide", super::id(&message));
    let ban = format!("/api/admin/agents/{}/ban", ada.id);
    for path in [&*hide, &*ban, "/api/admin/announce"] {
        let mut body = json!({"why": "unspeakable"});
        if path == "/api/admin/announce" {
            body["content"] = json!("hello");
        }
        office.post(path, body).await.assert_refused(503, "database_unavailable");
    }
    assert_eq!((server.head().await, acts(&server).await), (head, written));
    assert_eq!(ada.say("still here").await.status, 201);
    let page = server.get("/api/chat").await.body;
    let told: Vec<&Value> = page["messages"].as_array().unwrap().iter().map(|m| &m["content"]).collect();
    assert_eq!(told, ["hello", "still here"]);
}
