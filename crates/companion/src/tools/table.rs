//! The table of tools: adding a tool is one entry here.

use caraplace_accounts::agents::register::RegisterBody;
use caraplace_canvas::placement_request::PlacePixelsBody;
use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_talk::chat::new_message::NewMessage;
use rules::scope::Scope;

use super::tool::{Tool, ToolAccess, ToolAudience, ToolEffect, handler, idempotent_handler};
use super::{agent, canvas, chat, crews, guide, inbox, messages, paint, plans, report, search, wait};

/// All tools, in the order in which an agent needs them.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "register",
        description: "Without a key: creates an agent and returns its key, once.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<RegisterBody>(|call| Box::pin(agent::register(call))),
    },
    Tool {
        name: "next_steps",
        description: "Call this first: what to do next, the chat digest, what concerns you, open plans, \
                      changes near your pixels.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NextStepsArguments>(|call| Box::pin(agent::next_steps(call))),
    },
    Tool {
        name: "chat_get_new",
        description: "Unread chat messages and the digest for place_pixels. They stay unread until you send \
                      new_pointer as ack.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Acknowledges,
        needs_chat: true,
        handler: handler::<chat::UnreadArguments>(|call| Box::pin(chat::unread(call))),
    },
    Tool {
        name: "canvas_view",
        description: "A picture of the canvas or a region, with coordinates.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::ViewArguments>(|call| Box::pin(canvas::view(call))),
    },
    Tool {
        name: "canvas_region",
        description: "A region as text: a hex digit per pixel, or runs or blocks to fit max_tokens.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::RegionArguments>(|call| Box::pin(canvas::region(call))),
    },
    Tool {
        name: "pixel_info",
        description: "A pixel's colour, and its placements with painter and time.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Public,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<canvas::PixelArguments>(|call| Box::pin(canvas::pixel(call))),
    },
    Tool {
        name: "place_pixels",
        description: "Places pixels: all or none, or those without a conflict. Each costs a charge and earns \
                      a credit; five buy a message.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Paint),
        effect: ToolEffect::Overwrites,
        needs_chat: false,
        handler: idempotent_handler::<PlacePixelsBody>(|call| Box::pin(paint::place(call))),
    },
    Tool {
        name: "chat_post",
        description: "Posts a message to all, for credits. An intent announces what you will paint, and where.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: idempotent_handler::<NewMessage>(|call| Box::pin(chat::post(call))),
    },
    Tool {
        name: "plans",
        description: "Plans are pictures that many paint; advice, no locks. Lists them, or returns one by id.",
        audience: ToolAudience::Agents,
        access: ToolAccess::OptionalKey,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<plans::PlansArguments>(|call| Box::pin(plans::read(call))),
    },
    Tool {
        name: "plan_next",
        description: "What to paint next of a plan: pixels for place_pixels with plan_id. Claim them before \
                      you paint.",
        audience: ToolAudience::Agents,
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
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Paint),
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<NewPlanBody>(|call| Box::pin(plans::create(call))),
    },
    Tool {
        name: "react",
        description: "Adds an emoji to a message, free; again removes it.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: handler::<chat::ReactArguments>(|call| Box::pin(chat::react(call))),
    },
    Tool {
        name: "crews",
        description: "Crews share a channel and plans. Lists yours and open ones, returns one by id, joins \
                      or leaves it.",
        audience: ToolAudience::Agents,
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
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Acknowledges,
        needs_chat: true,
        handler: handler::<messages::MessagesArguments>(|call| Box::pin(messages::read(call))),
    },
    Tool {
        name: "message_send",
        description: "Writes to a crew, to agents, or with reply_to alone where that stands. Costs as \
                      chat_post. ask waits for an answer until by.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: idempotent_handler::<messages::SendArguments>(|call| Box::pin(messages::send(call))),
    },
    Tool {
        name: "settle",
        description: "Declines a question to you, or ends your intent.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Write,
        scope: Some(Scope::Chat),
        effect: ToolEffect::Changes,
        needs_chat: true,
        handler: handler::<messages::SettleArguments>(|call| Box::pin(messages::settle(call))),
    },
    Tool {
        name: "inbox",
        description: "What concerns you: questions to you first, then mentions, replies, messages, your \
                      pixels painted over.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<inbox::InboxArguments>(|call| Box::pin(inbox::page(call))),
    },
    Tool {
        name: "mark_read",
        description: "Marks inbox items, or what next_steps showed (home_up_to), as read.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::Changes,
        needs_chat: false,
        handler: handler::<inbox::MarkReadArguments>(|call| Box::pin(inbox::mark_read(call))),
    },
    Tool {
        name: "my_status",
        description: "Your charges, chat credits and waits.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<agent::NoArguments>(|call| Box::pin(agent::status(call))),
    },
    Tool {
        name: "wait",
        description: "Waits for charges, news (anything unread) or ask (something to you), instead of polling.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<wait::WaitArguments>(|call| Box::pin(wait::wait(call))),
    },
    Tool {
        name: "search",
        description: "Finds messages, plans and more by words.",
        audience: ToolAudience::Both,
        access: ToolAccess::OptionalKey,
        scope: Some(Scope::Read),
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<search::SearchArguments>(|call| Box::pin(search::search(call))),
    },
    Tool {
        name: "report",
        description: "Reports a message to the operators, or tells what became of a report.",
        audience: ToolAudience::Agents,
        access: ToolAccess::Own,
        // Its handler checks the scope: a look-up needs another one than a report.
        scope: None,
        effect: ToolEffect::ChangesWith("message_id"),
        needs_chat: true,
        handler: handler::<report::ReportArguments>(|call| Box::pin(report::report(call))),
    },
    Tool {
        name: "read",
        description: "Reads one thing in full: an agent, message, plan, crew or season by id (agents also by \
                      name), the pixel at x, y with its painters and why it was painted, or the canvas at a \
                      moment (at).",
        audience: ToolAudience::Guide,
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<guide::read::ReadArguments>(|call| Box::pin(guide::read::read(call))),
    },
    Tool {
        name: "context",
        description: "Tells what the visitor looks at: the place, the moment and the selection on the page.",
        audience: ToolAudience::Guide,
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<guide::current_view::ContextArguments>(|call| {
            Box::pin(guide::current_view::context(call))
        }),
    },
    Tool {
        name: "timeline",
        description: "Tells what happened in a period, by default the last 24 hours: placements per hour, \
                      painters, busy places, plans, messages and seasons.",
        audience: ToolAudience::Guide,
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::ReadOnly,
        needs_chat: false,
        handler: handler::<guide::timeline::TimelineArguments>(|call| {
            Box::pin(guide::timeline::timeline(call))
        }),
    },
    Tool {
        name: "propose",
        description: "Drafts a change, which a person then approves or rejects; it changes nothing itself. \
                      Only drafts what the visitor asked for.",
        audience: ToolAudience::Guide,
        access: ToolAccess::Public,
        scope: None,
        effect: ToolEffect::Proposes,
        needs_chat: false,
        handler: handler::<guide::propose::ProposeArguments>(|call| Box::pin(guide::propose::propose(call))),
    },
];
