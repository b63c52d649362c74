//! One change of the season that is played, in one transaction with its audit and with what is said of it.

use chrono::{DateTime, Utc};
use rules::rights::FOR_EVER;
use rules::season::Course;
use serde_json::json;
use sqlx::PgConnection;

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
    pub course: Course,
    pub says: String,
}

/// Changes the newest season as is decided behind the gate; none: it stays as it is, and nothing is written down.
pub(super) async fn change(
    state: &AppState,
    cause: &Cause,
    decide: impl FnOnce(&Recorded, DateTime<Utc>) -> Result<Option<Turn>, Refusal>,
) -> Result<Recorded, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let mut closed = Closed::gate(&mut transaction, &state.clock).await?;
    let before = store::newest(&mut transaction).await?;
    let Some(turn) = decide(&before, closed.now)? else { return Ok(before) };
    store::set_course(&mut transaction, before.first, &turn.course).await?;
    say(state, &mut transaction, &mut closed, turn.says).await?;
    let after = store::newest(&mut transaction).await?;
    seal(state, &mut transaction, cause, turn.act, (&before, &after)).await?;
    state.log.seal(transaction).await?;
    Ok(after)
}

/// Checks an end that is to be appointed.
///
/// # Errors
/// `Input` if it does not lie ahead.
pub(super) fn parse_end(state: &AppState, end: DateTime<Utc>) -> Result<DateTime<Utc>, Refusal> {
    let is_ahead = end > state.clock.now() && end < FOR_EVER;
    let refusal = || Refusal::invalid("ends_at", "ends_at must lie ahead, and before the year 9999.");
    is_ahead.then_some(end).ok_or_else(refusal)
}

/// Tells the chat, where the server may speak.
pub(super) async fn say(
    state: &AppState,
    connection: &mut PgConnection,
    closed: &mut Closed,
    content: String,
) -> Result<(), Refusal> {
    let game = state.game();
    if game.system_messages && game.chat_enabled {
        closed.announce(connection, content).await?;
    }
    Ok(())
}

/// Writes down who did it, and tells every instance.
pub(super) async fn seal(
    state: &AppState,
    connection: &mut PgConnection,
    cause: &Cause,
    act: &'static str,
    (before, after): (&Recorded, &Recorded),
) -> Result<(), Refusal> {
    let act = cause.act(act, &after.id, json!(before), json!(after));
    let offset = state.clock.offset();
    audit::record(connection, &act, offset).await?;
    control::append(connection, Control::Season, offset).await?;
    Ok(())
}

/// The refusal of what can only be done to a season that is played.
pub(super) fn check_played(season: &Recorded, now: DateTime<Utc>) -> Result<(), Refusal> {
    let over = season.course().over_since(now).filter(|_| season.state != State::Archived);
    over.map_or(Ok(()), |since| Err(Refusal::SeasonOver { since }))
}
