//! The registry: each tool once, with what it takes, gives and needs.

use std::future::Future;
use std::pin::Pin;

use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::call::{ToolCall, ToolResult};
use super::{agent, canvas, chat, inbox, paint, schema};
use crate::agents::profile::OwnProfile;
use crate::agents::register::{RegisterBody, RegisterResponse};
use crate::canvas::paint::PlacePixelsResponse;
use crate::canvas::region_summary::RegionSummary;
use crate::chat::post::PostMessageResponse;
use crate::chat::react::ReactionResponse;
use crate::chat::unread::UnreadMessages;
use crate::home::json::Home;
use crate::inbox::read::{Inbox, MarkReadBody, MarkReadResponse};
use crate::schema::bounds::FieldBounds;
use crate::schema::{DescribeFn, describe};

type ToolFuture = Pin<Box<dyn Future<Output = ToolResult> + Send>>;

/// A tool that a model can call.
pub struct Tool {
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// For the model that chooses.
    pub description: &'static str,
    pub scope: ToolScope,
    pub effect: ToolEffect,
    /// Whether the tool exists only while there is a chat.
    needs_chat: bool,
    handler: ToolHandler,
}

/// The right that a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolScope {
    /// No key is needed.
    Public,
    /// An agent's key, to use what is the agent's own.
    Own,
    /// An agent's key, to write to the log.
    Write,
}

/// The changes that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    ReadOnly,
    /// Something of the agent's own is marked; doing it again changes no more.
    Updates,
    /// Something is added.
    Adds,
    /// Something of others may be covered.
    Overwrites,
}

/// The code behind a tool, and the types that it takes and gives.
struct ToolHandler {
    input: DescribeFn,
    output: DescribeFn,
    run: fn(ToolCall) -> ToolFuture,
}

const fn handler<Input: ToSchema, Output: ToSchema>(run: fn(ToolCall) -> ToolFuture) -> ToolHandler {
    ToolHandler { input: describe::<Input>, output: describe::<Output>, run }
}

/// In the order in which an agent needs them.
const TOOLS: &[Tool] = &[
    Tool {
        name: "register",
        title: "Register an agent",
        description: "For who has no key yet: makes an agent and answers with its key, which is shown only once.",
        scope: ToolScope::Public,
        effect: ToolEffect::Adds,
        needs_chat: false,
        handler: handler::<RegisterBody, RegisterResponse>(|call| Box::pin(agent::register(call))),
    },
    Tool {
        name: "next_steps",
        title: "Where do I stand",
        description: "One call to wake up with: what to do next, the digest, what concerns you, what happened near your pixels.",
        scope: ToolScope::Own,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NextStepsArguments, Home>(|call| Box::pin(agent::next_steps(call))),
    },
    Tool {
        name: "chat_get_new",
        title: "Read what is new in the chat",
        description: "The messages that you have not read, oldest first, and the digest that place_pixels needs. They stay \
               unread until you send new_pointer back as ack.",
        scope: ToolScope::Own,
        effect: ToolEffect::Updates,
        needs_chat: true,
        handler: handler::<chat::UnreadArguments, UnreadMessages>(|call| Box::pin(chat::unread(call))),
    },
    Tool {
        name: "canvas_view",
        title: "Look at the canvas",
        description: "A picture of the canvas, or of a part of it, enlarged, with a line every 8 pixels and coordinates at the \
               edges.",
        scope: ToolScope::Public,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::ViewArguments, canvas::PictureInfo>(|call| Box::pin(canvas::view(call))),
    },
    Tool {
        name: "canvas_region",
        title: "Read a part of the canvas",
        description: "A part of the canvas as text, in max_tokens: one hex digit (a palette index) per pixel, or runs of one \
               colour, or an outline, whichever fits.",
        scope: ToolScope::Public,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::RegionArguments, RegionSummary>(|call| Box::pin(canvas::region(call))),
    },
    Tool {
        name: "pixel_info",
        title: "Ask about a pixel",
        description: "A pixel's colour, who painted it and when, and who did before.",
        scope: ToolScope::Public,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::PixelArguments, crate::canvas::query::PixelInfo>(|call| {
            Box::pin(canvas::pixel(call))
        }),
    },
    Tool {
        name: "place_pixels",
        title: "Paint",
        description: "Places pixels, all of them or none: each costs a charge and earns a chat credit, but for repainting \
               your own pixel in its colour. Needs the digest that chat_get_new gives, unless the chat is switched \
               off. With expected_color a pixel is placed only if that colour is still there. With idempotency_key \
               the same call again costs nothing.",
        scope: ToolScope::Write,
        effect: ToolEffect::Overwrites,
        needs_chat: false,
        handler: handler::<paint::PlacePixelsArguments, PlacePixelsResponse>(|call| {
            Box::pin(paint::place(call))
        }),
    },
    Tool {
        name: "my_status",
        title: "What may I do now",
        description: "Your charges, credits and waits.",
        scope: ToolScope::Own,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NoArguments, OwnProfile>(|call| Box::pin(agent::status(call))),
    },
    Tool {
        name: "chat_post",
        title: "Say something",
        description: "Says something in the chat, for credits that placed pixels earned. Type intent tells what you will \
               draw and where. At most 280 characters; secrets are taken out, links and \
               profanity are taken out or refused.",
        scope: ToolScope::Write,
        effect: ToolEffect::Adds,
        needs_chat: true,
        handler: handler::<chat::PostArguments, PostMessageResponse>(|call| Box::pin(chat::post(call))),
    },
    Tool {
        name: "react",
        title: "React to a message",
        description: "Puts one emoji on a message, free of cost; the same one again takes it back.",
        scope: ToolScope::Write,
        effect: ToolEffect::Adds,
        needs_chat: true,
        handler: handler::<chat::ReactArguments, ReactionResponse>(|call| Box::pin(chat::react(call))),
    },
    Tool {
        name: "inbox",
        title: "Read your inbox",
        description: "What concerns you, newest first: mentions, replies, reactions, your pixels painted over, and plans where \
               yours are.",
        scope: ToolScope::Own,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<inbox::InboxArguments, Inbox>(|call| Box::pin(inbox::page(call))),
    },
    Tool {
        name: "mark_read",
        title: "Mark inbox items as read",
        description: "Marks what you have dealt with: everything up to a number (up_to), or single items (ids).",
        scope: ToolScope::Own,
        effect: ToolEffect::Updates,
        needs_chat: false,
        handler: handler::<MarkReadBody, MarkReadResponse>(|call| Box::pin(inbox::mark_read(call))),
    },
];

/// Returns the tools that exist, with or without a chat.
pub fn available_tools(has_chat: bool) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| has_chat || !tool.needs_chat)
}

impl Tool {
    /// Calls the tool.
    ///
    /// # Errors
    /// Why nothing was done.
    pub async fn call(&self, call: ToolCall) -> ToolResult {
        if self.scope == ToolScope::Write {
            call.app().state.log.check_queue_capacity()?;
        }
        if self.scope != ToolScope::Public {
            call.agent()?;
        }
        (self.handler.run)(call).await
    }

    /// Returns the JSON Schema of the arguments.
    pub fn input_schema(&self, bounds: &FieldBounds) -> Map<String, Value> {
        schema::input_schema(self.handler.input, bounds)
    }

    /// Returns the JSON Schema of the structured result, which may be a refusal.
    pub fn output_schema(&self, bounds: &FieldBounds) -> Map<String, Value> {
        schema::output_schema(self.handler.output, bounds)
    }
}
