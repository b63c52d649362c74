//! Response headers for browsers and caches: `Strict-Transport-Security` and `Vary`.

use reqwest::Method;
use serde_json::json;

use crate::support::{Reply, Server, with_form_body};

const BROWSER_ACCEPT: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn fetch(server: &Server, method: Method, path: &str, accept: &str) -> Reply {
    Reply::fetch(server.client.request(method, server.url(path)).header("Accept", accept)).await
}

#[tokio::test]
async fn sends_hsts_behind_tls() {
    let requests = [
        (Method::GET, "/"),
        (Method::GET, "/api/canvas"),
        (Method::HEAD, "/api/events"),
        (Method::POST, "/api/pixel"),
        (Method::GET, "/nothing"),
        (Method::GET, "/admin"),
    ];
    let plain = Server::start().await;
    let server = Server::start_with(&[("CARAPLACE_PUBLIC_URL", "https://canvas.example")]).await;
    for (method, path) in requests {
        let reply = fetch(&server, method.clone(), path, BROWSER_ACCEPT).await;
        assert_eq!(reply.header("strict-transport-security"), "max-age=31536000", "{method} {path}");
        let reply = fetch(&plain, method.clone(), path, BROWSER_ACCEPT).await;
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
        for accept in [BROWSER_ACCEPT, "application/json", "*/*"] {
            let reply = fetch(&server, method.clone(), path, accept).await;
            // The page in place of one that does not exist is in the visitor's language.
            let vary = if status == 404 { "Accept, Accept-Language, Cookie" } else { "Accept" };
            assert_eq!((reply.status, reply.header("vary")), (status, vary), "{method} {path}, {accept}");
        }
    }
    for accept in ["text/event-stream", "*/*"] {
        let stream = fetch(&server, Method::HEAD, "/api/events", accept).await;
        assert_eq!((stream.status, stream.header("vary")), (200, "Accept"), "{accept}");
    }
    let refused = fetch(&server, Method::GET, "/api/events", "application/json").await;
    assert_eq!((refused.status, refused.header("vary")), (406, "Accept"));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (accept, status) in [("application/json", 200), ("image/png", 406)] {
        let reply = Reply::fetch(server.post_request("/mcp").header("Accept", accept).json(&ping)).await;
        assert_eq!((reply.status, reply.header("vary")), (status, "Accept"), "{accept}: {}", reply.body);
    }
}

#[tokio::test]
async fn wrong_password_varies_by_accept() {
    let server = Server::start_with_console().await;
    let operator = server.browser("192.0.2.1");
    for accept in [BROWSER_ACCEPT, "application/json"] {
        let form = with_form_body(operator.post_request("/admin/sign-in"), &[("csrf", "old")]);
        let reply = Reply::fetch(form.header("Accept", accept)).await;
        assert_eq!((reply.status, reply.header("vary")), (403, "Accept"), "{accept}");
    }
}

#[tokio::test]
async fn sends_only_vary_accept_encoding_where_encoding_differs() {
    let server = Server::start().await;
    for path in ["/how", "/docs", "/api/canvas", "/api/chat", "/css/tokens.css"] {
        let reply = fetch(&server, Method::GET, path, BROWSER_ACCEPT).await;
        assert_eq!((reply.status, reply.header("vary")), (200, "Accept-Encoding"), "{path}");
    }
    // Refusals of the API do not depend on Accept.
    let reply = fetch(&server, Method::GET, "/api/nothing", BROWSER_ACCEPT).await;
    assert_eq!((reply.status, reply.header("vary")), (404, ""));
}
