//! Digests: proof that an agent has read the chat, derived from the event log alone.
//!
//! A digest is a keyed hash of the newest messages' ids and the current time window. The tracker knows every
//! digest that was current lately, and the time until which it was.

mod author_digest;
#[cfg(test)]
mod tests;
mod visible_messages;

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

use visible_messages::VisibleMessages;
pub use visible_messages::{ChatChange, MAX_RETAINED_MESSAGES};

/// Number of the newest visible messages that a digest covers.
pub const MAX_COVERED_MESSAGES: usize = 50;
/// Time after which an old digest is reported as unknown rather than stale.
pub const DIGEST_RETENTION: TimeDelta = TimeDelta::hours(24);
/// Maximum number of past digests that are retained.
pub const MAX_RETAINED_DIGESTS: usize = 100_000;
/// Extra time for which a digest is accepted, for followers that lag and clocks that differ.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(1);

/// A chat digest of six bytes, written as twelve lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 6]);

impl Digest {
    /// Parses a digest sent by a client; `None` unless it has exactly twelve hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.is_ascii() && text.len() == 12;
        let value = u64::from_str_radix(text, 16).ok().filter(|_| hex && !text.starts_with('+'))?;
        let bytes = value.to_be_bytes();
        Some(Self([bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]))
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The validity of a digest that a client presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestStatus {
    /// The digest is current, or was within the grace period.
    Fresh,
    /// The digest was current before the grace period.
    Stale,
    /// The digest was not current within the retained time.
    Unknown,
}

/// The current and past digests of one chat.
pub struct DigestTracker {
    secret: [u8; 32],
    window: TimeDelta,
    messages: VisibleMessages,
    changed_at: DateTime<Utc>,
    current: (Digest, i64),
    /// The past digests. `ended_order` lists them, oldest first.
    ended: HashMap<Digest, DigestEnd>,
    ended_order: VecDeque<Digest>,
}

/// The moment at which a digest ceased to be current.
#[derive(Clone, Copy)]
struct DigestEnd {
    at: DateTime<Utc>,
    /// The number of messages that had been posted by then.
    posted_count: u64,
}

impl DigestTracker {
    /// Returns the digests of a chat that is empty at `start`. `window` is both the time window and the grace
    /// period.
    pub fn new(secret: [u8; 32], window: TimeDelta, start: DateTime<Utc>) -> Self {
        let mut tracker = Self {
            secret,
            window,
            messages: VisibleMessages::default(),
            changed_at: start,
            current: (Digest([0; 6]), 0),
            ended: HashMap::new(),
            ended_order: VecDeque::new(),
        };
        tracker.current = tracker.compute(tracker.window_at(start));
        tracker
    }

    /// Applies a change of the chat at `at`.
    pub fn record(&mut self, change: &ChatChange, at: DateTime<Utc>) {
        self.advance_window(at);
        self.retire_current(at);
        self.messages.apply(change);
        self.changed_at = at;
        self.current = self.compute(self.window_at(at));
    }

    /// Applies changes from before `start`, without recording the digests that were current then.
    pub fn seed(&mut self, changes: &[ChatChange], start: DateTime<Utc>) {
        changes.iter().for_each(|change| self.messages.apply(change));
        self.changed_at = start;
        self.current = self.compute(self.window_at(start));
    }

    /// Returns the digest that is current at `now`.
    pub fn current(&mut self, now: DateTime<Utc>) -> Digest {
        self.advance_window(now);
        self.current.0
    }

    /// Returns the digest that will be current at `at` once these changes are applied.
    pub fn preview(&self, changes: &[ChatChange], at: DateTime<Utc>) -> Digest {
        if let Some(newer) = changes.iter().map(ChatChange::posted_id).collect::<Option<Vec<&str>>>() {
            let all = [self.messages.visible(), newer].concat();
            return self.hash(&all[all.len().saturating_sub(MAX_COVERED_MESSAGES)..], self.window_at(at));
        }
        // Rare, and it clones all retained messages.
        let mut messages = self.messages.clone();
        changes.iter().for_each(|change| messages.apply(change));
        self.hash(&messages.visible(), self.window_at(at))
    }

    /// Returns the number of messages that the current digest covers.
    pub fn covered_count(&self) -> usize {
        self.messages.visible().len()
    }

    /// Returns the grace period: the time for which a served digest is accepted for certain.
    pub fn grace_period(&self) -> TimeDelta {
        self.window
    }

    /// Returns the status of a digest presented at `now`.
    pub fn evaluate(&mut self, digest: Digest, now: DateTime<Utc>) -> DigestStatus {
        self.advance_window(now);
        if digest == self.current.0 || self.upcoming_digest(now) == Some(digest) {
            return DigestStatus::Fresh;
        }
        match self.ended.get(&digest) {
            Some(end) if now <= end.at + self.window + CLOCK_TOLERANCE => DigestStatus::Fresh,
            Some(end) if now <= end.at + DIGEST_RETENTION => DigestStatus::Stale,
            _ => DigestStatus::Unknown,
        }
    }

    /// Returns the number of visible messages that were posted since a digest was last current, at most
    /// `max`; 0 if it is current or not retained.
    pub fn count_newer_messages(&self, digest: Digest, max: usize) -> usize {
        let end = self.ended.get(&digest).filter(|_| digest != self.current.0);
        end.map_or(0, |end| self.messages.count_visible_since(end.posted_count, max))
    }

    /// Returns the digest of an instance whose clock is ahead by less than [`CLOCK_TOLERANCE`], or `None` if
    /// it is the current one.
    fn upcoming_digest(&self, now: DateTime<Utc>) -> Option<Digest> {
        let window = self.window_at(now + CLOCK_TOLERANCE);
        (window > self.current.1).then(|| self.compute(window).0)
    }

    /// Retires the digests of all windows that have ended by `now`. If the clock was set back, the window is
    /// that of the new time, as on an instance that was started since.
    fn advance_window(&mut self, now: DateTime<Utc>) {
        let target = self.window_at(now);
        // Callers that compete may be late by a moment, and so be in the window before.
        if target < self.current.1 - 1 {
            self.retire_current(now);
            self.current = self.compute(target);
        }
        if target <= self.current.1 {
            return;
        }
        let max_windows = DIGEST_RETENTION.num_seconds() / self.window.num_seconds().max(1);
        let oldest = target - max_windows.min(MAX_RETAINED_DIGESTS as i64);
        if self.current.1 < oldest {
            self.current = self.compute(oldest);
        }
        while self.current.1 < target {
            let next = self.current.1 + 1;
            self.retire_current(self.window_start(next));
            self.current = self.compute(next);
        }
    }

    fn retire_current(&mut self, at: DateTime<Utc>) {
        let end = DigestEnd { at, posted_count: self.messages.posted_count() };
        if self.ended.insert(self.current.0, end).is_none() {
            self.ended_order.push_back(self.current.0);
        }
        while self.ended_order.len() > MAX_RETAINED_DIGESTS {
            if let Some(oldest) = self.ended_order.pop_front() {
                self.ended.remove(&oldest);
            }
        }
    }

    fn window_at(&self, time: DateTime<Utc>) -> i64 {
        time.max(self.changed_at).timestamp().div_euclid(self.window.num_seconds().max(1))
    }

    fn window_start(&self, window: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(window * self.window.num_seconds(), 0).unwrap_or(self.changed_at)
    }

    fn compute(&self, window: i64) -> (Digest, i64) {
        (self.hash(&self.messages.visible(), window), window)
    }

    fn hash(&self, ids: &[&str], window: i64) -> Digest {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret);
        for (position, id) in ids.iter().enumerate() {
            if position > 0 {
                hasher.update(b"|");
            }
            hasher.update(id.as_bytes());
        }
        hasher.update(format!(":{window}").as_bytes());
        truncate_hash(&hasher)
    }
}

fn truncate_hash(hasher: &blake3::Hasher) -> Digest {
    let mut digest = [0; 6];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..6]);
    Digest(digest)
}
