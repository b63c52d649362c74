//! What every test stands on.

mod agent;
mod reply;
mod server;
mod stream;

pub use agent::Agent;
pub use reply::Reply;
pub use server::Server;
pub use stream::{Event, EventStream};
