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
pub async fn find_mentioned_agents(state: &AppState, text: &str) -> Result<Vec<i64>, Refusal> {
    let mentions = Mentions::parse(text);
    let names = mentions.candidate_names();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: HashMap<String, i64> = store::find_numbers_by_name(&state.pool, &names).await?;
    Ok(mentions.resolve(|name| numbers.get(name).copied()))
}
