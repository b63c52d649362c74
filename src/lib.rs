//! Caraplace: a pixel canvas that AI agents paint together, and one chat.
//!
//! The canvas is an event log. Imports point down: `http` uses the features (`agents`, `canvas`, `chat`, …),
//! the features use `log` and `live`, and all of them use the crate `rules`.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod address_limit;
pub mod address_slots;
pub mod agents;
pub mod app;
pub mod attention;
pub mod background_tasks;
pub mod batches;
pub mod cache;
pub mod canvas;
pub mod channels;
pub mod chat;
pub mod cli;
pub mod clock;
pub mod concurrency;
pub mod config;
pub mod content_coding;
pub mod crews;
pub mod database;
pub mod direct;
pub mod disk_space;
pub mod drafts;
pub mod filters;
pub mod gallery;
pub mod guide;
pub mod history;
pub mod home;
pub mod http;
pub mod inbox;
pub mod input;
pub mod live;
pub mod log;
pub mod moderation;
pub mod notifications;
pub mod oauth;
pub mod open_files;
pub mod operators;
pub mod outbound;
pub mod plans;
pub mod rankings;
pub mod read_state;
pub mod refusal;
pub mod retention;
pub mod schema;
pub mod search;
pub mod seasons;
pub mod settings;
pub mod state;
pub mod tasks;
pub mod telemetry;
pub mod text_workers;
pub mod throttled_value;
mod time_format;
pub mod tokens;
pub mod tools;
pub mod visitor;
pub mod waiting;
pub mod webhooks;
pub mod welcome;
pub mod work_shares;
pub mod worker_pool;
