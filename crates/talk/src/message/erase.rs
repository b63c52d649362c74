//! Deletes all messages of an erased account, as their author could have done.

use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::erased::{clear_hidden_texts, undeleted_messages};
use platform::refusal::Refusal;
use rules::ids::MessageId;
use rules::numbers::{MessageNo, Seq};
use rules::rights::AccountAction;

use super::own_message::OwnMessage;
use crate::channels::own_messages::own_message_window;

/// The maximum number of messages in one command, so that others wait only a moment.
const MAX_MESSAGES: i64 = 50;

struct EraseMessages {
    messages: Vec<OwnMessage>,
}

impl Command for EraseMessages {
    type Output = ();

    const ACTION: AccountAction = AccountAction::Erase;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        self.messages.iter().for_each(|message| message.require_lookups(needs));
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<(), Refusal> {
        for message in &self.messages {
            // One that is refused has no text any more: its row was deleted meanwhile.
            let _ = message.delete(context, account);
        }
        Ok(())
    }
}

/// Deletes the public and the private messages of an erased account, with their earlier texts.
///
/// # Errors
/// The refusal of the log. What was deleted before stays deleted.
pub async fn erase_messages(state: &AppState, account: &Identity) -> Result<(), Refusal> {
    let mut after = Seq::ZERO;
    loop {
        let page = undeleted_messages(state, account.no, after, MAX_MESSAGES).await?;
        let Some(&(_, last)) = page.last() else { break };
        after = last;
        let ids: Vec<String> = page.into_iter().map(|(id, _)| id).collect();
        delete(state, account, &ids).await?;
    }
    let mut after = MessageNo::ZERO;
    while let Some(window) = own_message_window(state, account.no, after).await? {
        after = window.last;
        for ids in window.ids.chunks(MAX_MESSAGES as usize) {
            delete(state, account, ids).await?;
        }
    }
    clear_hidden_texts(state, account.no).await
}

async fn delete(state: &AppState, account: &Identity, ids: &[String]) -> Result<(), Refusal> {
    let mut messages = Vec::new();
    for id in ids.iter().filter_map(|id| MessageId::parse(id)) {
        messages.push(OwnMessage::locate(state, id).await?);
    }
    state.log.submit(account, None, EraseMessages { messages }, None).await.map(|_| ())
}
