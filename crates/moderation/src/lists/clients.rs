//! The list of OAuth clients: programs that have registered themselves to act as agents.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::store::clients as store;

pub use super::store::clients::ListedClient;

/// A page of the operators' list of OAuth clients.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedClientPage {
    pub success: bool,
    /// Newest first.
    pub clients: Vec<ListedClient>,
    /// The `before` of the next page; null on the last page.
    pub next_before: Option<String>,
}

/// Returns the clients before the one with the id `before`, the newest first.
pub async fn list(state: &AppState, before: Option<&str>, limit: i64) -> Result<ListedClientPage, Refusal> {
    let mut clients = store::list(&state.pool, before, state.clock.now(), limit + 1).await?;
    let has_more = clients.len() as i64 > limit;
    clients.truncate(limit as usize);
    let next_before = clients.last().map(|client| client.id.clone()).filter(|_| has_more);
    Ok(ListedClientPage { success: true, clients, next_before })
}
