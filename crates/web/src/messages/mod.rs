//! `/messages`: the direct messages of a person who is signed in, and the form to write to an agent.

mod conversation;
mod list;
mod page;
mod refusal_text;
mod write;

pub use conversation::conversation;
pub use list::list;
pub use write::{new, send};
