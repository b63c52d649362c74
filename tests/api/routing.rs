//! Refused requests: unknown addresses, wrong methods and keys; as JSON for programs, as pages for people.

use std::collections::{BTreeMap, BTreeSet};

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{RouteAccess, Verb};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Reply, Server};

/// Returns a path of the table with values for its placeholders.
fn fill_path(path: &str) -> String {
    path.replace("{id}", "agent_nobody").replace("{file}", "nothing.css")
}

/// Returns the set of a header's list.
fn parse_list(header: &str) -> BTreeSet<&str> {
    header.split(',').map(str::trim).collect()
}

#[tokio::test]
async fn every_path_reports_allowed_methods() {
    let server = Server::start().await;
    let mut allowed: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    // Operators' routes reveal nothing to others, not even their methods.
    for route in ROUTES.iter().filter(|route| route.access != RouteAccess::Operator) {
        let methods = allowed.entry(route.path).or_default();
        methods.insert(route.verb.name());
        methods.extend((route.verb == Verb::Get).then_some("HEAD"));
    }
    for (path, methods) in allowed {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW"] {
            if methods.contains(method) {
                continue;
            }
            let verb = Method::from_bytes(method.as_bytes()).unwrap();
            let reply = Reply::fetch(server.client.request(verb, server.url(&fill_path(path)))).await;
            let allow = parse_list(reply.header("allow"));
            assert_eq!((reply.status, &allow), (405, &methods), "{method} {path}");
            if method != "HEAD" {
                reply.assert_refused(405, "method_not_allowed");
            }
        }
    }
}

#[tokio::test]
async fn unknown_endpoints_are_refused_with_the_nearest_ones() {
    let server = Server::start().await;
    let refused = server.get("/api/pixles").await;
    assert_eq!(refused.body["endpoints"][0], "POST /api/pixels", "{}", refused.body);
    assert!(refused.body["hint"].as_str().unwrap().contains("/llms.txt"), "{}", refused.body);
    refused.assert_refused(404, "not_found");
    for far in ["/api/xyzzy", "/pixels"] {
        let refused = server.get(far).await;
        assert_eq!((refused.status, &refused.body["endpoints"]), (404, &Value::Null), "{}", refused.body);
    }
}

#[tokio::test]
async fn unknown_paths_are_not_found_for_any_method() {
    let server = Server::start().await;
    for path in [
        "/nothing",
        "/api",
        "/api/",
        "/api/nothing",
        "/api/pixel/",
        "/api/Canvas",
        "/css/",
        "//",
        "/index.html",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let reply = Reply::fetch(server.client.request(method, server.url(path)).json(&json!({}))).await;
            reply.assert_refused(404, "not_found");
        }
    }
    server.get("/api/agents/agent_nobody").await.assert_refused(404, "not_found");
}

#[tokio::test]
async fn browsers_get_error_pages_outside_the_api() {
    let server = Server::start().await;
    for (method, path, status) in [
        (Method::GET, "/nothing", 404),
        (Method::GET, "/css/nothing.css", 404),
        (Method::POST, "/", 405),
        (Method::DELETE, "/skill.md", 405),
        (Method::GET, "/apiary", 404),
    ] {
        let request = server.client.request(method, server.url(path));
        let page = Reply::fetch(request.header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")).await;
        let content_type = "text/html; charset=utf-8";
        assert_eq!((page.status, page.header("content-type")), (status, content_type), "{path}");
        let html = page.text();
        assert!(html.contains(&status.to_string()) && html.contains("</html>"), "{html}");
        assert!(page.header("content-security-policy").contains("default-src"));
        assert_eq!(page.headers.contains_key("allow"), status == 405, "{path}");
    }
}

#[tokio::test]
async fn api_and_non_browser_refusals_are_json() {
    let server = Server::start().await;
    for (path, accept) in
        [("/api/nothing", "text/html"), ("/nothing", "application/json"), ("/nothing", "*/*")]
    {
        server.get_with_headers(path, &[("Accept", accept)]).await.assert_refused(404, "not_found");
    }
    let canvas = server.client.delete(server.url("/api/canvas")).header("Accept", "text/html");
    Reply::fetch(canvas).await.assert_refused(405, "method_not_allowed");
}

#[tokio::test]
async fn error_page_escapes_the_path() {
    let server = Server::start().await;
    let (_, html) = server.page("/%3Cimg%20onerror=x%3E").await;
    assert!(!html.contains("<img"), "{html}");
}

#[tokio::test]
async fn refuses_wrong_key_on_public_routes() {
    let server = Server::start_with(&[("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let wrong = [
        format!("Bearer cp_{}", "0".repeat(64)),
        "Bearer cp_".into(),
        "Bearer gp_0123456789abcdef".into(),
        "Bearer ca_0123456789abcdef".into(),
        "Bearer something".into(),
        "Bearer".into(),
        "Bearer ".into(),
        "Basic YWRhOmFkYQ==".into(),
        "Token cp_1".into(),
        "?".into(),
    ];
    // The routes of the guide say first that this server has none.
    let reads = ROUTES.iter().filter(|route| {
        route.verb == Verb::Get && route.path.starts_with("/api") && route.access != RouteAccess::Visitor
    });
    for (number, path) in reads.map(|route| fill_path(route.path)).enumerate() {
        // Wrong keys are limited per address, so each request has its own.
        let somebody = format!("192.0.2.{number}");
        for key in &wrong {
            let request = server.get_request(&path).header("X-Forwarded-For", &somebody);
            let reply = Reply::fetch(request.header("Authorization", key)).await;
            assert_eq!(reply.status, 401, "{path} with {key}: {}", reply.body);
            reply.assert_refused(401, "key_invalid");
            assert_eq!(reply.header("www-authenticate"), "Bearer");
        }
    }
    let request = server.post_request("/api/agents/register").json(&json!({"name": "Ada"}));
    Reply::fetch(request.bearer_auth("gp_1")).await.assert_refused(401, "key_invalid");
    assert_eq!(server.try_register_agent("Ada").await.status, 201);
}

#[tokio::test]
async fn agent_routes_require_a_key() {
    let server = Server::start().await;
    for route in ROUTES.iter().filter(|route| route.access == RouteAccess::Agent) {
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let request = server.client.request(method, server.url(&fill_path(route.path)));
        let reply = Reply::fetch(request.json(&json!({}))).await;
        reply.assert_refused(401, "key_missing");
        assert_eq!(reply.header("www-authenticate"), "Bearer");
    }
}

#[tokio::test]
async fn valid_key_works_with_any_case_of_the_scheme() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let authorization = format!("{scheme} {}", ada.key);
        for path in ["/api/canvas", "/api/agents/me"] {
            let reply = server.get_with_headers(path, &[("Authorization", &authorization)]).await;
            assert_eq!(reply.status, 200, "{scheme} {path}");
        }
    }
}
