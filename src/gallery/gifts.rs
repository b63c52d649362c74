//! Passes that the operator gives and takes away, each with its line in the audit log.

use serde_json::json;

use super::passes::{self, Grant, Granted, Holder};
use super::tiers::Tiers;
use crate::database;
use crate::log::audit::{self, Act};
use crate::refusal::Refusal;
use crate::state::AppState;

/// Who gives or takes, and why, as the audit log names it.
#[derive(Clone, Copy, Debug)]
pub struct Giver<'a> {
    pub operator: &'a str,
    pub why: &'a str,
}

/// Gives a pass.
///
/// # Errors
/// `NoSuchViewer`; or that the database cannot be written.
pub async fn grant(
    state: &AppState,
    tiers: &Tiers,
    giver: Giver<'_>,
    grant: Grant,
) -> Result<Granted, Refusal> {
    let after = json!({"tier": grant.tier, "until": grant.until});
    let mut transaction = state.pool.begin().await?;
    let granted = passes::grant(&mut transaction, tiers, grant, state.clock.offset()).await?;
    record(state, &mut transaction, giver, "grant pass", &granted.id, after).await?;
    database::commit(transaction).await?;
    // Should this fail, the follower does it.
    let _ = state.log.refresh().await;
    Ok(granted)
}

/// Takes a viewer's pass away.
///
/// # Errors
/// `NoSuchViewer`; or that the database cannot be written.
pub async fn revoke(state: &AppState, tiers: &Tiers, giver: Giver<'_>, viewer: &str) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    passes::revoke(&mut transaction, tiers, viewer, state.clock.offset()).await?;
    record(state, &mut transaction, giver, "revoke pass", viewer, json!(null)).await?;
    database::commit(transaction).await?;
    let _ = state.log.refresh().await;
    Ok(())
}

async fn record(
    state: &AppState,
    connection: &mut sqlx::PgConnection,
    giver: Giver<'_>,
    act: &'static str,
    viewer: &str,
    after: serde_json::Value,
) -> Result<(), sqlx::Error> {
    let (operator, why) = (giver.operator.to_owned(), giver.why.to_owned());
    let act = Act { operator, act, subject: viewer.to_owned(), why, before: json!(null), after };
    audit::record(connection, &act, state.clock.offset()).await
}

/// The newest who have or had a pass.
///
/// # Errors
/// When the database cannot be read.
pub async fn holders(state: &AppState, limit: i64) -> Result<Vec<Holder>, Refusal> {
    let mut connection = state.pool.acquire().await?;
    passes::list(&mut connection, None, limit).await
}
