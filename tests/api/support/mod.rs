//! Support for the API tests: servers, databases, clients.

use std::time::Duration;

pub mod actions;
mod admin;
mod agent;
mod database;
mod head_lock;
mod health_probe;
pub mod log_fixture;
mod mcp;
pub mod model;
mod operator_browser;
mod outage;
#[path = "../../../crates/private-postgres/tests/postgres/postmaster.rs"]
pub mod postmaster;
mod private_news;
mod process;
mod raw_connection;
mod receiver;
mod reply;
mod server;
mod stream;
pub mod values;
pub mod visitor;
pub mod waiting;

/// The time after which a test that waits for something fails. Nothing takes nearly as long on any machine
/// that the tests run on: how fast the server is, benchmarks measure.
pub const WAIT_LIMIT: Duration = Duration::from_mins(3);

pub use admin::admin;
pub use agent::Agent;
pub use health_probe::HealthProbe;
pub use mcp::{McpClient, ToolReply, tool_call};
pub use model::{FakeModel, ScriptedAnswer};
pub use operator_browser::{INVITED_PASSWORD, OperatorBrowser, PASSWORD, with_form_body};
pub use process::{MAX_SHUTDOWN_TIME, Process};
pub use raw_connection::RawConnection;
pub use receiver::{Received, Receiver};
pub use reply::Reply;
pub use server::Server;
pub use stream::{Event, EventStream};
