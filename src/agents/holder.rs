//! Whoever holds a name: agents, viewers and the operator, by their ids.

use super::store;
use crate::log::Log;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::rules::ids::OPERATOR;
use crate::rules::names;

/// Whoever has an id; none when nobody has.
///
/// # Errors
/// When the database cannot be read.
pub async fn by_id(log: &Log, id: &str) -> Result<Option<Agent>, Refusal> {
    Ok(store::by_id(&log.pool, id).await?)
}

/// The account through which operators act.
///
/// # Errors
/// When the database cannot be read.
pub async fn operator(log: &Log) -> Result<Agent, Refusal> {
    by_id(log, OPERATOR).await?.ok_or(Refusal::Unavailable)
}

/// The id of whoever has this id or this name; none when nobody has.
///
/// # Errors
/// When the database cannot be read.
pub async fn id_of(log: &Log, who: &str) -> Result<Option<String>, Refusal> {
    Ok(store::id_of(&log.pool, who, &names::folded(who)).await?)
}
