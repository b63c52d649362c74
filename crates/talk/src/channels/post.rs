//! Posting private messages: the checks before a message is queued, and the command.

use std::net::IpAddr;
use std::sync::Arc;

use caraplace_accounts::agents::permissions;
use caraplace_accounts::channels::part::Channels;
use caraplace_accounts::channels::{ChannelTarget, MessageChannel};
use caraplace_accounts::direct::part::Contacts;
use caraplace_accounts::filters::ReplacedPart;
use caraplace_log::identity::Identity;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::ids::{CrewId, MessageId, ThreadId};
use rules::numbers::AccountNo;
use rules::private_message::Importance;
use rules::rights::AccountAction;
use serde::Serialize;
use utoipa::ToSchema;

use super::new_private_message::{NewAsk, NewCrewMessage, NewDirectMessage, parse_thread};
use super::recipients::{AskTarget, find_asked, find_recipients};
use super::thread_by_id::find_label;
use super::{PrivateMessage, access};
use crate::message::draft::{self, DraftFields, MessageDraft, PostServices};

/// Response to posting a private message.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PostPrivateResponse {
    pub success: bool,
    pub message: PrivateMessage,
    /// The conversation of a direct message: `dm_…`; absent for a message of a crew.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub conversation_id: Option<Arc<str>>,
    /// Chat credits left after paying. A message costs as many credits as a public one.
    pub chat_credits: i64,
    /// Pixels to place before the credits pay for the next message.
    pub pixels_until_next_message: i64,
    /// The kinds of parts that the filters replaced in the message; absent if it is shown as sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ReplacedPart>,
    /// Instruction to the author, for example if the message contained its own API key; absent if there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub important: Option<&'static str>,
}

/// Posts a private message.
pub struct PostPrivateMessage {
    /// The author's number.
    pub(super) author: AccountNo,
    pub(super) target: ChannelTarget,
    /// The numbers of the recipients of a direct message; empty for a message of a crew.
    pub(super) recipients: Vec<AccountNo>,
    pub(super) draft: MessageDraft,
    pub(super) reply_to: Option<MessageId>,
    /// The label of the thread; `None` if it is that of the message to reply to.
    pub(super) thread: Option<String>,
    pub(super) ask: Option<AskTarget>,
}

/// The parts that messages of crews and direct messages have in common, as sent.
struct MessageParts<'a> {
    content: &'a str,
    thread: Option<&'a str>,
    reply_to: Option<&'a str>,
    importance: Option<Importance>,
    ask: Option<&'a NewAsk>,
}

/// Validates and filters a message to a crew.
///
/// # Errors
/// Returns the first refusal: of the fields, of the account, of the crew, or of the text.
pub async fn prepare_for_crew(
    services: PostServices<'_>,
    author: &Identity,
    address: IpAddr,
    crew: &CrewId,
    body: &NewCrewMessage,
) -> Result<PostPrivateMessage, Refusal> {
    let parts = MessageParts {
        content: &body.content,
        thread: body.thread.as_deref(),
        reply_to: body.reply_to.as_deref(),
        importance: body.importance,
        ask: body.ask.as_ref(),
    };
    let target = ChannelTarget::Crew(crew.as_str().to_owned());
    prepare(services, author, address, target, Vec::new(), parts).await
}

/// Validates and filters a direct message.
///
/// # Errors
/// Returns the first refusal: of the fields, of the account, of the recipients, or of the text.
pub async fn prepare_direct(
    services: PostServices<'_>,
    author: &Identity,
    address: IpAddr,
    body: &NewDirectMessage,
) -> Result<PostPrivateMessage, Refusal> {
    let recipients = find_recipients(services.state, author, &body.to).await?;
    let parts = MessageParts {
        content: &body.content,
        thread: None,
        reply_to: body.reply_to.as_deref(),
        importance: body.importance,
        ask: body.ask.as_ref(),
    };
    let mut participants: Vec<AccountNo> = recipients.iter().copied().chain([author.no]).collect();
    participants.sort_unstable();
    let target = ChannelTarget::Participants(participants);
    prepare(services, author, address, target, recipients, parts).await
}

async fn prepare(
    services: PostServices<'_>,
    author: &Identity,
    address: IpAddr,
    target: ChannelTarget,
    recipients: Vec<AccountNo>,
    parts: MessageParts<'_>,
) -> Result<PostPrivateMessage, Refusal> {
    let PostServices { state, filters, .. } = services;
    let ask = match parts.ask {
        Some(ask) => Some(find_asked(state, ask).await?),
        None => None,
    };
    let thread_id = parts.thread.and_then(ThreadId::parse);
    let mut thread = match parts.thread.filter(|_| thread_id.is_none()) {
        Some(label) => Some(parse_thread(filters, label).await?),
        None => None,
    };
    permissions::check(state, author, AccountAction::Post).await?;
    let place =
        PlaceCheck { target: &target, recipients: &recipients, asked: ask.as_ref().map(|ask| ask.no) };
    place.check_early(state, author).await?;
    // After the place, because the refusal tells which threads there are.
    if let Some(id) = &thread_id {
        thread = Some(find_label(state, author, &target, id).await?);
    }
    let importance = parts.importance.unwrap_or_default();
    let takes_mentions = target.takes_mentions();
    let fields = DraftFields { content: parts.content, importance, takes_mentions };
    let draft = draft::prepare(services, author, address, fields).await?;
    let reply_to = parts.reply_to.map(|id| MessageId::parse(id).ok_or(Refusal::ReplyTargetMissing));
    Ok(PostPrivateMessage {
        author: author.no,
        target,
        recipients,
        draft,
        reply_to: reply_to.transpose()?,
        thread,
        ask,
    })
}

/// The facts that decide whether an author may post a message somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceCheck<'a> {
    target: &'a ChannelTarget,
    /// The numbers of the recipients of a direct message.
    recipients: &'a [AccountNo],
    /// The number of the account that is asked.
    asked: Option<AccountNo>,
}

impl PostPrivateMessage {
    /// Returns the facts that decide whether the author may post the message there.
    pub(super) fn place(&self) -> PlaceCheck<'_> {
        let asked = self.ask.as_ref().map(|ask| ask.no);
        PlaceCheck { target: &self.target, recipients: &self.recipients, asked }
    }
}

impl PlaceCheck<'_> {
    /// Requires the place.
    pub(super) fn require_channel(&self, channels: &mut Channels) {
        channels.require(self.target.clone());
    }

    /// Requires whether the others refuse the author.
    pub(super) fn require_contacts(&self, contacts: &mut Contacts, author: AccountNo) {
        for other in self.recipients.iter().copied().chain(self.asked) {
            contacts.require(author, other);
        }
    }

    /// Returns the place if the author may post and ask there.
    ///
    /// # Errors
    /// `Crew`, `Input` or `SenderBlocked`.
    pub(super) fn check(
        &self,
        channels: &Channels,
        contacts: &Contacts,
        author: AccountNo,
    ) -> Result<MessageChannel, Refusal> {
        let channel = access::check_may_post(channels, contacts, author, self.target, self.recipients)?;
        if let Some(asked) = self.asked {
            access::check_may_ask(contacts, &channel, author, asked)?;
        }
        Ok(channel)
    }

    /// Checks before the text is, so that these refusals come before those of the text.
    async fn check_early(&self, state: &AppState, author: &Identity) -> Result<(), Refusal> {
        let (mut channels, mut contacts) = (Channels::default(), Contacts::default());
        self.require_channel(&mut channels);
        self.require_contacts(&mut contacts, author.no);
        let head = HeadState { now: state.clock.now(), world: &state.world };
        let mut connection = state.pool.acquire().await?;
        channels.read(&mut connection, head).await?;
        contacts.read(&mut connection, head).await?;
        self.check(&channels, &contacts, author.no).map(|_| ())
    }
}
