//! Sessions: started with a new token, equal on every instance, ended by sign-out and by time.

use serde_json::json;
use sqlx::AssertSqlSafe;

use crate::support::actions::HTTPS_CONSOLE_SETTINGS;
use crate::support::{INVITED_PASSWORD, PASSWORD, Reply, Server, with_form_body};

fn session_cookie(reply: &Reply) -> String {
    let lines = reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap());
    lines.rev().find(|line| line.contains("caraplace-admin=")).unwrap().to_owned()
}

#[tokio::test]
async fn password_signs_in_and_session_names_the_operator() {
    let server = Server::start_with_console().await;
    let mut operator = server.browser("192.0.2.1");
    let redirect = operator.get("/admin").await;
    assert_eq!((redirect.status, redirect.header("location")), (303, "/admin/sign-in?next=/admin"));
    operator.sign_in("wrong").await.assert_refused(401, "key_invalid");
    let signed_in = operator.sign_in(PASSWORD).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/admin"));
    let session = operator.get("/api/admin/session").await;
    assert_eq!((session.status, session.header("cache-control")), (200, "no-store"));
    assert_eq!((&session.body["operator"], &session.body["role"]), (&json!("owner"), &json!("owner")));
    assert_eq!(session.body["scopes"], json!(["read", "moderate", "manage", "own"]));
    assert!(session.body["since"].is_string() && session.body["csrf"].as_str().unwrap().len() == 64);
    let (status, page) = operator.page("/admin").await;
    assert!(status == 200 && page.contains("Sign out") && !page.contains("<script>"));
    let again = operator.get("/admin/sign-in?next=/admin/keys").await;
    assert_eq!((again.status, again.header("location")), (303, "/admin/keys"));
}

#[tokio::test]
async fn console_pages_are_not_cached_or_framed() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    for path in ["/admin", "/admin/keys"] {
        let reply = operator.get(path).await;
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"));
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("referrer-policy"), "same-origin");
    }
}

#[tokio::test]
async fn sign_in_replaces_a_planted_session_token() {
    let server = Server::start_with_console().await;
    let planted = "f".repeat(64);
    let mut operator = server.browser("192.0.2.1");
    operator.cookies = format!("caraplace-admin={planted}");
    let first = session_cookie(&operator.sign_in(PASSWORD).await);
    assert!(!first.contains(&planted));
    let old = operator.cookies.clone();
    let second = session_cookie(&operator.sign_in_again(PASSWORD).await);
    assert_ne!(first, second, "each sign-in has its own session");
    assert_eq!(operator.get("/api/admin/session").await.status, 200);
    operator.cookies = old;
    operator.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    operator.cookies = format!("caraplace-admin={planted}");
    operator.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn session_cookie_has_all_protective_attributes() {
    let plain = Server::start_with_console().await;
    let cookie = session_cookie(&plain.browser("192.0.2.1").sign_in(PASSWORD).await);
    assert!(cookie.starts_with("caraplace-admin=") && !cookie.contains("Secure"), "{cookie}");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    let secure = Server::start_with(&HTTPS_CONSOLE_SETTINGS).await;
    let cookie = session_cookie(&secure.browser("192.0.2.1").sign_in(PASSWORD).await);
    assert!(cookie.starts_with("__Host-caraplace-admin=") && cookie.contains("; Secure"), "{cookie}");
    assert!(!cookie.contains("Domain"));
}

#[tokio::test]
async fn session_is_valid_on_every_instance_until_it_ends() {
    let server = Server::start_with_console().await;
    let second = server.start_instance(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let mut operator = server.sign_in_operator().await;
    let mut there = second.browser("192.0.2.9");
    there.cookies.clone_from(&operator.cookies);
    assert_eq!(there.get("/api/admin/session").await.status, 200);
    let left = operator.submit("/admin/sign-out", &[]).await;
    assert_eq!((left.status, left.header("location")), (303, "/admin/sign-in"));
    assert!(session_cookie(&left).contains("Max-Age=0"));
    there.get("/api/admin/session").await.assert_refused(401, "key_invalid");

    operator = server.sign_in_operator().await;
    server.advance_clock(2 * 3_600 - 1);
    assert_eq!(operator.get("/api/admin/session").await.status, 200, "used within two hours");
    for _ in 0..5 {
        server.advance_clock(2 * 3_600 - 60);
        assert_eq!(operator.get("/api/admin/session").await.status, 200);
    }
    server.advance_clock(3_600);
    operator.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    operator = server.sign_in_operator().await;
    server.advance_clock(2 * 3_600 + 1);
    operator.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn new_password_ends_older_sessions() {
    let mut server = Server::start_with_console().await;
    let cookies = server.sign_in_operator().await.cookies;
    let session = async |server: &Server| {
        let mut operator = server.browser("192.0.2.1");
        operator.cookies.clone_from(&cookies);
        operator.get("/api/admin/session").await
    };
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", PASSWORD).await;
    assert_eq!(session(&server).await.status, 200, "the same password, and only a restart");
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", "quite another one").await;
    session(&server).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn a_sign_in_ends_with_the_password_that_it_checked() {
    let server = Server::start_with_console().await;
    for (name, change) in [("Ada", "password_hash = 'another'"), ("Grace", "disabled_at = now()")] {
        server.invite_operator("operator", name).await;
        let mut transaction = server.pool.begin().await.unwrap();
        let statement = format!("update operator set {change} where name = '{name}'");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *transaction).await.unwrap();
        let mut browser = server.browser("192.0.2.1");
        let fields = [("name", name), ("password", INVITED_PASSWORD)];
        // The password is still the stored one when it is checked.
        let change_meanwhile = async {
            server.wait_for_blocked_queries("insert into operator_session%", 1).await;
            transaction.commit().await.unwrap();
        };
        let (signed_in, ()) = tokio::join!(browser.sign_in_with(&fields), change_meanwhile);
        signed_in.assert_refused(401, "key_invalid");
    }
    let count: i64 = sqlx::query_scalar("select count(*) from operator_session where address = '192.0.2.1'")
        .fetch_one(&server.pool)
        .await
        .unwrap();
    assert_eq!(count, 0);
}

#[tokio::test]
async fn sign_in_form_is_bound_to_its_browser() {
    let server = Server::start_with_console().await;
    let (mut operator, mut other) = (server.browser("192.0.2.1"), server.browser("192.0.2.2"));
    let (csrf, foreign) = (operator.fetch_csrf_token().await, other.fetch_csrf_token().await);
    let send = async |csrf: &str, header: (&str, &str)| {
        let fields = [("csrf", csrf), ("password", PASSWORD)];
        let request = with_form_body(operator.post_request("/admin/sign-in"), &fields);
        Reply::fetch(request.header(header.0, header.1)).await
    };
    for (csrf, header) in [
        ("", ("X-A", "b")),
        (foreign.as_str(), ("X-A", "b")),
        (csrf.as_str(), ("Origin", "https://evil.example")),
        (csrf.as_str(), ("Origin", "null")),
        (csrf.as_str(), ("Sec-Fetch-Site", "cross-site")),
    ] {
        send(csrf, header).await.assert_refused(403, "forbidden");
    }
    assert_eq!(send(&csrf, ("Sec-Fetch-Site", "same-origin")).await.status, 303);
    let json = operator.post_request("/admin/sign-in").json(&json!({"password": PASSWORD, "csrf": csrf}));
    Reply::fetch(json).await.assert_refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn sign_in_redirects_only_within_the_console() {
    let server = Server::start_with_console().await;
    for (next, expected) in [
        ("/admin/keys", "/admin/keys"),
        ("https://evil.example/", "/admin"),
        ("//evil.example", "/admin"),
        ("/\\evil.example", "/admin"),
        ("/admin/../../evil", "/admin"),
        ("/admin@evil.example", "/admin"),
        ("/admin\r\nX-Evil: 1", "/admin"),
        ("/", "/admin"),
    ] {
        let signed_in = server.browser("192.0.2.1").sign_in_to(PASSWORD, next).await;
        assert_eq!((signed_in.status, signed_in.header("location")), (303, expected), "{next}");
        let path = format!("/admin/sign-in?next={}", next.replace(['\r', '\n'], ""));
        let (_, page) = server.browser("192.0.2.1").page(&path).await;
        assert!(!page.contains("evil"), "{next}");
    }
}

#[tokio::test]
async fn sign_in_form_shows_the_error() {
    let server = Server::start_with_console().await;
    let mut operator = server.browser("192.0.2.1");
    let csrf = operator.fetch_csrf_token().await;
    let fields = [("csrf", csrf.as_str()), ("password", "wrong"), ("next", "/admin/keys")];
    let request = with_form_body(operator.post_request("/admin/sign-in"), &fields);
    let reply = Reply::fetch(request.header("Accept", "text/html")).await;
    let page = String::from_utf8(reply.bytes).unwrap();
    assert_eq!(reply.status, 401);
    assert!(page.contains("role=\"alert\"") && page.contains("Wrong password"), "{page}");
    assert!(page.contains("value=\"/admin/keys\"") && !page.contains("wrong\""));
}
