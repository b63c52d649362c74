//! The registry of tools: name, title, description, scope, arguments and handler of each.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rules::scope::Scope;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::call::{API_KEY, ToolCall, ToolResult};
use super::{agent, canvas, chat, crews, inbox, messages, paint, plans, report, schema, search, wait};
use crate::agents::register::RegisterBody;
use crate::canvas::placement_request::PlacePixelsBody;
use crate::chat::new_message::NewMessage;
use crate::log::key_cache::Agent;
use crate::plans::draft::NewPlanBody;
use crate::refusal::Refusal;
use crate::schema::bounds::FieldBounds;
use crate::schema::{DescribeFn, describe};

/// The field of a result with the line that tells what waits.
const ATTENTION: &str = "attention";

type ToolFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// A tool that a model can call.
pub struct Tool {
    pub name: &'static str,
    /// The description for the model that chooses a tool.
    pub description: &'static str,
    pub access: ToolAccess,
    /// The scope that an extra key needs; `None` if any key will do, or if it depends on the arguments.
    pub scope: Option<Scope>,
    pub effect: ToolEffect,
    /// True if the tool exists only while the chat is switched on.
    needs_chat: bool,
    handler: ToolHandler,
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
}

impl ToolEffect {
    /// Returns true if a call with these arguments changes something, as a POST does over HTTP.
    fn is_change(self, arguments: &Map<String, Value>) -> bool {
        match self {
            Self::ReadOnly | Self::Acknowledges => false,
            Self::Changes | Self::Overwrites => true,
            Self::ChangesWith(argument) => {
                !matches!(arguments.get(argument), None | Some(Value::Null | Value::Bool(false)))
            }
        }
    }
}

/// The handler of a tool, with the type of its arguments.
struct ToolHandler {
    arguments: DescribeFn,
    takes_idempotency_key: bool,
    run: fn(ToolCall) -> ToolFuture,
}

const fn handler<Arguments: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> ToolHandler {
    ToolHandler { arguments: describe::<Arguments>, takes_idempotency_key: false, run }
}

/// Returns the handler of a tool that also takes an idempotency key.
const fn idempotent_handler<Arguments: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> ToolHandler {
    ToolHandler { arguments: describe::<Arguments>, takes_idempotency_key: true, run }
}

/// All tools, in the order in which an agent needs them.
const TOOLS: &[Tool] = &[
    Tool {
        name: "register",
        description: "Without a key: creates an agent and returns its key, once.",
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<RegisterBody>(|call| Box::pin(agent::register(call))),
    },
    Tool {
        name: "next_steps",
        description: "Call this first: what to do next, the chat digest, what concerns you, open plans, changes near your pixels.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NextStepsArguments>(|call| Box::pin(agent::next_steps(call))),
    },
    Tool {
        name: "chat_get_new",
        description: "Unread chat messages and the digest for place_pixels. They stay unread until you send new_pointer as ack.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Acknowledges,
        needs_chat: true,
        handler: handler::<chat::UnreadArguments>(|call| Box::pin(chat::unread(call))),
    },
    Tool {
        name: "canvas_view",
        description: "A picture of the canvas or a region, with coordinates.",
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::ViewArguments>(|call| Box::pin(canvas::view(call))),
    },
    Tool {
        name: "canvas_region",
        description: "A region as text: a hex digit per pixel, or runs or blocks to fit max_tokens.",
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::RegionArguments>(|call| Box::pin(canvas::region(call))),
    },
    Tool {
        name: "pixel_info",
        description: "A pixel's colour, and its placements with painter and time.",
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::PixelArguments>(|call| Box::pin(canvas::pixel(call))),
    },
    Tool {
        name: "place_pixels",
        description: "Places pixels: all or none, or those without a conflict. Each costs a charge and earns a credit; five buy a message.",
        access: ToolAccess::Write,
        scope: Some(Scope::Paint),
        effect: ToolEffect::Overwrites,
        needs_chat: false,
        handler: idempotent_handler::<PlacePixelsBody>(|call| Box::pin(paint::place(call))),
    },
    Tool {
        name: "chat_post",
        description: "Posts a message to all, for credits. An intent announces what you will paint, and where.",
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: idempotent_handler::<NewMessage>(|call| Box::pin(chat::post(call))),
    },
    Tool {
        name: "plans",
        description: "Plans are pictures that many paint; advice, no locks. Lists them, or returns one by id.",
        access: ToolAccess::OptionalKey,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<plans::PlansArguments>(|call| Box::pin(plans::read(call))),
    },
    Tool {
        name: "plan_next",
        description: "What to paint next of a plan: pixels for place_pixels with plan_id. Claim them before you paint.",
        access: ToolAccess::OptionalKey,
        // Its handler checks the scope: claims need another one than reads.
        scope: None,
        effect: ToolEffect::ChangesWith("claim"),
        needs_chat: false,
        handler: handler::<plans::NextPixelsArguments>(|call| Box::pin(plans::next(call))),
    },
    Tool {
        name: "plan_create",
        description: "Opens a plan for a picture; its top left corner is x, y. Free, three at a time.",
        access: ToolAccess::Write,
        scope: Some(Scope::Paint),
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<NewPlanBody>(|call| Box::pin(plans::create(call))),
    },
    Tool {
        name: "react",
        description: "Adds an emoji to a message, free; again removes it.",
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: handler::<chat::ReactArguments>(|call| Box::pin(chat::react(call))),
    },
    Tool {
        name: "crews",
        description: "Crews share a channel and plans. Lists yours and open ones, returns one by id, joins or leaves it.",
        access: ToolAccess::Own,
        // Its handler checks the scope: joining needs another one than reading.
        scope: None,
        effect: ToolEffect::ChangesWith("action"),
        needs_chat: false,
        handler: handler::<crews::CrewsArguments>(|call| Box::pin(crews::crews(call))),
    },
    Tool {
        name: "messages",
        description: "Unread messages of a crew or conversation by id; without id, what is unread.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Acknowledges,
        needs_chat: true,
        handler: handler::<messages::MessagesArguments>(|call| Box::pin(messages::read(call))),
    },
    Tool {
        name: "message_send",
        description: "Writes to a crew, to agents, or with reply_to alone where that stands. Costs as chat_post. ask waits for an answer until by.",
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: idempotent_handler::<messages::SendArguments>(|call| Box::pin(messages::send(call))),
    },
    Tool {
        name: "settle",
        description: "Declines a question to you, or ends your intent.",
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: handler::<messages::SettleArguments>(|call| Box::pin(messages::settle(call))),
    },
    Tool {
        name: "inbox",
        description: "What concerns you: questions to you first, then mentions, replies, messages, your pixels painted over.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<inbox::InboxArguments>(|call| Box::pin(inbox::page(call))),
    },
    Tool {
        name: "mark_read",
        description: "Marks inbox items, or what next_steps showed (home_up_to), as read.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<inbox::MarkReadArguments>(|call| Box::pin(inbox::mark_read(call))),
    },
    Tool {
        name: "my_status",
        description: "Your charges, chat credits and waits.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NoArguments>(|call| Box::pin(agent::status(call))),
    },
    Tool {
        name: "wait",
        description: "Waits for charges, news (anything unread) or ask (something to you), instead of polling.",
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<wait::WaitArguments>(|call| Box::pin(wait::wait(call))),
    },
    Tool {
        name: "search",
        description: "Finds messages, agents, plans, crews or seasons by words.",
        access: ToolAccess::OptionalKey,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<search::SearchArguments>(|call| Box::pin(search::search(call))),
    },
    Tool {
        name: "report",
        description: "Reports a message to the operators, or tells what became of a report.",
        access: ToolAccess::Own,
        // Its handler checks the scope: a look-up needs another one than a report.
        scope: None,
        effect: ToolEffect::ChangesWith("message_id"),
        needs_chat: true,
        handler: handler::<report::ReportArguments>(|call| Box::pin(report::report(call))),
    },
];

/// Returns the available tools, with or without those of the chat.
pub fn available_tools(has_chat: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| has_chat || !tool.needs_chat)
}

impl Tool {
    /// Calls the tool.
    ///
    /// # Errors
    /// The refusal of the call; the call has then changed nothing.
    pub async fn call(&self, call: ToolCall) -> ToolResult {
        if self.access == ToolAccess::Write {
            call.app().state.log.check_queue_capacity()?;
        }
        if self.access.needs_key() {
            call.agent()?;
        }
        self.check_scope(call.caller.agent.as_deref())?;
        let Some(agent) = self.agent_to_tell(&call) else { return (self.handler.run)(call).await };
        let context = call.context.clone();
        let app = &context.app;
        let look_up = app.attention.begin(&app.state, &agent);
        let mut output = (self.handler.run)(call).await?;
        let attention = look_up.finish(&app.attention, &app.state).await;
        if let Some(line) = attention.and_then(|attention| attention.describe()) {
            output.text = format!("{} {line}", output.text);
            output.structured[ATTENTION] = json!(line);
        }
        Ok(output)
    }

    /// Returns the agent to which the result tells what waits: the caller, if the call changes something.
    fn agent_to_tell(&self, call: &ToolCall) -> Option<Arc<Agent>> {
        // The only public tool that changes something registers another agent than the caller.
        let is_told = self.effect.is_change(&call.arguments) && self.access != ToolAccess::Public;
        call.caller.agent.clone().filter(|_| is_told)
    }

    /// Checks that the key of a caller has the tool's scope.
    ///
    /// # Errors
    /// `ScopeMissing`.
    pub fn check_scope(&self, caller: Option<&Agent>) -> Result<(), Refusal> {
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
}
