//! What operators tell everyone: a message of the system.

use rules::message::Message;
use rules::rights::Act;
use serde_json::json;
use text_filters::content::Content;

use super::{Cause, perform};
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::refusal::Refusal;
use crate::state::AppState;

struct Announce {
    content: Content,
    cause: Cause,
}

impl Deed for Announce {
    type Done = Message;

    const ACT: Act = Act::Operate;

    fn needs(&self, needs: &mut Needs) {
        needs.speaks = true;
    }

    fn decide(&self, ground: &mut Ground<'_>, _: &mut Account) -> Result<Message, Refusal> {
        let text = self.content.as_str().to_owned();
        let message = ground.announce(text.clone());
        ground.audit(self.cause.act("announce", &message.id, json!(null), json!({"content": text})));
        Ok(Message::clone(&message))
    }
}

/// Says something in the chat as the system; none while there is no chat.
///
/// # Errors
/// When it could not be written.
pub async fn announce(state: &AppState, cause: Cause, content: Content) -> Result<Option<Message>, Refusal> {
    if !state.game().chat_enabled {
        return Ok(None);
    }
    perform(state, Announce { content, cause }).await.map(Some)
}
