//! Events that operators and schedules write directly, in a transaction of their own that holds the head
//! lock.

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use platform::clock::{self, Clock};
use platform::refusal::Refusal;
use rules::grid::Size;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::batch_context::Account;
use super::identity::Identity;
use super::{clock_watch, store};
use crate::season::Season;

/// The lock on the head of the log, held until the transaction ends.
pub struct HeadLock {
    /// The time of everything that the transaction writes.
    pub now: DateTime<Utc>,
    /// The number of the newest event.
    seq: Seq,
}

impl HeadLock {
    /// Locks the head.
    pub async fn acquire(connection: &mut PgConnection, clock: &Clock) -> Result<Self, sqlx::Error> {
        let head = clock_watch::lock_head(connection, clock).await?;
        Ok(Self { now: head.now, seq: head.seq })
    }

    /// Returns the account of a caller with its present rights, which may have changed since the request
    /// arrived.
    ///
    /// # Errors
    /// `KeyInvalid` if the key was replaced or revoked meanwhile.
    pub async fn find_account(
        &self,
        connection: &mut PgConnection,
        caller: &Identity,
    ) -> Result<Account, Refusal> {
        let account = store::accounts(connection, &[caller.no]).await?.pop();
        account.filter(|account| account.has_key(caller.into(), self.now)).ok_or(Refusal::KeyInvalid)
    }

    /// Opens a season with a blank canvas and an empty chat.
    pub async fn open_season(
        &mut self,
        connection: &mut PgConnection,
        title: String,
        size: Size,
    ) -> Result<Season, sqlx::Error> {
        let id = clock::new_id("season");
        let seq = self.take_seq();
        let opened_at = self.now;
        let season = Season { id, title, size, seq, opened_at };
        self.append_events(connection, &[season.opening()]).await?;
        store::insert_season(connection, &season).await?;
        Ok(season)
    }

    /// Takes the number of the next event, which the caller must append.
    pub fn take_seq(&mut self) -> Seq {
        self.seq = self.seq.next();
        self.seq
    }

    /// Appends events with the numbers that `take_seq` has returned. What else they change is written
    /// separately.
    pub async fn append_events(
        &self,
        connection: &mut PgConnection,
        events: &[Event],
    ) -> Result<(), sqlx::Error> {
        store::append_events(connection, events, self.now).await
    }
}
