//! What Stripe tells: believed where its signature fits, kept once, and taken in within the same transaction.

use super::event::StripeEvent;
use super::passes::PassWriter;
use super::signature::{self, SignatureError};
use super::{Gallery, store};
use crate::database;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Why an event was not taken.
#[derive(Debug)]
pub enum WebhookError {
    Signature(SignatureError),
    /// The signature fits, but the body is no event.
    InvalidEvent,
    Refusal(Refusal),
}

impl<T: Into<Refusal>> From<T> for WebhookError {
    fn from(refusal: T) -> Self {
        Self::Refusal(refusal.into())
    }
}

impl Gallery {
    /// Takes an event in; one that was taken before changes nothing.
    ///
    /// # Errors
    /// Why it was not taken; nothing is changed then.
    pub async fn receive_webhook(
        &self,
        state: &AppState,
        signature: &str,
        body: &[u8],
    ) -> Result<(), WebhookError> {
        let secret = self.webhook_secret.as_ref().ok_or(WebhookError::Signature(SignatureError::Missing))?;
        let verified = signature::verify(secret.expose(), signature, body, state.clock.now());
        let sent_at = verified.map_err(WebhookError::Signature)?;
        // A body that is not text is answered like one that is not JSON.
        let payload = std::str::from_utf8(body).map_err(|_| WebhookError::InvalidEvent)?;
        let event = StripeEvent::parse(body, sent_at).ok_or(WebhookError::InvalidEvent)?;
        let mut transaction = state.pool.begin().await?;
        if !store::insert_event(&mut transaction, &event, payload, state.clock.now()).await? {
            return Ok(());
        }
        if let Some(update) = event.payment_update(&self.tiers) {
            let (tiers, offset) = (&self.tiers, state.clock.offset());
            PassWriter { connection: &mut transaction, tiers, offset }.apply(update).await?;
        }
        database::commit(transaction).await?;
        tracing::info!(event = event.kind, "Stripe has told something");
        Ok(())
    }
}
