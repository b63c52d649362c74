//! Every door of the operator's refuses everyone else, before it reads what they send.

use std::time::Duration;

use caraplace::http::routes::ROUTES;
use caraplace::http::routes::endpoint::{Right, Route, Verb};
use regex::Regex;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Office, Raw, Reply, Server, form};

/// The operator's lines of the table, and addresses under them that are none.
fn doors() -> Vec<(Verb, String)> {
    let gap = Regex::new(r"\{\w+\}").unwrap();
    let lines = ROUTES.iter().filter(|route| route.right == Right::Operator);
    let filled = |route: &Route| (route.verb, gap.replace_all(route.path, "1").into_owned());
    let nowhere = ["/api/admin", "/api/admin/", "/api/admin/nothing", "/api/admin/keys/a/b/c"];
    let nowhere = nowhere.map(|path| [(Verb::Get, path.to_owned()), (Verb::Post, path.to_owned())]);
    lines.map(filled).chain(nowhere.into_iter().flatten()).collect()
}

fn is_api(path: &str) -> bool {
    path.starts_with("/api/")
}

fn ask(office: &Office<'_>, verb: Verb, path: &str) -> RequestBuilder {
    match verb {
        Verb::Get => office.get_request(path),
        Verb::Post if is_api(path) => office.post_request(path).json(&json!({})),
        Verb::Post => form(office.post_request(path), &[]),
    }
}

#[test]
fn admin_paths_require_the_operator_right() {
    for route in &ROUTES {
        let office = route.path.starts_with("/api/admin") || route.path.starts_with("/admin");
        let outside = route.path == "/admin/sign-in";
        assert_eq!(route.right == Right::Operator, office && !outside, "{}", route.path);
    }
}

#[tokio::test]
async fn operator_routes_refuse_everyone_else() {
    let server = Server::open().await;
    let agent = server.agent("Ada").await;
    let doors = doors();
    assert!(doors.len() > 12);
    for (number, (verb, path)) in doors.iter().enumerate() {
        // Who shows too many wrong keys has to pause: each door is tried by somebody else.
        let office = server.browser(&format!("192.0.2.{number}"));
        let nobody = Reply::of(ask(&office, *verb, path)).await;
        if is_api(path) || *verb == Verb::Post {
            nobody.assert_refused(401, "key_missing");
        } else {
            assert_eq!(
                (nobody.status, nobody.header("location")),
                (303, &*format!("/admin/sign-in?next={path}"))
            );
        }
        Reply::of(ask(&office, *verb, path).bearer_auth(&agent.key)).await.assert_refused(403, "forbidden");
        let wrong =
            [format!("ca_{}", "0".repeat(64)), "ca_1".into(), format!("gp_{}", "0".repeat(64)), "?".into()];
        for key in wrong {
            let reply = Reply::of(ask(&office, *verb, path).bearer_auth(&key)).await;
            if is_api(path) || *verb == Verb::Post {
                reply.assert_refused(401, "key_invalid");
            } else {
                assert_eq!(reply.status, 303);
            }
        }
        let stale = ask(&office, *verb, path).header("Cookie", format!("caraplace-admin={}", "0".repeat(64)));
        assert!([401, 303].contains(&Reply::of(stale).await.status), "{path}");
    }
}

#[tokio::test]
async fn browser_changes_require_a_csrf_token() {
    let server = Server::open().await;
    let office = server.operator().await;
    let other = server.operator().await;
    for (verb, path) in doors().into_iter().filter(|(verb, _)| *verb == Verb::Post) {
        let send = |csrf: &str| {
            if is_api(&path) {
                ask(&office, verb, &path).header("X-CSRF-Token", csrf)
            } else {
                form(office.post_request(&path), &[("csrf", csrf)])
            }
        };
        Reply::of(ask(&office, verb, &path)).await.assert_refused(403, "forbidden");
        for wrong in ["", "0", &other.csrf] {
            Reply::of(send(wrong)).await.assert_refused(403, "forbidden");
        }
        for (name, value) in
            [("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "same-site")]
        {
            let reply = Reply::of(send(&office.csrf).header(name, value)).await;
            reply.assert_refused(403, "forbidden");
        }
    }
    assert_eq!(office.get("/api/admin/session").await.status, 200, "nobody was signed out");
}

#[tokio::test]
async fn operators_see_not_found_and_method_errors() {
    let server = Server::open().await;
    let key = server.operator_key("walker").await;
    for (method, path, status, code) in [
        (Method::GET, "/api/admin/nothing", 404, "not_found"),
        (Method::POST, "/api/admin", 404, "not_found"),
        (Method::DELETE, "/api/admin/session", 405, "method_not_allowed"),
        (Method::POST, "/api/admin/session", 405, "method_not_allowed"),
    ] {
        let request = server.client.request(method, server.url(path)).bearer_auth(&key);
        Reply::of(request).await.assert_refused(status, code);
    }
    server
        .client
        .delete(server.url("/api/admin/session"))
        .send()
        .await
        .map(|answer| assert_eq!(answer.status(), 401))
        .unwrap();
}

#[tokio::test]
async fn refuses_others_before_reading_the_body() {
    let server = Server::open().await;
    for path in ["/api/admin/keys", "/admin/keys"] {
        let mut raw = Raw::connect(server.running().address).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
        );
        assert!(raw.send(head).await);
        let answered = timeout(Duration::from_secs(5), raw.read_until("\r\n\r\n"));
        let answer = answered.await.expect("it waits for the body");
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
}

#[tokio::test]
async fn nobody_signs_in_without_a_configured_password() {
    let mut server = Server::open().await;
    let key = server.operator_key("old").await;
    let cookies = server.operator().await.cookies;
    server.set("CARAPLACE_ADMIN_PASSWORD", "").await;
    let mut office = server.browser("192.0.2.1");
    assert_eq!(office.sign_in("").await.status, 403);
    let (status, page) = office.page("/admin/sign-in").await;
    assert!(status == 200 && page.contains("The office is closed") && !page.contains("password\""), "{page}");
    office.get("/api/admin/session").await.assert_refused(401, "key_missing");
    let with_key = Reply::of(server.get_request("/api/admin/session").bearer_auth(&key)).await;
    with_key.assert_refused(403, "forbidden");
    office.cookies = cookies;
    office.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}
