//! Drafts: what the guide proposes, and what becomes of it when a person approves or rejects it.

mod console;
mod decisions;
mod interruptions;
mod limits;
mod operations;
mod plans;
mod reports;
mod writing;

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use parking_lot::Mutex;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::actions::FREE_SETTINGS;
use crate::support::model::ScriptedCall;
use crate::support::values::id_of;
use crate::support::visitor::{VISITOR_COOKIE, set_cookie};
use crate::support::{Agent, EventStream, FakeModel, PASSWORD, Reply, Server};

/// Settings with the console, in which writing costs nothing and questions have no limits.
const SETTINGS: [(&str, &str); 7] = [
    ("CARAPLACE_ADMIN_PASSWORD", PASSWORD),
    ("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("CARAPLACE_VIEWER_MESSAGE_SECONDS", "0"),
    ("CARAPLACE_SYSTEM_MESSAGES", "false"),
    ("CARAPLACE_GUIDE_TURNS_PER_DAY", "1000"),
    ("CARAPLACE_GUIDE_TURNS_PER_IP_PER_DAY", "100000"),
    ("CARAPLACE_GUIDE_CENTS_PER_DAY", "1000000"),
];

/// A server whose guide proposes what a test says.
struct DraftServer {
    server: Server,
    model: FakeModel,
    next_call: Arc<Mutex<Option<ScriptedCall>>>,
    /// An operator's key.
    operator: String,
}

/// A person at the server: with the key of a viewer or an operator, or in a browser without an account.
#[derive(Clone)]
struct Person<'a> {
    server: &'a Server,
    key: Option<String>,
    /// The cookie of the guide, which the first question sets.
    cookie: Arc<Mutex<Option<String>>>,
}

impl DraftServer {
    async fn open() -> Self {
        Self::open_with(&[]).await
    }

    async fn open_with(more: &[(&str, &str)]) -> Self {
        let next_call = Arc::<Mutex<Option<ScriptedCall>>>::default();
        let model = FakeModel::with_next_call(next_call.clone()).await;
        let server = model.start_server(&[&FREE_SETTINGS[..], &SETTINGS, more].concat()).await;
        let operator = server.create_operator_key("drafting").await;
        Self { server, model, next_call, operator }
    }

    /// Starts another instance with the same guide.
    async fn start_instance(&self) -> Server {
        self.model.start_instance(&self.server, &[&FREE_SETTINGS[..], &SETTINGS].concat()).await
    }

    /// Returns a browser without an account.
    fn browser(&self) -> Person<'_> {
        Person { server: &self.server, key: None, cookie: Arc::default() }
    }

    fn with_key(&self, key: &str) -> Person<'_> {
        Person { key: Some(key.to_owned()), ..self.browser() }
    }

    fn operator(&self) -> Person<'_> {
        self.with_key(&self.operator)
    }

    /// Returns a viewer with a pass.
    async fn viewer(&self) -> Agent<'_> {
        self.server.create_viewer().await
    }

    /// Creates a viewer with a pass. Returns it as a person who uses the guide.
    async fn create_pass_holder(&self) -> Person<'_> {
        self.with_key(&self.viewer().await.key)
    }

    /// Carries out an operator's action by hand, which must succeed.
    async fn operate(&self, path: &str, body: Value) -> Value {
        let reply = self.operator().post(path, body).await;
        assert!([200, 201].contains(&reply.status), "{path}: {}", reply.body);
        reply.body
    }

    /// Makes the guide propose a change to a person. Returns the draft, or the text that the model receives
    /// instead.
    async fn try_propose(&self, person: &Person<'_>, kind: &str, change: Value) -> Result<Value, String> {
        *self.next_call.lock() = Some(("propose", json!({"kind": kind, "change": change})));
        let asked = person.post("/api/guide/messages", json!({"content": "Please propose it."})).await;
        if let Some(value) = set_cookie(&asked) {
            *person.cookie.lock() = Some(value);
        }
        let asked = asked.assert_status(201);
        let path = format!("/api/guide/stream?message={}", asked["message_id"].as_str().unwrap());
        let mut stream = EventStream::open(person.request(Method::GET, &path)).await;
        let mut drafts = Vec::new();
        loop {
            let event = stream.next().await.expect("the stream ended before the answer");
            match event.name.as_str() {
                "draft" => drafts.push(event.data),
                "done" => break,
                "error" => panic!("{:?}", event.data),
                _ => {}
            }
        }
        let Some(event) = drafts.pop() else {
            return Err(self.model.last_results().remove(0).0);
        };
        let draft = person.drafts().await.remove(0);
        assert_eq!(event, json!({"id": draft["id"], "kind": kind, "summary": draft["summary"]}));
        assert_eq!((&draft["state"], &draft["result"]), (&json!("pending"), &Value::Null));
        Ok(draft)
    }

    /// Lets the guide propose a change to a person, which must be possible.
    async fn propose(&self, person: &Person<'_>, kind: &str, change: Value) -> Value {
        let head = self.server.head().await;
        let audited = self.audit("").await.len();
        let draft = self.try_propose(person, kind, change).await.unwrap();
        assert_eq!(self.server.head().await, head, "nothing changes");
        assert_eq!(self.audit("").await.len(), audited, "nothing changes");
        draft
    }

    /// Lets the guide propose a change, which must be refused for this reason.
    async fn assert_refused(&self, person: &Person<'_>, kind: &str, change: Value, reason: &str) {
        let text = self.try_propose(person, kind, change.clone()).await.expect_err("it was stored");
        assert!(text.contains(reason), "{kind} {change}: {text}");
    }

    /// Returns the lines of the audit log, newest first, of one subject or of all.
    async fn audit(&self, subject: &str) -> Vec<Value> {
        let query = if subject.is_empty() { String::new() } else { format!("&subject={subject}") };
        let page = self.operator().get(&format!("/api/admin/audit?limit=200{query}")).await;
        page.body["acts"].as_array().unwrap().clone()
    }
}

impl Person<'_> {
    /// Returns the same person at another instance.
    fn on<'b>(&self, server: &'b Server) -> Person<'b> {
        Person { server, key: self.key.clone(), cookie: self.cookie.clone() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.server.client.request(method, self.server.url(path));
        if let Some(key) = &self.key {
            return request.bearer_auth(key);
        }
        let request = request.header("Sec-Fetch-Site", "same-origin");
        let cookie = self.cookie.lock().clone();
        match cookie {
            Some(value) => request.header("Cookie", format!("{VISITOR_COOKIE}={value}")),
            None => request,
        }
    }

    async fn get(&self, path: &str) -> Reply {
        Reply::fetch(self.request(Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: Value) -> Reply {
        Reply::fetch(self.request(Method::POST, path).json(&body)).await
    }

    /// Returns the person's newest drafts.
    async fn drafts(&self) -> Vec<Value> {
        self.get("/api/guide/drafts").await.assert_status(200)["drafts"].as_array().unwrap().clone()
    }

    async fn decide(&self, draft: &Value, decision: &str) -> Reply {
        self.post(&format!("/api/guide/drafts/{}/{decision}", id_of(draft)), json!({})).await
    }

    async fn approve(&self, draft: &Value) -> Reply {
        self.decide(draft, "approve").await
    }

    async fn reject(&self, draft: &Value) -> Reply {
        self.decide(draft, "reject").await
    }

    /// Approves a draft from the operators' queue.
    async fn approve_from_queue(&self, draft: &Value) -> Reply {
        self.post(&format!("/api/admin/drafts/{}/approve", id_of(draft)), json!({})).await
    }

    /// Returns the drafts of the operators' queue in this state.
    async fn queue(&self, state: &str) -> Vec<Value> {
        let page = self.get(&format!("/api/admin/drafts?state={state}")).await.assert_status(200);
        page["drafts"].as_array().unwrap().clone()
    }
}

fn sun_plan() -> Value {
    json!({"title": "Sun", "x": 0, "y": 0, "rows": ["8"]})
}

/// Asserts that a draft was approved, and returns its result.
#[track_caller]
fn approved(reply: &Reply) -> Value {
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    let draft = &reply.body["draft"];
    assert_eq!((&draft["state"], &draft["last_refusal"]), (&json!("approved"), &Value::Null));
    assert!(draft["decided_at"].is_string());
    draft["result"].clone()
}

/// Returns the contents of the chat's messages, oldest first.
async fn chat(server: &Server) -> Vec<String> {
    let page = server.get("/api/chat?limit=100").await.body;
    let messages = page["messages"].as_array().unwrap().iter();
    messages.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
}

/// Sends these requests at once, and returns the replies.
async fn at_once(requests: impl IntoIterator<Item = impl Future<Output = Reply>>) -> Vec<Reply> {
    requests.into_iter().collect::<FuturesUnordered<_>>().collect().await
}
