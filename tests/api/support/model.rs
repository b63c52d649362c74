//! A fake language model at the wire, in both providers' formats. It answers by a script or by a rule, and
//! records the requests.

mod completions;
mod messages;
mod wire;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use platform::config::ApiShape;
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::Server;

/// The name of the fake model.
pub const MODEL_NAME: &str = "fake-model";
/// The key that the fake model expects; it must appear nowhere but in its header.
pub const MODEL_KEY: &str = "sk-guide-hunter2-hunter2-hunter2";

/// Timeout, so that a failing test ends.
const REQUEST_TIMEOUT: Duration = super::WAIT_LIMIT;

/// A call of a tool: its name and its arguments.
pub type ScriptedCall = (&'static str, Value);

/// An answer that a test gives. The texts are static; [`ScriptedAnswer::text`] takes others.
#[derive(Clone, Debug)]
pub enum ScriptedAnswer {
    /// A text, which ends the turn.
    Text(&'static str),
    Calls(Vec<ScriptedCall>),
    TextAndCalls(&'static str, Vec<ScriptedCall>),
    /// A text that comes in two halves, the second one only after [`FakeModel::release`].
    Slow(&'static str),
    /// No answer before [`FakeModel::release`], then the text "Released.".
    Hang,
    /// No answer before [`FakeModel::release`], then one call of a tool.
    HeldCall(&'static str, Value),
    /// The beginning of a text, then the end of the connection.
    BreakOff(&'static str),
    /// A text that is cut off at the maximum number of tokens.
    CutOff(&'static str),
    /// A refusal with this status, whose message repeats the key and the prompt.
    Status(u16),
    /// A refusal with status 429 and this `Retry-After`.
    RetryAfter(u32),
    /// An error in the stream before any text, as overloaded providers send it.
    Overloaded,
    /// A text, then an error in the stream.
    TextThenOverloaded(&'static str),
    /// A recorded stream.
    Transcript(&'static str),
}

impl ScriptedAnswer {
    /// Returns an answer with a text of the test's own.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(String::leak(text.into()))
    }

    /// Returns an answer with one call of a tool.
    pub fn call(tool: &'static str, arguments: Value) -> Self {
        Self::Calls(vec![(tool, arguments)])
    }
}

/// A request as the fake has received it.
#[derive(Clone, Debug)]
pub struct ModelCall {
    /// The headers, with names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Value,
}

type Rule = Box<dyn Fn(&Value) -> ScriptedAnswer + Send + Sync>;

/// A fake model, until it is dropped.
pub struct FakeModel {
    base_url: String,
    state: Arc<FakeState>,
    server: tokio::task::JoinHandle<()>,
}

struct FakeState {
    shape: ApiShape,
    rule: Rule,
    calls: Mutex<Vec<ModelCall>>,
    /// The tokens of requests and answers that it reports.
    usage: Mutex<(u64, u64)>,
    /// The number of requests so far.
    count: watch::Sender<usize>,
    is_released: watch::Sender<bool>,
}

impl FakeModel {
    /// Starts a model that gives these answers in their order, and then "Nothing more.".
    pub async fn start(shape: ApiShape, script: Vec<ScriptedAnswer>) -> Self {
        let script = Mutex::new(VecDeque::from(script));
        Self::with_rule(shape, move |_| {
            script.lock().pop_front().unwrap_or(ScriptedAnswer::Text("Nothing more."))
        })
        .await
    }

    /// Starts a model that answers by a rule over the body of the request.
    pub async fn with_rule(
        shape: ApiShape,
        rule: impl Fn(&Value) -> ScriptedAnswer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let suffix = if shape == ApiShape::Completions { "/v1" } else { "" };
        let base_url = format!("http://{}{suffix}", listener.local_addr().unwrap());
        let state = Arc::new(FakeState {
            shape,
            rule: Box::new(rule),
            calls: Mutex::default(),
            usage: Mutex::new((100, 20)),
            count: watch::Sender::new(0),
            is_released: watch::Sender::new(false),
        });
        let server = tokio::spawn(serve(listener, state.clone()));
        Self { base_url, state, server }
    }

    /// Starts a model that takes the call out of `next_call` and makes it, and says "Done." if there is none.
    pub async fn with_next_call(next_call: Arc<Mutex<Option<ScriptedCall>>>) -> Self {
        let rule = move |_: &Value| match next_call.lock().take() {
            Some(call) => ScriptedAnswer::Calls(vec![call]),
            None => ScriptedAnswer::Text("Done."),
        };
        Self::with_rule(ApiShape::Messages, rule).await
    }

    /// Returns the settings of a server whose guide uses this model.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let shape = if self.state.shape == ApiShape::Messages { "messages" } else { "completions" };
        vec![
            ("GUIDE_MODEL", MODEL_NAME.to_owned()),
            ("GUIDE_API_KEY", MODEL_KEY.to_owned()),
            ("GUIDE_API_BASE", self.base_url.clone()),
            ("CARAPLACE_GUIDE_API_SHAPE", shape.to_owned()),
        ]
    }

    /// Starts a server whose guide uses this model, with these additional settings.
    pub async fn start_server(&self, more: &[(&str, &str)]) -> Server {
        let own = self.settings();
        Server::start_with(&with_own(&own, more)).await
    }

    /// Starts a model that gives these answers, and a server whose guide uses it, with these additional
    /// settings.
    pub async fn start_guide(script: Vec<ScriptedAnswer>, settings: &[(&str, &str)]) -> (Self, Server) {
        let model = Self::start(ApiShape::Messages, script).await;
        let server = model.start_server(settings).await;
        (model, server)
    }

    /// Starts another instance of a server, whose guide uses this model, with these additional settings.
    pub async fn start_instance(&self, server: &Server, more: &[(&str, &str)]) -> Server {
        let own = self.settings();
        server.start_instance(&with_own(&own, more)).await
    }

    /// Sets the tokens of requests and answers that it reports from now on; 100 and 20 before.
    pub fn set_usage(&self, input_tokens: u64, output_tokens: u64) {
        *self.state.usage.lock() = (input_tokens, output_tokens);
    }

    /// Lets the answers go on that hang or are slow, now and later.
    pub fn release(&self) {
        self.state.is_released.send_replace(true);
    }

    /// Returns the bodies of all requests.
    pub fn requests(&self) -> Vec<Value> {
        self.calls().into_iter().map(|call| call.body).collect()
    }

    /// Returns all requests with their headers.
    pub fn calls(&self) -> Vec<ModelCall> {
        self.state.calls.lock().clone()
    }

    /// Waits until this many requests have come. Returns the body of the last of them.
    pub async fn wait_for_request(&self, count: usize) -> Value {
        let mut counts = self.state.count.subscribe();
        let came = tokio::time::timeout(REQUEST_TIMEOUT, counts.wait_for(|came| *came >= count)).await;
        came.expect("the model was not asked").unwrap();
        self.state.calls.lock()[count - 1].body.clone()
    }

    /// Returns the results of tools in the last message of the last request: their texts, and true for
    /// errors. Completions know no errors.
    pub fn last_results(&self) -> Vec<(String, bool)> {
        let body = self.requests().pop().expect("the model was asked nothing");
        match self.state.shape {
            ApiShape::Messages => messages::last_results(&body),
            ApiShape::Completions => completions::last_results(&body),
        }
    }

    /// Returns the text of the visitor's last message in the last request.
    pub fn last_question(&self) -> String {
        let body = self.requests().pop().expect("the model was asked nothing");
        last_question(&body)
    }
}

impl Drop for FakeModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Returns the text of the visitor's last message in the body of a request, in either format.
pub fn last_question(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap().iter().rev();
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => Some(text.clone()),
        content => content.as_array()?.iter().find_map(|block| block["text"].as_str().map(str::to_owned)),
    };
    let mut questions = messages.filter(|message| message["role"] == "user").filter_map(text);
    questions.next().expect("there is no question")
}

/// Splits a text in its middle.
fn halves(text: &str) -> [&str; 2] {
    let middle = text.floor_char_boundary(text.len() / 2);
    let (first, second) = text.split_at(middle);
    [first, second]
}

/// Returns the model's own settings with others.
fn with_own<'a>(own: &'a [(&'a str, String)], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    own.iter().map(|(name, value)| (*name, value.as_str())).chain(more.iter().copied()).collect()
}

async fn serve(listener: TcpListener, state: Arc<FakeState>) {
    while let Ok((socket, _)) = listener.accept().await {
        tokio::spawn(answer(socket, state.clone()));
    }
}

/// Reads one request and answers it.
async fn answer(mut socket: TcpStream, state: Arc<FakeState>) {
    let Some((head, body)) = Box::pin(wire::read_request(&mut socket)).await else { return };
    let body: Value = serde_json::from_str(&body).unwrap();
    let expected_path = match state.shape {
        ApiShape::Messages => "/v1/messages",
        ApiShape::Completions => "/v1/chat/completions",
    };
    assert_eq!(head.path, expected_path);
    state.calls.lock().push(ModelCall { headers: head.headers, body: body.clone() });
    state.count.send_modify(|count| *count += 1);
    // The client may have gone meanwhile.
    let _ = reply(&mut socket, &state, (state.rule)(&body), &body).await;
}

async fn reply(
    socket: &mut TcpStream,
    state: &FakeState,
    answer: ScriptedAnswer,
    body: &Value,
) -> std::io::Result<()> {
    use ScriptedAnswer as Answer;
    let events = Events { shape: state.shape, usage: *state.usage.lock() };
    match answer {
        Answer::Text(text) => wire::stream(socket, &events.complete(text, &[], false)).await,
        Answer::Calls(calls) => wire::stream(socket, &events.complete("", &calls, false)).await,
        Answer::TextAndCalls(text, calls) => {
            wire::stream(socket, &events.complete(text, &calls, false)).await
        }
        Answer::CutOff(text) => wire::stream(socket, &events.complete(text, &[], true)).await,
        Answer::Slow(text) => {
            let all = events.complete(text, &[], false);
            let (first, second) = all.split_at(events.first_half());
            wire::stream(socket, first).await?;
            state.wait_for_release().await;
            wire::send(socket, second).await
        }
        Answer::Hang => {
            state.wait_for_release().await;
            wire::stream(socket, &events.complete("Released.", &[], false)).await
        }
        Answer::HeldCall(tool, arguments) => {
            state.wait_for_release().await;
            wire::stream(socket, &events.complete("", &[(tool, arguments)], false)).await
        }
        Answer::BreakOff(text) => wire::stream(socket, &events.beginning(text)).await,
        Answer::Status(status) => wire::refuse(socket, status, None, body).await,
        Answer::RetryAfter(seconds) => wire::refuse(socket, 429, Some(seconds), body).await,
        Answer::Overloaded => wire::stream(socket, &[events.overloaded()]).await,
        Answer::TextThenOverloaded(text) => {
            let mut all = events.beginning(text);
            all.push(events.overloaded());
            wire::stream(socket, &all).await
        }
        Answer::Transcript(events) => wire::stream(socket, &[events.to_owned()]).await,
    }
}

impl FakeState {
    async fn wait_for_release(&self) {
        let _ = self.is_released.subscribe().wait_for(|is_released| *is_released).await;
    }
}

/// Writes events in a provider's format.
struct Events {
    shape: ApiShape,
    usage: (u64, u64),
}

impl Events {
    /// Returns the events of a complete answer.
    fn complete(&self, text: &str, calls: &[ScriptedCall], is_cut_off: bool) -> Vec<String> {
        match self.shape {
            ApiShape::Messages => messages::complete(text, calls, is_cut_off, self.usage),
            ApiShape::Completions => completions::complete(text, calls, is_cut_off, self.usage),
        }
    }

    /// Returns the number of events up to the end of the first half of a text.
    fn first_half(&self) -> usize {
        match self.shape {
            ApiShape::Messages => messages::FIRST_HALF_EVENTS,
            ApiShape::Completions => completions::FIRST_HALF_EVENTS,
        }
    }

    /// Returns the events of an answer up to the end of this text.
    fn beginning(&self, text: &str) -> Vec<String> {
        match self.shape {
            ApiShape::Messages => messages::beginning(text, self.usage),
            ApiShape::Completions => completions::beginning(text),
        }
    }

    /// Returns the event of an overloaded provider, which repeats the key.
    fn overloaded(&self) -> String {
        match self.shape {
            ApiShape::Messages => messages::overloaded(),
            ApiShape::Completions => completions::overloaded(),
        }
    }
}
