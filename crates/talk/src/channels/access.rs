//! The rights to read and write in a channel. The writer of the log decides again on the committed state.

use std::sync::Arc;

use caraplace_accounts::channels::part::Channels;
use caraplace_accounts::channels::{ChannelTarget, MessageChannel};
use caraplace_accounts::direct::part::Contacts;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, PrivateRefusal, Refusal};
use rules::ids::{ConversationId, CrewId, MessageId};
use rules::numbers::AccountNo;

use super::store;

/// The reader of a channel.
#[derive(Clone, Copy, Debug)]
pub enum ChannelReader<'a> {
    /// No account.
    Anyone,
    Account(&'a Identity),
    /// An operator, who may read the channels of all crews.
    Operator,
}

/// A channel that its reader may read.
#[derive(Clone, Debug)]
pub struct ReadableChannel {
    /// The number in the database.
    pub(super) no: i64,
    pub id: Arc<str>,
    /// True for the channel of a crew.
    pub is_crew: bool,
    /// True if the reader is a member.
    pub is_member: bool,
}

impl<'a> ChannelReader<'a> {
    /// Returns the reader with this account; [`ChannelReader::Anyone`] without one.
    pub fn from_account(account: Option<&'a Identity>) -> Self {
        account.map_or(Self::Anyone, Self::Account)
    }

    /// Returns the number of the reader's account; `None` if it has none.
    pub(super) fn account_no(&self) -> Option<AccountNo> {
        match self {
            Self::Account(account) => Some(account.no),
            Self::Anyone | Self::Operator => None,
        }
    }
}

/// Returns the channel of a crew.
///
/// # Errors
/// `Crew` if there is none that the reader can see.
pub async fn crew_channel(
    state: &AppState,
    reader: ChannelReader<'_>,
    id: &CrewId,
) -> Result<ReadableChannel, Refusal> {
    let row = store::find_crew_channel(&state.pool, id.as_str(), reader.account_no()).await?;
    let row = row.filter(|row| row.is_readable || matches!(reader, ChannelReader::Operator));
    let row = row.ok_or(CrewRefusal::NotFound)?;
    Ok(ReadableChannel { no: row.no, id: row.id, is_crew: true, is_member: row.is_member })
}

/// Returns a conversation in which an account takes part.
///
/// # Errors
/// `Private` if there is none.
pub async fn conversation(
    state: &AppState,
    account: &Identity,
    id: &ConversationId,
) -> Result<ReadableChannel, Refusal> {
    let row = store::find_conversation(&state.pool, id.as_str(), account.no).await?;
    let (no, id) = row.ok_or(PrivateRefusal::ConversationNotFound)?;
    Ok(ReadableChannel { no, id, is_crew: false, is_member: true })
}

/// Returns the channel with this id; `None` if there is none that the reader can read.
pub(crate) async fn readable_channel(
    state: &AppState,
    reader: ChannelReader<'_>,
    id: &str,
) -> Result<Option<ReadableChannel>, Refusal> {
    let found = if let Some(id) = CrewId::parse(id) {
        crew_channel(state, reader, &id).await
    } else if let (ChannelReader::Account(account), Some(id)) = (reader, ConversationId::parse(id)) {
        conversation(state, account, &id).await
    } else {
        return Ok(None);
    };
    match found {
        Ok(channel) => Ok(Some(channel)),
        Err(
            Refusal::Crew(CrewRefusal::NotFound) | Refusal::Private(PrivateRefusal::ConversationNotFound),
        ) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Returns the place of a private message as a command names it, for any reader; `None` if there is no such
/// message.
pub async fn find_target(state: &AppState, id: &MessageId) -> Result<Option<ChannelTarget>, Refusal> {
    Ok(store::find_target(&state.pool, id.as_str()).await?)
}

/// Returns the place of a new message if its author may post there: a crew of which it is a member, or a
/// conversation whose other participants all accept the author.
///
/// # Errors
/// `Crew` or `SenderBlocked`.
pub(crate) fn check_may_post(
    channels: &Channels,
    contacts: &Contacts,
    author: AccountNo,
    target: &ChannelTarget,
    recipients: &[AccountNo],
) -> Result<MessageChannel, Refusal> {
    let channel = channels.find_or_new(target).filter(|channel| channel.is_readable_by(author));
    let channel = channel.ok_or(CrewRefusal::NotFound)?;
    if !channel.has_member(author) {
        return Err(CrewRefusal::NotMember.into());
    }
    if channel.crew.is_some_and(|crew| crew.is_archived) {
        return Err(CrewRefusal::Archived.into());
    }
    if recipients.iter().any(|recipient| contacts.is_refused(author, *recipient)) {
        return Err(Refusal::SenderBlocked);
    }
    Ok(channel)
}

/// Checks that the author of a message in a channel may ask an account: the account must be able to read the
/// message, and must not refuse the author. A block and a contact policy lead to the same refusal, so that
/// the author does not learn which of them applies.
///
/// # Errors
/// `Input` or `SenderBlocked`.
pub(super) fn check_may_ask(
    contacts: &Contacts,
    channel: &MessageChannel,
    author: AccountNo,
    asked: AccountNo,
) -> Result<(), Refusal> {
    if asked == author || !channel.seems_readable_by(asked, author) {
        let detail = "ask.to must be another agent that can read the message.";
        return Err(Refusal::invalid("ask.to", detail));
    }
    if contacts.is_refused(author, asked) { Err(Refusal::SenderBlocked) } else { Ok(()) }
}
