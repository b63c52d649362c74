//! Bans, mutes, shadows and other names: imposed behind the gate, and told to every instance at once.

use chrono::{DateTime, Utc};
use rules::ids::AccountId;
use rules::sanctions::{Sanction, Sanctions};
use serde_json::json;
use sqlx::PgConnection;

use super::{BY_REPORTS, Cause, parse_end, parse_reason, store};
use crate::agents::holder;
use crate::chat::filters::Filters;
use crate::log::control::{self, Control};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Takes a measure against whoever has an id, or lifts it; none where nobody has it, or only operators.
///
/// # Errors
/// `NameTaken`; or that the database cannot be written.
pub async fn take(
    state: &AppState,
    cause: &Cause,
    id: &AccountId,
    measure: &Sanction,
) -> Result<Option<Sanctions>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    control::close_gate(&mut transaction).await?;
    let Some((no, before)) = store::standing::judged(&mut transaction, id.as_str()).await? else {
        return Ok(None);
    };
    let after = measure.apply_to(&before);
    if after != before || takes_over(&mut transaction, cause, id, measure).await? {
        let holder = (no, id.as_str());
        impose(state, &mut transaction, cause, holder, measure, &before).await?;
        state.log.seal(transaction).await?;
    }
    Ok(Some(after))
}

/// Bans an account until a time, or permanently. `None` if nobody has the id, or only operators. `reason` is what the
/// banned are told; that of the cause by default.
///
/// # Errors
/// `Input`; or that the database cannot be written.
pub async fn ban(
    state: &AppState,
    cause: &Cause,
    id: &AccountId,
    until: Option<DateTime<Utc>>,
    reason: Option<&str>,
) -> Result<Option<Sanctions>, Refusal> {
    let reason = reason.map(|reason| parse_reason("reason", reason)).transpose()?;
    let reason = reason.unwrap_or_else(|| cause.why.clone());
    take(state, cause, id, &Sanction::Ban { until: parse_end(state, until)?, reason }).await
}

/// Mutes an account until a time, or permanently. `None` if nobody has the id, or only operators.
///
/// # Errors
/// `Input`; or that the database cannot be written.
pub async fn mute(
    state: &AppState,
    cause: &Cause,
    id: &AccountId,
    until: Option<DateTime<Utc>>,
) -> Result<Option<Sanctions>, Refusal> {
    take(state, cause, id, &Sanction::Mute { until: parse_end(state, until)? }).await
}

/// Gives an account another name. `None` if nobody has the id, or only operators.
///
/// # Errors
/// `NameNotAllowed` or `NameTaken`; or that the database cannot be written.
pub async fn rename(
    state: &AppState,
    filters: &Filters,
    cause: &Cause,
    id: &AccountId,
    name: &str,
) -> Result<Option<Sanctions>, Refusal> {
    take(state, cause, id, &Sanction::Rename(filters.parse_name(name).await?)).await
}

/// Whether an operator makes a shadow that reports have cast its own, so that it does not end with them.
async fn takes_over(
    connection: &mut PgConnection,
    cause: &Cause,
    id: &AccountId,
    measure: &Sanction,
) -> Result<bool, sqlx::Error> {
    let of_operator = matches!(measure, Sanction::Shadow) && cause.operator != BY_REPORTS;
    Ok(of_operator && store::reports::shadowed_at(connection, id.as_str(), BY_REPORTS).await?.is_some())
}

/// Takes a measure within a transaction, with its line in the audit log. The gate must be closed.
pub(super) async fn impose(
    state: &AppState,
    connection: &mut PgConnection,
    cause: &Cause,
    (no, id): (i64, &str),
    measure: &Sanction,
    before: &Sanctions,
) -> Result<Sanctions, Refusal> {
    let (after, offset) = (measure.apply_to(before), state.clock.offset());
    if let Sanction::Rename(name) = measure {
        holder::rename(connection, no, name, true).await?;
    }
    store::standing::settle(connection, no, &after).await?;
    if matches!(measure, Sanction::Unshadow) {
        store::standing::clear(connection, no, offset).await?;
    }
    if let Some((granted, answer)) = outdates(measure, before, &after, state.clock.now()) {
        store::appeals::close(connection, no, granted, answer, &cause.operator, offset).await?;
    }
    control::append(connection, Control::Standing(no), offset).await?;
    let act = cause.act(measure.name(), id, json!(before), json!(after));
    super::audit::record(connection, &act, offset).await?;
    Ok(after)
}

/// What a measure makes of an appeal that waits, by the rule that one appeal is against all that holds when it is filed:
/// nothing is left of that, or there is more now, against which its author may appeal anew.
fn outdates(
    measure: &Sanction,
    before: &Sanctions,
    after: &Sanctions,
    now: DateTime<Utc>,
) -> Option<(bool, &'static str)> {
    match measure {
        Sanction::Ban { .. } | Sanction::Mute { .. } => Some((false, REPLACED)),
        Sanction::Unban | Sanction::Unmute if is_barred(before, now) && !is_barred(after, now) => {
            Some((true, LIFTED))
        }
        _ => None,
    }
}

/// Whether a ban or a mute holds at a moment; one that has run out may still be written down.
pub(super) fn is_barred(judged: &Sanctions, now: DateTime<Utc>) -> bool {
    [judged.banned_until, judged.muted_until].iter().flatten().any(|until| *until > now)
}

const REPLACED: &str =
    "Nobody has decided this: there is a newer ban or mute now. Appeal anew if that is wrong too.";
const LIFTED: &str = "What this was against has been lifted.";
