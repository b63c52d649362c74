//! What the gate still knows from its last pass. It holds for as long as nobody else writes, which the next write
//! finds out by itself.

use std::time::{Duration, Instant};

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};

use super::ground::{Account, Accounts};
use super::store::LockedHead;
use crate::clock::{Clock, moment};

/// For so long after a look the database's clock is taken to go like ours.
const IN_STEP: Duration = Duration::from_secs(1);
/// For so long after somebody else wrote, it is likely to happen again.
const CROWDED: Duration = Duration::from_secs(1);
/// More accounts than this are not kept.
const MOST: usize = 100_000;

/// Where the head stands: the numbers of the newest entries of both logs, and its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub seq: i64,
    pub control: i64,
    /// Moves on when a write was given up that may still be under way.
    pub turn: i64,
}

/// The log's head and the accounts, as this instance left or found them.
pub struct Footing {
    pub accounts: Accounts,
    numbers: Option<Numbers>,
    /// The time of the newest event.
    at: DateTime<Utc>,
    /// The database's time at the last look, and how far tests had moved it.
    looked: (DateTime<Utc>, TimeDelta),
    /// When that was, by a clock that nobody sets.
    looked_at: Instant,
    crowded_at: Option<Instant>,
}

impl Footing {
    /// Nothing is known.
    pub fn none() -> Self {
        Self {
            accounts: Accounts::new(),
            numbers: None,
            at: DateTime::UNIX_EPOCH,
            looked: (DateTime::UNIX_EPOCH, TimeDelta::zero()),
            looked_at: moment(),
            crowded_at: None,
        }
    }

    /// The head as it is likely to be still, if that is worth a try.
    pub fn likely_head(&self) -> Option<Numbers> {
        let crowded = self.crowded_at.is_some_and(|at| at.elapsed() < CROWDED);
        self.numbers.filter(|_| !crowded && self.looked_at.elapsed() < IN_STEP)
    }

    /// The database's time, as precise as it keeps it and never before the newest event's.
    pub fn now(&self, clock: &Clock) -> DateTime<Utc> {
        let (then, offset) = self.looked;
        let since = TimeDelta::from_std(self.looked_at.elapsed()).unwrap_or_default();
        (then + since + (clock.offset() - offset)).trunc_subsecs(6).max(self.at)
    }

    /// Those of these agents whose accounts are not known, each once.
    pub fn missing(&self, agents: &[i64]) -> Vec<i64> {
        let mut missing: Vec<i64> =
            agents.iter().copied().filter(|agent| !self.accounts.contains_key(agent)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Remembers accounts that were read at the head.
    pub fn learn(&mut self, accounts: Vec<Account>) {
        self.accounts.extend(accounts.into_iter().map(|account| (account.no, account)));
    }

    /// The head was looked at behind the gate. What others wrote since makes everything else out of date.
    pub fn found(&mut self, head: &LockedHead, clock: &Clock) {
        let numbers = head.numbers();
        if self.numbers.is_some_and(|known| known != numbers) {
            self.shaken();
        }
        if self.numbers.is_none() || self.accounts.len() > MOST {
            self.accounts.clear();
        }
        self.numbers = Some(numbers);
        self.at = head.at;
        self.looked = (head.now, clock.offset());
        self.looked_at = moment();
    }

    /// This instance has written.
    pub fn moved(&mut self, seq: i64, at: DateTime<Utc>) {
        self.numbers = self.numbers.map(|numbers| Numbers { seq, ..numbers });
        self.at = at;
    }

    /// Somebody else has written.
    pub fn shaken(&mut self) {
        self.lose();
        self.crowded_at = Some(moment());
    }

    /// Nothing is known any more: what was decided may or may not have been written.
    pub fn lose(&mut self) {
        self.numbers = None;
        self.accounts.clear();
    }
}
