//! CORS: pages of other origins may read what is public, without credentials, and nothing else.

use caraplace::http::routes::ROUTES;
use caraplace::http::routes::endpoint::{Right, Verb};
use reqwest::Method;
use serde_json::json;

use crate::support::{Reply, Server};

const ELSEWHERE: &str = "https://elsewhere.example";
const FILES: [&str; 5] = ["/openapi.json", "/skill.md", "/heartbeat.md", "/skill.json", "/og.png"];
const EXPOSED: &str =
    "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Canvas-Version, X-Request-Id, X-Skill-Version";

/// The headers of an answer that tell browsers who may see it.
fn sharing(reply: &Reply) -> Vec<(&str, &str)> {
    let told = reply.headers.iter().filter(|(name, _)| name.as_str().starts_with("access-control-"));
    let mut told: Vec<_> = told.map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    told.sort_unstable();
    told
}

fn shared() -> Vec<(&'static str, &'static str)> {
    vec![("access-control-allow-origin", "*"), ("access-control-expose-headers", EXPOSED)]
}

fn filled(path: &str) -> String {
    let path = path.replace("{id}", "agent_nobody").replace("{file}", "tokens.css");
    path.replace("{n}", "1").replace("{code}", "not_found")
}

/// An answer to a page of another origin.
async fn ask(server: &Server, method: Method, path: &str) -> Reply {
    Reply::of(server.client.request(method, server.url(path)).header("Origin", ELSEWHERE)).await
}

#[tokio::test]
async fn only_public_reads_allow_cross_origin() {
    let server = Server::start().await;
    let mut public = 0;
    for route in &ROUTES {
        let is_read = route.verb == Verb::Get && route.right == Right::Anyone;
        let is_public = is_read && (route.path.starts_with("/api/") || FILES.contains(&route.path));
        let expected = if is_public { shared() } else { Vec::new() };
        public += usize::from(is_public);
        let methods = match route.verb {
            // The stream goes on without end.
            Verb::Get if route.path == "/api/events" => vec![Method::HEAD],
            Verb::Get => vec![Method::GET, Method::HEAD],
            Verb::Post => vec![Method::POST],
        };
        for method in methods {
            let reply = ask(&server, method.clone(), &filled(route.path)).await;
            assert_eq!(sharing(&reply), expected, "{method} {} gives {}", route.path, reply.status);
        }
    }
    assert!(public > 25, "{public}");
    for path in
        ["/", "/gallery", "/admin", "/metrics", "/api/agents/me", "/api/admin/session", "/api/nothing"]
    {
        assert_eq!(sharing(&ask(&server, Method::GET, path).await), [], "{path}");
    }
}

#[tokio::test]
async fn refusals_and_empty_responses_have_cors_headers() {
    let server = Server::with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "4")]).await;
    let canvas = ask(&server, Method::GET, "/api/canvas").await;
    let known = server.get_request("/api/canvas").header("If-None-Match", canvas.header("etag"));
    let known = Reply::of(known.header("Origin", ELSEWHERE)).await;
    assert_eq!((known.status, sharing(&known)), (304, shared()));
    let wrong = ask(&server, Method::GET, "/api/pixel?x=1").await;
    assert_eq!((wrong.status, sharing(&wrong)), (400, shared()));
    let unknown = Reply::of(server.get_request("/api/canvas").bearer_auth("cp_unknown")).await;
    assert_eq!((unknown.status, sharing(&unknown)), (401, shared()));
    assert_eq!(ask(&server, Method::GET, "/api/stats").await.status, 200);
    let often = ask(&server, Method::GET, "/api/stats").await;
    assert_eq!((often.status, sharing(&often)), (429, shared()), "and it tells when to come back");
    assert!(!often.header("retry-after").is_empty());
}

#[tokio::test]
async fn grants_no_preflight() {
    let server = Server::start().await;
    for route in &ROUTES {
        let request = server.client.request(Method::OPTIONS, server.url(&filled(route.path)));
        let request =
            request.header("Origin", ELSEWHERE).header("Access-Control-Request-Headers", "authorization");
        let reply = Reply::of(request.header("Access-Control-Request-Method", route.verb.name())).await;
        assert_eq!(sharing(&reply), [], "{}", route.path);
        if route.right != Right::Operator {
            reply.assert_refused(405, "method_not_allowed");
            assert!(reply.header("allow").contains(route.verb.name()), "{}", route.path);
        }
    }
}

#[tokio::test]
async fn posts_have_no_cors_headers() {
    let server = Server::start().await;
    let ada = server.agent("Ada").await;
    let pixel = json!({"x": 1, "y": 1, "color": 1, "chat_digest": server.digest().await});
    let placed = Reply::of(ada.post_request("/api/pixel").header("Origin", ELSEWHERE).json(&pixel)).await;
    assert_eq!((placed.status, sharing(&placed)), (201, Vec::new()));
}
