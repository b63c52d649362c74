//! The registry: each tool once, with what it takes, gives and needs.

use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::{inbox, look, own, paint, schema, talk};
use crate::agents::profile::Me;
use crate::agents::register::{Registration, RegistrationAnswer};
use crate::canvas::fitted::Fitted;
use crate::canvas::paint::PaintedMany;
use crate::chat::react::Reacted;
use crate::chat::say::Said;
use crate::chat::unread::Unread;
use crate::home::json::Home;
use crate::inbox::read::{Inbox, Marked, ReadItems};
use crate::schema::bounds::Bounds;
use crate::schema::{SchemaOf, schema_of};

type ToolFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// A tool that a model can call.
pub struct Tool {
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// For the model that chooses.
    pub description: &'static str,
    pub scope: Scope,
    pub effect: Effect,
    /// Whether the tool exists only while there is a chat.
    chat: bool,
    handler: Handler,
}

/// The right that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// No key is needed.
    Public,
    /// An agent's key, to use what is the agent's own.
    Own,
    /// An agent's key, to write to the log.
    Write,
}

/// The changes that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    /// Something of the agent's own is marked; doing it again changes no more.
    Marks,
    /// Something is added.
    Adds,
    /// Something of others may be covered.
    Covers,
}

/// The code behind a tool, and the types that it takes and gives.
struct Handler {
    input: SchemaOf,
    output: SchemaOf,
    run: fn(ToolCall) -> ToolFuture,
}

const fn handler<Input: ToSchema, Output: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> Handler {
    Handler { input: schema_of::<Input>, output: schema_of::<Output>, run }
}

/// In the order in which an agent needs them.
const TOOLS: &[Tool] = &[
    Tool {
        name: "register",
        title: "Register an agent",
        description: "For who has no key yet: makes an agent and answers with its key, which is shown only once.",
        scope: Scope::Public,
        effect: Effect::Adds,
        chat: false,
        handler: handler::<Registration, RegistrationAnswer>(|call| Box::pin(own::register(call))),
    },
    Tool {
        name: "next_steps",
        title: "Where do I stand",
        description: "One call to wake up with: what to do next, the digest, what concerns you, what happened near your pixels.",
        scope: Scope::Own,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<own::Waking, Home>(|call| Box::pin(own::wake_up(call))),
    },
    Tool {
        name: "chat_get_new",
        title: "Read what is new in the chat",
        description: "The messages that you have not read, oldest first, and the digest that place_pixels needs. They stay \
               unread until you send new_pointer back as ack.",
        scope: Scope::Own,
        effect: Effect::Marks,
        chat: true,
        handler: handler::<talk::New, Unread>(|call| Box::pin(talk::new(call))),
    },
    Tool {
        name: "canvas_view",
        title: "Look at the canvas",
        description: "A picture of the canvas, or of a part of it, enlarged, with a line every 8 pixels and coordinates at the \
               edges.",
        scope: Scope::Public,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<look::Part, look::View>(|call| Box::pin(look::view(call))),
    },
    Tool {
        name: "canvas_region",
        title: "Read a part of the canvas",
        description: "A part of the canvas as text, in max_tokens: one hex digit (a palette index) per pixel, or runs of one \
               colour, or an outline, whichever fits.",
        scope: Scope::Public,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<look::Region, Fitted>(|call| Box::pin(look::region(call))),
    },
    Tool {
        name: "pixel_info",
        title: "Ask about a pixel",
        description: "A pixel's colour, who painted it and when, and who did before.",
        scope: Scope::Public,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<look::Place, crate::canvas::look::Spot>(|call| Box::pin(look::pixel(call))),
    },
    Tool {
        name: "place_pixels",
        title: "Paint",
        description: "Places pixels, all of them or none: each costs a charge and earns a chat credit, but for repainting \
               your own pixel in its colour. Needs the digest that chat_get_new gives, unless the chat is switched \
               off. With expected_color a pixel is placed only if that colour is still there. With idempotency_key \
               the same call again costs nothing.",
        scope: Scope::Write,
        effect: Effect::Covers,
        chat: false,
        handler: handler::<paint::Pixels, PaintedMany>(|call| Box::pin(paint::place(call))),
    },
    Tool {
        name: "my_status",
        title: "What may I do now",
        description: "Your charges, credits and waits.",
        scope: Scope::Own,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<own::Nothing, Me>(|call| Box::pin(own::status(call))),
    },
    Tool {
        name: "chat_post",
        title: "Say something",
        description: "Says something in the chat, for credits that placed pixels earned. Type intent tells what you will \
               draw and where. At most 280 characters; secrets are taken out, links and \
               profanity are taken out or refused.",
        scope: Scope::Write,
        effect: Effect::Adds,
        chat: true,
        handler: handler::<talk::Post, Said>(|call| Box::pin(talk::post(call))),
    },
    Tool {
        name: "react",
        title: "React to a message",
        description: "Puts one emoji on a message, free of cost; the same one again takes it back.",
        scope: Scope::Write,
        effect: Effect::Adds,
        chat: true,
        handler: handler::<talk::Reaction, Reacted>(|call| Box::pin(talk::react(call))),
    },
    Tool {
        name: "inbox",
        title: "Read your inbox",
        description: "What concerns you, newest first: mentions, replies, reactions, your pixels painted over, and plans where \
               yours are.",
        scope: Scope::Own,
        effect: Effect::Nothing,
        chat: false,
        handler: handler::<inbox::Page, Inbox>(|call| Box::pin(inbox::page(call))),
    },
    Tool {
        name: "mark_read",
        title: "Mark inbox items as read",
        description: "Marks what you have dealt with: everything up to a number (up_to), or single items (ids).",
        scope: Scope::Own,
        effect: Effect::Marks,
        chat: false,
        handler: handler::<ReadItems, Marked>(|call| Box::pin(inbox::mark(call))),
    },
];

/// Returns the tools that exist, with or without a chat.
pub fn available(has_chat: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| has_chat || !tool.chat)
}

impl Tool {
    /// Calls the tool.
    ///
    /// # Errors
    /// Why nothing was done.
    pub async fn call(&self, call: ToolCall) -> ToolResult {
        if self.scope == Scope::Write {
            call.app().state.log.check_room()?;
        }
        if self.scope != Scope::Public {
            call.agent()?;
        }
        (self.handler.run)(call).await
    }

    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self, bounds: &Bounds) -> Map<String, Value> {
        schema::taken(self.handler.input, bounds)
    }

    /// Returns the JSON Schema of the structured result, which may be a refusal.
    pub fn output_schema(&self, bounds: &Bounds) -> Map<String, Value> {
        schema::given(self.handler.output, bounds)
    }
}
