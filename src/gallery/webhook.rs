//! What Stripe tells: believed where its signature fits, kept once, and taken in within the same transaction.

use super::event::Event;
use super::passes::PassWriter;
use super::signature::{self, Untrue};
use super::{Gallery, store};
use crate::database;
use crate::refusal::Refusal;
use crate::state::AppState;

/// Why an event was not taken.
#[derive(Debug)]
pub enum NotTaken {
    Untrue(Untrue),
    /// The signature fits, but the body is no event.
    NoEvent,
    Refusal(Refusal),
}

impl<T: Into<Refusal>> From<T> for NotTaken {
    fn from(refusal: T) -> Self {
        Self::Refusal(refusal.into())
    }
}

impl Gallery {
    /// Takes an event in; one that was taken before changes nothing.
    ///
    /// # Errors
    /// Why it was not taken; nothing is changed then.
    pub async fn hear(&self, state: &AppState, signature: &str, body: &[u8]) -> Result<(), NotTaken> {
        let secret = self.webhook_secret.as_ref().ok_or(NotTaken::Untrue(Untrue::Missing))?;
        let signed = signature::check(secret.expose(), signature, body, state.clock.now());
        let sent_at = signed.map_err(NotTaken::Untrue)?;
        // A body that is not text is answered like one that is not JSON.
        let payload = std::str::from_utf8(body).map_err(|_| NotTaken::NoEvent)?;
        let event = Event::read(body, sent_at).ok_or(NotTaken::NoEvent)?;
        let mut transaction = state.pool.begin().await?;
        if !store::keep_event(&mut transaction, &event, payload, state.clock.now()).await? {
            return Ok(());
        }
        if let Some(meaning) = event.meaning(&self.tiers) {
            let (tiers, offset) = (&self.tiers, state.clock.offset());
            PassWriter { connection: &mut transaction, tiers, offset }.take_in(meaning).await?;
        }
        database::commit(transaction).await?;
        tracing::info!(event = event.kind, "Stripe has told something");
        Ok(())
    }
}
