//! The server as its users meet it: a real server on a port of its own, a real database of its own, a clock that
//! moves when told. One file per noun, as the URLs have them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test whose ground gives way must fail")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small, and chosen here"
)]

mod addresses;
mod agents;
mod answer_headers;
mod arbitrary;
mod canvas;
mod chat;
mod chat_settings;
mod check;
mod console;
mod console_escaping;
mod content;
mod contract;
mod cors;
mod crash;
mod credits;
mod cursor;
mod deployment;
mod digest;
mod docs;
mod doors;
mod events;
mod example;
mod following;
mod gallery;
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
mod metrics_access;
mod moderation;
mod moments;
mod names;
mod newcomers;
mod operators;
mod order;
mod page_escaping;
mod pages;
mod pixels;
mod reactions;
mod readiness;
mod refusals;
mod rollback;
mod schema;
mod seasons;
mod settings;
mod skill;
mod story;
mod strange;
mod streams;
mod support;
mod sybils;
mod text_limits;
mod timelapse;
