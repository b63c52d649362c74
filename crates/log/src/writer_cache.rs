//! The writer's cache: the head and the accounts after its last batch. It is valid until another instance
//! writes, which the next write detects by itself.

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use platform::clock::{Clock, monotonic_now};
use rules::numbers::{AccountNo, Seq};

use super::batch_context::{Account, Accounts};
use super::clock_watch::next_event_time;
use super::store::HeadPosition;
use super::store::LockedHead;

/// The time for which the database's clock is extrapolated after it was read.
const HEAD_MAX_AGE: Duration = Duration::from_secs(1);
/// The time after a conflict for which another one is likely, so that the head is locked first.
const CONTENTION_BACKOFF: Duration = Duration::from_secs(1);
/// The maximum number of cached accounts.
const MAX_CACHED_ACCOUNTS: usize = 100_000;

/// The log's head and the accounts, as of the last batch.
pub struct WriterCache {
    pub accounts: Accounts,
    head: Option<HeadPosition>,
    /// The time of the newest event.
    newest_event_at: DateTime<Utc>,
    /// The database's time when it was last read, and the time by which tests had moved everything by then.
    database_time: (DateTime<Utc>, TimeDelta),
    /// The monotonic time at which it was read.
    read_at: Instant,
    contended_at: Option<Instant>,
}

impl WriterCache {
    /// Returns an empty cache.
    pub fn empty() -> Self {
        Self {
            accounts: Accounts::new(),
            head: None,
            newest_event_at: DateTime::UNIX_EPOCH,
            database_time: (DateTime::UNIX_EPOCH, TimeDelta::zero()),
            read_at: monotonic_now(),
            contended_at: None,
        }
    }

    /// Returns the cached head, or `None` if it is unknown or probably outdated.
    pub fn likely_head(&self) -> Option<HeadPosition> {
        let is_contended = self.contended_at.is_some_and(|at| at.elapsed() < CONTENTION_BACKOFF);
        self.head.filter(|_| !is_contended && self.read_at.elapsed() < HEAD_MAX_AGE)
    }

    /// Returns the time of the next event, with the database's precision; `None` if the newest event lies in
    /// the future, so that times step back, which only a transaction with the head locked may do.
    pub fn now(&self, clock: &Clock) -> Option<DateTime<Utc>> {
        let (read_time, offset) = self.database_time;
        let elapsed = TimeDelta::from_std(self.read_at.elapsed()).unwrap_or_default();
        let now = (read_time + elapsed + (clock.moved_by() - offset)).trunc_subsecs(6);
        Some(next_event_time(now, self.newest_event_at)).filter(|time| *time >= self.newest_event_at)
    }

    /// Returns those of these agents whose accounts are not cached, each once.
    pub fn missing_accounts(&self, agents: &[AccountNo]) -> Vec<AccountNo> {
        let mut missing: Vec<AccountNo> =
            agents.iter().copied().filter(|agent| !self.accounts.contains_key(agent)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Caches accounts that were read at the head.
    pub fn insert_accounts(&mut self, accounts: Vec<Account>) {
        self.accounts.extend(accounts.into_iter().map(|account| (account.no, account)));
    }

    /// Updates the cache from the locked head. If another instance has written since, everything else is
    /// outdated.
    pub fn update_head(&mut self, head: &LockedHead, clock: &Clock) {
        let position = head.position();
        if self.head.is_some_and(|known| known != position) {
            self.mark_contended();
        }
        if self.head.is_none() || self.accounts.len() > MAX_CACHED_ACCOUNTS {
            self.accounts.clear();
        }
        self.head = Some(position);
        self.newest_event_at = head.at;
        self.database_time = (head.clock, clock.moved_by());
        self.read_at = monotonic_now();
    }

    /// Advances the cached head after a write of this instance.
    pub fn advance(&mut self, seq: Seq, at: DateTime<Utc>) {
        self.head = self.head.map(|known| HeadPosition {
            seq,
            // The batch had no events.
            epoch: if seq == known.seq { known.epoch + 1 } else { known.epoch },
            ..known
        });
        self.newest_event_at = at;
    }

    /// Records that another instance has written.
    pub fn mark_contended(&mut self) {
        self.invalidate();
        self.contended_at = Some(monotonic_now());
    }

    /// Invalidates the cache: the last batch may or may not have been written.
    pub fn invalidate(&mut self) {
        self.head = None;
        self.accounts.clear();
    }
}
