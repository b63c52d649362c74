//! CORS: pages of other origins may read public data without credentials, and nothing else.

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{RouteAccess, Verb};
use reqwest::Method;
use serde_json::json;

use crate::support::{Reply, Server};

const FOREIGN_ORIGIN: &str = "https://elsewhere.example";
const SHARED_FILES: [&str; 11] = [
    "/openapi.json",
    "/skill.md",
    "/skill/coordination.md",
    "/skill/mcp.md",
    "/skill/reference.md",
    "/heartbeat.md",
    "/skill.json",
    "/llms.txt",
    "/.well-known/agent-card.json",
    "/openapi/agents.json",
    "/og.png",
];
const EXPOSED_HEADERS: &str =
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version";

const EXPOSED_HEADERS_OF_ENDPOINTS: &str = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, \
                                            X-Skill-Version, Mcp-Session-Id, WWW-Authenticate";

/// Returns the response headers that control the access of other origins.
fn cors_headers(reply: &Reply) -> Vec<(&str, &str)> {
    let headers = reply.headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
    let mut headers: Vec<_> = headers.map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    headers.sort_unstable();
    headers
}

fn expected_cors_headers() -> Vec<(&'static str, &'static str)> {
    vec![("access-control-allow-origin", "*"), ("access-control-expose-headers", EXPOSED_HEADERS)]
}

fn fill_path(path: &str) -> String {
    let path = path.replace("{id}", "agent_nobody").replace("{file}", "tokens.css");
    path.replace("{n}", "1").replace("{code}", "not_found")
}

/// Sends a request from a page of another origin.
async fn fetch_cross_origin(server: &Server, method: Method, path: &str) -> Reply {
    Reply::fetch(server.client.request(method, server.url(path)).header("Origin", FOREIGN_ORIGIN)).await
}

#[tokio::test]
async fn only_public_reads_allow_cross_origin() {
    let server = Server::start().await;
    let mut public = 0;
    for route in ROUTES.iter() {
        let is_read = route.verb == Verb::Get && route.access == RouteAccess::Anyone;
        let is_public = route.is_for_foreign_pages()
            || (is_read && (route.path.starts_with("/api/") || SHARED_FILES.contains(&route.path)));
        let expected = match route.is_for_foreign_pages() {
            true => vec![
                ("access-control-allow-origin", "*"),
                ("access-control-expose-headers", EXPOSED_HEADERS_OF_ENDPOINTS),
            ],
            false if is_public => expected_cors_headers(),
            false => Vec::new(),
        };
        public += usize::from(is_public);
        let methods = match route.verb {
            // HEAD only, because the event stream does not end.
            Verb::Get if route.path == "/api/events" => vec![Method::HEAD],
            Verb::Get => vec![Method::GET, Method::HEAD],
            verb => vec![Method::from_bytes(verb.name().as_bytes()).unwrap()],
        };
        for method in methods {
            let reply = fetch_cross_origin(&server, method.clone(), &fill_path(route.path)).await;
            assert_eq!(cors_headers(&reply), expected, "{method} {} gives {}", route.path, reply.status);
        }
    }
    assert!(public > 25, "{public}");
    for path in "/ /gallery /admin /metrics /api/agents/me /api/admin/session /api/nothing".split(' ') {
        assert_eq!(cors_headers(&fetch_cross_origin(&server, Method::GET, path).await), [], "{path}");
    }
}

#[tokio::test]
async fn refusals_and_empty_responses_have_cors_headers() {
    let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "4")]).await;
    let canvas = fetch_cross_origin(&server, Method::GET, "/api/canvas").await;
    let headers = [("If-None-Match", canvas.header("etag")), ("Origin", FOREIGN_ORIGIN)];
    let known = server.get_with_headers("/api/canvas", &headers).await;
    assert_eq!((known.status, cors_headers(&known)), (304, expected_cors_headers()));
    let wrong = fetch_cross_origin(&server, Method::GET, "/api/pixel?x=1").await;
    assert_eq!((wrong.status, cors_headers(&wrong)), (400, expected_cors_headers()));
    let unknown = server.client_with_key("cp_unknown").get("/api/canvas").await;
    assert_eq!((unknown.status, cors_headers(&unknown)), (401, expected_cors_headers()));
    assert_eq!(fetch_cross_origin(&server, Method::GET, "/api/stats").await.status, 200);
    let often = fetch_cross_origin(&server, Method::GET, "/api/stats").await;
    assert_eq!((often.status, cors_headers(&often)), (429, expected_cors_headers()));
    assert!(!often.header("retry-after").is_empty(), "and it tells when to come back");
}

#[tokio::test]
async fn grants_no_preflight() {
    let server = Server::start().await;
    for route in ROUTES.iter().filter(|route| !route.is_for_foreign_pages()) {
        let request = server.client.request(Method::OPTIONS, server.url(&fill_path(route.path)));
        let request = request.header("Access-Control-Request-Headers", "authorization");
        let request = request.header("Origin", FOREIGN_ORIGIN);
        let reply = Reply::fetch(request.header("Access-Control-Request-Method", route.verb.name())).await;
        assert_eq!(cors_headers(&reply), [], "{}", route.path);
        if route.access != RouteAccess::Operator {
            reply.assert_refused(405, "method_not_allowed");
            assert!(reply.header("allow").contains(route.verb.name()), "{}", route.path);
        }
    }
}

#[tokio::test]
async fn posts_have_no_cors_headers() {
    let server = Server::start().await;
    let ada = server.register_agent("Ada").await;
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    let request = ada.post_request("/api/pixel").header("Origin", FOREIGN_ORIGIN).json(&pixel);
    let placed = Reply::fetch(request).await;
    assert_eq!((placed.status, cors_headers(&placed)), (201, Vec::new()));
}
