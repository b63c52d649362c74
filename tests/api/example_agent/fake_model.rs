//! A fake language model API: it streams the responses that a test sets, and records the requests.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// The fake API.
pub struct FakeModel {
    listener: TcpListener,
    /// All data that was sent to it: heads and bodies.
    pub received: String,
}

/// A request that waits for its response.
pub struct ModelRequest {
    socket: TcpStream,
    pub body: Value,
}

impl FakeModel {
    pub async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap(), received: String::new() }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listener.local_addr().unwrap())
    }

    /// Waits for the next request.
    pub async fn next_request(&mut self) -> ModelRequest {
        let (mut socket, _) = self.listener.accept().await.unwrap();
        let mut read = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&read).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                if body.len() >= length.unwrap().parse::<usize>().unwrap() {
                    self.received.push_str(&text);
                    let body = serde_json::from_str(body).unwrap();
                    return ModelRequest { socket, body };
                }
            }
            let mut piece = [0; 8_192];
            let length = socket.read(&mut piece).await.unwrap();
            assert!(length > 0, "the request is incomplete: {text}");
            read.extend_from_slice(&piece[..length]);
        }
    }
}

impl ModelRequest {
    /// Returns the texts of the last user message.
    pub fn last_user_texts(&self) -> Vec<String> {
        let last = self.body["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(last["role"], "user");
        let text = |block: &Value| block["text"].as_str().unwrap_or_default().to_owned();
        last["content"].as_array().unwrap().iter().map(text).collect()
    }

    /// Returns the result of the last tool call.
    pub fn last_result(&self) -> &Value {
        &self.body["messages"].as_array().unwrap().last().unwrap()["content"][0]
    }

    /// Returns the chat as the model receives it.
    pub fn chat_text(&self) -> String {
        self.last_user_texts().pop().unwrap()
    }

    /// Responds with a text.
    pub async fn answer_text(self, words: &str) {
        let delta = json!({"type": "text_delta", "text": words});
        self.stream(&content_block(&json!({"type": "text", "text": ""}), &[delta]), 10).await;
    }

    /// Responds with a tool call whose arguments come in two pieces.
    pub async fn answer_tool_call(self, id: &str, tool: &str, input: &Value, tokens: u64) {
        let start = json!({"type": "tool_use", "id": id, "name": tool, "input": {}});
        let input = input.to_string();
        let (first, second) = input.split_at(input.len() / 2);
        let delta = |part: &str| json!({"type": "input_json_delta", "partial_json": part});
        self.stream(&content_block(&start, &[delta(first), delta(second)]), tokens).await;
    }

    /// Breaks off in the middle of a response.
    pub async fn abort(mut self) {
        let delta = json!({"type": "text_delta", "text": "I will"});
        self.send(&content_block(&json!({"type": "text", "text": ""}), &[delta])[..2]).await;
    }

    async fn stream(mut self, block: &[Value], tokens: u64) {
        let mut events = vec![json!({"type": "message_start", "message": {}}), json!({"type": "ping"})];
        events.extend_from_slice(block);
        events.push(json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": tokens}}));
        events.push(json!({"type": "message_stop"}));
        self.send(&events).await;
    }

    /// Sends events in pieces that end anywhere, as networks split them.
    async fn send(&mut self, events: &[Value]) {
        let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
        let body: String = events.iter().map(event).collect();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        for piece in format!("{head}{body}").as_bytes().chunks(97) {
            self.socket.write_all(piece).await.unwrap();
            self.socket.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
    }
}

fn content_block(start: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": 0, "content_block": start})];
    let event = |delta: &Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    events.extend(deltas.iter().map(event));
    events.push(json!({"type": "content_block_stop", "index": 0}));
    events
}
