//! A visitor's browser on a page of the server, without an account.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::{Event, EventStream, Reply, Server};

/// The name of the cookie that owns a conversation.
pub const VISITOR_COOKIE: &str = "caraplace_guide";

/// A browser with the cookie that the guide has set. Clones of it share the conversation.
#[derive(Clone)]
pub struct Visitor<'a> {
    pub server: &'a Server,
    /// The value of the cookie; `None` before the first question.
    pub cookie: Option<String>,
    /// The address that a trusted proxy names; `None` for that of the tests.
    pub address: Option<&'static str>,
}

impl Server {
    /// Returns the browser of a new visitor.
    pub fn visitor(&self) -> Visitor<'_> {
        Visitor { server: self, cookie: None, address: None }
    }

    /// Returns the browser of a new visitor behind a trusted proxy.
    pub fn visitor_at(&self, address: &'static str) -> Visitor<'_> {
        Visitor { address: Some(address), ..self.visitor() }
    }
}

impl Visitor<'_> {
    /// Returns a request of a page of the server.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.server.client.request(method, self.server.url(path));
        let request = self.address.iter().fold(request, |request, it| request.header("X-Forwarded-For", *it));
        self.with_cookie(request.header("Sec-Fetch-Site", "same-origin"))
    }

    /// Adds the cookie to a request.
    pub fn with_cookie(&self, request: RequestBuilder) -> RequestBuilder {
        let line = self.cookie.iter().map(|value| format!("{VISITOR_COOKIE}={value}"));
        line.fold(request, |request, line| request.header("Cookie", line))
    }

    pub async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        Reply::fetch(self.request(Method::DELETE, path)).await
    }

    /// Asks a question, and stores the cookie. Returns the reply.
    pub async fn try_ask(&mut self, body: Value) -> Reply {
        let reply = self.post("/api/guide/messages", body).await;
        if let Some(value) = set_cookie(&reply) {
            self.cookie = Some(value);
        }
        reply
    }

    /// Asks a question, which must be stored. Returns its id.
    pub async fn ask(&mut self, question: &str) -> String {
        let reply = self.try_ask(json!({"content": question})).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.body["message_id"].as_str().unwrap().to_owned()
    }

    /// Opens the stream of a question.
    pub async fn stream(&self, message_id: &str) -> EventStream {
        let path = format!("/api/guide/stream?message={message_id}");
        EventStream::open(self.request(Method::GET, &path)).await
    }

    /// Requests the stream of a question that is expected to be refused. Returns the response.
    pub async fn try_stream(&self, message_id: &str) -> Reply {
        self.get(&format!("/api/guide/stream?message={message_id}")).await
    }

    /// Reads the stream of a question to its end.
    pub async fn read_turn(&self, message_id: &str) -> Vec<Event> {
        let (mut stream, mut events) = (self.stream(message_id).await, Vec::new());
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        events
    }

    /// Asks a question, and reads its stream to its end.
    pub async fn ask_and_read(&mut self, question: &str) -> Vec<Event> {
        let id = self.ask(question).await;
        self.read_turn(&id).await
    }

    /// Returns the messages of the conversation.
    pub async fn messages(&self) -> Vec<Value> {
        let reply = self.get("/api/guide/messages").await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.body["messages"].as_array().unwrap().clone()
    }
}

/// Returns the value that a response sets for the cookie; `None` if it sets none.
pub fn set_cookie(reply: &Reply) -> Option<String> {
    let mut lines = reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap());
    lines.find_map(|line| {
        let (name, value) = line.split(';').next()?.split_once('=')?;
        (name == VISITOR_COOKIE).then(|| value.to_owned())
    })
}
