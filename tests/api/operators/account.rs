//! The own account of an operator: its password and its sessions.

use serde_json::json;

use crate::support::values::texts_of;
use crate::support::{INVITED_PASSWORD, PASSWORD, Server};

const NEW_PASSWORD: &str = "the gallery has moved";

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_all_other_sessions() {
    let server = Server::start_with_console().await;
    let ada = server.invite_operator("operator", "Ada").await;
    let mut elsewhere = server.browser("192.0.2.1");
    let old = [("name", "Ada"), ("password", INVITED_PASSWORD)];
    assert_eq!(elsewhere.sign_in_with(&old).await.status, 303);
    let change = async |password: &str, new: &str, repeated: &str| {
        let fields = [("password", password), ("new_password", new), ("repeated", repeated)];
        let reply = ada.submit("/admin/account/password", &fields).await;
        (reply.status, reply.text().to_owned())
    };
    for (password, new, repeated, status, told) in [
        (INVITED_PASSWORD, NEW_PASSWORD, "another", 400, "differ"),
        (INVITED_PASSWORD, "elevenchars", "elevenchars", 400, "at least 12"),
        ("wrong", NEW_PASSWORD, NEW_PASSWORD, 401, "Wrong password or code"),
    ] {
        let (found, page) = change(password, new, repeated).await;
        assert!(found == status && page.contains(told) && page.contains("role=\"alert\""), "{page}");
    }
    assert_eq!(elsewhere.get("/api/admin/session").await.status, 200);
    let (status, page) = change(INVITED_PASSWORD, NEW_PASSWORD, NEW_PASSWORD).await;
    assert!(status == 200 && page.contains("Your password is changed"), "{page}");
    elsewhere.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    assert_eq!(ada.get("/api/admin/session").await.status, 200);
    server.browser("192.0.2.2").sign_in_with(&old).await.assert_refused(401, "key_invalid");
    let new = [("name", "Ada"), ("password", NEW_PASSWORD)];
    assert_eq!(server.browser("192.0.2.2").sign_in_with(&new).await.status, 303);
    for _ in 0..5 {
        assert_eq!(change("wrong", NEW_PASSWORD, NEW_PASSWORD).await.0, 401);
    }
    assert_eq!(
        change(NEW_PASSWORD, NEW_PASSWORD, NEW_PASSWORD).await.0,
        429,
        "guessing is bounded here, too"
    );
    let (_, page) = server.sign_in_operator().await.page("/admin/audit").await;
    assert!(page.contains("change password") && !page.contains(NEW_PASSWORD), "{page}");
}

#[tokio::test]
async fn a_new_password_names_the_keys_that_still_work() {
    let server = Server::start_with_console().await;
    let ada = server.invite_operator("owner", "Ada").await;
    server.create_operator_key("of the first owner").await;
    let fields =
        [("password", INVITED_PASSWORD), ("new_password", INVITED_PASSWORD), ("repeated", INVITED_PASSWORD)];
    let changed = ada.submit("/admin/account/password", &fields).await;
    assert!(changed.status == 200 && !changed.text().contains("keys still work"), "{}", changed.text());
    for name in ["old", "bot", "deploy"] {
        ada.post("/api/admin/keys", json!({"name": name})).await.assert_status(201);
    }
    let keys = ada.get("/api/admin/keys").await.assert_status(200);
    let mut keys = keys["keys"].as_array().unwrap().iter();
    let old = keys.find(|key| key["name"] == "old").unwrap();
    let path = format!("/api/admin/keys/{}/revoke", old["id"].as_str().unwrap());
    ada.post(&path, json!({})).await.assert_status(200);
    let changed = ada.submit("/admin/account/password", &fields).await;
    assert!(changed.text().contains("Your keys still work: deploy, bot. Revoke them"), "{}", changed.text());
}

#[tokio::test]
async fn the_first_owner_changes_its_password_in_the_settings() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    let (_, page) = owner.page("/admin/account").await;
    assert!(page.contains("CARAPLACE_ADMIN_PASSWORD") && !page.contains("new_password"), "{page}");
    let fields = [("password", PASSWORD), ("new_password", NEW_PASSWORD), ("repeated", NEW_PASSWORD)];
    let refused = owner.submit("/admin/account/password", &fields).await;
    assert!(refused.status == 409 && refused.text().contains("setting of the server"), "{}", refused.text());
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    let server = Server::start_with_console().await;
    let ada = server.invite_operator("operator", "Ada").await;
    let grace = server.invite_operator("operator", "Grace").await;
    let mut others = Vec::new();
    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        let mut browser = server.browser(address);
        let fields = [("name", "Ada"), ("password", INVITED_PASSWORD)];
        assert_eq!(browser.sign_in_with(&fields).await.status, 303);
        others.push(browser);
    }
    let (_, page) = ada.page("/admin/account").await;
    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.78"] {
        assert_eq!(page.matches(&format!(">{address}<")).count(), 1, "{page}");
    }
    assert_eq!(page.matches("this one").count(), 1, "{page}");
    let (_, rest) = page
        .split_once("the session from 192.0.2.2")
        .map_or(("", ""), |(before, _)| before.rsplit_once("action=\"").unwrap());
    let end_path = rest.split('"').next().unwrap();
    assert_eq!(grace.submit(end_path, &[]).await.status, 303);
    assert_eq!(others[1].get("/api/admin/session").await.status, 200, "it is not Grace's");
    let ended = ada.submit(end_path, &[]).await;
    assert_eq!((ended.status, ended.header("location")), (303, "/admin/account"));
    others[1].get("/api/admin/session").await.assert_refused(401, "key_invalid");
    assert_eq!(others[0].get("/api/admin/session").await.status, 200);
    assert_eq!(ada.submit("/admin/account/sessions/end-others", &[]).await.status, 303);
    for browser in &others {
        browser.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    }
    assert_eq!(ada.get("/api/admin/session").await.status, 200);
    assert_eq!(grace.get("/api/admin/session").await.status, 200);
    assert_eq!(ada.submit("/admin/account/totp/prepare", &[]).await.status, 200);
    let acts = ada.get("/api/admin/audit?operator=Ada&limit=3").await.assert_status(200);
    let expected = ["prepare codes", "end other sessions", "end session"];
    assert_eq!(texts_of(&acts["acts"], "act"), expected);
    let acts = grace.get("/api/admin/audit?operator=Grace&limit=1").await.assert_status(200);
    assert_eq!(texts_of(&acts["acts"], "act"), ["accept invitation"], "it has ended no session");
}
