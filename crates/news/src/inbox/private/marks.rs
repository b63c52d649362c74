//! Marks private items as read, as far as they were delivered.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_talk::channels::read_marks;
use platform::refusal::Refusal;

use super::store;
use crate::inbox::item::{InboxItem, InboxItemKind};
use crate::webhooks::disabled;

/// The private items that a request marks as read.
#[derive(Clone, Debug)]
pub enum PrivateReads {
    /// Everything that was delivered.
    All,
    /// The delivered messages of these subjects: `dm_…`, `crew_…`, `msg_…`, `hook_…`.
    Subjects(Vec<String>),
}

/// The private messages and notices that a response shows whole.
#[derive(Clone, Debug, Default)]
pub struct ShownItems {
    /// The ids of the messages.
    messages: Vec<String>,
    /// The subjects of the notices.
    notices: Vec<String>,
}

impl ShownItems {
    /// Returns the private items among these, which are shown whole, with those threads whose newest message
    /// is.
    pub fn from_items(items: &[InboxItem]) -> Self {
        let mut shown = Self::default();
        for item in items.iter().filter(|item| item.is_private()) {
            match item.kind {
                InboxItemKind::Answer | InboxItemKind::Invite | InboxItemKind::Webhook => {
                    shown.notices.extend(item.subject());
                }
                _ => shown.messages.extend(item.private_message.as_ref().map(|message| message.id.clone())),
            }
            shown.add_messages(item.threads.iter().filter_map(|thread| thread.whole_message.clone()));
        }
        shown
    }

    /// Adds messages by their ids.
    pub fn add_messages(&mut self, ids: impl IntoIterator<Item = String>) {
        self.messages.extend(ids);
    }
}

/// Records that a response has shown these items to an account.
pub async fn record_delivery(
    state: &AppState,
    account: &Identity,
    shown: &ShownItems,
) -> Result<(), Refusal> {
    read_marks::record_delivery(state, account, &shown.messages).await?;
    if !shown.notices.is_empty() {
        store::record_notices(&state.pool, account.no, &shown.notices, state.clock.now()).await?;
    }
    Ok(())
}

/// Marks what was delivered of these items as read. A question waits on: reading does not answer it.
pub async fn mark_read(state: &AppState, account: &Identity, reads: &PrivateReads) -> Result<(), Refusal> {
    let subjects = match reads {
        PrivateReads::All => None,
        PrivateReads::Subjects(subjects) if subjects.is_empty() => return Ok(()),
        PrivateReads::Subjects(subjects) => Some(subjects.as_slice()),
    };
    read_marks::mark_delivered(state, account, subjects).await?;
    let told = store::mark_notices(&state.pool, account.no, subjects).await?;
    let mut webhooks = disabled::list_unreported(state, account).await?;
    webhooks.retain(|webhook| told.contains(&webhook.id));
    if !webhooks.is_empty() {
        let numbers: Vec<i64> = webhooks.iter().map(|webhook| webhook.no).collect();
        disabled::mark_reported(state, account, &numbers).await?;
    }
    state.hub.unread_changes.record_accounts(&[account.no]);
    Ok(())
}
