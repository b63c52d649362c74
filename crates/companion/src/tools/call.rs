//! A tool call: the caller, the arguments and the result.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use caraplace_accounts::agents::permissions;
use caraplace_log::batch_effects::IdempotencyKey;
use caraplace_log::command::{Command, CommandOutcome};
use caraplace_log::idempotency::IdempotentRequest;
use caraplace_log::identity::Identity;
use caraplace_log::reply_batcher::ReplyBatcher;
use platform::input;
use platform::input::json;
use platform::refusal::{Refusal, internal};
use platform::telemetry::METRICS;
use platform::text_workers::TextWork;
use platform::work_shares::WorkCaller;
use rules::numbers::AccountNo;
use rules::scope::Scope;
use rules::token_budget::{MAX_TOKENS, MIN_TOKENS, TokenBudget};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use text_filters::untrusted::UNTRUSTED_LABEL;
use tokio::sync::Notify;

use super::guide::caller::GuideCaller;
use crate::app::App;
use crate::drafts::Draft;

/// The argument with the idempotency key of a call.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// The argument with the caller's key, where the client cannot send it otherwise. It is taken out of the
/// arguments before a tool is called.
pub const API_KEY: &str = "api_key";

/// The caller of a tool.
pub struct ToolCaller {
    /// The calling agent; `None` without a key, and for calls of the guide.
    pub agent: Option<Arc<Identity>>,
    /// The visitor for whom the guide calls; `None` for calls of agents.
    pub guide: Option<GuideCaller>,
    pub address: IpAddr,
    /// The caller as whom the tool does costly work.
    pub work: WorkCaller,
    /// Receives the replies of the log for the caller's thread.
    pub reply_batcher: Option<ReplyBatcher>,
    /// Notified once when the client has closed its connection.
    pub disconnected: Arc<Notify>,
    /// True if the message is large, so that the call holds a thread while it runs.
    pub is_large_message: bool,
}

/// The state that all tools share.
pub struct ToolContext {
    pub app: Arc<App>,
    /// The server's public URL, without a slash at the end.
    pub base_url: String,
    /// Counts a registration from an address, or refuses it because of the rate limit.
    pub count_registration: Box<dyn Fn(IpAddr) -> Result<(), Refusal> + Send + Sync>,
    /// Counts a report by the agent with this number, or refuses it because of the rate limit.
    pub count_report: Box<dyn Fn(AccountNo) -> Result<(), Refusal> + Send + Sync>,
    /// The maximum number of calls of the process that wait at a time.
    pub max_waits: usize,
}

/// One call of a tool.
pub struct ToolCall {
    pub context: Arc<ToolContext>,
    pub caller: Arc<ToolCaller>,
    pub arguments: Map<String, Value>,
    /// True if the tool may write. It is false until [`Tool::call`](super::tool::Tool::call) sets it.
    may_write: bool,
}

/// The result of a tool call, for programs and for models.
pub struct ToolOutput {
    pub structured: Value,
    pub text: String,
    /// A PNG image.
    pub png: Option<Bytes>,
    /// The draft that the call has stored.
    pub draft: Option<Box<Draft>>,
}

/// The output of a tool, or the refusal.
pub type ToolResult = Result<ToolOutput, Refusal>;

impl ToolOutput {
    /// Returns an output with JSON for programs and text for models.
    pub(crate) fn new(structured: impl Serialize, text: impl Into<String>) -> Self {
        Self { structured: json!(structured), text: text.into(), png: None, draft: None }
    }

    /// Returns an output that contains texts by other agents. It is labelled as untrusted in both forms,
    /// because some clients show the JSON to their model.
    pub(crate) fn with_untrusted_label(structured: impl Serialize, text: impl Into<String>) -> Self {
        Self::new(structured, text).labelled_untrusted()
    }

    /// Labels the JSON as containing texts by other agents.
    #[must_use]
    pub(crate) fn labelled_untrusted(mut self) -> Self {
        self.structured["untrusted"] = json!(UNTRUSTED_LABEL);
        self
    }

    /// Adds a picture to the output.
    #[must_use]
    pub(crate) fn with_image(self, png: Bytes) -> Self {
        Self { png: Some(png), ..self }
    }
}

impl ToolCaller {
    /// Returns the caller of the tools for a visitor who asks the guide.
    pub(crate) fn for_guide(guide: GuideCaller) -> Self {
        Self {
            agent: None,
            address: guide.visitor.address,
            // The budgets of the guide limit what it does for a visitor.
            work: WorkCaller { address: guide.visitor.address, account: None },
            guide: Some(guide),
            reply_batcher: None,
            disconnected: Arc::default(),
            is_large_message: false,
        }
    }
}

impl ToolCall {
    /// Returns a call that may not write.
    pub fn new(context: Arc<ToolContext>, caller: Arc<ToolCaller>, arguments: Map<String, Value>) -> Self {
        Self { context, caller, arguments, may_write: false }
    }

    /// Returns the call with the right to write.
    #[must_use]
    pub(super) fn with_write_access(self) -> Self {
        Self { may_write: true, ..self }
    }

    /// Checks that the tool may write. Every handler that changes something asks for it first.
    ///
    /// # Errors
    /// `Internal`, because only a defect makes a tool that reads change something.
    pub(crate) fn check_may_write(&self) -> Result<(), Refusal> {
        let refuse = || internal("a write by a tool")("the tool is one that only reads");
        self.may_write.then_some(()).ok_or_else(refuse)
    }

    /// Returns the calling agent if the tool may write.
    ///
    /// # Errors
    /// `KeyMissing` if the call has no key, or that of [`ToolCall::check_may_write`].
    pub(crate) fn writer(&self) -> Result<&Arc<Identity>, Refusal> {
        self.check_may_write()?;
        self.agent()
    }

    /// Returns the visitor for whom the guide calls.
    ///
    /// # Errors
    /// `Internal` for a call of an agent, because the tools of the guide are not offered to agents.
    pub(crate) fn guide(&self) -> Result<&GuideCaller, Refusal> {
        self.caller
            .guide
            .as_ref()
            .ok_or_else(|| internal("calling a tool of the guide")("there is no visitor"))
    }

    /// Returns the account as which the call reads: the agent, or the visitor's if it has a pass. `None`
    /// reads what everyone can see.
    pub(crate) fn reader(&self) -> Option<&Identity> {
        let now = self.app().state.clock.now();
        let viewer = || self.caller.guide.as_ref().and_then(|guide| guide.reader(now));
        self.caller.agent.as_deref().or_else(viewer)
    }

    /// Returns the application.
    pub(crate) fn app(&self) -> &App {
        &self.context.app
    }

    /// Parses the arguments, as strictly as a request body.
    ///
    /// # Errors
    /// `Input` if a field is missing, unknown or has the wrong type.
    pub(crate) fn parse_arguments<F: DeserializeOwned>(&self) -> Result<F, Refusal> {
        json::read(&to_json(&self.arguments)?)
    }

    /// Parses the arguments as the body of a request, and the idempotency key beside it.
    ///
    /// # Errors
    /// `Input` if a field is missing, unknown or has the wrong type.
    pub(crate) fn parse_arguments_and_key<F: DeserializeOwned>(
        &self,
    ) -> Result<(F, Option<String>), Refusal> {
        let mut body = self.arguments.clone();
        let key = match body.remove(IDEMPOTENCY_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::String(key)) => Some(key),
            Some(_) => return Err(Refusal::invalid(IDEMPOTENCY_KEY, "idempotency_key must be a string.")),
        };
        Ok((json::read(&to_json(&body)?)?, key))
    }

    /// Returns the calling agent.
    ///
    /// # Errors
    /// `KeyMissing` if the call has no key.
    pub(crate) fn agent(&self) -> Result<&Arc<Identity>, Refusal> {
        self.caller.agent.as_ref().ok_or(Refusal::KeyMissing)
    }

    /// Checks that the caller's key has a scope that depends on the arguments. Callers without a key pass.
    ///
    /// # Errors
    /// `ScopeMissing`.
    pub(crate) fn check_scope(&self, scope: Scope) -> Result<(), Refusal> {
        self.caller.agent.as_ref().map_or(Ok(()), |agent| agent.check_scope(scope))
    }

    /// Submits the command that `draft` builds, at most once per idempotency key and route, and describes its
    /// result.
    ///
    /// # Errors
    /// The refusal of the command, or one that rejects the idempotency key.
    pub(crate) async fn submit_once<C: Command>(
        &self,
        route: &'static str,
        key: Option<String>,
        draft: impl Future<Output = Result<C, Refusal>>,
        describe: impl FnOnce(&C::Output) -> String,
    ) -> ToolResult {
        self.check_may_write()?;
        let Some(key) = key else { return self.submit(None, draft.await?, describe).await };
        let key = IdempotencyKey::parse(IDEMPOTENCY_KEY, &key, self.agent()?.no, route)?;
        let request = self.app().state.log.claim_idempotency_key(key, &to_json(&self.arguments)?).await?;
        match &request.stored_response {
            Some(stored) => replayed_output(stored),
            None => self.submit(Some(&request), draft.await?, describe).await,
        }
    }

    /// Submits a command and describes its result.
    pub(crate) async fn submit<C: Command>(
        &self,
        request: Option<&IdempotentRequest>,
        command: C,
        describe: impl FnOnce(&C::Output) -> String,
    ) -> ToolResult {
        self.check_may_write()?;
        let agent = self.agent()?;
        let state = &self.app().state;
        let repeatable = request.map(|once| once.repeatable.clone());
        match state.log.submit(agent, repeatable, command, self.caller.reply_batcher.clone()).await {
            Err(refusal) => Err(Box::pin(permissions::with_appeal(state, agent, refusal)).await),
            Ok(CommandOutcome::Executed(done)) => Ok(ToolOutput::new(&done, describe(&done))),
            Ok(CommandOutcome::Replayed(json)) => replayed_output(&json),
        }
    }

    /// Describes a response that contains this many bytes of texts by other agents. Long texts are processed
    /// off the event loops.
    ///
    /// # Errors
    /// `Overloaded` if too many long texts are being processed.
    pub(crate) async fn render_untrusted<T: Serialize + Send + 'static>(
        &self,
        answer: T,
        bytes: usize,
        describe: impl FnOnce(&T) -> String + Send + 'static,
    ) -> ToolResult {
        let render = move || ToolOutput::with_untrusted_label(&answer, describe(&answer));
        self.app().filters.workers.run(TextWork::Clean, bytes, render).await
    }
}

fn to_json(arguments: &Map<String, Value>) -> Result<Vec<u8>, Refusal> {
    serde_json::to_vec(arguments).map_err(internal("writing the arguments of a tool"))
}

/// Returns a token budget, or the default one if none is requested.
///
/// # Errors
/// `Input` if it is out of range.
pub(crate) fn parse_budget(requested: Option<i64>, default: usize) -> Result<TokenBudget, Refusal> {
    let tokens = input::check_range(
        "max_tokens",
        requested.unwrap_or(default as i64),
        MIN_TOKENS as i64..=MAX_TOKENS as i64,
    )?;
    Ok(TokenBudget::from_tokens(tokens as usize))
}

/// Returns the stored output of the first successful call.
///
/// # Errors
/// `Internal` if the stored response is not JSON.
fn replayed_output(json: &[u8]) -> ToolResult {
    METRICS.requests.replays.inc();
    let structured: Value = serde_json::from_slice(json).map_err(internal("reading a stored response"))?;
    let text =
        "Done before, with the same idempotency_key: this is the first result, and nothing was spent now.";
    Ok(ToolOutput::new(structured, text))
}
