//! A client of `/mcp` that sends exactly what a test specifies.

use std::path::Path;
use std::process::Stdio;

use reqwest::RequestBuilder;
use reqwest::header::HeaderValue;
use serde_json::{Value, json};
use tokio::process::Command;

use super::{Reply, Server};

/// The protocol revision that most clients use.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// A client with or without a key.
#[derive(Clone, Copy)]
pub struct McpClient<'a> {
    pub server: &'a Server,
    pub key: Option<&'a str>,
}

/// The result of a tool call.
#[derive(Debug)]
pub struct ToolReply {
    pub is_error: bool,
    pub structured: Value,
    /// The concatenated text contents.
    pub text: String,
}

/// Returns the message that calls a tool.
pub fn tool_call(tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

impl McpClient<'_> {
    /// Returns the request of a message.
    pub fn request(&self, message: &Value) -> RequestBuilder {
        let request = self.server.post_request("/mcp").json(message);
        let request = request.header("Accept", "application/json, text/event-stream");
        let request = request.header("MCP-Protocol-Version", PROTOCOL_VERSION);
        match self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    /// Sends a message and returns the response. Asserts that it is complete and in time.
    pub async fn send_request(&self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let reply = Reply::fetch(self.request(&message)).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{}", reply.body);
        assert_eq!((&reply.body["jsonrpc"], &reply.body["id"]), (&json!("2.0"), &json!(7)));
        reply.body
    }

    /// Calls a tool that may be refused before it runs. Returns the response; that of a sender who is not
    /// signed in as the refusal in its JSON-RPC error.
    pub async fn try_call_tool(&self, tool: &str, arguments: Value) -> Reply {
        let message = tool_call(tool, &arguments);
        let mut reply = Reply::fetch(self.request(&message)).await;
        if reply.status == 401 {
            assert_eq!(reply.header("content-type"), "application/json");
            assert_eq!((&reply.body["jsonrpc"], &reply.body["id"]), (&json!("2.0"), &message["id"]));
            let error = reply.body["error"].take();
            assert_eq!(error["code"], -32_001, "{error}");
            let text = error["message"].as_str().unwrap();
            assert!(text.contains(error["data"]["hint"].as_str().unwrap()), "{error}");
            reply.headers.insert("content-type", HeaderValue::from_static("application/problem+json"));
            reply.body = error["data"].clone();
        }
        reply
    }

    /// Calls a tool and returns its result.
    pub async fn call_tool(&self, tool: &str, arguments: Value) -> ToolReply {
        let response = self.send_request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &response["result"];
        assert!(result["structuredContent"].is_object(), "{tool}: {response}");
        let texts = result["content"].as_array().unwrap().iter().filter_map(|part| part["text"].as_str());
        ToolReply {
            is_error: result["isError"] == true,
            structured: result["structuredContent"].clone(),
            text: texts.collect::<Vec<_>>().join("\n"),
        }
    }

    /// Calls a tool and asserts that it succeeds.
    pub async fn call_tool_ok(&self, tool: &str, arguments: Value) -> ToolReply {
        let result = self.call_tool(tool, arguments).await;
        assert!(!result.is_error, "{tool}: {}", result.text);
        result
    }
}

impl ToolReply {
    /// Asserts a refusal with this code, in the structured content and in the text.
    #[track_caller]
    pub fn assert_refused(&self, code: &str) {
        assert!(self.is_error, "{}", self.text);
        assert_eq!(self.structured["code"], code, "{}", self.text);
        let hint = self.structured["hint"].as_str().unwrap();
        assert!(self.text.contains(code) && self.text.contains(hint), "{}", self.text);
    }
}

impl Server {
    /// Returns a client of `/mcp`.
    pub fn mcp<'a>(&'a self, key: Option<&'a str>) -> McpClient<'a> {
        McpClient { server: self, key }
    }

    /// Runs a program with the protocol's official client. Returns what it prints.
    pub async fn run_official_client(&self, program: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let run = Command::new(root.join("target/tools/bin/python"))
            .arg(root.join("tests/mcp").join(program))
            .env("CARAPLACE_MCP", self.url("/mcp"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let run = run.await.expect("the client is missing: run the tests with `make test`");
        let (stdout, stderr) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{stdout}{stderr}");
        stdout.trim().to_owned()
    }
}
