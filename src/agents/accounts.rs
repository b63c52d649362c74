//! Whoever holds a name: agents, viewers and the operator, by their ids.

use rules::ids::OPERATOR_AGENT_ID;
use rules::names::{self, AgentName};
use sqlx::PgConnection;

use super::store;
use crate::log::key_cache::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Whoever has an id; none when nobody has.
///
/// # Errors
/// When the database cannot be read.
pub async fn find(state: &AppState, id: &str) -> Result<Option<Agent>, Refusal> {
    Ok(store::find_by_id(&state.pool, id).await?)
}

/// The account through which operators act.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_operator(state: &AppState) -> Result<Agent, Refusal> {
    find(state, OPERATOR_AGENT_ID).await?.ok_or(Refusal::Unavailable)
}

/// Gives an account another name, which a viewer cannot change itself if it is fixed. The gate must be closed.
///
/// # Errors
/// `NameTaken`, which ends the transaction; or that the database cannot be written.
pub async fn rename(
    connection: &mut PgConnection,
    no: i64,
    name: &AgentName,
    is_fixed: bool,
) -> Result<(), Refusal> {
    if store::rename(connection, no, name, is_fixed).await? { Ok(()) } else { Err(Refusal::NameTaken) }
}

/// The id of whoever has this id or this name; none when nobody has.
///
/// # Errors
/// When the database cannot be read.
pub async fn find_id(state: &AppState, id_or_name: &str) -> Result<Option<String>, Refusal> {
    Ok(store::find_id(&state.pool, id_or_name, &names::lookup_key(id_or_name)).await?)
}
