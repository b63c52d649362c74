//! Private messages, as part of a batch: those of crews, and direct messages. They are no events.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use platform::clock;
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use rules::private_message::{AskState, Importance};
use sqlx::PgConnection;

use super::EventLog;
use super::batch_context::{Account, BatchContext};
use super::store;

/// The place of a private message, as a command names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ChannelTarget {
    /// The crew with this id.
    Crew(String),
    /// The conversation of exactly these accounts, whose numbers are in ascending order. It begins with its
    /// first message.
    Participants(Vec<AccountNo>),
}

/// A place where private messages are posted.
#[derive(Clone, Debug)]
pub struct MessageChannel {
    /// `crew_…` or `dm_…`.
    pub id: Arc<str>,
    /// `None` for a conversation.
    pub crew: Option<CrewState>,
    /// The numbers of the members of a crew, or of the participants of a conversation, in ascending order.
    pub members: Vec<AccountNo>,
}

/// The state of a crew that decides what its members may do.
#[derive(Clone, Copy, Debug)]
pub struct CrewState {
    /// True if everyone may read and join.
    pub is_open: bool,
    pub is_archived: bool,
    /// True if operators have taken it down.
    pub is_hidden: bool,
    /// The owner's number, if only the owner can see the crew.
    pub shadow_owner: Option<AccountNo>,
}

impl CrewState {
    /// Returns true if an account can read the crew. The SQL function `can_read_crew` is the same rule for
    /// readers.
    fn is_readable_by(self, account: AccountNo, is_member: bool) -> bool {
        !self.is_hidden
            && self.shadow_owner.is_none_or(|owner| owner == account)
            && (self.is_open || is_member)
    }
}

impl MessageChannel {
    /// Returns true if an account is a member.
    pub fn has_member(&self, account: AccountNo) -> bool {
        self.members.contains(&account)
    }

    /// Returns true if an account may read the messages.
    pub fn is_readable_by(&self, account: AccountNo) -> bool {
        match self.crew {
            Some(crew) => crew.is_readable_by(account, self.has_member(account)),
            None => self.has_member(account),
        }
    }
}

/// The data about private messages that must be read before a batch can be decided.
#[derive(Default)]
pub struct PrivateNeeds {
    /// The places of new messages.
    pub channels: Vec<ChannelTarget>,
    /// Accounts that may refuse another one: the sender's number, and the recipient's.
    pub contacts: Vec<(AccountNo, AccountNo)>,
    /// The ids of messages that are replied to, or whose questions are declined.
    pub messages: Vec<String>,
    /// The numbers of authors whose important messages are counted.
    pub importance_of: Vec<AccountNo>,
}

impl PrivateNeeds {
    /// Returns true if nothing must be read.
    pub(super) fn is_empty(&self) -> bool {
        self.channels.is_empty() && self.messages.is_empty()
    }
}

/// The data about private messages that was read with the head locked.
#[derive(Default)]
pub struct PrivateLookups {
    /// The requested crews and conversations that exist.
    pub channels: HashMap<ChannelTarget, MessageChannel>,
    /// The requested pairs of sender and recipient of whom the recipient refuses the sender.
    pub refusing: HashSet<(AccountNo, AccountNo)>,
    pub messages: HashMap<String, StoredPrivateMessage>,
    /// The times of important messages within the last day.
    pub importance: HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>>,
}

impl PrivateLookups {
    /// Returns the place of a new message; `None` if there is no such crew. A conversation that does not
    /// exist yet is returned as it will be.
    pub fn channel(&self, target: &ChannelTarget) -> Option<MessageChannel> {
        if let Some(channel) = self.channels.get(target) {
            return Some(channel.clone());
        }
        let ChannelTarget::Participants(participants) = target else { return None };
        Some(MessageChannel { id: clock::new_id("dm").into(), crew: None, members: participants.clone() })
    }

    /// Returns true if a recipient refuses a sender: by its policy, or because it has blocked the sender.
    pub fn is_refused(&self, sender: AccountNo, recipient: AccountNo) -> bool {
        self.refusing.contains(&(sender, recipient))
    }

    /// Returns a requested private message; `None` if there is none.
    pub fn message(&self, id: &str) -> Option<&StoredPrivateMessage> {
        self.messages.get(id)
    }

    /// Returns the times of an author's important messages.
    pub fn importance_uses(&self, author: AccountNo, importance: Importance) -> &[DateTime<Utc>] {
        self.importance.get(&(author, importance)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A private message as a batch sees it.
#[derive(Clone, Debug)]
pub struct StoredPrivateMessage {
    pub channel_id: Arc<str>,
    /// The author's number.
    pub author: AccountNo,
    pub sent_at: DateTime<Utc>,
    /// True if it was deleted or taken down.
    pub is_gone: bool,
    /// True if its author has deleted it.
    pub is_deleted: bool,
    /// True if only its author can see it.
    pub is_shadow: bool,
    pub ask: Option<StoredAsk>,
}

/// A question as a batch sees it.
#[derive(Clone, Copy, Debug)]
pub struct StoredAsk {
    /// The number of the asked account.
    pub to: AccountNo,
    pub by: DateTime<Utc>,
    /// The time at which it was asked.
    pub asked_at: DateTime<Utc>,
    /// The state now.
    pub state: AskState,
    /// The state as the asked account sees it, if it was shadow-banned when it answered or declined.
    pub shadow_state: Option<AskState>,
}

impl StoredAsk {
    /// Returns the state as the asked account sees it.
    pub fn state_for_asked(&self) -> AskState {
        self.shadow_state.unwrap_or(self.state)
    }
}

/// A private message to post.
pub struct NewPrivateMessage {
    pub id: String,
    pub channel_id: Arc<str>,
    /// The author's number.
    pub author: AccountNo,
    pub badge: Option<Arc<str>>,
    pub content: String,
    pub reply_to: Option<String>,
    pub thread: Option<String>,
    pub importance: Importance,
    /// The number of the asked account, and the end of its time.
    pub ask: Option<(AccountNo, DateTime<Utc>)>,
    /// True if only its author can see it.
    pub is_shadow: bool,
}

/// A question that ends.
pub struct EndedAsk {
    pub message_id: String,
    pub state: AskState,
    /// True if only the asked account sees it end, because it is shadow-banned.
    pub is_shadow: bool,
    /// The time since it was asked.
    pub after: TimeDelta,
}

/// The changes of private messages by one batch, in their order.
#[derive(Default)]
pub struct PrivateEffects {
    /// The conversations that begin: their ids and the numbers of their participants.
    pub conversations: Vec<(Arc<str>, Vec<AccountNo>)>,
    pub messages: Vec<NewPrivateMessage>,
    pub ended_asks: Vec<EndedAsk>,
    /// The changed texts by the ids of their messages; `None` for a message that its author deletes.
    pub texts: HashMap<String, Option<String>>,
    /// The accounts that have written or replied to another one.
    pub acquaintances: HashSet<(AccountNo, AccountNo)>,
    /// The numbers of the accounts that are to be woken.
    pub concerned: BTreeSet<AccountNo>,
}

impl PrivateEffects {
    /// Returns true if there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.ended_asks.is_empty() && self.texts.is_empty()
    }

    /// Returns the numbers of the accounts that are to be woken.
    pub(super) fn concerned_accounts(&self) -> Vec<AccountNo> {
        self.concerned.iter().copied().collect()
    }
}

impl BatchContext<'_> {
    /// Returns what was read about private messages, including changes of this batch.
    pub fn private(&self) -> &PrivateLookups {
        &self.lookups.private
    }

    /// Posts a private message in a channel, which begins with it if it is a new conversation. Everyone who
    /// may see it is woken.
    pub fn post_private_message(
        &mut self,
        target: &ChannelTarget,
        channel: &MessageChannel,
        message: NewPrivateMessage,
    ) {
        if !self.lookups.private.channels.contains_key(target) {
            self.effects.private.conversations.push((channel.id.clone(), channel.members.clone()));
            self.lookups.private.channels.insert(target.clone(), channel.clone());
        }
        let author = message.author;
        if message.importance != Importance::Normal {
            let uses = self.lookups.private.importance.entry((author, message.importance));
            uses.or_default().push(self.now);
        }
        let stored = StoredPrivateMessage {
            channel_id: message.channel_id.clone(),
            author,
            sent_at: self.now,
            is_gone: false,
            is_deleted: false,
            is_shadow: message.is_shadow,
            ask: message.ask.map(|(to, by)| StoredAsk {
                to,
                by,
                asked_at: self.now,
                state: AskState::Waiting,
                shadow_state: None,
            }),
        };
        self.lookups.private.messages.insert(message.id.clone(), stored);
        let effects = &mut self.effects.private;
        if !message.is_shadow {
            let others = channel.members.iter().copied().filter(|no| *no != author);
            effects.concerned.extend(others.clone().chain(message.ask.map(|(to, _)| to)));
            if channel.crew.is_none() {
                effects.acquaintances.extend(others.map(|other| (author, other)));
            }
        }
        effects.messages.push(message);
    }

    /// Records that an account knows another one, because it has replied to it.
    pub fn add_acquaintance(&mut self, account: &Account, other: AccountNo) {
        if account.no != other {
            self.effects.private.acquaintances.insert((account.no, other));
        }
    }

    /// Changes the text of a private message, or deletes it.
    pub fn change_private_text(&mut self, message_id: &str, content: Option<String>) {
        if let Some(stored) = self.lookups.private.messages.get_mut(message_id) {
            stored.is_gone |= content.is_none();
            stored.is_deleted |= content.is_none();
            self.effects.private.concerned.extend(stored.ask.as_ref().map(|ask| ask.to));
        }
        self.effects.private.texts.insert(message_id.to_owned(), content);
    }

    /// Ends a question that waits for an account's answer. The end concerns the asked account and the one
    /// that has asked. If the asked account is shadow-banned, the end is recorded for that account only.
    pub fn end_ask(&mut self, account: &Account, message_id: &str, state: AskState) {
        let Some(stored) = self.lookups.private.messages.get_mut(message_id) else { return };
        let Some(ask) = &mut stored.ask else { return };
        let is_shadow = account.rights.shadowed;
        if is_shadow {
            ask.shadow_state = Some(state);
        } else {
            ask.state = state;
            self.effects.private.concerned.insert(stored.author);
        }
        let after = self.now - ask.asked_at;
        let ended = EndedAsk { message_id: message_id.to_owned(), state, is_shadow, after };
        self.effects.private.concerned.insert(ask.to);
        self.effects.private.ended_asks.push(ended);
    }
}

impl EventLog {
    /// Returns what the writer would read about private messages now, for an early look.
    pub async fn private_lookups(&self, needs: &PrivateNeeds) -> Result<PrivateLookups, Refusal> {
        let now = self.projector.clock.now();
        Ok(store::private_lookups(&mut *self.connection().await?, needs, now).await?)
    }
}

/// Returns true if a recipient refuses a sender, both by their numbers: because it has blocked it, or by its
/// policy. The head must be locked, unless it is only a first look.
pub async fn is_contact_refused(
    connection: &mut PgConnection,
    sender: AccountNo,
    recipient: AccountNo,
) -> Result<bool, sqlx::Error> {
    Ok(!store::contact_refusals(connection, &[(sender, recipient)]).await?.is_empty())
}
