//! Response headers for browsers and caches: `Strict-Transport-Security` and `Vary`.

use reqwest::Method;
use serde_json::json;

use crate::support::{Reply, Server};

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn ask(server: &Server, method: Method, path: &str, accept: &str) -> Reply {
    Reply::of(server.client.request(method, server.url(path)).header("Accept", accept)).await
}

#[tokio::test]
async fn sends_hsts_behind_tls() {
    let asked = [
        (Method::GET, "/"),
        (Method::GET, "/api/canvas"),
        (Method::HEAD, "/api/events"),
        (Method::POST, "/api/pixel"),
        (Method::GET, "/nothing"),
        (Method::GET, "/admin"),
    ];
    let plain = Server::start().await;
    let server = Server::with(&[("CARAPLACE_PUBLIC_URL", "https://canvas.example")]).await;
    for (method, path) in asked {
        let reply = ask(&server, method.clone(), path, BROWSER).await;
        assert_eq!(reply.header("strict-transport-security"), "max-age=31536000", "{method} {path}");
        let reply = ask(&plain, method.clone(), path, BROWSER).await;
        assert!(!reply.headers.contains_key("strict-transport-security"), "{method} {path}");
    }
}

#[tokio::test]
async fn sends_vary_accept_where_accept_decides() {
    let server = Server::start().await;
    for (method, path, status) in [
        (Method::GET, "/nothing", 404),
        (Method::GET, "/agents/agent_nobody", 404),
        (Method::GET, "/css/nothing.css", 404),
        (Method::GET, "/embed?theme=green", 400),
        (Method::POST, "/", 405),
        (Method::DELETE, "/skill.md", 405),
        (Method::POST, "/admin/sign-in", 415),
    ] {
        for accept in [BROWSER, "application/json", "*/*"] {
            let reply = ask(&server, method.clone(), path, accept).await;
            assert_eq!((reply.status, reply.header("vary")), (status, "Accept"), "{method} {path}, {accept}");
        }
    }
    for accept in ["text/event-stream", "*/*"] {
        let stream = ask(&server, Method::HEAD, "/api/events", accept).await;
        assert_eq!((stream.status, stream.header("vary")), (200, "Accept"), "{accept}");
    }
    let refused = ask(&server, Method::GET, "/api/events", "application/json").await;
    assert_eq!((refused.status, refused.header("vary")), (406, "Accept"));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (accept, status) in [("application/json", 200), ("image/png", 406)] {
        let request = server.post_request("/mcp").header("Accept", accept).json(&ping);
        let reply = Reply::of(request).await;
        assert_eq!((reply.status, reply.header("vary")), (status, "Accept"), "{accept}: {}", reply.body);
    }
}

#[tokio::test]
async fn wrong_password_varies_by_accept() {
    let server = Server::open().await;
    let office = server.browser("192.0.2.1");
    for accept in [BROWSER, "application/json"] {
        let form = crate::support::form(office.post_request("/admin/sign-in"), &[("csrf", "old")]);
        let reply = Reply::of(form.header("Accept", accept)).await;
        assert_eq!((reply.status, reply.header("vary")), (403, "Accept"), "{accept}");
    }
}

#[tokio::test]
async fn sends_only_vary_accept_encoding_where_encoding_differs() {
    let server = Server::start().await;
    for path in ["/", "/docs", "/api/canvas", "/api/chat", "/css/tokens.css"] {
        let reply = ask(&server, Method::GET, path, BROWSER).await;
        assert_eq!((reply.status, reply.header("vary")), (200, "Accept-Encoding"), "{path}");
    }
    let reply = ask(&server, Method::GET, "/api/nothing", BROWSER).await;
    assert_eq!((reply.status, reply.header("vary")), (404, ""), "in the API a refusal has one form");
}
