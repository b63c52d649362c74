//! Changes of operators, by owners and on the command line.

use serde_json::{Value, json};

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{INVITED_PASSWORD, OperatorBrowser, PASSWORD, Server, admin};

/// Returns the path of an operator's changes.
async fn path_of(owner: &OperatorBrowser<'_>, name: &str) -> String {
    let list = owner.get("/api/admin/operators").await.assert_status(200);
    let found = list["operators"].as_array().unwrap().iter().find(|operator| operator["name"] == name);
    format!("/api/admin/operators/{}", found.unwrap()["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_new_role_and_an_end_count_at_once_on_every_instance() {
    let server = Server::start_with_console().await;
    let second = server.start_instance(&CONSOLE_SETTINGS).await;
    let owner = server.sign_in_operator().await;
    let grace = server.invite_operator("moderator", "Grace").await;
    let mut there = second.browser("192.0.2.1");
    there.cookies.clone_from(&grace.cookies);
    let role =
        async |browser: &OperatorBrowser<'_>| browser.get("/api/admin/session").await.body["role"].clone();
    assert_eq!(role(&there).await, "moderator");
    let path = path_of(&owner, "Grace").await;
    let changed = owner.post(&format!("{path}/role"), json!({"role": "operator"})).await.assert_status(200);
    assert_eq!((&changed["name"], &changed["role"]), (&json!("Grace"), &json!("operator")));
    assert_eq!(role(&there).await, "operator");
    owner.post(&format!("{path}/role"), json!({"role": "king"})).await.assert_refused(400, "invalid_field");
    let disabled = owner.post(&format!("{path}/disable"), json!({})).await.assert_status(200);
    assert!(disabled["disabled_at"].is_string(), "{disabled}");
    there.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    let fields = [("name", "Grace"), ("password", INVITED_PASSWORD)];
    server.browser("192.0.2.2").sign_in_with(&fields).await.assert_refused(401, "key_invalid");
    owner.post(&format!("{path}/enable"), json!({})).await.assert_status(200);
    there.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    assert_eq!(server.browser("192.0.2.3").sign_in_with(&fields).await.status, 303);
    let acts = owner.get("/api/admin/audit").await.body;
    let newest: Vec<&Value> = acts["acts"].as_array().unwrap()[..3].iter().map(|act| &act["act"]).collect();
    assert_eq!(newest, ["enable operator", "disable operator", "change role"]);
    let change = &acts["acts"][2];
    let expected =
        (json!({"name": "Grace", "role": "moderator"}), json!({"name": "Grace", "role": "operator"}));
    assert_eq!((&change["before"], &change["after"]), (&expected.0, &expected.1));
}

#[tokio::test]
async fn the_first_owner_stays() {
    let server = Server::start_with_console().await;
    let other = server.invite_operator("owner", "Ada").await;
    let path = path_of(&other, "owner").await;
    for action in ["role", "disable", "enable"] {
        let refused = other.post(&format!("{path}/{action}"), json!({"role": "moderator"})).await;
        refused.assert_refused(409, "first_owner");
    }
    let unknown = format!("/api/admin/operators/operator_{}/role", "1".repeat(32));
    other.post(&unknown, json!({"role": "owner"})).await.assert_refused(404, "not_found");
    assert_eq!(server.browser("192.0.2.1").sign_in(PASSWORD).await.status, 303);
}

#[tokio::test]
async fn the_console_changes_operators_by_forms() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    server.invite_operator("moderator", "Grace").await;
    let path = path_of(&owner, "Grace").await;
    let path = path.strip_prefix("/api").unwrap();
    let role = owner.submit(&format!("{path}/role"), &[("role", "read_only")]).await;
    assert_eq!((role.status, role.header("location")), (303, "/admin/operators"));
    owner.submit(&format!("{path}/disable"), &[]).await;
    let (_, page) = owner.page("/admin/operators").await;
    assert!(page.contains(r#"<option value="read_only" selected>"#), "{page}");
    assert!(page.contains("read only, disabled") && page.contains("Enable"), "{page}");
    owner.submit(&format!("{path}/burn"), &[]).await.assert_refused(404, "not_found");
    let made = owner.submit("/admin/operators/invitations", &[("role", "owner"), ("name", "Ada")]).await;
    assert!(made.status == 200 && made.text().contains("/admin/invitation/cpi_"), "{}", made.text());
    let (_, page) = owner.page("/admin/operators").await;
    assert!(page.contains("Ada") && !page.contains("cpi_"), "{page}");
}

#[tokio::test]
async fn the_command_line_helps_after_a_lock_out() {
    let server = Server::start_with_console().await;
    let output = admin(&server, &["operator", "invite", "owner"], "").await.unwrap();
    let link = output.lines().next().unwrap();
    let mut ada = server.browser("192.0.2.1");
    assert_eq!(ada.accept(&link[link.find("/admin/").unwrap()..], "Ada").await.status, 303);
    let listed = admin(&server, &["operator", "list"], "").await.unwrap();
    assert!(listed.contains("Ada") && listed.contains("owner"), "{listed}");
    ada.load_csrf_token().await;
    let made = ada.post("/api/admin/keys", json!({"name": "deploy"})).await.assert_status(201);
    let (key, other) = (made["api_key"].as_str().unwrap(), server.create_operator_key("other").await);
    let reset = admin(&server, &["operator", "reset-password", "ada"], "").await.unwrap();
    let password = reset.lines().next().unwrap();
    server.client_with_key(key).get("/api/admin/session").await.assert_refused(401, "key_invalid");
    server.client_with_key(&other).get("/api/admin/session").await.assert_status(200);
    ada.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    let fields = [("name", "Ada"), ("password", INVITED_PASSWORD)];
    server.browser("192.0.2.2").sign_in_with(&fields).await.assert_refused(401, "key_invalid");
    let fields = [("name", "Ada"), ("password", password)];
    assert_eq!(server.browser("192.0.2.2").sign_in_with(&fields).await.status, 303);
    for (words, told) in [
        (&["role", "Ada", "read_only"][..], "Ada is enabled, read_only, codes off."),
        (&["disable", "Ada"], "Ada is disabled, read_only, codes off."),
        (&["enable", "Ada"], "Ada is enabled, read_only, codes off."),
        (&["reset-totp", "Ada"], "Ada is enabled, read_only, codes off."),
    ] {
        let output = admin(&server, &[&["operator"][..], words].concat(), "").await.unwrap();
        assert_eq!(output.trim(), told);
    }
    for (words, told) in [
        (["operator", "disable", "owner"], "first owner"),
        (["operator", "reset-password", "owner"], "first owner"),
        (["operator", "disable", "Bob"], "no operator named Bob"),
    ] {
        let (code, error) = admin(&server, &words, "").await.unwrap_err();
        assert!(code == 1 && error.contains(told), "{error}");
    }
    let acts = server.sign_in_operator().await.get("/api/admin/audit").await.body;
    assert_eq!(acts["acts"][0]["operator"], "command line");
}
