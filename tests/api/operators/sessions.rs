//! Sessions: begun with a fresh token, the same on every instance, ended by leaving and by time.

use serde_json::json;

use crate::support::{PASSWORD, Reply, Server, form};

const HTTPS: [(&str, &str); 3] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("CARAPLACE_PUBLIC_URL", "https://paint.example"),
];

fn session_cookie(reply: &Reply) -> String {
    let lines = reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap());
    lines.rev().find(|line| line.contains("caraplace-admin=")).unwrap().to_owned()
}

#[tokio::test]
async fn password_signs_in_and_session_names_the_operator() {
    let server = Server::open().await;
    let mut office = server.browser("192.0.2.1");
    let led = office.get("/admin").await;
    assert_eq!((led.status, led.header("location")), (303, "/admin/sign-in?next=/admin"));
    office.sign_in("wrong").await.assert_refused(401, "key_invalid");
    let entered = office.sign_in(PASSWORD).await;
    assert_eq!((entered.status, entered.header("location")), (303, "/admin"));
    let session = office.get("/api/admin/session").await;
    assert_eq!((session.status, session.header("cache-control")), (200, "no-store"));
    assert_eq!(session.body["operator"], "console 192.0.2.1");
    assert!(session.body["since"].is_string() && session.body["csrf"].as_str().unwrap().len() == 64);
    let (status, page) = office.page("/admin").await;
    assert!(status == 200 && page.contains("Sign out") && !page.contains("<script>"));
    let again = office.get("/admin/sign-in?next=/admin/keys").await;
    assert_eq!((again.status, again.header("location")), (303, "/admin/keys"));
}

#[tokio::test]
async fn console_pages_are_not_cached_or_framed() {
    let server = Server::open().await;
    let office = server.operator().await;
    for path in ["/admin", "/admin/keys"] {
        let reply = office.get(path).await;
        let policy = reply.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"));
        assert_eq!(
            (reply.header("cache-control"), reply.header("referrer-policy")),
            ("no-store", "same-origin")
        );
    }
}

#[tokio::test]
async fn sign_in_replaces_a_planted_session_token() {
    let server = Server::open().await;
    let planted = "f".repeat(64);
    let mut office = server.browser("192.0.2.1");
    office.cookies = format!("caraplace-admin={planted}");
    let first = session_cookie(&office.sign_in(PASSWORD).await);
    assert!(!first.contains(&planted));
    let old = office.cookies.clone();
    let second = session_cookie(&office.sign_in_anew(PASSWORD).await);
    assert_ne!(first, second, "each sign-in has its own");
    assert_eq!(office.get("/api/admin/session").await.status, 200);
    office.cookies = old;
    office.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    office.cookies = format!("caraplace-admin={planted}");
    office.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn session_cookie_has_all_protective_attributes() {
    let plain = Server::open().await;
    let cookie = session_cookie(&plain.browser("192.0.2.1").sign_in(PASSWORD).await);
    assert!(cookie.starts_with("caraplace-admin=") && !cookie.contains("Secure"), "{cookie}");
    for part in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200"] {
        assert!(cookie.contains(part), "{part} in {cookie}");
    }
    let secure = Server::with(&HTTPS).await;
    let cookie = session_cookie(&secure.browser("192.0.2.1").sign_in(PASSWORD).await);
    assert!(cookie.starts_with("__Host-caraplace-admin=") && cookie.contains("; Secure"), "{cookie}");
    assert!(!cookie.contains("Domain"));
}

#[tokio::test]
async fn session_is_valid_on_every_instance_until_it_ends() {
    let server = Server::open().await;
    let second = server.second(&[("CARAPLACE_ADMIN_PASSWORD", PASSWORD)]).await;
    let mut office = server.operator().await;
    let mut there = second.browser("192.0.2.9");
    there.cookies.clone_from(&office.cookies);
    assert_eq!(there.get("/api/admin/session").await.status, 200);
    let left = office.submit("/admin/sign-out", &[]).await;
    assert_eq!((left.status, left.header("location")), (303, "/admin/sign-in"));
    assert!(session_cookie(&left).contains("Max-Age=0"));
    there.get("/api/admin/session").await.assert_refused(401, "key_invalid");

    office = server.operator().await;
    server.wait(2 * 3_600 - 1);
    assert_eq!(office.get("/api/admin/session").await.status, 200, "used within two hours");
    for _ in 0..5 {
        server.wait(2 * 3_600 - 60);
        assert_eq!(office.get("/api/admin/session").await.status, 200);
    }
    server.wait(3_600);
    office.get("/api/admin/session").await.assert_refused(401, "key_invalid");
    office = server.operator().await;
    server.wait(2 * 3_600 + 1);
    office.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn new_password_ends_older_sessions() {
    let mut server = Server::open().await;
    let cookies = server.operator().await.cookies;
    let session = async |server: &Server| {
        let mut office = server.browser("192.0.2.1");
        office.cookies.clone_from(&cookies);
        office.get("/api/admin/session").await
    };
    server.set("CARAPLACE_ADMIN_PASSWORD", PASSWORD).await;
    assert_eq!(session(&server).await.status, 200, "the same one, and only started anew");
    server.set("CARAPLACE_ADMIN_PASSWORD", "quite another one").await;
    session(&server).await.assert_refused(401, "key_invalid");
}

#[tokio::test]
async fn sign_in_form_is_bound_to_its_browser() {
    let server = Server::open().await;
    let (mut office, mut other) = (server.browser("192.0.2.1"), server.browser("192.0.2.2"));
    let (csrf, foreign) = (office.fetch_form().await, other.fetch_form().await);
    let send = async |csrf: &str, header: (&str, &str)| {
        let fields = [("csrf", csrf), ("password", PASSWORD)];
        Reply::of(form(office.post_request("/admin/sign-in"), &fields).header(header.0, header.1)).await
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
    let json = office.post_request("/admin/sign-in").json(&json!({"password": PASSWORD, "csrf": csrf}));
    Reply::of(json).await.assert_refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn sign_in_redirects_only_within_the_console() {
    let server = Server::open().await;
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
        let entered = server.browser("192.0.2.1").sign_in_to(PASSWORD, next).await;
        assert_eq!((entered.status, entered.header("location")), (303, expected), "{next}");
        let path = format!("/admin/sign-in?next={}", next.replace(['\r', '\n'], ""));
        let (_, page) = server.browser("192.0.2.1").page(&path).await;
        assert!(!page.contains("evil"), "{next}");
    }
}

#[tokio::test]
async fn sign_in_form_shows_the_error() {
    let server = Server::open().await;
    let mut office = server.browser("192.0.2.1");
    let csrf = office.fetch_form().await;
    let fields = [("csrf", csrf.as_str()), ("password", "wrong"), ("next", "/admin/keys")];
    let request = form(office.post_request("/admin/sign-in"), &fields).header("Accept", "text/html");
    let reply = Reply::of(request).await;
    let page = String::from_utf8(reply.bytes).unwrap();
    assert_eq!(reply.status, 401);
    assert!(page.contains("role=\"alert\"") && page.contains("not the password"), "{page}");
    assert!(page.contains("value=\"/admin/keys\"") && !page.contains("wrong\""));
}
