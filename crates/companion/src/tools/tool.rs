//! A tool: its name, description, audience, scope, arguments and handler, for MCP and the guide alike.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use caraplace_log::identity::Identity;
use platform::refusal::{InputError, Refusal, internal};
use platform::schema::bounds::FieldBounds;
use platform::schema::{DescribeFn, describe};
use rules::scope::Scope;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::call::{API_KEY, ToolCall, ToolOutput, ToolResult};
use super::guide::summary::summarize_call;
use super::guide::text_limit::limit_text;
use super::schema;

/// The field of a result with the line that tells what waits.
const ATTENTION: &str = "attention";

type ToolFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// A tool that a model can call.
pub struct Tool {
    pub name: &'static str,
    /// The description for the model that chooses a tool.
    pub description: &'static str,
    pub audience: ToolAudience,
    pub access: ToolAccess,
    /// The scope that an extra key needs; `None` if any key will do, or if it depends on the arguments.
    pub scope: Option<Scope>,
    pub effect: ToolEffect,
    /// True if the tool exists only while the chat is switched on.
    pub(super) needs_chat: bool,
    pub(super) handler: ToolHandler,
}

/// The models that may call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolAudience {
    /// Agents, over MCP.
    Agents,
    /// The guide, for a visitor.
    Guide,
    /// Both.
    Both,
}

/// The kind of access that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolAccess {
    /// No key is needed.
    Public,
    /// No key is needed. With one, the call also returns what only its agent can see, or may do more.
    OptionalKey,
    /// An agent's key; the call reads or marks the agent's own data.
    Own,
    /// An agent's key; the call writes to the log.
    Write,
}

impl ToolAccess {
    /// Returns true if every call needs a key.
    pub fn needs_key(self) -> bool {
        !matches!(self, Self::Public | Self::OptionalKey)
    }
}

/// The changes that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    ReadOnly,
    /// Reads, and marks what the agent has read before.
    Acknowledges,
    /// Adds, updates or ends something, and overwrites no pixels of others.
    Changes,
    /// Does that if the call has this argument, and only reads otherwise.
    ChangesWith(&'static str),
    /// May overwrite pixels of other agents.
    Overwrites,
    /// Stores a draft, which changes something only if a person approves it.
    Proposes,
}

impl ToolEffect {
    /// Returns true if a call with these arguments may change something or mark what was read.
    fn may_write(self, arguments: &Map<String, Value>) -> bool {
        self == Self::Acknowledges || self.is_change(arguments)
    }

    /// Returns true if a call with these arguments changes something, as a POST does over HTTP.
    pub(super) fn is_change(self, arguments: &Map<String, Value>) -> bool {
        match self {
            Self::ReadOnly | Self::Acknowledges | Self::Proposes => false,
            Self::Changes | Self::Overwrites => true,
            Self::ChangesWith(argument) => {
                !matches!(arguments.get(argument), None | Some(Value::Null | Value::Bool(false)))
            }
        }
    }
}

/// The handler of a tool, with the type of its arguments.
pub(super) struct ToolHandler {
    arguments: DescribeFn,
    takes_idempotency_key: bool,
    run: fn(ToolCall) -> ToolFuture,
}

/// Returns the handler of a tool with this type of arguments.
pub(super) const fn handler<Arguments: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> ToolHandler {
    ToolHandler { arguments: describe::<Arguments>, takes_idempotency_key: false, run }
}

/// Returns the handler of a tool that also takes an idempotency key.
pub(super) const fn idempotent_handler<Arguments: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> ToolHandler {
    ToolHandler { arguments: describe::<Arguments>, takes_idempotency_key: true, run }
}

impl Tool {
    /// Returns a tool of agents that reads.
    pub(super) const fn read(
        name: &'static str,
        description: &'static str,
        access: ToolAccess,
        handler: ToolHandler,
    ) -> Self {
        let (audience, effect) = (ToolAudience::Agents, ToolEffect::ReadOnly);
        let scope = Some(Scope::Read);
        Self { name, description, audience, access, scope, effect, needs_chat: false, handler }
    }

    /// Returns a tool of agents that writes to the log.
    pub(super) const fn write(
        name: &'static str,
        description: &'static str,
        scope: Scope,
        handler: ToolHandler,
    ) -> Self {
        let tool = Self::read(name, description, ToolAccess::Write, handler);
        Self { scope: Some(scope), effect: ToolEffect::Changes, ..tool }
    }

    /// Returns a tool of the guide that reads.
    pub(super) const fn guide_read(
        name: &'static str,
        description: &'static str,
        handler: ToolHandler,
    ) -> Self {
        let tool = Self::read(name, description, ToolAccess::Public, handler);
        Self { audience: ToolAudience::Guide, ..tool }.without_scope()
    }

    /// Sets the models that may call the tool.
    pub(super) const fn audience(self, audience: ToolAudience) -> Self {
        Self { audience, ..self }
    }

    /// Sets the changes that a call makes.
    pub(super) const fn effect(self, effect: ToolEffect) -> Self {
        Self { effect, ..self }
    }

    /// Lets any key call the tool, which may check its scope itself.
    pub(super) const fn without_scope(self) -> Self {
        Self { scope: None, ..self }
    }

    /// Removes the tool while the chat is switched off.
    pub(super) const fn with_chat(self) -> Self {
        Self { needs_chat: true, ..self }
    }

    /// Calls the tool.
    ///
    /// # Errors
    /// The refusal of the call; the call has then changed nothing.
    pub async fn call(&self, call: ToolCall) -> ToolResult {
        let call = if self.effect.may_write(&call.arguments) { call.with_write_access() } else { call };
        if self.access == ToolAccess::Write {
            call.app().state.log.check_queue_capacity()?;
        }
        if self.access.needs_key() {
            call.agent()?;
        }
        self.check_scope(call.caller.agent.as_deref())?;
        let Some(agent) = self.agent_to_tell(&call) else { return (self.handler.run)(call).await };
        let context = call.context.clone();
        let mut output = (self.handler.run)(call).await?;
        let app = &context.app;
        let attention = app.attention.look_up(&app.state, &agent).await;
        if let Some(line) = attention.and_then(|attention| attention.describe()) {
            output.text = format!("{} {line}", output.text);
            output.structured[ATTENTION] = json!(line);
        }
        Ok(output)
    }

    /// Calls the tool for a visitor. The result has at most 4 000 tokens. A call that is not the guide's to
    /// make is refused before its handler runs, and the handler of any other may not write.
    ///
    /// # Errors
    /// `Internal` if it is not the guide's to make, `ChatDisabled` if it needs the chat, or the refusal of
    /// the call, which has then changed nothing.
    pub(crate) async fn call_for_guide(&self, call: ToolCall) -> ToolResult {
        if !self.is_for_guide() {
            return Err(internal("calling a tool for the guide")("it is for agents only"));
        }
        call.guide()?;
        if self.needs_chat {
            call.app().state.game().check_chat()?;
        }
        let output = (self.handler.run)(call).await.map_err(name_field)?;
        Ok(ToolOutput { text: limit_text(&output.text), ..output })
    }

    /// Returns true if the guide may call the tool: it is offered to it, and writes nothing but drafts.
    pub(crate) fn is_for_guide(&self) -> bool {
        let is_harmless = matches!(self.effect, ToolEffect::ReadOnly | ToolEffect::Proposes);
        self.audience != ToolAudience::Agents && is_harmless
    }

    /// Returns the agent whose unread and waiting things are added to the result: the caller, if the call
    /// changes something.
    fn agent_to_tell(&self, call: &ToolCall) -> Option<Arc<Identity>> {
        // The only public tool that changes something registers another agent than the caller.
        let is_told = self.effect.is_change(&call.arguments) && self.access != ToolAccess::Public;
        call.caller.agent.clone().filter(|_| is_told)
    }

    /// Checks that the key of a caller has the tool's scope.
    ///
    /// # Errors
    /// `ScopeMissing`.
    pub fn check_scope(&self, caller: Option<&Identity>) -> Result<(), Refusal> {
        let needed = caller.zip(self.scope);
        needed.map_or(Ok(()), |(agent, scope)| agent.check_scope(scope))
    }

    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self, bounds: &FieldBounds) -> Map<String, Value> {
        let ToolHandler { arguments, takes_idempotency_key, .. } = self.handler;
        let mut schema = schema::input_schema(arguments, takes_idempotency_key, bounds);
        if self.access != ToolAccess::Public {
            // The server's instructions describe it once, because every byte counts in each schema.
            let fields = schema.entry("properties").or_insert_with(|| json!({}));
            fields[API_KEY] = json!({"type": "string"});
        }
        schema
    }

    /// Returns the JSON Schema of the arguments of the guide's calls, which have neither a key nor an
    /// idempotency key.
    pub(crate) fn guide_schema(&self, bounds: &FieldBounds) -> Value {
        Value::Object(schema::input_schema(self.handler.arguments, false, bounds))
    }

    /// Describes a call in one line of at most 120 characters, such as `search lighthouse`.
    pub(crate) fn summarize(&self, arguments: &Map<String, Value>) -> String {
        summarize_call(self.name, arguments)
    }
}

/// Names the wrong argument in the sentence of a refusal, because the model of the guide reads nothing else
/// of it.
fn name_field(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::Input(InputError { field: Some(field), detail, kind, index })
            if !detail.contains(field.as_ref()) =>
        {
            InputError { detail: format!("{field}: {detail}"), field: Some(field), kind, index }.into()
        }
        refusal => refusal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::agent::{NoArguments, status};

    #[test]
    fn a_tool_that_writes_is_denied_whatever_its_audience() {
        for effect in [
            ToolEffect::Acknowledges,
            ToolEffect::Changes,
            ToolEffect::ChangesWith("claim"),
            ToolEffect::Overwrites,
        ] {
            let handler = handler::<NoArguments>(|call| Box::pin(status(call)));
            let tool = Tool::guide_read("test", "", handler).audience(ToolAudience::Both).effect(effect);
            assert!(!tool.is_for_guide(), "{effect:?}");
        }
    }

    #[test]
    fn a_refused_argument_is_named_once() {
        let named = |field, detail| name_field(Refusal::invalid(field, detail)).to_string();
        assert_eq!(named("x", "This must be a whole number."), "x: This must be a whole number.");
        assert_eq!(named("limit", "limit must be from 1 to 20."), "limit must be from 1 to 20.");
    }
}
