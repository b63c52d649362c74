//! The log's SQL.

mod answers;
mod events;
mod gate;
mod load;
mod messages;
mod write;

pub(super) use answers::{answers, sweep_answers};
pub(super) use events::events;
pub(super) use gate::{accounts, append_key_changed, existing_messages, head, keys_changed, lock_head};
pub(super) use load::{canvas, chat_events, insert_season, newest_season, secret};
pub use messages::Span;
pub(super) use messages::{messages, reactions};
pub(super) use write::record;

type Result<T> = std::result::Result<T, sqlx::Error>;
