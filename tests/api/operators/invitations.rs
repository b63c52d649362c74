//! Invitations: a link works once, for a week, and for nobody who guesses.

use serde_json::json;

use crate::support::{INVITED_PASSWORD, Reply, Server, with_form_body};

#[tokio::test]
async fn an_invited_person_chooses_name_and_password_and_is_signed_in() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    let body = json!({"role": "moderator", "name": "Grace"});
    let made = owner.post("/api/admin/operators/invitations", body).await.assert_status(201);
    let link = made["link"].as_str().unwrap().to_owned();
    assert!(link.contains("/admin/invitation/cpi_"), "{link}");
    let path = link[link.find("/admin/").unwrap()..].to_owned();
    let listed = owner.get("/api/admin/operators").await;
    assert!(!listed.text().contains("cpi_"), "{}", listed.text());
    assert_eq!(listed.body["invitations"][0]["name"], "Grace");
    let mut guest = server.browser("192.0.2.1");
    let (status, page) = guest.page(&path).await;
    assert!(status == 200 && page.contains("role moderator") && page.contains(r#"value="Grace""#), "{page}");
    let accepted = guest.accept(&path, "Grace H.").await;
    assert_eq!(accepted.status, 400, "a name ends with a letter or a digit");
    let accepted = guest.accept(&path, "Grace H").await;
    assert_eq!((accepted.status, accepted.header("location")), (303, "/admin"));
    let session = guest.get("/api/admin/session").await.assert_status(200);
    assert_eq!((&session["operator"], &session["role"]), (&json!("Grace H"), &json!("moderator")));
    let listed = owner.get("/api/admin/operators").await.body;
    assert_eq!(listed["invitations"], json!([]));
    assert_eq!(listed["operators"][1]["invited_by"], "owner");
    let acts = owner.get("/api/admin/audit").await.body;
    let names = acts["acts"].as_array().unwrap().iter().map(|act| json!([act["operator"], act["act"]]));
    let expected = [json!(["Grace H", "accept invitation"]), json!(["owner", "invite operator"])];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    let fields = [("name", "grace h"), ("password", INVITED_PASSWORD)];
    assert_eq!(server.browser("192.0.2.2").sign_in_with(&fields).await.status, 303);
}

#[tokio::test]
async fn simultaneous_requests_use_an_invitation_once() {
    let server = Server::start_with_console().await;
    let path = server.invite("owner").await;
    let names = ["Ada", "Bob", "Cleo"];
    let mut statuses: Vec<u16> = futures_util::future::join_all(
        names.map(async |name| server.browser("192.0.2.1").accept(&path, name).await.status),
    )
    .await;
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 404, 404]);
    server.browser("192.0.2.1").accept(&path, "Dora").await.assert_refused(404, "not_found");
    let (status, page) = server.browser("192.0.2.1").page(&path).await;
    assert!(status == 404 && page.contains("Ask for a new link"), "{page}");
    let count: i64 =
        sqlx::query_scalar("select count(*) from operator").fetch_one(&server.pool).await.unwrap();
    assert_eq!(count, 2);
}

#[tokio::test]
async fn expired_withdrawn_and_forged_invitations_are_refused_alike() {
    let server = Server::start_with_console().await;
    let expired = server.invite("moderator").await;
    server.advance_clock(7 * 86_400);
    let owner = server.sign_in_operator().await;
    let withdrawn = server.invite("moderator").await;
    let list = owner.get("/api/admin/operators").await.body;
    assert_eq!(list["invitations"].as_array().unwrap().len(), 1, "{list}");
    let id = list["invitations"][0]["id"].as_str().unwrap();
    let path = format!("/api/admin/operators/invitations/{id}/withdraw");
    owner.post(&path, json!({})).await.assert_status(200);
    owner.post(&path, json!({})).await.assert_refused(404, "not_found");
    let forged = format!("/admin/invitation/cpi_{}", "0".repeat(64));
    for path in [expired.as_str(), &withdrawn, &forged, "/admin/invitation/1"] {
        let refused = server.browser("192.0.2.1").accept(path, "Ada").await;
        refused.assert_refused(404, "not_found");
        assert!(refused.body["detail"].as_str().unwrap().contains("Ask for a new link"), "{path}");
    }
}

#[tokio::test]
async fn an_invitation_ends_with_the_rights_of_its_sender() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    for action in ["role", "disable"] {
        let name = format!("Sender {action}");
        let sender = server.invite_operator("owner", &name).await;
        let made = sender.post("/api/admin/operators/invitations", json!({"role": "owner"})).await;
        let link = made.assert_status(201)["link"].as_str().unwrap().to_owned();
        let list = owner.get("/api/admin/operators").await.body;
        let found = list["operators"].as_array().unwrap().iter().find(|operator| operator["name"] == name);
        let path = format!("/api/admin/operators/{}/{action}", found.unwrap()["id"].as_str().unwrap());
        owner.post(&path, json!({"role": "operator"})).await.assert_status(200);
        let accepted =
            server.browser("192.0.2.1").accept(&link[link.find("/admin/").unwrap()..], "Eve").await;
        accepted.assert_refused(404, "not_found");
    }
}

#[tokio::test]
async fn an_invitation_that_was_left_over_counts_only_with_the_rights_of_its_sender() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    let sender = server.invite_operator("owner", "Ada").await;
    let made = sender.post("/api/admin/operators/invitations", json!({"role": "owner"})).await;
    let link = made.assert_status(201)["link"].as_str().unwrap().to_owned();
    let path = &link[link.find("/admin/").unwrap()..];
    // As if it had been sent while its sender lost the rights.
    for (lost, regained) in
        [("role = 'operator'", "role = 'owner'"), ("disabled_at = now()", "disabled_at = null")]
    {
        server.execute(&format!("update operator set {lost} where name = 'Ada'")).await;
        assert_eq!(owner.get("/api/admin/operators").await.body["invitations"], json!([]), "{lost}");
        server.browser("192.0.2.1").accept(path, "Eve").await.assert_refused(404, "not_found");
        server.execute(&format!("update operator set {regained} where name = 'Ada'")).await;
    }
    assert_eq!(server.browser("192.0.2.1").accept(path, "Eve").await.status, 303);
}

#[tokio::test]
async fn a_refused_name_or_password_keeps_the_invitation_open() {
    let server = Server::start_with_console().await;
    server.invite_operator("moderator", "Grace").await;
    let path = server.invite("moderator").await;
    let mut guest = server.browser("192.0.2.1");
    for (name, status, told) in [
        ("GRACE", 409, "Another account has this name"),
        ("Owner", 409, "Another account has this name"),
        ("x", 400, "2 to 32 characters"),
        ("command line", 400, "audit log"),
        ("Gr\u{430}ce", 400, "letters from a to z"),
    ] {
        let refused = guest.accept(&path, name).await;
        assert!(refused.status == status && refused.text().contains(told), "{name}: {}", refused.text());
        assert!(refused.text().contains("<form"), "{name} can be corrected");
    }
    for (password, repeated, told) in
        [("elevenchars", "elevenchars", "at least 12"), (INVITED_PASSWORD, "another one", "differ")]
    {
        let fields = [("name", "Ada"), ("password", password), ("repeated", repeated)];
        let refused = Reply::fetch(with_form_body(guest.post_request(&path), &fields)).await;
        assert!(refused.status == 400 && refused.text().contains(told), "{}", refused.text());
    }
    let fields = [("name", "Ada"), ("password", INVITED_PASSWORD), ("repeated", INVITED_PASSWORD)];
    let foreign = with_form_body(guest.post_request(&path), &fields).header("Origin", "https://evil.example");
    Reply::fetch(foreign).await.assert_refused(403, "forbidden");
    assert_eq!(guest.accept(&path, "Ada").await.status, 303);
}
