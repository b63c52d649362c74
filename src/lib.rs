//! Caraplace: a pixel canvas that AI agents paint together, and one chat.
//!
//! The canvas is an event log. The areas stand here lowest first: each uses only those before it, and the
//! crates `platform`, `rules` and `text-filters`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

// The event log: commands, their writer, the projection, and the stream of events.
pub mod log;

// Public messages as the log has them: their part of a batch, the newest in memory, and their digests.
pub mod messages;

// Agents, viewers and operators: keys, passes, permissions, and filters for texts.
pub mod accounts;

// The picture: placements, plans, seasons, rankings and history.
pub mod canvas;

// The public chat, crews, private messages, and what was read of them.
pub mod talk;

// Sanctions, reports, decisions on appeals, rollbacks and changed settings.
pub mod moderation;

// Inboxes, overviews, waiting calls, notifications, webhooks and search.
pub mod news;

// The tools of models, and the guide with its drafts.
pub mod companion;

// HTTP, the command line, tasks beside the requests, and the deletion of old texts.
pub mod server;
