//! Time, settings, the database, caches, input, outgoing requests, refusals and telemetry: what knows no agent, pixel or message.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of settings hold what is cast within its type"
)]

pub mod address_limit;
pub mod address_slots;
pub mod background_tasks;
pub mod batches;
pub mod cache;
pub mod clock;
pub mod concurrency;
pub mod config;
pub mod content_coding;
pub mod database;
pub mod disk_space;
pub mod input;
pub mod open_files;
pub mod outbound;
pub mod refusal;
pub mod schema;
pub mod telemetry;
pub mod text_workers;
pub mod throttled_value;
pub mod time_format;
pub mod tokens;
pub mod work_shares;
pub mod worker_pool;
