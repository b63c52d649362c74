//! The tools of the guide: what the model receives when it calls them.

mod private;
mod reads;
mod timeline;

use std::sync::Arc;

use parking_lot::Mutex;
use reqwest::header::COOKIE;
use rules::token_budget::count_tokens;
use serde_json::{Value, json};

use crate::support::actions::{CONSOLE_SETTINGS, FREE_SETTINGS, open_plan, post_text};
use crate::support::model::ScriptedCall;
use crate::support::values::texts_of;
use crate::support::{Event, EventStream, FakeModel, Reply, Server};

const MAX_RESULT_TOKENS: usize = 4_000;

/// A server whose guide calls the tools that a test names.
struct ToolGuide {
    server: Server,
    model: FakeModel,
    next_call: Arc<Mutex<Option<ScriptedCall>>>,
}

impl ToolGuide {
    async fn start() -> Self {
        let next_call = Arc::<Mutex<Option<ScriptedCall>>>::default();
        let model = FakeModel::with_next_call(next_call.clone()).await;
        let quiet = [("CARAPLACE_SYSTEM_MESSAGES", "false")];
        let server = model.start_server(&[&FREE_SETTINGS[..], &CONSOLE_SETTINGS, &quiet].concat()).await;
        Self { server, model, next_call }
    }

    /// Calls a tool for a new visitor, which must succeed. Returns the text that the model receives.
    async fn call(&self, tool: &'static str, arguments: Value) -> String {
        self.call_as(None, json!({}), (tool, arguments)).await
    }

    /// Calls a tool for a viewer with this key, or for a new visitor without one, who looks at something.
    async fn call_as(&self, key: Option<&str>, context: Value, call: ScriptedCall) -> String {
        let name = call.0;
        let (text, is_error, status) = self.try_call(key, context, call).await;
        assert!(!is_error && status == "done", "{name} {status}: {text}");
        assert!(count_tokens(&text) <= MAX_RESULT_TOKENS, "{name}: {} tokens", count_tokens(&text));
        text
    }

    /// Calls a tool for a new visitor, which must be refused. Returns the text that the model receives.
    async fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        let (text, is_error, status) = self.try_call(None, json!({}), (tool, arguments)).await;
        assert!(is_error && status != "done", "{tool} {status}: {text}");
        text
    }

    /// Returns the result of a call, true if it is an error, and the status that the visitor is shown.
    async fn try_call(
        &self,
        key: Option<&str>,
        context: Value,
        call: ScriptedCall,
    ) -> (String, bool, String) {
        *self.next_call.lock() = Some(call);
        let events = self.ask(key, context).await;
        let last = events.last().expect("the stream has no events");
        assert_eq!(last.name, "done", "{:?}", last.data);
        let steps: Vec<&Event> = events.iter().filter(|event| event.name == "tool").collect();
        let status = steps.last().expect("no tool was called").data["status"].as_str().unwrap().to_owned();
        let results = self.model.last_results();
        let [(text, is_error)] = &results[..] else { panic!("{results:?}") };
        (text.clone(), *is_error, status)
    }

    /// Asks a question, and returns all events of its answer.
    async fn ask(&self, key: Option<&str>, context: Value) -> Vec<Event> {
        let body = json!({"content": "What is here?", "context": context});
        let question = self.server.post_request("/api/guide/messages").json(&body);
        let question = key.iter().fold(question, |request, key| request.bearer_auth(key));
        let asked = Reply::fetch(question).await;
        assert_eq!(asked.status, 201, "{}", asked.body);
        let path = format!("/api/guide/stream?message={}", asked.body["message_id"].as_str().unwrap());
        let stream = match key {
            Some(key) => self.server.get_request(&path).bearer_auth(key),
            None => {
                let cookie = asked.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
                self.server.get_request(&path).header(COOKIE, cookie)
            }
        };
        let (mut stream, mut events) = (EventStream::open(stream).await, Vec::new());
        while let Some(event) = stream.next().await {
            let is_last = ["done", "error"].contains(&event.name.as_str());
            events.push(event);
            if is_last {
                break;
            }
        }
        events
    }
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[tokio::test]
async fn the_model_is_offered_the_tools_of_the_guide() {
    let guide = ToolGuide::start().await;
    guide.call("context", json!({})).await;
    let request = guide.model.requests().remove(0);
    assert_eq!(texts_of(&request["tools"], "name"), ["search", "read", "context", "timeline", "propose"]);
    for tool in request["tools"].as_array().unwrap() {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        let fields = &tool["input_schema"]["properties"];
        assert!(fields.get("api_key").is_none() && fields.get("idempotency_key").is_none(), "{tool}");
    }
    let listed = guide.server.post("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    let listed = texts_of(&listed.body["result"]["tools"], "name");
    assert!(listed.contains(&"search"));
    for own in ["read", "context", "timeline", "propose"] {
        assert!(!listed.contains(&own), "agents are not offered {own}");
    }
}

#[tokio::test]
async fn tools_of_agents_are_denied_and_change_nothing() {
    let guide = ToolGuide::start().await;
    let head = guide.server.head().await;
    for (tool, arguments) in [
        ("place_pixels", json!({"pixels": [{"x": 0, "y": 0, "color": 5}]})),
        ("chat_post", json!({"content": "hello"})),
        ("register", json!({"name": "Eve"})),
        ("plan_create", json!({"title": "Sun", "x": 0, "y": 0, "rows": ["5"]})),
        ("next_steps", json!({})),
    ] {
        let (text, is_error, status) = guide.try_call(None, json!({}), (tool, arguments)).await;
        assert!(is_error && status == "denied", "{tool} {status}: {text}");
        assert!(text.starts_with("This tool is for agents only"), "{text}");
    }
    guide.refusal("delete_everything", json!({})).await;
    assert_eq!(guide.server.head().await, head);
}

#[tokio::test]
async fn wrong_arguments_are_refused_with_the_reason() {
    let guide = ToolGuide::start().await;
    for (tool, arguments, reason) in [
        ("read", json!({}), "kind"),
        ("read", json!({"kind": "key"}), "kind"),
        ("read", json!({"kind": "plan"}), "id"),
        ("read", json!({"kind": "pixel", "x": 3}), "y"),
        ("read", json!({"kind": "pixel", "x": 100_000, "y": 0}), "not on the canvas"),
        ("read", json!({"kind": "pixel", "x": 3, "y": 4, "at": "yesterday"}), "at must be"),
        ("read", json!({"kind": "moment", "at": 99_999_999}), "future"),
        ("read", json!({"kind": "season", "id": "9"}), "Seasons have the numbers 1 to 1"),
        ("read", json!({"kind": "agent", "id": "nobody"}), "no agent"),
        ("read", json!({"kind": "plan", "id": "plan_1"}), "no plan"),
        ("read", json!({"kind": "message", "id": "msg_1"}), "no public message"),
        ("timeline", json!({"from": "soon"}), "from must be"),
        ("timeline", json!({"from": 99_999_999}), "future"),
        ("timeline", json!({"from": "2001-01-02T00:00:00Z", "to": "2001-01-01T00:00:00Z"}), "before"),
        ("timeline", json!({"limit": 1_000}), "limit must be"),
        ("context", json!({"at": 1}), "at"),
        ("search", json!({"q": ""}), "q must have"),
        ("search", json!({"q": "sun", "api_key": "cp_1"}), "api_key"),
        ("propose", json!({"kind": "plan"}), "change"),
    ] {
        let text = guide.refusal(tool, arguments.clone()).await;
        assert!(text.contains(reason), "{tool} {arguments}: {text}");
    }
}

#[tokio::test]
async fn no_result_exceeds_the_limit() {
    let guide = ToolGuide::start().await;
    let ada = guide.server.register_agent("Ada").await;
    for number in 0..70 {
        post_text(&ada, format!("lighthouse {number} {}", "beam and rock ".repeat(18)).trim()).await;
    }
    // The helper checks the limit for every call.
    let text = guide.call("search", json!({"q": "lighthouse", "limit": 100})).await;
    assert!(text.contains("cut off") && text.contains("\n```\n"), "{text}");
    let rows = vec!["5".repeat(64); 64];
    let plan = json!({"title": "Wall", "x": 0, "y": 0, "rows": rows});
    let plan_id = open_plan(&ada, plan).await["id"].clone();
    guide.call("read", json!({"kind": "plan", "id": plan_id})).await;
    guide.call("read", json!({"kind": "agent", "id": ada.id})).await;
    guide.call("read", json!({"kind": "moment"})).await;
    guide.call("timeline", json!({"limit": 20})).await;
    let corner = json!({"x1": 0, "y1": 0, "x2": 127, "y2": 127});
    let context = json!({"plan_id": plan_id, "agent_id": ada.id, "x": 1, "y": 1, "region": corner});
    guide.call_as(None, context, ("context", json!({}))).await;
}
