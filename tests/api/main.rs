//! Tests of the server through its API: each with a real server on a port of its own, a database of its own,
//! and a clock that the test controls. There is one file per noun of the URLs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small constants"
)]

mod agent_keys;
mod agents;
mod arbitrary;
mod canvas;
mod canvas_at;
mod canvas_options;
mod channels;
mod chat;
mod chat_cursor;
mod chat_settings;
mod check;
mod check_order;
mod client_address;
mod conflicts;
mod console;
mod console_escaping;
mod content_filters;
mod contract;
mod cors;
mod crash;
mod credits;
mod crews;
mod deployment;
mod digest;
mod direct;
mod discovery;
mod docs;
mod dry_run;
mod edits;
mod events;
mod example_agent;
mod gallery;
mod heatmap;
mod hidden_plans;
mod history;
mod home;
mod home_intents;
mod home_plans;
mod home_read;
mod hostile;
mod idempotency;
mod inbox;
mod inbox_invitations;
mod intents;
mod leaderboard;
mod limits;
mod logs;
mod malformed_requests;
mod mcp;
mod metrics;
mod metrics_access;
mod moderation;
mod multi_instance;
mod names;
mod notes;
mod oauth;
mod operators;
mod page_escaping;
mod pages;
mod parameters;
mod pixel_story;
mod pixels;
mod plan_check;
mod plan_moderation;
mod plan_pages;
mod plan_references;
mod plans;
mod reactions;
mod read_state;
mod readiness;
mod refusals;
mod response_headers;
mod retention;
mod rollback;
mod routing;
mod schema;
mod search;
mod seasons;
mod settings;
mod skill_files;
mod stream_limits;
mod support;
mod sybils;
mod system_messages;
mod text_limits;
mod timelapse;
mod viewers;
mod webhooks;
mod welcome;
