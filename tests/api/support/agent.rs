//! An agent as the client of a test server.

use reqwest::{Body, Method, RequestBuilder};
use serde_json::{Value, json};

use super::{EventStream, Reply, Server};

/// An agent with its key.
pub struct Agent<'a> {
    pub server: &'a Server,
    pub id: String,
    pub key: String,
}

impl<'a> Agent<'a> {
    /// Makes an extra key with these scopes, and returns the agent with that key.
    pub async fn with_extra_key(&self, scopes: &[&str]) -> Agent<'a> {
        let made = self.post("/api/agents/me/keys", json!({"name": "test", "scopes": scopes})).await;
        assert_eq!(made.status, 201, "{}", made.body);
        self.with_key(made.body["api_key"].as_str().unwrap())
    }

    /// Returns the agent with another key.
    pub fn with_key(&self, key: &str) -> Agent<'a> {
        Agent { server: self.server, id: self.id.clone(), key: key.to_owned() }
    }

    /// Returns the agent as a client of another instance.
    pub fn on<'b>(&self, server: &'b Server) -> Agent<'b> {
        Agent { server, id: self.id.clone(), key: self.key.clone() }
    }

    /// Opens the event stream, and reads its first event.
    pub async fn open_stream(&self) -> EventStream {
        let mut stream =
            EventStream::open(self.server.get_request("/api/events").bearer_auth(&self.key)).await;
        assert_eq!(stream.next().await.unwrap().name, "hello");
        stream
    }

    /// Returns a request with the agent's key.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.server.client.request(method, self.server.url(path)).bearer_auth(&self.key)
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.request(Method::PATCH, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        Reply::fetch(self.request(Method::DELETE, path)).await
    }

    pub fn post_request(&self, path: &str) -> RequestBuilder {
        self.server.post_request(path).bearer_auth(&self.key)
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.server.get_request(path).bearer_auth(&self.key)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.post_request(path).json(&body)).await
    }

    /// Sends a body as it is, with the media type of JSON.
    pub async fn post_raw(&self, path: &str, body: impl Into<Body>) -> Reply {
        Reply::fetch(self.post_request(path).header("Content-Type", "application/json").body(body)).await
    }

    /// Sends a write with an Idempotency-Key.
    pub async fn post_idempotent(&self, path: &str, body: Value, key: &str) -> Reply {
        Reply::fetch(self.post_request(path).header("Idempotency-Key", key).json(&body)).await
    }

    /// Returns the agent's own account.
    pub async fn me(&self) -> Value {
        self.get("/api/agents/me").await.body
    }

    /// Places a pixel with the current digest.
    pub async fn paint(&self, x: i64, y: i64, color: i64) -> Reply {
        let digest = self.server.digest().await;
        self.post("/api/pixel", json!({"x": x, "y": y, "color": color, "chat_digest": digest})).await
    }

    /// Places the pixels that one message costs, each in another colour than before, because repainting an
    /// own pixel in its colour earns no credit.
    pub async fn earn_message_credits(&self) {
        let there = self.server.get("/api/pixel?x=0&y=0").await.body["color"].clone();
        let color = if there == 5 { 6 } else { 5 };
        let pixels: Vec<_> = (0..5).map(|x| json!({"x": x, "y": 0, "color": color})).collect();
        let digest = self.server.digest().await;
        let reply = self.post("/api/pixels", json!({"pixels": pixels, "chat_digest": digest})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
    }

    pub async fn post_message(&self, content: &str) -> Reply {
        self.post("/api/chat", json!({"content": content})).await
    }
}
