//! One change of the season that is played, in one transaction with its audit and with what is said of it.

use chrono::{DateTime, Utc};
use rules::rights::PERMANENT;
use rules::season::SeasonState;
use serde_json::json;
use sqlx::{Postgres, Transaction};

use super::store;
use super::{Recorded, State};
use crate::log::audit;
use crate::log::closed::Closed;
use crate::log::control::{self, Control};
use crate::moderation::Cause;
use crate::refusal::Refusal;
use crate::state::AppState;

/// What becomes of the season, and what is said of it.
pub(super) struct Turn {
    /// What the audit calls it.
    pub act: &'static str,
    pub course: SeasonState,
    pub says: String,
}

/// A change that has begun: the gate is closed until it is committed or given up.
pub(super) struct SeasonChange<'a> {
    state: &'a AppState,
    pub transaction: Transaction<'static, Postgres>,
    pub closed: Closed,
    /// The newest season before the change.
    pub before: Recorded,
}

impl<'a> SeasonChange<'a> {
    pub(super) async fn begin(state: &'a AppState) -> Result<Self, Refusal> {
        let mut transaction = state.pool.begin().await?;
        let closed = Closed::gate(&mut transaction, &state.clock).await?;
        let before = store::newest(&mut transaction).await?;
        Ok(Self { state, transaction, closed, before })
    }

    /// Sets the course of the season that begins at `first`, tells the chat where the server may speak, writes down who
    /// did it, and tells every instance.
    pub(super) async fn commit(mut self, cause: &Cause, first: i64, turn: Turn) -> Result<Recorded, Refusal> {
        let (state, transaction) = (self.state, &mut self.transaction);
        store::set_course(transaction, first, &turn.course).await?;
        let game = state.game();
        if game.system_messages && game.chat_enabled {
            self.closed.announce(transaction, turn.says).await?;
        }
        let after = store::newest(transaction).await?;
        let act = cause.act(turn.act, &after.id, json!(self.before), json!(after));
        let offset = state.clock.offset();
        audit::record(transaction, &act, offset).await?;
        control::append(transaction, Control::Season, offset).await?;
        state.log.seal(self.transaction).await?;
        Ok(after)
    }
}

/// Changes the newest season as is decided behind the gate. If nothing is to change, it stays as it is, and nothing is
/// written down.
pub(super) async fn change(
    state: &AppState,
    cause: &Cause,
    decide: impl FnOnce(&Recorded, DateTime<Utc>) -> Result<Option<Turn>, Refusal>,
) -> Result<Recorded, Refusal> {
    let change = SeasonChange::begin(state).await?;
    let Some(turn) = decide(&change.before, change.closed.now)? else { return Ok(change.before) };
    let first = change.before.first;
    change.commit(cause, first, turn).await
}

/// Checks an end that is to be appointed.
///
/// # Errors
/// `Input` if it does not lie ahead.
pub(super) fn parse_end(state: &AppState, end: DateTime<Utc>) -> Result<DateTime<Utc>, Refusal> {
    let is_ahead = end > state.clock.now() && end < PERMANENT;
    let refusal = || Refusal::invalid("ends_at", "ends_at must lie ahead, and before the year 9999.");
    is_ahead.then_some(end).ok_or_else(refusal)
}

/// The refusal of what can only be done to a season that is played.
pub(super) fn check_played(season: &Recorded, now: DateTime<Utc>) -> Result<(), Refusal> {
    let over = season.course().ended_at(now).filter(|_| season.state != State::Archived);
    over.map_or(Ok(()), |since| Err(Refusal::SeasonOver { since }))
}
