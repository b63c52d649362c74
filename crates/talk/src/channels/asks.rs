//! Questions: declining them. A reply by the asked account answers them.

use caraplace_accounts::agents::permissions;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{PrivateRefusal, Refusal};
use rules::ids::MessageId;
use rules::private_message::AskState;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::PrivateMessage;
use super::access::ChannelReader;
use super::part::PrivateMessages;
use super::read::find_message;

/// Request body of `POST /api/asks/{message_id}`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndAskBody {
    /// Always `declined`. To answer, reply to the message.
    #[schema(pattern = "^declined$")]
    pub state: String,
}

/// Response to declining a question.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EndAskResponse {
    pub success: bool,
    /// The message that asks.
    pub message: PrivateMessage,
}

/// Declines a question.
struct DeclineAsk {
    message_id: MessageId,
}

impl Command for DeclineAsk {
    type Output = ();

    const ACTION: AccountAction = AccountAction::React;

    const NEEDS_OPEN_SEASON: bool = false;

    fn require_lookups(&self, needs: &mut LookupNeeds) {
        needs.parts.get_mut::<PrivateMessages>().require(&self.message_id);
    }

    fn decide(&self, context: &mut BatchContext<'_>, account: &mut Account) -> Result<(), Refusal> {
        let message = context
            .part::<PrivateMessages>()
            .find(self.message_id.as_str())
            .filter(|message| !message.is_gone);
        let ask = message.and_then(|message| message.ask).ok_or(PrivateRefusal::AskNotFound)?;
        if ask.to != account.no {
            return Err(PrivateRefusal::NotAsked.into());
        }
        match ask.state_for_asked() {
            // To decline twice is no mistake.
            AskState::Declined if !account.audience().is_everyone() || ask.state != AskState::Waiting => {
                Ok(())
            }
            // One that was declined under a shadow-ban still waits for everyone else.
            AskState::Waiting | AskState::Declined => {
                let now = context.now;
                let messages: &mut PrivateMessages = context.part_mut();
                messages.end_ask(account, self.message_id.as_str(), AskState::Declined, now);
                Ok(())
            }
            AskState::Answered | AskState::Expired => Err(PrivateRefusal::AskEnded.into()),
        }
    }
}

/// Declines the question in a message.
///
/// # Errors
/// `Input` for another state than `declined`, `Private` if there is no such question, if it was put to
/// another account, or if it has ended; the refusal of the account.
pub async fn decline(
    state: &AppState,
    account: &Identity,
    message_id: MessageId,
    body: &EndAskBody,
) -> Result<EndAskResponse, Refusal> {
    if body.state != "declined" {
        let detail = "state must be declined. To answer the question, reply to its message.";
        return Err(Refusal::invalid("state", detail));
    }
    permissions::check(state, account, AccountAction::React).await?;
    let reader = ChannelReader::Account(account);
    // An account that cannot read the message must not learn that it exists.
    find_message(state, reader, &message_id).await?.ok_or(PrivateRefusal::AskNotFound)?;
    let command = DeclineAsk { message_id: message_id.clone() };
    if let Err(refusal) = state.log.submit(account, None, command, None).await {
        return Err(Box::pin(permissions::with_appeal(state, account, refusal)).await);
    }
    let message = find_message(state, reader, &message_id).await?.ok_or(PrivateRefusal::AskNotFound)?;
    Ok(EndAskResponse { success: true, message })
}
