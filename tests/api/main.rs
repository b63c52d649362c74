//! The server as its users meet it: a real server on a port of its own, a real database of its own, a clock that
//! moves when told. One file per noun, as the URLs have them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test whose ground gives way must fail")]

mod agents;
mod arbitrary;
mod canvas;
mod chat;
mod chat_settings;
mod check;
mod console;
mod content;
mod contract;
mod crash;
mod cursor;
mod digest;
mod docs;
mod doors;
mod events;
mod example;
mod following;
mod heat;
mod history;
mod home;
mod hostile;
mod idempotency;
mod inbox;
mod leaderboard;
mod limits;
mod logs;
mod mcp;
mod metrics;
mod moderation;
mod moments;
mod operators;
mod order;
mod pages;
mod pixels;
mod reactions;
mod refusals;
mod rollback;
mod schema;
mod seasons;
mod skill;
mod story;
mod strange;
mod support;
mod timelapse;
