//! What the gate still knows from its last pass. It holds for as long as nobody else writes, which the next write
//! finds out by itself.

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};

use super::batch_context::{Account, Accounts};
use super::store::LockedHead;
use crate::clock::{Clock, monotonic_now};

/// For so long after a look the database's clock is taken to go like ours.
const HEAD_MAX_AGE: Duration = Duration::from_secs(1);
/// For so long after somebody else wrote, it is likely to happen again.
const CONTENTION_BACKOFF: Duration = Duration::from_secs(1);
/// More accounts than this are not kept.
const MAX_CACHED_ACCOUNTS: usize = 100_000;

/// Where the head stands: the numbers of the newest entries of both logs, and its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPosition {
    pub seq: i64,
    pub control: i64,
    /// Moves on when a write was given up that may still be under way.
    pub epoch: i64,
}

/// The log's head and the accounts, as this instance left or found them.
pub struct WriterCache {
    pub accounts: Accounts,
    head: Option<HeadPosition>,
    /// The time of the newest event.
    newest_event_at: DateTime<Utc>,
    /// The database's time at the last look, and how far tests had moved it.
    database_time: (DateTime<Utc>, TimeDelta),
    /// When that was, by a clock that nobody sets.
    read_at: Instant,
    contended_at: Option<Instant>,
}

impl WriterCache {
    /// Nothing is known.
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

    /// The head as it is likely to be still, if that is worth a try.
    pub fn likely_head(&self) -> Option<HeadPosition> {
        let is_contended = self.contended_at.is_some_and(|at| at.elapsed() < CONTENTION_BACKOFF);
        self.head.filter(|_| !is_contended && self.read_at.elapsed() < HEAD_MAX_AGE)
    }

    /// The database's time, as precise as it keeps it and never before the newest event's.
    pub fn now(&self, clock: &Clock) -> DateTime<Utc> {
        let (read_time, offset) = self.database_time;
        let elapsed = TimeDelta::from_std(self.read_at.elapsed()).unwrap_or_default();
        (read_time + elapsed + (clock.offset() - offset)).trunc_subsecs(6).max(self.newest_event_at)
    }

    /// Those of these agents whose accounts are not known, each once.
    pub fn missing_accounts(&self, agents: &[i64]) -> Vec<i64> {
        let mut missing: Vec<i64> =
            agents.iter().copied().filter(|agent| !self.accounts.contains_key(agent)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Remembers accounts that were read at the head.
    pub fn insert_accounts(&mut self, accounts: Vec<Account>) {
        self.accounts.extend(accounts.into_iter().map(|account| (account.no, account)));
    }

    /// The head was looked at behind the gate. What others wrote since makes everything else out of date.
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
        self.database_time = (head.now, clock.offset());
        self.read_at = monotonic_now();
    }

    /// This instance has written.
    pub fn advance(&mut self, seq: i64, at: DateTime<Utc>) {
        self.head = self.head.map(|numbers| HeadPosition { seq, ..numbers });
        self.newest_event_at = at;
    }

    /// Somebody else has written.
    pub fn mark_contended(&mut self) {
        self.invalidate();
        self.contended_at = Some(monotonic_now());
    }

    /// Nothing is known any more: what was decided may or may not have been written.
    pub fn invalidate(&mut self) {
        self.head = None;
        self.accounts.clear();
    }
}
