//! What the shadow-banned say: beside the log, without a number, and told to its author alone.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sqlx::PgConnection;

use super::{Log, store};
use crate::live::event;
use crate::refusal::Refusal;
use crate::rules::message::Message;

/// A message that nobody but its author is shown.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// Rises with each of them.
    pub no: i64,
    /// The author's number.
    pub author: i64,
    /// The newest event when it was said: where its author finds it among the others.
    pub after: i64,
    pub message: Arc<Message>,
}

/// Where something stands in the chat as an author is shown it: after an event, and after the shadow messages with
/// smaller numbers.
pub type Place = (i64, i64);

impl Log {
    /// An author's newest shadow messages that stand after an event and before a place, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadows(
        &self,
        author: i64,
        after: i64,
        before: Place,
        limit: i64,
    ) -> Result<Vec<Shadow>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::shadows(&mut connection, author, after, before, limit).await?)
    }

    /// Those of these shadow messages that were not said to all yet, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn shadows_with(&self, ids: &[String]) -> Result<Vec<Shadow>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::shadows_with(&mut connection, ids).await?)
    }

    /// Where a message stands that an author is shown; none for what is not there.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn place_of(&self, author: i64, id: &str) -> Result<Option<Place>, Refusal> {
        let mut connection = self.pool.acquire().await?;
        Ok(store::place_of(&mut connection, author, id).await?)
    }

    /// Tells authors who watch what they have said since it was last looked.
    pub(super) async fn whisper(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let told = self.whispered.load(Ordering::Relaxed);
        for Shadow { no, author, message, .. } in store::shadows_after(connection, told).await? {
            self.whispered.fetch_max(no, Ordering::Relaxed);
            self.hub.whisper(author, event::unnumbered(&message));
        }
        Ok(())
    }
}
