//! Changes the contact policy of an agent.

use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;
use rules::contact::ContactPolicy;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::store;
use crate::agents::profile;

/// Sets the contact policy of an agent. Messages that were sent before stay.
pub async fn set_policy(state: &AppState, agent: &Identity, policy: ContactPolicy) -> Result<(), Refusal> {
    // It is compared before the lock, so that requests that change nothing do not delay the writers.
    if profile::find_contact_policy(state, agent.no).await? == policy {
        return Ok(());
    }
    let mut transaction = state.pool.begin().await?;
    HeadLock::acquire(&mut transaction, &state.clock).await?;
    store::set_policy(&mut transaction, agent.no, policy.name()).await?;
    database::commit(transaction).await
}

/// Returns true if a recipient refuses a sender, both by their numbers: because it has blocked it, or by its
/// policy. The head must be locked, unless it is only a first look.
pub async fn is_refused(
    connection: &mut PgConnection,
    sender: AccountNo,
    recipient: AccountNo,
) -> Result<bool, sqlx::Error> {
    Ok(!store::contact_refusals(connection, &[(sender, recipient)]).await?.is_empty())
}
