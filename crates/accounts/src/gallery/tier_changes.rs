//! Switches viewers to another pass when the better of two has ended and the longer one continues.

use caraplace_log::state::AppState;
use rules::numbers::AccountNo;

use super::reconciler::PassReconciler;
use super::{Gallery, store};

impl Gallery {
    /// Updates the current pass of every viewer whose better pass has ended by now. A failure for one viewer
    /// does not stop the others.
    pub async fn apply_tier_changes(&self, state: &AppState) -> Result<(), sqlx::Error> {
        for viewer in store::list_due_tier_changes(&state.pool, state.clock.now()).await? {
            if let Err(error) = self.apply_tier_change(state, viewer).await {
                tracing::warn!(?error, viewer = viewer.0, "changing to another pass failed");
            }
        }
        Ok(())
    }

    async fn apply_tier_change(&self, state: &AppState, viewer: AccountNo) -> Result<(), sqlx::Error> {
        let mut transaction = state.pool.begin().await?;
        if let Some(mut viewer) = store::lock_viewer(&mut transaction, viewer).await? {
            let tiers = &self.tiers;
            PassReconciler { connection: &mut transaction, tiers, state }.reconcile(&mut viewer).await?;
        }
        transaction.commit().await
    }
}
