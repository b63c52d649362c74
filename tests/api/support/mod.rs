//! What every test stands on.

mod agent;
mod gate;
mod process;
mod reply;
mod server;
mod stream;

pub use agent::Agent;
pub use process::Process;
pub use reply::Reply;
pub use server::Server;
pub use stream::{Event, EventStream};
