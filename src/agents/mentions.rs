//! Whom a text means by name.

use std::collections::HashMap;

use rules::mentions::Mentions;

use crate::refusal::Refusal;
use crate::state::AppState;

use super::store;

/// The numbers of the agents that a text mentions, in the order in which it does.
///
/// # Errors
/// When the database cannot be read.
pub async fn mentioned(state: &AppState, text: &str) -> Result<Vec<i64>, Refusal> {
    let mentions = Mentions::parse(text);
    let names = mentions.candidate_names();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let known: HashMap<String, i64> = store::by_names(&state.pool, &names).await?;
    Ok(mentions.resolve(|name| known.get(name).copied()))
}
