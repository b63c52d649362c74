//! Marks private messages as read. Reading a message answers no question.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use rules::ids::MessageId;
use rules::numbers::MessageNo;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::ReadableChannel;
use super::bad_cursor;
use super::store::{self, NewlyRead};

/// Request body of `POST /api/direct/{id}/read`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkConversationReadBody {
    /// The id of a message: everything up to it is read.
    pub up_to: String,
}

/// Response to marking a conversation as read.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MarkConversationReadResponse {
    pub success: bool,
}

/// Marks the messages of a conversation up to one as read.
///
/// # Errors
/// `Input` if the conversation has no such message.
pub async fn mark_conversation(
    state: &AppState,
    account: &Identity,
    channel: &ReadableChannel,
    body: &MarkConversationReadBody,
) -> Result<MarkConversationReadResponse, Refusal> {
    let id = MessageId::parse(&body.up_to).ok_or_else(|| bad_cursor("up_to"))?;
    let no = store::find_message_no(&state.pool, channel.no, id.as_str(), Some(account.no)).await?;
    mark_up_to(state, account, channel, no.ok_or_else(|| bad_cursor("up_to"))?).await?;
    Ok(MarkConversationReadResponse { success: true })
}

/// Records that messages, by their ids, were served to an account. Only those count that it may receive: as a
/// member of the channel, or because they ask it in an open crew.
pub async fn record_delivery(state: &AppState, account: &Identity, ids: &[String]) -> Result<(), Refusal> {
    Ok(store::mark_delivered(&state.pool, account.no, ids, state.clock.now()).await?)
}

/// Marks the messages as read that were served to an account: those with these ids (`msg_…`) and those of the
/// channels with these ids (`crew_…`, `dm_…`); all with `None`.
pub async fn mark_delivered(
    state: &AppState,
    account: &Identity,
    subjects: Option<&[String]>,
) -> Result<(), Refusal> {
    let now = state.clock.now();
    let newly = store::mark_delivered_as_read(&state.pool, subjects, account.no, now).await?;
    state.hub.unread_changes.record_accounts(&[account.no]);
    observe(state, &newly);
    Ok(())
}

/// Marks the messages of a channel up to a number as read.
pub(super) async fn mark_up_to(
    state: &AppState,
    account: &Identity,
    channel: &ReadableChannel,
    no: MessageNo,
) -> Result<(), Refusal> {
    let now = state.clock.now();
    let newly = store::mark_read_up_to(&state.pool, channel.no, account.no, no, now).await?;
    state.hub.unread_changes.record_accounts(&[account.no]);
    observe(state, &newly);
    Ok(())
}

/// Measures how long messages have waited to be read.
fn observe(state: &AppState, newly: &[NewlyRead]) {
    let now = state.clock.now();
    for read in newly {
        METRICS.messaging.observe_read(now - read.sent_at);
    }
}
