//! Every route of operators in every role, and with every scope of a key.

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, RouteAccess, Verb};
use regex::Regex;
use reqwest::RequestBuilder;
use serde_json::json;

use crate::support::{OperatorBrowser, Reply, Server, with_form_body};

/// The scopes of each role.
const ROLES: [(&str, &[&str]); 4] = [
    ("read_only", &["read"]),
    ("moderator", &["read", "moderate"]),
    ("operator", &["read", "moderate", "manage"]),
    ("owner", &["read", "moderate", "manage", "own"]),
];
/// Parts of the paths of changes that are no moderation.
const MANAGED: [&str; 8] =
    ["/seasons", "/settings", "/passes", "/drafts", "/announce", "/rename", "/erase", "/invitation-codes"];

/// Returns the scope that a route of operators needs; `None` if it concerns the own account.
fn needed_scope(route: &Route) -> Option<&'static str> {
    let path = route.path.strip_prefix("/api").unwrap_or(route.path);
    let is_read = route.verb == Verb::Get;
    match path {
        "/admin/account" | "/admin/sign-out" => None,
        own if own.starts_with("/admin/account/") => None,
        keys if keys.starts_with("/admin/keys") && !is_read => None,
        operators if operators.starts_with("/admin/operators") => Some("own"),
        // Its evidence may be a private message.
        "/admin/reports/{id}" => Some("moderate"),
        _ if is_read => Some("read"),
        managed if MANAGED.iter().any(|part| managed.contains(part)) => Some("manage"),
        _ => Some("moderate"),
    }
}

/// Returns the routes of operators.
fn operator_routes() -> Vec<&'static Route> {
    let routes: Vec<_> = ROUTES.iter().filter(|route| route.access == RouteAccess::Operator).collect();
    assert!(routes.len() > 90, "{}", routes.len());
    routes
}

/// Returns a request to a route without a CSRF token: a browser changes nothing with it.
fn request(browser: &OperatorBrowser<'_>, route: &Route) -> RequestBuilder {
    let path = Regex::new(r"\{\w+\}").unwrap().replace_all(route.path, "1").into_owned();
    match route.verb {
        Verb::Get => browser.get_request(&path),
        Verb::Post if path.starts_with("/api/") => browser.post_request(&path).json(&json!({})),
        Verb::Post => with_form_body(browser.post_request(&path), &[]),
        Verb::Put | Verb::Patch | Verb::Delete => unreachable!("no route for operators has this method"),
    }
}

#[tokio::test]
async fn every_route_needs_its_scope_in_every_role() {
    let server = Server::start_with_console().await;
    for (role, scopes) in ROLES {
        let browser = server.invite_operator(role, &format!("the {role}").replace('_', "-")).await;
        let session = browser.get("/api/admin/session").await.body;
        assert_eq!((&session["role"], &session["scopes"]), (&json!(role), &json!(scopes)));
        for route in operator_routes() {
            let reply = Reply::fetch(request(&browser, route)).await;
            let place = format!("{role} at {:?} {}", route.verb, route.path);
            match needed_scope(route).filter(|scope| !scopes.contains(scope)) {
                Some(missing) => {
                    reply.assert_refused(403, "scope_missing");
                    assert_eq!(reply.body["scope"], missing, "{place}");
                    assert!(reply.body["detail"].as_str().unwrap().contains(role), "{place}: {}", reply.body);
                }
                None if route.verb == Verb::Post => reply.assert_refused(403, "forbidden"),
                None => assert_ne!(reply.code(), "scope_missing", "{place}"),
            }
        }
    }
}

#[tokio::test]
async fn every_route_needs_its_scope_with_every_key() {
    let server = Server::start_with_console().await;
    let owner = server.sign_in_operator().await;
    let program = server.browser("192.0.2.1");
    for scope in ["read", "moderate", "manage", "own"] {
        let created = owner.post("/api/admin/keys", json!({"name": scope, "scopes": [scope]})).await;
        let key = created.assert_status(201)["api_key"].as_str().unwrap().to_owned();
        for route in operator_routes() {
            // A key may change the account of its operator only if it may change all operators.
            let needed = needed_scope(route).unwrap_or("own");
            let place = format!("key with {scope} at {:?} {}", route.verb, route.path);
            if needed != scope {
                let reply = Reply::fetch(request(&program, route).bearer_auth(&key)).await;
                reply.assert_refused(403, "scope_missing");
                assert_eq!(reply.body["scope"], needed, "{place}");
            } else if route.verb == Verb::Get {
                let reply = Reply::fetch(request(&program, route).bearer_auth(&key)).await;
                assert_ne!(reply.code(), "scope_missing", "{place}");
            }
        }
    }
}

#[tokio::test]
async fn roles_also_count_beside_the_operators_routes() {
    let server = Server::start_with_console().await;
    let moderator = server.invite_operator("moderator", "Grace").await;
    let plan = json!({"title": "A house", "x": 1, "y": 1, "rows": ["5"]});
    let refused = moderator.post("/api/plans", plan.clone()).await;
    refused.assert_refused(403, "scope_missing");
    assert_eq!(refused.body["scope"], "manage", "it would be a plan of the operators");
    let operator = server.invite_operator("operator", "Ada").await;
    operator.post("/api/plans", plan).await.assert_status(201);
}

#[tokio::test]
async fn a_role_is_told_kindly_and_menus_leave_out_what_it_may_not_see() {
    let server = Server::start_with_console().await;
    let moderator = server.invite_operator("moderator", "Grace").await;
    let (status, page) = moderator.page("/admin/operators").await;
    assert!(status == 403 && page.contains("Your role, moderator, may not do this"), "{page}");
    assert!(page.contains("Ask an owner"), "{page}");
    for (path, fields) in
        [("/admin/settings", [("name", "motto")]), ("/admin/announce", [("content", "Hello")])]
    {
        let request = with_form_body(moderator.post_request(path), &fields).header("Accept", "text/html");
        let refused = Reply::fetch(request).await;
        let page = refused.text();
        assert_eq!((refused.status, refused.header("cache-control")), (403, "no-store"), "{page}");
        for part in ["class=\"console-nav\"", "<h1>Your role may not do this</h1>", "Ask an owner"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("Send again") && !page.contains("The key lacks a scope"), "{page}");
    }
    let (_, page) = moderator.page("/admin/operators?q=Ada").await;
    assert!(page.contains("class=\"console-nav\"") && !page.contains("Send again"), "{page}");
    let (_, page) = moderator.page("/admin").await;
    assert!(page.contains("/admin/account") && !page.contains("/admin/operators"), "{page}");
    let (_, page) = server.sign_in_operator().await.page("/admin").await;
    assert!(page.contains("/admin/operators"), "{page}");
}
