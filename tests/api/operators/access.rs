//! Every route of operators refuses everyone else, before it reads the body.

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, RouteAccess, Verb};
use regex::Regex;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{OperatorBrowser, RawConnection, Reply, Server, WAIT_LIMIT, with_form_body};

/// Returns the operators' routes of the table, and addresses under them that do not exist.
fn operator_routes() -> Vec<(Verb, String)> {
    let gap = Regex::new(r"\{\w+\}").unwrap();
    let lines = ROUTES.iter().filter(|route| route.access == RouteAccess::Operator);
    let filled = |route: &Route| (route.verb, gap.replace_all(route.path, "1").into_owned());
    let nowhere = ["/api/admin", "/api/admin/", "/api/admin/nothing", "/api/admin/keys/a/b/c"];
    let nowhere = nowhere.map(|path| [(Verb::Get, path.to_owned()), (Verb::Post, path.to_owned())]);
    lines.map(filled).chain(nowhere.into_iter().flatten()).collect()
}

fn is_api(path: &str) -> bool {
    path.starts_with("/api/")
}

fn operator_request(operator: &OperatorBrowser<'_>, verb: Verb, path: &str) -> RequestBuilder {
    match verb {
        Verb::Get => operator.get_request(path),
        Verb::Post if is_api(path) => operator.post_request(path).json(&json!({})),
        Verb::Post => with_form_body(operator.post_request(path), &[]),
        Verb::Put | Verb::Patch | Verb::Delete => unreachable!("no route for operators has this method"),
    }
}

#[test]
fn admin_paths_require_the_operator_right() {
    for route in ROUTES.iter() {
        let is_admin_path = route.path.starts_with("/api/admin") || route.path.starts_with("/admin");
        let is_sign_in = ["/admin/sign-in", "/admin/invitation/{token}"].contains(&route.path);
        assert_eq!(route.access == RouteAccess::Operator, is_admin_path && !is_sign_in, "{}", route.path);
    }
}

#[tokio::test]
async fn operator_routes_refuse_everyone_else() {
    let server = Server::start_with_console().await;
    let agent = server.register_agent("Ada").await;
    let routes = operator_routes();
    assert!(routes.len() > 12);
    for (number, (verb, path)) in routes.iter().enumerate() {
        // Wrong keys are limited per address, so each route is tried from its own.
        let operator = server.browser(&format!("192.0.2.{number}"));
        let nobody = Reply::fetch(operator_request(&operator, *verb, path)).await;
        if is_api(path) || *verb == Verb::Post {
            nobody.assert_refused(401, "key_missing");
        } else {
            assert_eq!(nobody.status, 303);
            assert_eq!(nobody.header("location"), format!("/admin/sign-in?next={path}"));
        }
        let by_agent = operator_request(&operator, *verb, path).bearer_auth(&agent.key);
        Reply::fetch(by_agent).await.assert_refused(403, "forbidden");
        let wrong =
            [format!("ca_{}", "0".repeat(64)), "ca_1".into(), format!("gp_{}", "0".repeat(64)), "?".into()];
        for key in wrong {
            let reply = Reply::fetch(operator_request(&operator, *verb, path).bearer_auth(&key)).await;
            if is_api(path) || *verb == Verb::Post {
                reply.assert_refused(401, "key_invalid");
            } else {
                assert_eq!(reply.status, 303);
            }
        }
        let cookie = format!("caraplace-admin={}", "0".repeat(64));
        let stale = operator_request(&operator, *verb, path).header("Cookie", cookie);
        assert!([401, 303].contains(&Reply::fetch(stale).await.status), "{path}");
    }
}

#[tokio::test]
async fn browser_changes_require_a_csrf_token() {
    let server = Server::start_with_console().await;
    let operator = server.sign_in_operator().await;
    let other = server.sign_in_operator().await;
    for (verb, path) in operator_routes().into_iter().filter(|(verb, _)| *verb == Verb::Post) {
        let send = |csrf: &str| {
            if is_api(&path) {
                operator_request(&operator, verb, &path).header("X-CSRF-Token", csrf)
            } else {
                with_form_body(operator.post_request(&path), &[("csrf", csrf)])
            }
        };
        Reply::fetch(operator_request(&operator, verb, &path)).await.assert_refused(403, "forbidden");
        for wrong in ["", "0", &other.csrf] {
            Reply::fetch(send(wrong)).await.assert_refused(403, "forbidden");
        }
        for (name, value) in
            [("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "same-site")]
        {
            Reply::fetch(send(&operator.csrf).header(name, value)).await.assert_refused(403, "forbidden");
        }
    }
    assert_eq!(operator.get("/api/admin/session").await.status, 200, "an operator was signed out");
}

#[tokio::test]
async fn operators_see_not_found_and_method_errors() {
    let server = Server::start_with_console().await;
    let operator = server.client_with_key(&server.create_operator_key("walker").await);
    for (method, path, status, code) in [
        (Method::GET, "/api/admin/nothing", 404, "not_found"),
        (Method::POST, "/api/admin", 404, "not_found"),
        (Method::DELETE, "/api/admin/session", 405, "method_not_allowed"),
        (Method::POST, "/api/admin/session", 405, "method_not_allowed"),
    ] {
        Reply::fetch(operator.request(method, path)).await.assert_refused(status, code);
    }
    assert_eq!(Reply::fetch(server.client.delete(server.url("/api/admin/session"))).await.status, 401);
}

#[tokio::test]
async fn refuses_others_before_reading_the_body() {
    let server = Server::start_with_console().await;
    for path in ["/api/admin/keys", "/admin/keys"] {
        let mut raw = RawConnection::connect(server.running().address).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
        );
        assert!(raw.send(head).await);
        let answered = timeout(WAIT_LIMIT, raw.read_until("\r\n\r\n"));
        let answer = answered.await.expect("the server waits for the body");
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
}

#[tokio::test]
async fn nobody_signs_in_without_a_configured_password() {
    let mut server = Server::start_with_console().await;
    let key = server.create_operator_key("old").await;
    let cookies = server.sign_in_operator().await.cookies;
    server.restart_with("CARAPLACE_ADMIN_PASSWORD", "").await;
    let mut operator = server.browser("192.0.2.1");
    assert_eq!(operator.sign_in("").await.status, 403);
    let (status, page) = operator.page("/admin/sign-in").await;
    assert!(status == 200 && page.contains("is switched off") && !page.contains("password\""), "{page}");
    operator.get("/api/admin/session").await.assert_refused(401, "key_missing");
    server.client_with_key(&key).get("/api/admin/session").await.assert_refused(403, "forbidden");
    operator.cookies = cookies;
    operator.get("/api/admin/session").await.assert_refused(401, "key_invalid");
}
