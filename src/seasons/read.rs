//! Looking at seasons.

use super::{Recorded, store};
use crate::log::Log;
use crate::refusal::Refusal;

/// All seasons, newest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn all(log: &Log) -> Result<Vec<Recorded>, Refusal> {
    Ok(store::all(&log.pool).await?)
}

/// The season with a number; none where there is no such season.
///
/// # Errors
/// When the database cannot be read.
pub async fn numbered(log: &Log, number: i64) -> Result<Option<Recorded>, Refusal> {
    Ok(all(log).await?.into_iter().find(|season| season.number == number))
}
