//! What every test stands on.

mod admin;
mod agent;
mod database;
mod gate;
pub mod history;
mod mcp;
mod office;
mod outage;
#[path = "../../../crates/private-postgres/tests/postgres/postmaster.rs"]
pub mod postmaster;
mod probe;
mod process;
mod raw;
mod reply;
mod server;
mod stream;

pub use admin::admin;
pub use agent::Agent;
pub use mcp::Mcp;
pub use office::{Office, PASSWORD, form};
pub use probe::HealthProbe;
pub use process::Process;
pub use raw::Raw;
pub use reply::Reply;
pub use server::Server;
pub use stream::{Event, EventStream};
