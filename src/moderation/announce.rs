//! What operators tell everyone: a message of the system.

use rules::message::Message;
use rules::rights::AccountAction;
use serde_json::json;
use text_filters::content::MessageContent;

use super::{Cause, perform};
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::refusal::Refusal;
use crate::state::AppState;

struct Announce {
    content: MessageContent,
    cause: Cause,
}

impl Deed for Announce {
    type Done = Message;

    const ACT: AccountAction = AccountAction::Operate;

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

/// Posts a message of the system.
///
/// # Errors
/// `Content`; `ChatDisabled` while there is no chat; or that it could not be written.
pub async fn announce(state: &AppState, cause: Cause, content: &str) -> Result<Message, Refusal> {
    let content = MessageContent::parse(content)?;
    if !state.game().chat_enabled {
        return Err(Refusal::ChatDisabled);
    }
    perform(state, Announce { content, cause }).await
}
