//! A change of the season, in one transaction with its audit entry and its announcement.

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::state::AppState;
use caraplace_messages::system_message::post_system_message_locked;
use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::Seq;
use rules::rights::PERMANENT;
use rules::season::SeasonState;
use serde_json::json;
use sqlx::{Postgres, Transaction};

use super::store;
use super::{SeasonRecord, SeasonStatus};

/// The new state of the season, and the announcement of it.
pub(super) struct SeasonUpdate {
    /// The name of the action in the audit log.
    pub action: &'static str,
    pub season_state: SeasonState,
    pub announcement: String,
}

/// A change of the season that is in progress. It holds the head lock until it is committed or dropped.
pub(super) struct SeasonChange<'a> {
    state: &'a AppState,
    pub transaction: Transaction<'static, Postgres>,
    pub head_lock: HeadLock,
    /// The newest season before the change.
    pub before: SeasonRecord,
}

impl<'a> SeasonChange<'a> {
    /// Begins a change: acquires the head lock and reads the newest season.
    pub(super) async fn begin(state: &'a AppState) -> Result<Self, Refusal> {
        let mut transaction = state.pool.begin().await?;
        let head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
        let before = store::find_newest(&mut transaction).await?;
        Ok(Self { state, transaction, head_lock, before })
    }

    /// Commits the new state of the season that begins at `opening_seq`, with an audit entry and a control
    /// log entry. The chat gets an announcement if system messages are enabled.
    pub(super) async fn commit(
        mut self,
        audit_reason: &AuditReason,
        opening_seq: Seq,
        update: SeasonUpdate,
    ) -> Result<SeasonRecord, Refusal> {
        let state = self.state;
        let transaction = &mut self.transaction;
        store::save_season_state(transaction, opening_seq, &update.season_state).await?;
        let game = state.game();
        if game.system_messages && game.chat_enabled {
            post_system_message_locked(&mut self.head_lock, transaction, update.announcement, None).await?;
        }
        let after = store::find_newest(transaction).await?;
        let entry = audit_reason.audit_entry(update.action, &after.id, json!(self.before), json!(after));
        let offset = state.clock.offset();
        audit::record(transaction, &entry, offset).await?;
        control::append(transaction, ControlEntry::SeasonChanged, offset).await?;
        state.log.commit(self.transaction).await?;
        Ok(after)
    }
}

/// Changes the newest season as `decide` returns while the head lock is held. If it returns `None`, nothing
/// is written.
pub(super) async fn update_season(
    state: &AppState,
    audit_reason: &AuditReason,
    decide: impl FnOnce(&SeasonRecord, DateTime<Utc>) -> Result<Option<SeasonUpdate>, Refusal>,
) -> Result<SeasonRecord, Refusal> {
    let change = SeasonChange::begin(state).await?;
    let Some(update) = decide(&change.before, change.head_lock.now)? else { return Ok(change.before) };
    let opening_seq = change.before.first;
    change.commit(audit_reason, opening_seq, update).await
}

/// Checks a requested end of the season.
///
/// # Errors
/// `Input` if it is not in the future.
pub(super) fn parse_end(state: &AppState, end: DateTime<Utc>) -> Result<DateTime<Utc>, Refusal> {
    let is_in_future = end > state.clock.now() && end < PERMANENT;
    let refusal = || Refusal::invalid("ends_at", "ends_at must be in the future and before the year 9999.");
    is_in_future.then_some(end).ok_or_else(refusal)
}

/// Returns an error if the season is over, for changes that only a running season allows.
pub(super) fn check_running(season: &SeasonRecord, now: DateTime<Utc>) -> Result<(), Refusal> {
    let over_since = season.season_state().ended_at(now).filter(|_| season.state != SeasonStatus::Archived);
    over_since.map_or(Ok(()), |since| Err(Refusal::SeasonOver { since }))
}
