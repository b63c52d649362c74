//! Query parameters: those that the route table does not list, and numbers beyond the bounds in it.

use std::collections::BTreeSet;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Param, ParamKind, ParamLocation, Route, RouteAccess, Verb};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::support::actions::CONSOLE_SETTINGS;
use crate::support::{Reply, Server};

const STRIPE_WEBHOOK_PATH: &str = "/api/stripe/webhook";

/// A server with a key of each kind of caller.
struct Callers {
    server: Server,
    agent: String,
    viewer: String,
    operator: String,
}

impl Callers {
    async fn start() -> Self {
        // A guide whose model is never asked.
        let guide = [("GUIDE_MODEL", "none"), ("GUIDE_API_BASE", "http://127.0.0.1:9")];
        let server = Server::start_with(&[CONSOLE_SETTINGS, guide].concat()).await;
        let agent = server.register_agent("Ada").await.key;
        let operator = server.create_operator_key("parameters").await;
        let viewer = server.create_viewer().await.key;
        Self { server, agent, viewer, operator }
    }

    /// Returns a request of a route with this query, by a caller that the route admits. The body has no
    /// fields.
    fn request(&self, route: &Route, query: &str) -> RequestBuilder {
        let path =
            route.path.replace("{id}", "agent_nobody").replace("{n}", "1").replace("{file}", "tokens.css");
        let method = Method::from_bytes(route.verb.name().as_bytes()).unwrap();
        let request = self.server.client.request(method, self.server.url(&format!("{path}?{query}")));
        let request = if route.verb == Verb::Get { request } else { request.json(&json!({})) };
        match route.access {
            RouteAccess::Anyone | RouteAccess::Visitor => request,
            RouteAccess::Agent | RouteAccess::AgentOrViewer | RouteAccess::AnyAccount => {
                request.bearer_auth(&self.agent)
            }
            RouteAccess::Viewer => request.bearer_auth(&self.viewer),
            RouteAccess::Operator => request.bearer_auth(&self.operator),
        }
    }
}

/// Returns true if a body is needed, but a key only in some cases: such a row says that anyone may call it.
fn needs_agent(route: &Route) -> bool {
    route.access == RouteAccess::Anyone && route.body.is_some()
}

fn query_params(route: &Route) -> impl Iterator<Item = &'static Param> {
    route.params.iter().filter(|param| param.location == ParamLocation::Query)
}

fn query_names(route: &Route) -> Vec<&'static str> {
    query_params(route).map(|param| param.name).collect()
}

#[tokio::test]
async fn every_route_of_the_api_refuses_unknown_parameters() {
    let callers = Callers::start().await;
    for route in ROUTES.iter().filter(|route| route.path.starts_with("/api/")) {
        let names = query_names(route);
        for (query, unknown) in
            [("nonsense=1", "nonsense"), ("x%20y", "x y"), ("=", ""), ("&Limit=5&&", "Limit")]
        {
            let request = callers.request(route, query);
            let request = if needs_agent(route) { request.bearer_auth(&callers.agent) } else { request };
            let reply = Reply::fetch(request).await;
            let place =
                format!("{} {}?{query}: {} {}", route.verb.name(), route.path, reply.status, reply.body);
            if route.path == STRIPE_WEBHOOK_PATH {
                assert_eq!(reply.code(), "signature_invalid", "{place}");
                continue;
            }
            assert_eq!((reply.status, reply.code()), (400, "unknown_parameter"), "{place}");
            assert_eq!(reply.body["field"], unknown, "{place}");
            let detail = reply.body["detail"].as_str().unwrap();
            assert!(names.iter().all(|name| detail.contains(name)), "{place}");
        }
        // A listed parameter is never unknown, whatever else is wrong with the request.
        for name in names {
            let reply = Reply::fetch(callers.request(route, &format!("{name}=%00"))).await;
            assert_ne!(reply.code(), "unknown_parameter", "{} {}?{name}", route.verb.name(), route.path);
        }
    }
}

#[tokio::test]
async fn numbers_beyond_their_documented_bounds_are_refused() {
    let callers = Callers::start().await;
    let mut checked_names = BTreeSet::new();
    // Unknown ids, missing parameters and missing fields are refused first.
    let is_read_with_options =
        |route: &&Route| route.verb == Verb::Get && route.params.iter().all(|param| !param.required);
    for route in ROUTES.iter().filter(|route| route.path.starts_with("/api/")).filter(is_read_with_options) {
        for param in query_params(route) {
            let ParamKind::Number(min, max) = param.kind else { continue };
            let twice = format!("{min}&{}={min}", param.name);
            let bounds = [i128::from(min) - 1, i128::from(max) + 1].map(|number| number.to_string());
            for wrong in bounds.into_iter().chain(["1.5".to_owned(), "x".to_owned(), twice]) {
                let query = format!("{}={wrong}", param.name);
                let reply = Reply::fetch(callers.request(route, &query)).await;
                let refusal = (reply.status, reply.code(), reply.body["field"].as_str());
                let expected = (400, "invalid_field", Some(param.name));
                assert_eq!(refusal, expected, "{}?{query}: {}", route.path, reply.body);
            }
            for bound in [min, max] {
                let request = callers.request(route, &format!("{}={bound}", param.name));
                let response = request.send().await.unwrap();
                // A stream that accepts the bound never ends, so only the text of a refusal is read.
                if response.status() != StatusCode::BAD_REQUEST {
                    continue;
                }
                let text = response.text().await.unwrap();
                let refuses_bound = text.contains("invalid_field") && text.contains("must be from");
                assert!(!refuses_bound, "{}?{}={bound}: {text}", route.path, param.name);
            }
            checked_names.insert(param.name);
        }
    }
    assert!(["active", "limit"].iter().all(|name| checked_names.contains(name)), "{checked_names:?}");
}

#[tokio::test]
async fn pages_and_files_ignore_unknown_parameters() {
    let callers = Callers::start().await;
    let outside = |route: &&Route| !route.path.starts_with("/api/") && route.verb == Verb::Get;
    for route in ROUTES.iter().filter(outside) {
        let [plain, with_query] = ["", "nonsense=1"].map(|query| Reply::fetch(callers.request(route, query)));
        let (plain, with_query) = (plain.await, with_query.await);
        assert_eq!(with_query.status, plain.status, "{}", route.path);
        assert_ne!(with_query.code(), "unknown_parameter", "{}", route.path);
    }
}

#[tokio::test]
async fn refusal_names_the_nearest_parameter() {
    let server = Server::start().await;
    for (path, field, nearest) in [
        ("/api/chat?sinse=5", "sinse", "since"),
        ("/api/chat?limit=5&befor=msg_1", "befor", "before"),
        ("/api/canvas/region?x1=0&y1=0&x2=3&y2=3&lables=true", "lables", "labels"),
        ("/api/canvas/region?X1=0&y1=0&x2=3&y2=3", "X1", "x1"),
        ("/api/canvas/visual?gird=off", "gird", "grid"),
    ] {
        let reply = server.get(path).await;
        reply.assert_refused(400, "unknown_parameter");
        let detail = reply.body["detail"].as_str().unwrap();
        assert_eq!(reply.body["field"], field, "{path}");
        assert!(detail.contains(&format!("Did you mean {nearest}?")), "{path}: {detail}");
    }
    for path in ["/api/chat?foo=1", "/api/canvas/region?x1=0&y1=0&x2=3&y2=3&zoom=2"] {
        let detail = server.get(path).await.body["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("The parameters are: ") && !detail.contains("Did you mean"), "{detail}");
    }
    let reply = server.get("/api/stats?limit=5").await;
    assert!(reply.body["detail"].as_str().unwrap().contains("has none"), "{}", reply.body);
    let long = server.get(&format!("/api/chat?{}=1", "long".repeat(500))).await;
    long.assert_refused(400, "unknown_parameter");
    let detail = long.body["detail"].as_str().unwrap();
    assert!(detail.contains("The parameters are: limit, before"), "{}", long.body);
}

#[tokio::test]
async fn parameters_are_checked_after_key_and_json_syntax() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let pixel = |body: &str| {
        server
            .post_request("/api/pixel?dry=1")
            .header("Content-Type", "application/json")
            .body(body.to_owned())
    };
    let wrong_key = format!("cp_{}", "0".repeat(64));
    for (status, code, request) in [
        (401, "key_invalid", server.get_request("/api/stats?a=1").bearer_auth(wrong_key)),
        (401, "key_missing", server.get_request("/api/home?a=1")),
        (401, "key_missing", pixel("{}")),
        (400, "malformed_json", pixel("{").bearer_auth(&ada.key)),
        (400, "unknown_parameter", pixel("{\"x\": \"a\"}").bearer_auth(&ada.key)),
        (400, "unknown_parameter", server.get_request("/api/chat?limit=0&a=1")),
        (404, "not_found", server.get_request("/api/nothing?a=1")),
    ] {
        Reply::fetch(request).await.assert_refused(status, code);
    }
    let body = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    let before = ada.me().await;
    ada.post("/api/pixel?expected_color=0", body.clone()).await.assert_refused(400, "unknown_parameter");
    assert_eq!(ada.me().await["charges"], before["charges"], "nothing was spent");
    assert_eq!(ada.post("/api/pixel", body).await.status, 201);
}

#[tokio::test]
async fn unknown_field_names_the_nearest_field() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    for (path, body, nearest) in [
        ("/api/pixel", json!({"colour": 1}), "color"),
        ("/api/chat", json!({"contents": "hi"}), "content"),
        ("/api/chat", json!({"content": "hi", "replyto": "msg_1"}), "reply_to"),
    ] {
        let reply = ada.post(path, body).await;
        reply.assert_refused(400, "unknown_field");
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("Did you mean `{nearest}`?")), "{detail}");
    }
    for (path, body) in
        [("/api/pixel", json!({"foo": 1})), ("/api/chat", json!({"content": "hi", "mentions": []}))]
    {
        let reply = ada.post(path, body).await;
        reply.assert_refused(400, "unknown_field");
        assert!(!reply.body["detail"].as_str().unwrap().contains("Did you mean"), "{}", reply.body);
    }
    let reply: Value = ada.post("/api/pixel", json!({"y".repeat(5_000): 1})).await.body;
    assert_eq!(reply["code"], "unknown_field", "{reply}");
}
