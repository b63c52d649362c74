//! Keys of operators have some of the scopes of their operator, and lose what the operator loses.

use serde_json::{Value, json};

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{OperatorBrowser, Reply, Server};

/// Returns the id of the operator with this name.
async fn operator_id(owner: &OperatorBrowser<'_>, name: &str) -> String {
    let list = owner.get("/api/admin/operators").await.assert_status(200);
    let found = list["operators"].as_array().unwrap().iter().find(|operator| operator["name"] == name);
    found.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn create_key(browser: &OperatorBrowser<'_>, name: &str, scopes: Value) -> Reply {
    browser.post("/api/admin/keys", json!({"name": name, "scopes": scopes})).await
}

#[tokio::test]
async fn a_key_has_no_scope_that_its_maker_lacks() {
    let server = Server::start_with_console().await;
    let moderator = server.invite_operator("moderator", "Grace").await;
    let refused = create_key(&moderator, "all", json!(["read", "manage"])).await;
    refused.assert_refused(403, "scope_missing");
    assert_eq!(refused.body["scope"], "manage");
    for wrong in [json!([]), json!(["read", "read"]), json!(["paint"]), json!("read")] {
        create_key(&moderator, "wrong", wrong).await.assert_refused(400, "invalid_field");
    }
    let made = moderator.post("/api/admin/keys", json!({"name": "usual"})).await.assert_status(201);
    assert_eq!(made["scopes"], json!(["read", "moderate"]), "all of its maker by default");
    let owner = server.sign_in_operator().await;
    let made = create_key(&owner, "maker", json!(["own", "read"])).await.assert_status(201);
    let program = server.client_with_key(made["api_key"].as_str().unwrap());
    let refused = program.post("/api/admin/keys", json!({"name": "more", "scopes": ["manage"]})).await;
    refused.assert_refused(403, "scope_missing");
    let less = program.post("/api/admin/keys", json!({"name": "less", "scopes": ["read"]})).await;
    less.assert_status(201);
}

#[tokio::test]
async fn a_key_gives_no_role_with_a_scope_that_it_lacks() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    server.invite_operator("read_only", "Grace").await;
    let made = create_key(&owner, "inviter", json!(["read", "moderate", "own"])).await.assert_status(201);
    let program = server.client_with_key(made["api_key"].as_str().unwrap());
    let role = format!("/api/admin/operators/{}/role", operator_id(&owner, "Grace").await);
    for path in ["/api/admin/operators/invitations", &role] {
        for too_much in ["operator", "owner"] {
            let refused = program.post(path, json!({"role": too_much})).await;
            refused.assert_refused(403, "scope_missing");
            assert_eq!(refused.body["scope"], "manage", "{path}");
        }
        let done = program.post(path, json!({"role": "moderator"})).await;
        assert!([200, 201].contains(&done.status), "{path}: {}", done.body);
    }
}

#[tokio::test]
async fn a_key_loses_what_its_operator_loses() {
    let server = Server::start_with_console().await;
    let second = server.start_instance(&CONSOLE_SETTINGS).await;
    let owner = server.sign_in_operator().await;
    let operator = server.invite_operator("operator", "Ada").await;
    let made = create_key(&operator, "robot", json!(["read", "manage"])).await.assert_status(201);
    let program = second.client_with_key(made["api_key"].as_str().unwrap());
    let session = program.get("/api/admin/session").await.assert_status(200);
    assert_eq!(session["operator"], "Ada (key robot)");
    assert_eq!((&session["role"], &session["scopes"]), (&json!("operator"), &json!(["read", "manage"])));
    let change = json!({"name": "max_charges", "value": 20, "reason": "try"});
    program.post("/api/admin/settings", change.clone()).await.assert_status(200);
    let path = format!("/api/admin/operators/{}", operator_id(&owner, "Ada").await);
    owner.post(&format!("{path}/role"), json!({"role": "moderator"})).await.assert_status(200);
    let refused = program.post("/api/admin/settings", change).await;
    refused.assert_refused(403, "scope_missing");
    assert!(refused.body["detail"].as_str().unwrap().contains("key"), "{}", refused.body);
    assert_eq!(program.get("/api/admin/session").await.body["scopes"], json!(["read"]));
    owner.post(&format!("{path}/disable"), json!({})).await.assert_status(200);
    program.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    owner.post(&format!("{path}/enable"), json!({})).await.assert_status(200);
    program.get("/api/admin/session").await.assert_status(200);
}

#[tokio::test]
async fn operators_see_and_revoke_their_own_keys_only() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    let (ada, grace) =
        (server.invite_operator("operator", "Ada").await, server.invite_operator("moderator", "Grace").await);
    let of_ada = create_key(&ada, "of ada", json!(["read"])).await.assert_status(201);
    create_key(&grace, "of grace", json!(["read"])).await.assert_status(201);
    let names = async |browser: &OperatorBrowser<'_>| {
        let list = browser.get("/api/admin/keys").await.assert_status(200);
        let keys = list["keys"].as_array().unwrap().iter();
        keys.map(|key| format!("{} {}", key["operator"], key["name"])).collect::<Vec<_>>()
    };
    assert_eq!(names(&grace).await, [r#""Grace" "of grace""#]);
    assert_eq!(names(&owner).await, [r#""Grace" "of grace""#, r#""Ada" "of ada""#]);
    let path = format!("/api/admin/keys/{}/revoke", of_ada["id"].as_str().unwrap());
    grace.post(&path, json!({})).await.assert_refused(404, "not_found");
    ada.post(&path, json!({})).await.assert_status(200);
}

#[tokio::test]
async fn the_console_offers_the_least_scope() {
    let server = Server::start_with_console().await;
    let moderator = server.invite_operator("moderator", "Grace").await;
    let (_, page) = moderator.page("/admin/keys").await;
    assert!(page.contains(r#"name="scopes" value="read" checked"#), "{page}");
    assert!(page.contains(r#"value="moderate">"#) && !page.contains(r#"value="manage""#), "{page}");
    let fields = [("name", "both"), ("scopes", "read"), ("scopes", "moderate")];
    assert_eq!(moderator.submit("/admin/keys", &fields).await.status, 200);
    assert_eq!(moderator.submit("/admin/keys", &[("name", "least")]).await.status, 200);
    let list = moderator.get("/api/admin/keys").await.body;
    assert_eq!(list["keys"][0]["scopes"], json!(["read"]));
    assert_eq!(list["keys"][1]["scopes"], json!(["read", "moderate"]));
}
