//! Deletes texts, deliveries, evidence and mail addresses that are older than the settings allow. A few rows
//! at a time, with pauses in between, so that nothing else waits. Each instance does it, and finds nothing
//! left where another was first. No rule of the game depends on what is deleted.

mod store;

use std::sync::Arc;
use std::time::Duration;

use caraplace_companion::drafts::cleanup;
use caraplace_companion::guide;
use caraplace_log::control;
use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::batches::{BATCH_ROWS, repeat};
use platform::config::RetentionSettings;
use rules::crew::INVITATION_LIFETIME;
use sqlx::PgPool;
use tokio::time::sleep;

/// The interval between runs.
const INTERVAL: Duration = Duration::from_mins(10);
/// The newest public messages are kept whatever their age, so that the chat is never empty.
const KEPT_MESSAGES: i64 = 1_000;

/// The number of rows that a run has deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Public messages, including those that only their authors could see.
    pub chat_texts: u64,
    /// Crew and direct messages.
    pub private_messages: u64,
    /// Uses of importance that count no more.
    pub importance_uses: u64,
    /// Invitations to crews that nobody has followed.
    pub invitations: u64,
    /// Records of which outcomes, invitations and webhooks accounts have read.
    pub notices: u64,
    /// The evidence of closed cases.
    pub evidence: u64,
    /// Questions to the guide, each with its answer.
    pub questions: u64,
    /// Changes that the guide has proposed.
    pub drafts: u64,
    /// Mail addresses of viewers whose passes ended long ago, or whose accounts are erased.
    pub mail_addresses: u64,
    /// Entries of the control log that every instance has applied.
    pub control_entries: u64,
}

/// Deletes what is too old by the current settings at intervals, until the task is aborted.
pub async fn run(state: Arc<AppState>) {
    loop {
        sleep(INTERVAL).await;
        let settings = state.settings.current().values.retention;
        match run_once(&state, &settings).await {
            Ok(deleted) if deleted == Deleted::default() => {}
            Ok(deleted) => tracing::info!(
                chat_texts = deleted.chat_texts,
                private_messages = deleted.private_messages,
                evidence = deleted.evidence,
                questions = deleted.questions,
                drafts = deleted.drafts,
                mail_addresses = deleted.mail_addresses,
                control_entries = deleted.control_entries,
                "old rows deleted"
            ),
            Err(error) => tracing::warn!(%error, "old rows could not be deleted, trying again later"),
        }
    }
}

/// Deletes everything that is too old now.
///
/// # Errors
/// The error of the database. What was deleted before it stays deleted.
pub async fn run_once(state: &AppState, settings: &RetentionSettings) -> Result<Deleted, sqlx::Error> {
    let pool = &state.pool;
    let now = state.clock.now();
    let mut deleted = Deleted::default();
    if let Some(before) = cutoff(now, settings.chat_text_days) {
        let kept_from = store::oldest_kept_message(pool, KEPT_MESSAGES).await?;
        deleted.chat_texts +=
            repeat(|| store::delete_chat_texts(pool, before, kept_from, now, BATCH_ROWS)).await?;
        deleted.chat_texts += repeat(|| store::delete_shadow_texts(pool, before, now, BATCH_ROWS)).await?;
    }
    if let Some(before) = cutoff(now, settings.private_message_days) {
        deleted.private_messages +=
            repeat(|| store::delete_private_messages(pool, before, now, BATCH_ROWS)).await?;
    }
    deleted.private_messages += delete_beyond_limit(state, settings.messages_per_channel).await?;
    deleted.importance_uses = repeat(|| store::delete_importance_uses(pool, now, BATCH_ROWS)).await?;
    // Only in this order: an invitation without its notice is unread again. Outcomes are listed for a shorter
    // time.
    let before = now - INVITATION_LIFETIME;
    deleted.invitations = repeat(|| store::delete_invitations(pool, before, BATCH_ROWS)).await?;
    deleted.notices = repeat(|| store::delete_notices(pool, before, BATCH_ROWS)).await?;
    deleted.control_entries = repeat(|| control::delete_old(pool, now, BATCH_ROWS)).await?;
    if let Some(before) = cutoff(now, settings.evidence_days) {
        deleted.evidence = repeat(|| store::delete_evidence(pool, before, BATCH_ROWS)).await?;
    }
    deleted.mail_addresses = delete_mail(pool, cutoff(now, settings.mail_days)).await?;
    if let Some(before) = cutoff(now, settings.guide_days) {
        deleted.questions = guide::retention::delete_before(state, before).await?;
        deleted.drafts = repeat(|| cleanup::delete_old(state, before, BATCH_ROWS)).await?;
    }
    Ok(deleted)
}

/// Deletes the oldest messages of each channel that has more than `limit`; none with 0.
async fn delete_beyond_limit(state: &AppState, limit: u32) -> Result<u64, sqlx::Error> {
    if limit == 0 {
        return Ok(0);
    }
    let pool = &state.pool;
    let now = state.clock.now();
    let mut deleted = 0;
    for (channel, newest_deleted) in store::channels_beyond(pool, limit.into()).await? {
        deleted +=
            repeat(|| store::delete_channel_messages(pool, channel, newest_deleted, now, BATCH_ROWS)).await?;
    }
    Ok(deleted)
}

/// Deletes the mail addresses of erased viewers, and of those whose passes ended before a time. That of the
/// customer at Stripe goes first, so that it does not come back from there.
async fn delete_mail(pool: &PgPool, before: Option<DateTime<Utc>>) -> Result<u64, sqlx::Error> {
    repeat(|| store::delete_customer_mail(pool, before, BATCH_ROWS)).await?;
    repeat(|| store::delete_viewer_mail(pool, before, BATCH_ROWS)).await
}

/// Returns the time before which rows are deleted; `None` if they are kept.
fn cutoff(now: DateTime<Utc>, days: u32) -> Option<DateTime<Utc>> {
    (days > 0).then(|| now - TimeDelta::days(days.into()))
}
