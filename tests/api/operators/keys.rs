//! Keys of programs: shown once, good on every instance until they are revoked.

use serde_json::json;

use crate::support::{PASSWORD, Reply, Server};

#[tokio::test]
async fn a_key_is_shown_once_listed_and_revoked_everywhere() {
    let server = Server::open().await;
    let second = server.second(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let office = server.operator().await;
    let made = office.post("/api/admin/keys", json!({"name": "deploy"})).await;
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"));
    let (id, key) = (made.body["id"].as_str().unwrap(), made.body["api_key"].as_str().unwrap());
    assert!(key.starts_with("ca_") && key.len() == 3 + 64);
    office.post("/api/admin/keys", json!({"name": "deploy"})).await.assert_refused(409, "name_taken");
    for name in ["", " x", "x\u{7}", &"x".repeat(65)] {
        office.post("/api/admin/keys", json!({"name": name})).await.assert_refused(400, "invalid_field");
    }
    let listed = office.get("/api/admin/keys").await;
    assert_eq!(listed.body["keys"][0]["name"], "deploy");
    assert_eq!(listed.body["keys"][0]["used_at"], json!(null));
    assert!(!String::from_utf8_lossy(&listed.bytes).contains(key));
    let ask =
        async |server: &Server| Reply::of(server.get_request("/api/admin/session").bearer_auth(key)).await;
    for server in [&server, &second] {
        let session = ask(server).await.body;
        assert_eq!((&session["operator"], &session["csrf"]), (&json!("key deploy"), &json!(null)));
    }
    assert!(office.get("/api/admin/keys").await.body["keys"][0]["used_at"].is_string());
    let path = format!("/api/admin/keys/{id}/revoke");
    let revoked = Reply::of(second.post_request(&path).bearer_auth(key)).await;
    assert_eq!((revoked.status, &revoked.body), (200, &json!({"revoked": true})));
    for server in [&server, &second] {
        ask(server).await.assert_refused(401, "key_invalid");
    }
    office.post(&path, json!({})).await.assert_refused(404, "not_found");
    assert_eq!(
        office.post("/api/admin/keys", json!({"name": "deploy"})).await.status,
        201,
        "its name is free"
    );
}

#[tokio::test]
async fn operator_key_reads_public_routes_but_is_no_agent() {
    let server = Server::open().await;
    let key = server.operator_key("reader").await;
    for path in ["/api/canvas", "/api/chat", "/api/stats", "/api/leaderboard"] {
        assert_eq!(Reply::of(server.get_request(path).bearer_auth(&key)).await.status, 200, "{path}");
    }
    Reply::of(server.get_request("/api/agents/me").bearer_auth(&key)).await.assert_refused(403, "forbidden");
    let pixel = server.post_request("/api/pixel").json(&json!({"x": 1, "y": 1, "color": 1}));
    Reply::of(pixel.bearer_auth(&key)).await.assert_refused(403, "forbidden");
    let wrong = format!("{}0", &key[..key.len() - 1]);
    let wrong = if wrong == key { format!("{}1", &key[..key.len() - 1]) } else { wrong };
    for path in ["/api/canvas", "/api/agents/me", "/api/admin/session"] {
        Reply::of(server.get_request(path).bearer_auth(&wrong)).await.assert_refused(401, "key_invalid");
    }
}

#[tokio::test]
async fn console_creates_and_revokes_keys_without_scripts() {
    let server = Server::open().await;
    let office = server.operator().await;
    let made = office.submit("/admin/keys", &[("name", "<b>bot</b>")]).await;
    let page = String::from_utf8(made.bytes).unwrap();
    let (_, rest) = page.split_once("<code>ca_").unwrap();
    let key = format!("ca_{}", rest.split('<').next().unwrap());
    assert!(made.status == 200 && !page.contains("<b>bot") && page.contains("&lt;b&gt;bot"));
    let session = Reply::of(server.get_request("/api/admin/session").bearer_auth(&key)).await;
    assert_eq!(session.body["operator"], "key <b>bot</b>");
    let (_, again) = office.page("/admin/keys").await;
    assert!(!again.contains(&key));
    let (_, rest) = again.split_once("action=\"/admin/keys/").unwrap();
    let id = rest.split('/').next().unwrap();
    let revoked = office.submit(&format!("/admin/keys/{id}/revoke"), &[]).await;
    assert_eq!((revoked.status, revoked.header("location")), (303, "/admin/keys"));
    Reply::of(server.get_request("/api/admin/session").bearer_auth(&key))
        .await
        .assert_refused(401, "key_invalid");
}
