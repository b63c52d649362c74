//! Digests: proof that an agent has read the chat, derived from the event log alone.
//!
//! A digest is a keyed hash of the newest messages' ids and the current time window. The tracker knows every
//! digest that was current lately, and the time until which it was.

mod author_digest;
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
    /// The time at which each past digest ceased to be current. `ended_order` lists them, oldest first.
    ended_at: HashMap<Digest, DateTime<Utc>>,
    ended_order: VecDeque<Digest>,
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
            ended_at: HashMap::new(),
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
        match self.ended_at.get(&digest) {
            Some(end) if now <= *end + self.window + CLOCK_TOLERANCE => DigestStatus::Fresh,
            Some(end) if now <= *end + DIGEST_RETENTION => DigestStatus::Stale,
            _ => DigestStatus::Unknown,
        }
    }

    /// Returns the digest of an instance whose clock is ahead by less than [`CLOCK_TOLERANCE`], or `None` if
    /// it is the current one.
    fn upcoming_digest(&self, now: DateTime<Utc>) -> Option<Digest> {
        let window = self.window_at(now + CLOCK_TOLERANCE);
        (window > self.current.1).then(|| self.compute(window).0)
    }

    /// Retires the digests of all windows that have ended by `now`.
    fn advance_window(&mut self, now: DateTime<Utc>) {
        let target = self.window_at(now);
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
        if self.ended_at.insert(self.current.0, at).is_none() {
            self.ended_order.push_back(self.current.0);
        }
        while self.ended_order.len() > MAX_RETAINED_DIGESTS {
            if let Some(oldest) = self.ended_order.pop_front() {
                self.ended_at.remove(&oldest);
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_digest_parses_and_prints_twelve_hex_digits(text in "[0-9a-fA-F+ g-]{11,13}|[0-9a-f]{12}|\\PC{0,13}") {
            let digits = text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            let read = Digest::parse(&text).map(|digest| digest.to_string());
            prop_assert_eq!(read, digits.then(|| text.to_ascii_lowercase()));
        }
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(3_000_000 + seconds, 0).unwrap()
    }

    fn posted(id: &str) -> ChatChange {
        ChatChange::Posted(id.to_owned())
    }

    fn tracker() -> DigestTracker {
        DigestTracker::new([7; 32], TimeDelta::seconds(300), at(0))
    }

    #[test]
    fn a_digest_is_twelve_hex_digits_of_keyed_blake3_over_ids_and_window() {
        let mut tracker = tracker();
        tracker.record(&posted("msg_a"), at(1));
        tracker.record(&posted("msg_b"), at(2));
        let expected = blake3::keyed_hash(&[7; 32], b"msg_a|msg_b:10000").to_hex();
        assert_eq!(tracker.current(at(3)).to_string(), expected[..12]);
    }

    #[test]
    fn a_digest_changes_with_each_message_and_each_window() {
        let mut tracker = tracker();
        let first = tracker.current(at(10));
        tracker.record(&posted("msg_a"), at(11));
        let second = tracker.current(at(12));
        let third = tracker.current(at(300));
        assert!(first != second && second != third && first != third);
    }

    #[test]
    fn a_digest_stays_fresh_for_the_grace_period() {
        let mut tracker = tracker();
        let before = tracker.current(at(10));
        tracker.record(&posted("msg_a"), at(20));
        assert_eq!(tracker.evaluate(before, at(320)), DigestStatus::Fresh);
        assert_eq!(tracker.evaluate(before, at(321)), DigestStatus::Fresh, "one second of slack");
        assert_eq!(tracker.evaluate(before, at(322)), DigestStatus::Stale);
    }

    #[test]
    fn the_digest_of_an_ended_window_has_the_grace_period() {
        let mut tracker = tracker();
        let first = tracker.current(at(0));
        assert_eq!(tracker.evaluate(first, at(599)), DigestStatus::Fresh);
        assert_eq!(tracker.evaluate(first, at(602)), DigestStatus::Stale);
        assert_eq!(
            tracker.evaluate(first, at(300) + DIGEST_RETENTION + TimeDelta::seconds(1)),
            DigestStatus::Unknown
        );
    }

    #[test]
    fn a_digest_that_was_never_current_is_unknown() {
        let unknown = Digest::parse("0123456789ab").unwrap();
        assert_eq!(tracker().evaluate(unknown, at(5)), DigestStatus::Unknown);
    }

    #[test]
    fn trackers_with_the_same_log_agree() {
        let (mut one, mut other) = (tracker(), tracker());
        let empty = one.current(at(5));
        one.record(&posted("msg_a"), at(10));
        let served = one.current(at(11));
        other.record(&posted("msg_a"), at(10));
        assert_eq!(other.evaluate(empty, at(12)), DigestStatus::Fresh);
        assert_eq!(other.evaluate(served, at(12)), DigestStatus::Fresh);
    }

    #[test]
    fn a_digest_of_a_clock_slightly_ahead_is_accepted() {
        let (mut ahead, mut behind) = (tracker(), tracker());
        let served = ahead.current(at(300));
        assert_eq!(behind.evaluate(served, at(299)), DigestStatus::Fresh);
        assert_eq!(behind.evaluate(served, at(298)), DigestStatus::Unknown);
    }

    #[test]
    fn a_preview_equals_the_later_digest() {
        let mut tracker = tracker();
        for number in 0..MAX_COVERED_MESSAGES {
            tracker.record(&posted(&format!("msg_{number}")), at(2));
        }
        let preview = tracker.preview(&[posted("msg_a"), posted("msg_b")], at(3));
        tracker.record(&posted("msg_a"), at(3));
        tracker.record(&posted("msg_b"), at(3));
        assert_eq!(preview, tracker.current(at(3)));
    }

    #[test]
    fn only_the_newest_fifty_count() {
        let (mut long, mut short) = (tracker(), tracker());
        long.record(&posted("msg_old"), at(1));
        for number in 0..MAX_COVERED_MESSAGES {
            long.record(&posted(&format!("msg_{number}")), at(2));
            short.record(&posted(&format!("msg_{number}")), at(2));
        }
        assert_eq!(long.covered_count(), MAX_COVERED_MESSAGES);
        assert_eq!(long.current(at(3)), short.current(at(3)));
    }

    #[test]
    fn a_long_silence_retains_a_bounded_number_of_digests() {
        let mut tracker = DigestTracker::new([7; 32], TimeDelta::seconds(1), at(0));
        tracker.current(at(1_000_000_000));
        assert!(tracker.ended_order.len() <= MAX_RETAINED_DIGESTS);
    }

    #[test]
    fn a_day_of_windows_is_retained_across_a_silence() {
        let mut tracker = tracker();
        assert_eq!(tracker.grace_period(), TimeDelta::minutes(5));
        let first = tracker.current(at(0));
        tracker.current(at(0) + DIGEST_RETENTION);
        assert_eq!(tracker.evaluate(first, at(0) + DIGEST_RETENTION), DigestStatus::Stale);
        assert_eq!(tracker.ended_order.len(), 288);
    }

    #[test]
    fn no_more_than_the_maximum_of_digests_is_retained() {
        let mut tracker = tracker();
        for number in 0..=MAX_RETAINED_DIGESTS {
            let digest = Digest((number as u64).to_be_bytes()[2..].try_into().unwrap());
            tracker.current.0 = digest;
            tracker.retire_current(at(1));
        }
        assert_eq!(
            (tracker.ended_order.len(), tracker.ended_at.len()),
            (MAX_RETAINED_DIGESTS, MAX_RETAINED_DIGESTS)
        );
    }

    #[test]
    fn a_hidden_message_is_replaced_by_an_older_one_until_it_is_restored() {
        let (mut tracker, mut without) = (tracker(), tracker());
        for number in 0..=MAX_COVERED_MESSAGES {
            tracker.record(&posted(&format!("msg_{number}")), at(2));
            if number != 7 {
                without.record(&posted(&format!("msg_{number}")), at(2));
            }
        }
        let before = tracker.current(at(3));
        let preview = tracker.preview(&[ChatChange::Hidden("msg_7".into())], at(3));
        tracker.record(&ChatChange::Hidden("msg_7".into()), at(3));
        assert_eq!(tracker.current(at(3)), without.current(at(3)));
        assert_eq!((preview, tracker.covered_count()), (tracker.current(at(3)), MAX_COVERED_MESSAGES));
        tracker.record(&ChatChange::Restored("msg_7".into()), at(4));
        assert_eq!(tracker.current(at(4)), before);
    }

    #[test]
    fn a_new_season_clears_the_chat_and_the_old_digest_keeps_its_grace_period() {
        let mut tracker = tracker();
        tracker.record(&posted("msg_a"), at(2));
        let before = tracker.current(at(3));
        tracker.record(&ChatChange::Cleared, at(4));
        assert_eq!(tracker.covered_count(), 0);
        assert_eq!(tracker.evaluate(before, at(5)), DigestStatus::Fresh);
    }

    #[test]
    fn seeded_changes_count_like_recorded_ones() {
        let (mut seeded, mut recorded) = (tracker(), tracker());
        let changes = [posted("msg_a"), posted("msg_b"), ChatChange::Hidden("msg_a".into())];
        changes.iter().for_each(|change| recorded.record(change, at(2)));
        seeded.seed(&changes, at(2));
        assert_eq!(seeded.current(at(3)), recorded.current(at(3)));
    }

    #[test]
    fn only_twelve_hex_digits_parse() {
        assert!(Digest::parse("00ff00ff00ff").is_some());
        for wrong in ["", "00ff00ff00f", "00ff00ff00ff0", "+0ff00ff00ff", "zzzzzzzzzzzz", "ééé00ff"] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }
}
