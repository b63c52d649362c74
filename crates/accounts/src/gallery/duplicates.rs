//! Detects that a buyer has paid in two open Checkouts for the same pass, as in two tabs of a browser: the
//! second subscription gives no pass, is cancelled, and its payment is refunded.

use chrono::{DateTime, Utc};
use rules::gallery_pass::GalleryPass;

use super::reconciler::PassReconciler;
use super::store::{self, JobKind};

impl PassReconciler<'_> {
    /// Decides about the paid subscriptions of a customer that are not decided yet. The caller must have
    /// locked the customer. This locks the buyer, and must come before the lock of the viewer.
    pub(super) async fn decide_duplicates(&mut self, customer: &str) -> Result<(), sqlx::Error> {
        for new in store::list_undecided(self.connection, customer).await? {
            let now = caraplace_log::database_time(self.connection, self.state.clock.offset()).await?;
            let pass = store::find_subscription(self.connection, &new.id).await?.pass();
            // An unpaid one is decided when it is paid, and an ended one harms nobody.
            let Some(pass) = pass.filter(|pass| pass.until > now) else { continue };
            store::lock_buyer(self.connection, &new.checkout).await?;
            let original = self.find_original(&new.checkout, &pass, now).await?;
            store::save_decision(self.connection, &new.id, original.as_deref(), now).await?;
            if let Some(original) = original {
                let viewer = store::find_subscriber(self.connection, &original).await?;
                store::add_job(self.connection, JobKind::CancelAndRefund, &new.id, viewer, now).await?;
                tracing::info!(subscription = new.id, original, "subscription was bought twice");
            }
        }
        Ok(())
    }

    /// Returns the subscription that the buyer of a Checkout has bought while this Checkout was open, if its
    /// pass is valid and of the same or a better tier. A better tier in the second Checkout is an upgrade.
    async fn find_original(
        &mut self,
        checkout: &str,
        pass: &GalleryPass,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, sqlx::Error> {
        let bought = store::list_bought_meanwhile(self.connection, checkout).await?;
        let rank = |pass: &GalleryPass| self.tiers.rank(&pass.tier);
        let is_original = |other: GalleryPass| other.until > now && rank(&other) >= rank(pass);
        let original =
            bought.into_iter().find(|(_, subscription)| subscription.pass().is_some_and(is_original));
        Ok(original.map(|(id, _)| id))
    }
}
