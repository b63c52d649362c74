//! Hides and restores messages. For public messages both are events, so that all clients receive them in
//! order. For private ones neither is: only members can see them at all, whose waiting calls are woken.

use std::collections::HashMap;

use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::channels::part::Channels;
use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::part::{HeadState, Part};
use caraplace_log::state::AppState;
use caraplace_messages::part::Messages;
use caraplace_messages::visibility::set_hidden_locked;
use caraplace_talk::channels::access::find_target;
use caraplace_talk::channels::part::PrivateMessages;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use rules::numbers::{AccountNo, Seq};
use serde_json::json;
use sqlx::PgConnection;

use super::{MessageVisibility, store};

/// A message whose visibility an operator may change.
pub(crate) struct MessageTarget {
    id: MessageId,
    /// The place of a private message; `None` for a public one, and if there is none with this id.
    place: Option<ChannelTarget>,
}

/// Returns messages with the places of those that are private.
pub(crate) async fn find_targets(
    state: &AppState,
    ids: impl IntoIterator<Item = MessageId>,
) -> Result<Vec<MessageTarget>, Refusal> {
    let mut targets = Vec::new();
    for id in ids {
        let place = find_target(state, &id).await?;
        targets.push(MessageTarget { id, place });
    }
    Ok(targets)
}

/// Messages with their visibility, which does not change while the head is locked.
#[derive(Default)]
pub(crate) struct LockedMessages {
    public: Messages,
    private: PrivateMessages,
    channels: Channels,
    /// The places of the private messages, by the ids of these.
    places: HashMap<String, ChannelTarget>,
}

impl LockedMessages {
    /// Reads the visibility of messages.
    pub(crate) async fn read(
        state: &AppState,
        connection: &mut PgConnection,
        head_lock: &HeadLock,
        targets: Vec<MessageTarget>,
    ) -> Result<Self, Refusal> {
        let mut messages = Self::default();
        for MessageTarget { id, place } in targets {
            if let Some(place) = place {
                messages.private.require(&id);
                messages.channels.require(place.clone());
                messages.places.insert(id.as_str().to_owned(), place);
            } else {
                messages.public.require([id.as_str().to_owned()]);
                messages.public.require_deletion(&id);
            }
        }
        let head = HeadState { now: head_lock.now, world: &state.world };
        let parts: [&mut dyn Part; 3] = [&mut messages.public, &mut messages.private, &mut messages.channels];
        for part in parts {
            if part.has_needs() {
                part.read(connection, head).await?;
            }
        }
        Ok(messages)
    }

    /// Returns true if a message is hidden; `None` if it was never posted.
    pub(crate) fn is_hidden(&self, id: &str) -> Option<bool> {
        if self.places.contains_key(id) {
            self.private.find(id).map(|message| message.is_hidden)
        } else {
            self.public.is_hidden(id)
        }
    }

    /// Returns true if the author has deleted a message.
    pub(crate) fn is_deleted(&self, id: &str) -> bool {
        if self.places.contains_key(id) {
            self.private.find(id).is_some_and(|message| message.is_deleted)
        } else {
            self.public.is_deleted(id)
        }
    }

    /// Hides messages, or restores them. Returns the numbers of the events; private messages have none.
    pub(crate) async fn set_hidden(
        &mut self,
        connection: &mut PgConnection,
        head_lock: &mut HeadLock,
        ids: &[String],
        hidden: bool,
    ) -> Result<Vec<Seq>, Refusal> {
        let (private, public): (Vec<String>, Vec<String>) =
            ids.iter().cloned().partition(|id| self.places.contains_key(id));
        for id in &private {
            let channel = self.places.get(id).and_then(|place| self.channels.find_or_new(place));
            let members = channel.map(|channel| channel.members).unwrap_or_default();
            self.private.set_hidden(id, hidden, &members);
        }
        if self.private.has_changes() {
            self.private.write(connection, head_lock.now).await?;
        }
        Ok(set_hidden_locked(head_lock, connection, &public, hidden).await?)
    }

    /// Returns the accounts whose waiting calls the changes wake.
    pub(crate) fn concerned_accounts(&self) -> Vec<AccountNo> {
        self.private.concerned_accounts().into_iter().collect()
    }
}

/// Returns true if there is a message with this id that is not hidden.
pub async fn is_visible(state: &AppState, id: &MessageId) -> Result<bool, Refusal> {
    if store::evidence::find_visible_message(&state.pool, id.as_str()).await?.is_some() {
        return Ok(true);
    }
    let mut messages = PrivateMessages::default();
    messages.require(id);
    let head = HeadState { now: state.clock.now(), world: &state.world };
    let mut connection = state.pool.acquire().await?;
    messages.read(&mut connection, head).await?;
    Ok(messages.find(id.as_str()).is_some_and(|message| !message.is_hidden))
}

/// Hides a message or restores it, even if its text has been deleted. `None` if it was never posted.
///
/// # Errors
/// `Edit` if a message that its author has deleted is to be restored.
pub(crate) async fn set_hidden(
    state: &AppState,
    audit_reason: &AuditReason,
    message_id: &MessageId,
    hidden: bool,
) -> Result<Option<MessageVisibility>, Refusal> {
    let targets = find_targets(state, [message_id.clone()]).await?;
    let mut transaction = state.pool.begin().await?;
    let mut head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    let mut messages = LockedMessages::read(state, &mut transaction, &head_lock, targets).await?;
    let id = message_id.as_str().to_owned();
    let Some(was_hidden) = messages.is_hidden(&id) else { return Ok(None) };
    if !hidden && messages.is_deleted(&id) {
        return Err(EditRefusal::DeletedByAuthor.into());
    }
    if was_hidden == hidden {
        return Ok(Some(MessageVisibility { success: true, message_id: id, hidden, seq: None }));
    }
    let ids = std::slice::from_ref(&id);
    let seqs = messages.set_hidden(&mut transaction, &mut head_lock, ids, hidden).await?;
    let action = if hidden { "hide" } else { "restore" };
    let before = json!({"hidden": was_hidden});
    let after = json!({"hidden": hidden});
    let entry = audit_reason.audit_entry(action, &id, before, after);
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    state.log.commit_private_news(transaction, &messages.concerned_accounts()).await?;
    let seq = seqs.first().copied();
    Ok(Some(MessageVisibility { success: true, message_id: id, hidden, seq }))
}
