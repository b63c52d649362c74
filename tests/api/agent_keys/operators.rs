//! Operators list and revoke the extra keys of an agent: in the console and on the command line.

use serde_json::{Value, json};

use super::make_key;
use crate::support::{Server, admin};

#[tokio::test]
async fn the_console_lists_and_revokes_keys() {
    let server = Server::start_with_console().await;
    let ada = server.register_agent("Ada").await;
    let made = make_key(&ada, &["read", "paint"]).await;
    let id = made.body["key"]["id"].as_str().unwrap();
    let reader = ada.with_key(made.body["api_key"].as_str().unwrap());
    let operator = server.sign_in_operator().await;
    let path = format!("/admin/agents/{}", ada.id);
    let (_, page) = operator.page(&path).await;
    assert!(page.contains("Extra keys") && page.contains(id) && page.contains("read, paint"), "{page}");
    assert!(!page.contains(&reader.key));
    assert_eq!(operator.get(&format!("/api/admin/agents/{}", ada.id)).await.body["extra_keys"][0]["id"], id);
    let revoke = format!("{path}/revoke-key");
    operator.submit(&revoke, &[("key", id)]).await.assert_refused(400, "missing_field");
    assert_eq!(reader.get("/api/agents/me").await.status, 200);
    assert_eq!(operator.submit(&revoke, &[("key", id), ("reason", "leaked")]).await.status, 303);
    reader.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    operator.submit(&revoke, &[("key", id), ("reason", "leaked")]).await.assert_refused(404, "not_found");
    let (_, page) = operator.page(&path).await;
    assert!(!page.contains("Extra keys") && page.contains("revoke key") && page.contains("leaked"), "{page}");
}

#[tokio::test]
async fn the_command_line_lists_and_revokes_keys() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let made = make_key(&ada, &["read", "paint"]).await;
    let id = made.body["key"]["id"].as_str().unwrap();
    let reader = ada.with_key(made.body["api_key"].as_str().unwrap());
    assert_eq!(reader.get("/api/agents/me").await.status, 200);
    let list = ["--json", "key", "list", "--agent", &ada.id];
    let listed = async || serde_json::from_str::<Value>(&admin(&server, &list, "").await.unwrap()).unwrap();
    assert_eq!(listed().await["keys"][0]["id"], id);
    assert!(admin(&server, &list[1..], "").await.unwrap().contains("read,paint"));
    let revoke = ["key", "revoke", id, "--agent", &ada.id];
    assert_eq!(admin(&server, &revoke, "").await.unwrap(), format!("{id} is revoked.\n"));
    server.running().state.log.refresh().await.unwrap();
    reader.get("/api/agents/me").await.assert_refused(401, "key_invalid");
    let (code, error) = admin(&server, &revoke, "").await.unwrap_err();
    assert!(code == 1 && error.contains("no extra key"), "{error}");
    assert_eq!(listed().await["keys"], json!([]));
}
