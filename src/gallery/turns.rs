//! Passes that become others by themselves: of two the better one has ended, and the longer one goes on.

use sqlx::Connection as _;

use super::{Gallery, passes, store};
use crate::log::Log;

impl Gallery {
    /// Tells the gate of all passes that have become others by now.
    ///
    /// # Errors
    /// That the database cannot be written.
    pub async fn turn_passes(&self, log: &Log) -> Result<(), sqlx::Error> {
        let mut connection = log.pool.acquire().await?;
        for viewer in store::turning(&mut connection, log.clock.now()).await? {
            let mut transaction = connection.begin().await?;
            passes::settle(&mut transaction, &self.tiers, viewer, log.clock.offset()).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}
