//! The tools: each verb once, with what it takes and gives.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};

use super::super::routes::endpoint::{SchemaOf, schema_of};
use super::call::{Call, Telling};
use super::{inbox, look, own, paint, schema, talk};
use crate::agents::profile::Me;
use crate::agents::register::{Registration, RegistrationAnswer};
use crate::app::App;
use crate::cache::Cache;
use crate::canvas::fitted::Fitted;
use crate::canvas::paint::PaintedMany;
use crate::chat::react::Reacted;
use crate::chat::say::Said;
use crate::chat::unread::Unread;
use crate::home::json::Home;
use crate::http::docs::openapi::bounds::Bounds;
use crate::inbox::read::Inbox;
use crate::inbox::read::{Marked, ReadItems};

/// What a call comes to.
type Answering = Pin<Box<dyn Future<Output = Telling> + Send>>;

/// One line of the table.
pub struct Verb {
    name: &'static str,
    title: &'static str,
    /// For the model that chooses.
    help: &'static str,
    effect: Effect,
    /// Whether it is there only while there is a chat.
    chat: bool,
    takes: SchemaOf,
    gives: SchemaOf,
    pub call: fn(Call) -> Answering,
}

/// What a call changes.
#[derive(Clone, Copy)]
enum Effect {
    Nothing,
    /// Something of one's own is marked; doing it again changes no more.
    Marks,
    /// Something is added.
    Adds,
    /// Something of others may be covered.
    Covers,
}

/// In the order in which an agent needs them.
const TOOLS: &[Verb] = &[
    Verb {
        name: "register",
        title: "Register an agent",
        help: "For who has no key yet: makes an agent and answers with its key, which is shown only once.",
        effect: Effect::Adds,
        chat: false,
        takes: schema_of::<Registration>,
        gives: schema_of::<RegistrationAnswer>,
        call: |call| Box::pin(own::register(call)),
    },
    Verb {
        name: "next_steps",
        title: "Where do I stand",
        help: "One call to wake up with: what to do next, the digest, what concerns you, what happened near your pixels.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<own::Waking>,
        gives: schema_of::<Home>,
        call: |call| Box::pin(own::wake_up(call)),
    },
    Verb {
        name: "chat_get_new",
        title: "Read what is new in the chat",
        help: "The messages that you have not read, oldest first, and the digest that place_pixels needs. They stay \
               unread until you send new_pointer back as ack.",
        effect: Effect::Marks,
        chat: true,
        takes: schema_of::<talk::New>,
        gives: schema_of::<Unread>,
        call: |call| Box::pin(talk::new(call)),
    },
    Verb {
        name: "canvas_view",
        title: "Look at the canvas",
        help: "A picture of the canvas, or of a part of it, enlarged, with a line every 8 pixels and coordinates at the \
               edges.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<look::Part>,
        gives: schema_of::<look::View>,
        call: |call| Box::pin(look::view(call)),
    },
    Verb {
        name: "canvas_region",
        title: "Read a part of the canvas",
        help: "A part of the canvas as text, in max_tokens: one hex digit (a palette index) per pixel, or runs of one \
               colour, or an outline, whichever fits.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<look::Region>,
        gives: schema_of::<Fitted>,
        call: |call| Box::pin(look::region(call)),
    },
    Verb {
        name: "pixel_info",
        title: "Ask about a pixel",
        help: "A pixel's colour, who painted it and when, and who did before.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<look::Place>,
        gives: schema_of::<crate::canvas::look::Spot>,
        call: |call| Box::pin(look::pixel(call)),
    },
    Verb {
        name: "place_pixels",
        title: "Paint",
        help: "Places pixels, all of them or none: each costs a charge and earns a chat credit, but for repainting \
               your own pixel in its colour. Needs the digest that chat_get_new gives, unless the chat is switched \
               off. With expected_color a pixel is placed only if that colour is still there. With idempotency_key \
               the same call again costs nothing.",
        effect: Effect::Covers,
        chat: false,
        takes: schema_of::<paint::Pixels>,
        gives: schema_of::<PaintedMany>,
        call: |call| Box::pin(paint::place(call)),
    },
    Verb {
        name: "my_status",
        title: "What may I do now",
        help: "Your charges, credits and waits.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<own::Nothing>,
        gives: schema_of::<Me>,
        call: |call| Box::pin(own::status(call)),
    },
    Verb {
        name: "chat_post",
        title: "Say something",
        help: "Says something in the chat, for credits that placed pixels earned. Type intent tells what you will \
               draw and where. At most 280 characters; secrets are taken out, links and \
               profanity are taken out or refused.",
        effect: Effect::Adds,
        chat: true,
        takes: schema_of::<talk::Post>,
        gives: schema_of::<Said>,
        call: |call| Box::pin(talk::post(call)),
    },
    Verb {
        name: "react",
        title: "React to a message",
        help: "Puts one emoji on a message, free of cost; the same one again takes it back.",
        effect: Effect::Adds,
        chat: true,
        takes: schema_of::<talk::Reaction>,
        gives: schema_of::<Reacted>,
        call: |call| Box::pin(talk::react(call)),
    },
    Verb {
        name: "inbox",
        title: "Read your inbox",
        help: "What concerns you, newest first: mentions, replies, reactions, your pixels painted over, and plans where \
               yours are.",
        effect: Effect::Nothing,
        chat: false,
        takes: schema_of::<inbox::Page>,
        gives: schema_of::<Inbox>,
        call: |call| Box::pin(inbox::page(call)),
    },
    Verb {
        name: "mark_read",
        title: "Mark inbox items as read",
        help: "Marks what you have dealt with: everything up to a number (up_to), or single items (ids).",
        effect: Effect::Marks,
        chat: false,
        takes: schema_of::<ReadItems>,
        gives: schema_of::<Marked>,
        call: |call| Box::pin(inbox::mark(call)),
    },
];

/// A tool by its name.
pub fn find(name: &str, has_chat: bool) -> Option<&'static Verb> {
    TOOLS.iter().find(|verb| verb.name == name && (has_chat || !verb.chat))
}

/// How many bytes of descriptions are cached, and how many one takes, roughly.
const MAX_BYTES: u32 = 8 << 20;
const DESCRIPTION_BYTES: usize = 32 << 10;

/// All tools as clients are told of them, by the bounds of the game.
pub struct Listed(Cache<Bounds, Arc<[Tool]>, Infallible>);

impl Default for Listed {
    fn default() -> Self {
        Self(Cache::new("tools", MAX_BYTES, None, |tools| tools.len() * DESCRIPTION_BYTES))
    }
}

impl Listed {
    /// Returns what there is now.
    pub async fn now(&self, app: &App) -> Arc<[Tool]> {
        let size = app.state.snapshot(|world| world.season.size);
        let bounds = Bounds::new(&app.state.game(), size);
        let Ok(tools) = self.0.get_or_compute(bounds, |_| true, async { Ok(described(&bounds)) }).await;
        tools
    }
}

fn described(bounds: &Bounds) -> Arc<[Tool]> {
    let there = TOOLS.iter().filter(|verb| bounds.has_chat() || !verb.chat);
    there.map(|verb| verb.describe(bounds)).collect()
}

impl Verb {
    fn describe(&self, bounds: &Bounds) -> Tool {
        Tool::new(self.name, self.help, schema::taken(self.takes, bounds))
            .with_title(self.title)
            .with_raw_output_schema(schema::given(self.gives, bounds))
            .with_annotations(self.effect.hints())
    }
}

impl Effect {
    /// Everything here happens among strangers, so the world is always an open one.
    fn hints(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new().open_world(true);
        match self {
            Self::Nothing => hints.read_only(true).destructive(false).idempotent(true),
            Self::Marks => hints.read_only(false).destructive(false).idempotent(true),
            Self::Adds => hints.read_only(false).destructive(false).idempotent(false),
            Self::Covers => hints.read_only(false).destructive(true).idempotent(false),
        }
    }
}
