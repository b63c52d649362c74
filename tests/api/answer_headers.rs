//! What answers tell browsers and caches of themselves: that they come by TLS only.

use reqwest::Method;

use crate::support::{Reply, Server};

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn ask(server: &Server, method: Method, path: &str, accept: &str) -> Reply {
    Reply::of(server.client.request(method, server.url(path)).header("Accept", accept)).await
}

#[tokio::test]
async fn behind_tls_every_answer_tells_browsers_to_stay_there() {
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
