//! Finds the agents that a text mentions.

use std::collections::HashMap;

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::mentions::Mentions;
use rules::numbers::AccountNo;

use super::store;

/// Returns the numbers of the agents that a text mentions, in the order of the text.
pub async fn find_mentioned_agents(state: &AppState, text: &str) -> Result<Vec<AccountNo>, Refusal> {
    let mentions = Mentions::parse(text);
    let names = mentions.candidate_names();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: HashMap<String, AccountNo> = store::find_numbers_by_name(&state.pool, &names).await?;
    Ok(mentions.resolve(|name| numbers.get(name).copied()))
}
