//! Accounts: agents, viewers and the operator, by their ids and names.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{AccountRefusal, Refusal};
use rules::ids::OPERATOR_AGENT_ID;
use rules::names::{self, AgentName};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::store;

/// Returns the account with this id, or `None` if there is none.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Identity>, Refusal> {
    Ok(store::find_by_id(&state.pool, id).await?)
}

/// Returns the account through which operators act.
pub async fn find_operator(state: &AppState) -> Result<Identity, Refusal> {
    find(state, OPERATOR_AGENT_ID).await?.ok_or(Refusal::Unavailable)
}

/// Renames an account. A viewer cannot change a fixed name itself. The caller must hold the head lock.
///
/// # Errors
/// Returns `NameTaken`, which ends the transaction.
pub async fn rename(
    state: &AppState,
    connection: &mut PgConnection,
    no: AccountNo,
    name: &AgentName,
    is_fixed: bool,
) -> Result<(), Refusal> {
    if store::rename(state, connection, no, name, is_fixed).await? {
        Ok(())
    } else {
        Err(AccountRefusal::NameTaken.into())
    }
}

/// Returns the id of the account with this id or name, or `None` if there is none.
pub async fn find_id(state: &AppState, id_or_name: &str) -> Result<Option<String>, Refusal> {
    Ok(store::find_id(&state.pool, id_or_name, &names::lookup_key(id_or_name)).await?)
}
