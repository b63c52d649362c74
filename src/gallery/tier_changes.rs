//! Passes that become others by themselves: of two the better one has ended, and the longer one goes on.

use super::passes::PassWriter;
use super::{Gallery, store};
use crate::state::AppState;

impl Gallery {
    /// Tells the gate of all passes that have become others by now. One that cannot be told holds up no other.
    ///
    /// # Errors
    /// That the database cannot be written.
    pub async fn apply_tier_changes(&self, state: &AppState) -> Result<(), sqlx::Error> {
        for viewer in store::list_due_tier_changes(&state.pool, state.clock.now()).await? {
            if let Err(error) = self.apply_tier_change(state, viewer).await {
                tracing::warn!(?error, viewer, "a pass that has become another could not be told");
            }
        }
        Ok(())
    }

    async fn apply_tier_change(&self, state: &AppState, viewer: i64) -> Result<(), sqlx::Error> {
        let mut transaction = state.pool.begin().await?;
        if let Some(mut viewer) = store::lock_viewer(&mut transaction, viewer).await? {
            let (tiers, offset) = (&self.tiers, state.clock.offset());
            PassWriter { connection: &mut transaction, tiers, offset }.reconcile(&mut viewer).await?;
        }
        transaction.commit().await
    }
}
