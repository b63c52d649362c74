//! Bans, mutes, shadows and other names: imposed behind the gate, and told to every instance at once.

use serde_json::json;
use sqlx::{Connection as _, PgConnection};

use super::{Cause, store};
use crate::log::Log;
use crate::log::control::{self, Control};
use crate::refusal::Refusal;
use crate::rules::ids::HolderId;
use crate::rules::measures::{Judged, Measure};

/// Takes a measure against whoever has an id, or lifts it; none where nobody has it, or only operators.
///
/// # Errors
/// `NameTaken`; or that the database cannot be written.
pub async fn take(
    log: &Log,
    cause: &Cause,
    id: &HolderId,
    measure: &Measure,
) -> Result<Option<Judged>, Refusal> {
    let mut connection = log.pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    control::close_gate(&mut transaction).await?;
    let Some((no, before)) = store::standing::judged(&mut transaction, id.as_str()).await? else {
        return Ok(None);
    };
    let after = measure.on(&before);
    if after != before {
        let holder = (no, id.as_str());
        impose(log, &mut transaction, cause, holder, measure, &before).await?;
        log.seal(transaction).await?;
    }
    Ok(Some(after))
}

/// Takes a measure within a transaction, with its line in the audit log. The gate must be closed.
pub(super) async fn impose(
    log: &Log,
    connection: &mut PgConnection,
    cause: &Cause,
    (no, id): (i64, &str),
    measure: &Measure,
    before: &Judged,
) -> Result<Judged, Refusal> {
    let (after, offset) = (measure.on(before), log.clock.offset());
    if let Measure::Rename(name) = measure {
        store::standing::rename(connection, no, name).await?;
    }
    store::standing::settle(connection, no, &after).await?;
    if matches!(measure, Measure::Unshadow) {
        store::standing::clear(connection, no, offset).await?;
    }
    control::append(connection, Control::Standing(no), offset).await?;
    let act = cause.act(measure.name(), id, json!(before), json!(after));
    super::audit::record(connection, &act, offset).await?;
    Ok(after)
}
