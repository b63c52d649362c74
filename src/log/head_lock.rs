//! Events that operators and schedules write directly, in a transaction of their own that holds the head
//! lock.

use chrono::{DateTime, Utc};
use platform::clock::{self, Clock};
use platform::refusal::Refusal;
use rules::grid::{Corners, Size};
use rules::message::Message;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::batch_context::Account;
use super::key_cache::Identity;
use super::{clock_watch, store};
use crate::log::live::plan::{PlanChange, PlanRecord};
use crate::log::world::Season;

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
        let seq = self.next_seq();
        let opened_at = self.now;
        store::append_event(connection, seq, "season", &id, opened_at).await?;
        let season = Season { id, title, size, seq, opened_at };
        store::insert_season(connection, &season).await?;
        Ok(season)
    }

    /// Posts a system message.
    pub async fn post_system_message(
        &mut self,
        connection: &mut PgConnection,
        content: String,
    ) -> Result<(), sqlx::Error> {
        self.post_system_message_about(connection, content, None).await
    }

    /// Posts a system message about a region.
    pub async fn post_system_message_about(
        &mut self,
        connection: &mut PgConnection,
        content: String,
        region: Option<Corners>,
    ) -> Result<(), sqlx::Error> {
        let message = Message {
            id: clock::new_id("msg"),
            seq: self.next_seq(),
            region,
            ..Message::from_system(content, self.now)
        };
        store::append_event(connection, message.seq, "chat", &message.id, self.now).await?;
        store::insert_announcement(connection, &message).await
    }

    /// Writes plans that have ended, with events of those that everyone can see.
    pub(super) async fn end_plans(
        &mut self,
        connection: &mut PgConnection,
        ended: Vec<PlanRecord>,
    ) -> Result<(), sqlx::Error> {
        store::end_plans(connection, &ended).await?;
        let public = ended.into_iter().filter(|record| record.is_visible_to(None));
        let changes: Vec<PlanChange> = public.map(|record| self.next_plan_change(record)).collect();
        let events: Vec<_> =
            changes.iter().map(|change| (change.seq, "plan", change.plan_id.as_str())).collect();
        store::append_events(connection, &events, self.now).await?;
        store::insert_plan_events(connection, &changes.iter().collect::<Vec<_>>()).await
    }

    fn next_plan_change(&mut self, record: PlanRecord) -> PlanChange {
        let seq = self.next_seq();
        let plan_id = record.id.clone();
        let state = record.told_state;
        let version = record.version;
        PlanChange { seq, plan_id, state, version, record: record.into() }
    }

    fn next_seq(&mut self) -> Seq {
        self.seq = self.seq.next();
        self.seq
    }
}
