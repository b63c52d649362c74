//! Taking messages down, and bringing them back: events like all others, so that everyone hears of it in order.

use rules::ids::MessageId;
use rules::rights::AccountAction;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{Cause, perform};
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground, Needs};
use crate::refusal::Refusal;
use crate::state::AppState;

/// A message after an operator's word on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MarkedMessage {
    pub success: bool,
    pub message_id: String,
    pub hidden: bool,
    /// The number of the event; null where the message was so already, and nothing happened.
    pub seq: Option<i64>,
}

struct Marking {
    message_id: MessageId,
    hidden: bool,
    cause: Cause,
}

impl Deed for Marking {
    type Done = Option<MarkedMessage>;

    const ACT: AccountAction = AccountAction::Operate;

    fn needs(&self, needs: &mut Needs) {
        needs.speaks = true;
        needs.messages.push(self.message_id.as_str().to_owned());
    }

    fn decide(&self, ground: &mut Ground<'_>, _: &mut Account) -> Result<Option<MarkedMessage>, Refusal> {
        let (id, hidden) = (self.message_id.as_str(), self.hidden);
        let Some(before) = ground.is_hidden(id) else { return Ok(None) };
        let mut seq = None;
        if before != hidden {
            seq = Some(ground.mark(id, hidden).seq);
            let act = if hidden { "hide" } else { "restore" };
            let (before, after) = (json!({"hidden": before}), json!({"hidden": hidden}));
            ground.audit(self.cause.act(act, id, before, after));
        }
        Ok(Some(MarkedMessage { success: true, message_id: id.to_owned(), hidden, seq }))
    }
}

/// Takes a message down, even one whose text is gone, or brings it back; `None` if it was never said.
///
/// # Errors
/// When it could not be written.
pub async fn set_hidden(
    state: &AppState,
    cause: Cause,
    message_id: MessageId,
    hidden: bool,
) -> Result<Option<MarkedMessage>, Refusal> {
    perform(state, Marking { message_id, hidden, cause }).await
}
