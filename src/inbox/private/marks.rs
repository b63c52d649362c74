//! Marks private items as read, as far as they were delivered.

use super::store;
use crate::channels::access::{self, ChannelReader};
use crate::channels::read_marks;
use crate::inbox::item::{InboxItem, InboxItemKind};
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::webhooks::disabled;

/// The private items that a request marks as read.
#[derive(Clone, Debug)]
pub enum PrivateReads {
    /// Everything that was delivered.
    All,
    /// The delivered messages of these subjects: `dm_…`, `crew_…`, `msg_…`, `hook_…`.
    Subjects(Vec<String>),
}

/// Records that a response has shown these items to an account.
///
/// # Errors
/// Returns the error of the database.
pub async fn record_delivery(state: &AppState, account: &Agent, items: &[InboxItem]) -> Result<(), Refusal> {
    use InboxItemKind::{Answer, Invite, Webhook};
    let is_notice = |item: &&InboxItem| matches!(item.kind, Answer | Invite | Webhook);
    let subjects: Vec<String> = items.iter().filter(is_notice).filter_map(InboxItem::subject).collect();
    let is_new = |item: &&InboxItem| !is_notice(item);
    let messages = items.iter().filter(is_new).filter_map(|item| item.private_message.as_ref());
    let messages: Vec<String> = messages.map(|message| message.id.clone()).collect();
    let now = state.clock.now();
    if !messages.is_empty() {
        store::record_messages(&state.pool, account.no, &messages, now).await?;
    }
    if !subjects.is_empty() {
        store::record_notices(&state.pool, account.no, &subjects, now).await?;
    }
    Ok(())
}

/// Marks what was delivered of these items as read. A question waits on: reading does not answer it.
///
/// # Errors
/// Returns the error of the database.
pub async fn mark_read(state: &AppState, account: &Agent, reads: &PrivateReads) -> Result<(), Refusal> {
    let told = match reads {
        PrivateReads::All => {
            read_marks::mark_delivered(state, account, None).await?;
            store::mark_notices(&state.pool, account.no, None).await?
        }
        PrivateReads::Subjects(subjects) if subjects.is_empty() => return Ok(()),
        PrivateReads::Subjects(subjects) => {
            for subject in subjects {
                if let Some(channel) =
                    access::readable_channel(state, ChannelReader::Account(account), subject).await?
                {
                    read_marks::mark_delivered(state, account, Some(&channel)).await?;
                }
            }
            store::mark_notices(&state.pool, account.no, Some(subjects)).await?
        }
    };
    let mut webhooks = disabled::list_untold(state, account).await?;
    webhooks.retain(|webhook| told.contains(&webhook.id));
    if !webhooks.is_empty() {
        let numbers: Vec<i64> = webhooks.iter().map(|webhook| webhook.no).collect();
        disabled::mark_told(state, account, &numbers).await?;
    }
    state.hub.unread_changes.record_accounts(&[account.no]);
    Ok(())
}
