//! Finds the message that an account changes or deletes, among the public or the private ones.

use caraplace_accounts::channels::ChannelTarget;
use caraplace_accounts::channels::part::Channels;
use caraplace_log::batch_context::{Account, BatchContext, LookupNeeds};
use caraplace_log::state::AppState;
use caraplace_messages::edits::delete_text;
use caraplace_messages::part::Messages;
use platform::refusal::{EditRefusal, Refusal};
use rules::ids::MessageId;
use rules::message::Message;

use crate::channels::access::find_target;
use crate::channels::part::PrivateMessages;
use crate::channels::{NewPrivateText, StoredPrivateMessage};

/// A message that an account wants to change or to delete.
pub(super) struct OwnMessage {
    pub id: MessageId,
    /// The place of a private message; `None` for a public one, and if there is none with this id.
    pub target: Option<ChannelTarget>,
}

impl OwnMessage {
    /// Looks for the place of a message with this id, which never changes.
    pub async fn locate(state: &AppState, id: MessageId) -> Result<Self, Refusal> {
        let target = find_target(state, &id).await?;
        Ok(Self { id, target })
    }

    /// Adds the data with which the message is found.
    pub fn require_lookups(&self, needs: &mut LookupNeeds) {
        match &self.target {
            None => needs.parts.get_mut::<Messages>().require_text(&self.id),
            Some(target) => {
                needs.parts.get_mut::<PrivateMessages>().require(&self.id);
                needs.parts.get_mut::<Channels>().require(target.clone());
            }
        }
    }

    /// Deletes the message of this account, unless it is deleted already. Returns a public message as
    /// everyone sees it then; `None` for a private one.
    ///
    /// # Errors
    /// `Edit` if there is none, or if it is by another author.
    pub fn delete(
        &self,
        context: &mut BatchContext<'_>,
        account: &Account,
    ) -> Result<Option<Message>, Refusal> {
        if let Some(target) = &self.target {
            if !self.find_private(context, account, target)?.is_deleted {
                let (deleted, now) = (NewPrivateText::default(), context.now);
                context.part_mut::<PrivateMessages>().change_text(self.id.as_str(), deleted, now);
            }
            return Ok(None);
        }
        let message = self.find_public(context, account)?;
        if message.deleted {
            return Ok(Some(message.public_view().into_owned()));
        }
        Ok(Some(delete_text(context, account, message)))
    }

    /// Returns the public message of this account as it sees it, which may be hidden or deleted.
    ///
    /// # Errors
    /// `Edit` if there is none, or if it is by another author.
    pub fn find_public(&self, context: &BatchContext<'_>, account: &Account) -> Result<Message, Refusal> {
        let found = context.part::<Messages>().find_text(account, self.id.as_str());
        let message = found.ok_or(EditRefusal::NotFound)?;
        if message.agent_id.as_ref() == Some(&account.id) {
            Ok(message)
        } else {
            Err(EditRefusal::NotYours.into())
        }
    }

    /// Returns the private message of this account in its place, which may be deleted or taken down. The
    /// author need not be a member any more.
    ///
    /// # Errors
    /// `Edit` if there is none that the account can see, or if it is by another author.
    pub fn find_private<'a>(
        &self,
        context: &'a BatchContext<'_>,
        account: &Account,
        target: &ChannelTarget,
    ) -> Result<&'a StoredPrivateMessage, Refusal> {
        let found = context.part::<PrivateMessages>().find(self.id.as_str());
        let message = found.ok_or(EditRefusal::NotFound)?;
        if message.author == account.no {
            return Ok(message);
        }
        let channel = context.part::<Channels>().find_or_new(target);
        let is_readable = channel.is_some_and(|channel| channel.is_readable_by(account.no));
        let is_seen = is_readable && message.audience.is_seen_by(Some(account.no));
        let refusal = if is_seen { EditRefusal::NotYours } else { EditRefusal::NotFound };
        Err(refusal.into())
    }
}
