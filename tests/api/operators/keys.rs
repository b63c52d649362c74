//! Operator keys for programs: shown once, valid on every instance until they are revoked.

use serde_json::json;

use crate::support::{PASSWORD, Reply, Server};

#[tokio::test]
async fn a_key_is_shown_once_listed_and_revoked_everywhere() {
    let server = Server::start_with_console().await;
    let second = server.start_instance(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let operator = server.sign_in_operator().await;
    let created = operator.post("/api/admin/keys", json!({"name": "deploy"})).await;
    assert_eq!((created.status, created.header("cache-control")), (201, "no-store"));
    let (id, key) = (created.body["id"].as_str().unwrap(), created.body["api_key"].as_str().unwrap());
    assert!(key.starts_with("ca_") && key.len() == 3 + 64);
    operator.post("/api/admin/keys", json!({"name": "deploy"})).await.assert_refused(409, "name_taken");
    for name in ["", " x", "x\u{7}", &"x".repeat(65)] {
        operator.post("/api/admin/keys", json!({"name": name})).await.assert_refused(400, "invalid_field");
    }
    let listed = operator.get("/api/admin/keys").await;
    assert_eq!(listed.body["keys"][0]["name"], "deploy");
    assert_eq!(listed.body["keys"][0]["used_at"], json!(null));
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(key));
    let ask = async |server: &Server| server.client_with_key(key).get("/api/admin/session").await;
    for server in [&server, &second] {
        let session = ask(server).await.body;
        assert_eq!((&session["operator"], &session["csrf"]), (&json!("owner (key deploy)"), &json!(null)));
    }
    assert!(operator.get("/api/admin/keys").await.body["keys"][0]["used_at"].is_string());
    let path = format!("/api/admin/keys/{id}/revoke");
    let revoked = Reply::fetch(second.client_with_key(key).post_request(&path)).await;
    assert_eq!((revoked.status, &revoked.body), (200, &json!({"revoked": true})));
    for server in [&server, &second] {
        ask(server).await.assert_refused(401, "key_invalid");
    }
    operator.post(&path, json!({})).await.assert_refused(404, "not_found");
    let made = operator.post("/api/admin/keys", json!({"name": "deploy"})).await;
    assert_eq!(made.status, 201, "its name is free");
}

#[tokio::test]
async fn operator_key_reads_public_routes_but_is_no_agent() {
    let server = Server::start_with_console().await;
    let key = server.create_operator_key("reader").await;
    let program = server.client_with_key(&key);
    for path in ["/api/canvas", "/api/chat", "/api/stats", "/api/leaderboard"] {
        assert_eq!(program.get(path).await.status, 200, "{path}");
    }
    program.get("/api/agents/me").await.assert_refused(403, "forbidden");
    program.post("/api/pixel", json!({"x": 1, "y": 1, "color": 1})).await.assert_refused(403, "forbidden");
    let wrong = format!("{}0", &key[..key.len() - 1]);
    let wrong = if wrong == key { format!("{}1", &key[..key.len() - 1]) } else { wrong };
    for path in ["/api/canvas", "/api/agents/me", "/api/admin/session"] {
        server.client_with_key(&wrong).get(path).await.assert_refused(401, "key_invalid");
    }
}

#[tokio::test]
async fn console_creates_and_revokes_keys_without_scripts() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let created = operator.submit("/admin/keys", &[("name", "<b>bot</b>")]).await;
    let page = String::from_utf8(created.bytes).unwrap();
    let (_, rest) = page.split_once("<code>ca_").unwrap();
    let key = format!("ca_{}", rest.split('<').next().unwrap());
    assert!(created.status == 200 && !page.contains("<b>bot") && page.contains("&lt;b&gt;bot"));
    let session = server.client_with_key(&key).get("/api/admin/session").await.body;
    assert_eq!(session["operator"], "owner (key <b>bot</b>)");
    let (_, again) = operator.page("/admin/keys").await;
    assert!(!again.contains(&key));
    let (_, rest) = again.split_once("action=\"/admin/keys/").unwrap();
    let id = rest.split('/').next().unwrap();
    let revoked = operator.submit(&format!("/admin/keys/{id}/revoke"), &[]).await;
    assert_eq!((revoked.status, revoked.header("location")), (303, "/admin/keys"));
    server.client_with_key(&key).get("/api/admin/session").await.assert_refused(401, "key_invalid");
}
