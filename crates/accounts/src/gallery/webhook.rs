//! Receives Stripe's webhook events. A signed event is stored once, and applied in the same transaction.

use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::Refusal;

use super::event::StripeEvent;
use super::reconciler::PassReconciler;
use super::signature::{self, SignatureError};
use super::{Gallery, store};

/// The reason why an event was not accepted.
#[derive(Debug)]
pub enum WebhookError {
    Signature(SignatureError),
    /// The signature is valid, but the body is not an event.
    InvalidEvent,
    Refusal(Refusal),
}

impl<T: Into<Refusal>> From<T> for WebhookError {
    fn from(refusal: T) -> Self {
        Self::Refusal(refusal.into())
    }
}

impl Gallery {
    /// Stores an event and applies it. An event that is already stored changes nothing.
    ///
    /// # Errors
    /// The reason why the event was not accepted. Nothing is changed then.
    pub async fn receive_webhook(
        &self,
        state: &AppState,
        signature: &str,
        body: &[u8],
    ) -> Result<(), WebhookError> {
        let secret = self.webhook_secret.as_ref().ok_or(WebhookError::Signature(SignatureError::Missing))?;
        let verified = signature::verify(secret.expose(), signature, body, state.clock.now());
        let sent_at = verified.map_err(WebhookError::Signature)?;
        // A body that is not UTF-8 gets the same response as one that is not JSON.
        let payload = std::str::from_utf8(body).map_err(|_| WebhookError::InvalidEvent)?;
        let event = StripeEvent::parse(body, sent_at).ok_or(WebhookError::InvalidEvent)?;
        let mut transaction = state.pool.begin().await?;
        if !store::insert_event(&mut transaction, &event, payload, state.clock.now()).await? {
            return Ok(());
        }
        if let Some(update) = event.payment_update(&self.tiers) {
            let tiers = &self.tiers;
            PassReconciler { connection: &mut transaction, tiers, state }.apply(update).await?;
        }
        database::commit(transaction).await?;
        tracing::info!(event = event.kind, "received an event from Stripe");
        Ok(())
    }
}
