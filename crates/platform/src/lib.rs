//! Time, settings, the database, caches, input, outgoing requests, refusals and telemetry. Nothing here uses
//! another area of the server; refusals, schemas, settings and metrics name the nouns of all of them.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of settings hold what is cast within its type"
)]

// Time, randomness and secrets.
pub mod clock;
pub mod encryption;
pub mod tokens;

// Settings, and the values that they are parsed into.
pub mod config;
pub mod vapid;

// PostgreSQL: the pool, migrations, and long changes a few rows at a time.
pub mod batches;
pub mod database;

// Computed values that are kept for a while.
pub mod cache;
pub mod throttled_value;

// Parsing what clients send, and describing what they get.
pub mod content_coding;
pub mod input;
pub mod refusal;
pub mod schema;
pub mod time_format;

// Requests to addresses that users have chosen.
pub mod outbound;

// Threads and tasks, and how much one address may take of them.
pub mod address_slots;
pub mod background_tasks;
pub mod concurrency;
pub mod keyed_permits;
pub mod text_workers;
pub mod work_shares;
pub mod worker_pool;

// The machine: metrics, logs, space and open files.
pub mod disk_space;
pub mod open_files;
pub mod telemetry;
