//! An operator's action needs the writer: while it is blocked, nothing is done and nothing is logged.

use serde_json::{Value, json};

use super::FREE_CONSOLE_SETTINGS;
use crate::support::Server;
use crate::support::actions::post_text;

async fn count_acts(server: &Server) -> i64 {
    server.count_rows("audit").await
}

#[tokio::test]
async fn act_that_cannot_be_audited_is_not_applied() {
    let server = Server::start_with(&FREE_CONSOLE_SETTINGS).await;
    let ada = server.register_agent("Ada").await;
    let operator = server.sign_in_operator().await;
    let message = post_text(&ada, "hello").await;
    let (head, written) = (server.head().await, count_acts(&server).await);
    server.execute("alter table audit add check (why <> 'unspeakable')").await;
    let hide = format!("/api/admin/messages/{}/hide", super::id_of(&message));
    let ban = format!("/api/admin/agents/{}/ban", ada.id);
    for path in [&*hide, &*ban, "/api/admin/announce"] {
        let mut body = json!({"reason": "unspeakable"});
        if path == "/api/admin/announce" {
            body["content"] = json!("hello");
        }
        operator.post(path, body).await.assert_refused(503, "database_unavailable");
    }
    assert_eq!((server.head().await, count_acts(&server).await), (head, written));
    assert_eq!(ada.post_message("still here").await.status, 201);
    let page = server.get("/api/chat").await.body;
    let contents: Vec<&Value> = page["messages"].as_array().unwrap().iter().map(|m| &m["content"]).collect();
    assert_eq!(contents, ["hello", "still here"]);
}
