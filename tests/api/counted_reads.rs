//! The rate limit on requests holds for every read of the table of routes, except the few that cost next to
//! nothing.

use platform::config::ApiShape;

use caraplace::server::routes::ROUTES;
use caraplace_http::route::endpoint::{Route, RouteAccess, Verb};
use reqwest::RequestBuilder;

use crate::support::actions::FREE_CONSOLE_SETTINGS;
use crate::support::{Agent, FakeModel, OperatorBrowser, Server};

/// The reads that count for nobody: files and pages that are rendered once and then sent from memory, and
/// what probes and metrics read. `docs/SECURITY.md` names them under "Not counted at all".
const UNCOUNTED: [&str; 35] = [
    "/",
    "/language",
    "/how",
    "/join",
    "/privacy",
    "/terms",
    "/embed",
    "/errors",
    "/assets/{file}",
    "/css/{file}",
    "/js/{file}",
    "/js/{folder}/{file}",
    "/words/{file}",
    "/icons/{file}",
    "/fonts/{file}",
    "/favicon.svg",
    "/favicon.ico",
    "/apple-touch-icon.png",
    "/manifest.webmanifest",
    "/push-worker.js",
    "/robots.txt",
    "/skill.md",
    "/skill/coordination.md",
    "/skill/mcp.md",
    "/skill/reference.md",
    "/heartbeat.md",
    "/skill.json",
    "/llms.txt",
    "/.well-known/agent-card.json",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/healthz",
    "/readyz",
    "/metrics",
];
/// The number of tries. The allowance of one request per minute may come back between two of them.
const TRIES: usize = 3;

/// The callers of a server whose allowance is one request.
struct Callers<'a> {
    server: &'a Server,
    agent: Agent<'a>,
    viewer: Agent<'a>,
    operator: OperatorBrowser<'a>,
}

impl Callers<'_> {
    /// Returns a read with the key or the session that its route requires.
    fn request(&self, route: &Route, path: &str) -> RequestBuilder {
        let request = self.server.get_request(path);
        match route.access {
            RouteAccess::Anyone => request,
            RouteAccess::Agent | RouteAccess::AgentOrViewer | RouteAccess::AnyAccount => {
                request.bearer_auth(&self.agent.key)
            }
            RouteAccess::Viewer | RouteAccess::Visitor => request.bearer_auth(&self.viewer.key),
            RouteAccess::Operator => self.operator.with_browser_headers(request),
        }
    }

    /// Returns true if a read is refused once its caller has used up its allowance.
    async fn is_counted(&self, route: &Route) -> bool {
        let fill = |part: &str| match part {
            "{n}" => "1".to_owned(),
            "{code}" => "not_found".to_owned(),
            part if part.starts_with('{') => self.agent.id.clone(),
            part => part.to_owned(),
        };
        let path = route.path.split('/').map(fill).collect::<Vec<_>>().join("/");
        for _ in 0..TRIES {
            let response = self.request(route, &path).send().await.unwrap();
            if response.status() == 429 {
                return true;
            }
        }
        false
    }
}

#[tokio::test]
async fn every_read_is_counted_or_named_as_free() {
    let model = FakeModel::start(ApiShape::Messages, Vec::new()).await;
    let unlimited = model.start_server(&FREE_CONSOLE_SETTINGS).await;
    let limited = [&FREE_CONSOLE_SETTINGS[..], &[("CARAPLACE_REQUESTS_PER_MINUTE", "1")]].concat();
    let server = model.start_instance(&unlimited, &limited).await;
    let callers = Callers {
        server: &server,
        agent: unlimited.register_agent("Ada").await.on(&server),
        viewer: unlimited.create_viewer().await.on(&server),
        operator: unlimited.sign_in_operator().await,
    };
    let mut free = Vec::new();
    for route in ROUTES.iter().filter(|route| route.verb == Verb::Get) {
        if !callers.is_counted(route).await {
            free.push(route.path);
        }
    }
    let missing: Vec<_> = free.iter().filter(|path| !UNCOUNTED.contains(path)).collect();
    assert!(missing.is_empty(), "these render for everyone as often as asked: {missing:?}");
    let counted: Vec<_> = UNCOUNTED.iter().filter(|path| !free.contains(path)).collect();
    assert!(counted.is_empty(), "these are counted: {counted:?}");
}

#[tokio::test]
async fn pages_of_codes_and_the_board_count_and_are_kept() {
    let server = Server::start_with(&[("CARAPLACE_REQUESTS_PER_MINUTE", "2")]).await;
    for path in ["/errors/not_found", "/plans/new"] {
        let page = server.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.header("etag").is_empty() && page.header("cache-control").starts_with("public"));
    }
    for path in ["/errors/not_found", "/errors/overloaded", "/errors/none", "/plans/new"] {
        server.get(path).await.assert_refused(429, "too_many_requests");
    }
}
