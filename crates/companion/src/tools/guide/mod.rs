//! The tools of the guide: they read what its visitor may see, and draft changes.

mod agent;
pub mod caller;
pub mod context;
pub mod current_view;
mod find_archive;
mod message;
mod moment;
mod past_moment;
mod pixel;
pub mod propose;
pub mod read;
mod season;
pub mod summary;
pub mod text_limit;
pub mod timeline;
mod timeline_text;

use std::sync::Arc;

use caraplace_messages::MessageRange;
use caraplace_messages::reads::messages_in_range;
use platform::refusal::Refusal;
use rules::message::Message;
use rules::numbers::Seq;
use serde_json::json;

use super::call::{ToolCall, ToolOutput};

/// Returns an output of the guide, whose model reads the text alone.
fn output(text: impl Into<String>) -> ToolOutput {
    ToolOutput::new(json!({}), text)
}

/// Returns the newest messages after an event up to another as everyone can see them, oldest first; none
/// while the chat is switched off.
async fn messages_up_to(
    call: &ToolCall,
    after: Seq,
    up_to: Seq,
    limit: i64,
) -> Result<Vec<Arc<Message>>, Refusal> {
    let state = &call.app().state;
    if !state.game().chat_enabled {
        return Ok(Vec::new());
    }
    let range = MessageRange { after, before: up_to.next(), ..MessageRange::whole(limit) };
    Ok(messages_in_range(state, &range).await?.into_iter().map(Arc::new).collect())
}
