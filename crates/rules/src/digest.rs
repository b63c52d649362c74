//! Digests: what proves that someone has read the chat, derived from the log alone.
//!
//! A digest is a function of the newest messages and of the current window of time. The book
//! knows every digest that was ever current lately, and until when it was.

mod author;
mod heard;

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

use heard::Heard;
pub use heard::{KEPT, Turn};

/// How many of the newest visible messages a digest covers.
pub const COVERED: usize = 50;
/// A digest older than this is unknown rather than stale.
pub const REMEMBERED: TimeDelta = TimeDelta::hours(24);
/// No more digests than this are remembered.
pub const REMEMBERED_MOST: usize = 100_000;
/// Acceptance lasts longer than promised, for followers that lag and clocks that differ.
const SLACK: TimeDelta = TimeDelta::seconds(1);

/// Twelve lowercase hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest([u8; 6]);

impl Digest {
    /// Reads what a client sent; `None` unless it is twelve hex digits.
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

/// What a digest that someone shows is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Current, or was within the grace.
    Fresh,
    /// Was current once, too long ago.
    Stale,
    /// Never current, as far as the book goes back.
    Unknown,
}

/// The digests of one chat.
pub struct DigestBook {
    secret: [u8; 32],
    window: TimeDelta,
    heard: Heard,
    since: DateTime<Utc>,
    current: (Digest, i64),
    /// When each digest ceased to be current, in the order in which they did.
    ended: HashMap<Digest, DateTime<Utc>>,
    order: VecDeque<Digest>,
}

impl DigestBook {
    /// A chat without messages at `start`; `window` is both the window and the grace.
    pub fn new(secret: [u8; 32], window: TimeDelta, start: DateTime<Utc>) -> Self {
        let mut book = Self {
            secret,
            window,
            heard: Heard::default(),
            since: start,
            current: (Digest([0; 6]), 0),
            ended: HashMap::new(),
            order: VecDeque::new(),
        };
        book.current = book.compute(book.window_of(start));
        book
    }

    /// What the chat shows changed at `at`.
    pub fn record(&mut self, turn: &Turn, at: DateTime<Utc>) {
        self.advance(at);
        self.end_current(at);
        self.heard.take(turn);
        self.since = at;
        self.current = self.compute(self.window_of(at));
    }

    /// What changed before anyone cares which digest was current.
    pub fn seed(&mut self, turns: &[Turn], start: DateTime<Utc>) {
        turns.iter().for_each(|turn| self.heard.take(turn));
        self.since = start;
        self.current = self.compute(self.window_of(start));
    }

    /// The digest at `now`.
    pub fn current(&mut self, now: DateTime<Utc>) -> Digest {
        self.advance(now);
        self.current.0
    }

    /// What the digest will be at `at` once these changes have happened.
    pub fn preview(&self, turns: &[Turn], at: DateTime<Utc>) -> Digest {
        if let Some(newer) = turns.iter().map(Turn::said).collect::<Option<Vec<&str>>>() {
            let all = [self.heard.visible(), newer].concat();
            return self.hash(&all[all.len().saturating_sub(COVERED)..], self.window_of(at));
        }
        // Rare, and a copy of everything that is known.
        let mut heard = self.heard.clone();
        turns.iter().for_each(|turn| heard.take(turn));
        self.hash(&heard.visible(), self.window_of(at))
    }

    /// How many messages the current digest covers.
    pub fn covered(&self) -> usize {
        self.heard.visible().len()
    }

    /// How long after it was served a digest is promised to be accepted.
    pub fn grace(&self) -> TimeDelta {
        self.window
    }

    /// Judges a digest that was shown at `now`.
    pub fn judge(&mut self, digest: Digest, now: DateTime<Utc>) -> Verdict {
        self.advance(now);
        if digest == self.current.0 || self.early(now) == Some(digest) {
            return Verdict::Fresh;
        }
        match self.ended.get(&digest) {
            Some(end) if now <= *end + self.window + SLACK => Verdict::Fresh,
            Some(end) if now <= *end + REMEMBERED => Verdict::Stale,
            _ => Verdict::Unknown,
        }
    }

    /// The digest that an instance whose clock is a little ahead already serves.
    fn early(&self, now: DateTime<Utc>) -> Option<Digest> {
        let window = self.window_of(now + SLACK);
        (window > self.current.1).then(|| self.compute(window).0)
    }

    /// Turns the pages of all windows that have ended by `now`.
    fn advance(&mut self, now: DateTime<Utc>) {
        let target = self.window_of(now);
        if target <= self.current.1 {
            return;
        }
        let remembered = REMEMBERED.num_seconds() / self.window.num_seconds().max(1);
        let oldest = target - remembered.min(REMEMBERED_MOST as i64);
        if self.current.1 < oldest {
            self.current = self.compute(oldest);
        }
        while self.current.1 < target {
            let next = self.current.1 + 1;
            self.end_current(self.start_of(next));
            self.current = self.compute(next);
        }
    }

    fn end_current(&mut self, at: DateTime<Utc>) {
        if self.ended.insert(self.current.0, at).is_none() {
            self.order.push_back(self.current.0);
        }
        while self.order.len() > REMEMBERED_MOST {
            if let Some(oldest) = self.order.pop_front() {
                self.ended.remove(&oldest);
            }
        }
    }

    fn window_of(&self, time: DateTime<Utc>) -> i64 {
        time.max(self.since).timestamp().div_euclid(self.window.num_seconds().max(1))
    }

    fn start_of(&self, window: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(window * self.window.num_seconds(), 0).unwrap_or(self.since)
    }

    fn compute(&self, window: i64) -> (Digest, i64) {
        (self.hash(&self.heard.visible(), window), window)
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
        shortened(&hasher)
    }
}

fn shortened(hasher: &blake3::Hasher) -> Digest {
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

    fn said(id: &str) -> Turn {
        Turn::Said(id.to_owned())
    }

    fn book() -> DigestBook {
        DigestBook::new([7; 32], TimeDelta::seconds(300), at(0))
    }

    #[test]
    fn a_digest_is_twelve_hex_digits_of_keyed_blake3_over_ids_and_window() {
        let mut book = book();
        book.record(&said("msg_a"), at(1));
        book.record(&said("msg_b"), at(2));
        let expected = blake3::keyed_hash(&[7; 32], b"msg_a|msg_b:10000").to_hex();
        assert_eq!(book.current(at(3)).to_string(), expected[..12]);
    }

    #[test]
    fn a_digest_changes_with_each_message_and_each_window() {
        let mut book = book();
        let first = book.current(at(10));
        book.record(&said("msg_a"), at(11));
        let second = book.current(at(12));
        let third = book.current(at(300));
        assert!(first != second && second != third && first != third);
    }

    #[test]
    fn a_digest_stays_fresh_for_the_grace_period() {
        let mut book = book();
        let before = book.current(at(10));
        book.record(&said("msg_a"), at(20));
        assert_eq!(book.judge(before, at(320)), Verdict::Fresh);
        assert_eq!(book.judge(before, at(321)), Verdict::Fresh, "one second of slack");
        assert_eq!(book.judge(before, at(322)), Verdict::Stale);
    }

    #[test]
    fn the_digest_of_an_ended_window_has_the_grace_period() {
        let mut book = book();
        let first = book.current(at(0));
        assert_eq!(book.judge(first, at(599)), Verdict::Fresh);
        assert_eq!(book.judge(first, at(602)), Verdict::Stale);
        assert_eq!(book.judge(first, at(300) + REMEMBERED + TimeDelta::seconds(1)), Verdict::Unknown);
    }

    #[test]
    fn a_digest_that_was_never_current_is_unknown() {
        let unknown = Digest::parse("0123456789ab").unwrap();
        assert_eq!(book().judge(unknown, at(5)), Verdict::Unknown);
    }

    #[test]
    fn trackers_with_the_same_log_agree() {
        let (mut one, mut other) = (book(), book());
        let empty = one.current(at(5));
        one.record(&said("msg_a"), at(10));
        let served = one.current(at(11));
        other.record(&said("msg_a"), at(10));
        assert_eq!(other.judge(empty, at(12)), Verdict::Fresh);
        assert_eq!(other.judge(served, at(12)), Verdict::Fresh);
    }

    #[test]
    fn a_digest_of_a_clock_slightly_ahead_is_accepted() {
        let (mut ahead, mut behind) = (book(), book());
        let served = ahead.current(at(300));
        assert_eq!(behind.judge(served, at(299)), Verdict::Fresh);
        assert_eq!(behind.judge(served, at(298)), Verdict::Unknown);
    }

    #[test]
    fn a_preview_equals_the_later_digest() {
        let mut book = book();
        for number in 0..COVERED {
            book.record(&said(&format!("msg_{number}")), at(2));
        }
        let preview = book.preview(&[said("msg_a"), said("msg_b")], at(3));
        book.record(&said("msg_a"), at(3));
        book.record(&said("msg_b"), at(3));
        assert_eq!(preview, book.current(at(3)));
    }

    #[test]
    fn only_the_newest_fifty_count() {
        let (mut long, mut short) = (book(), book());
        long.record(&said("msg_old"), at(1));
        for number in 0..COVERED {
            long.record(&said(&format!("msg_{number}")), at(2));
            short.record(&said(&format!("msg_{number}")), at(2));
        }
        assert_eq!(long.covered(), COVERED);
        assert_eq!(long.current(at(3)), short.current(at(3)));
    }

    #[test]
    fn a_long_silence_retains_a_bounded_number_of_digests() {
        let mut book = DigestBook::new([7; 32], TimeDelta::seconds(1), at(0));
        book.current(at(1_000_000_000));
        assert!(book.order.len() <= REMEMBERED_MOST);
    }

    #[test]
    fn a_day_of_windows_is_retained_across_a_silence() {
        let mut book = book();
        assert_eq!(book.grace(), TimeDelta::minutes(5));
        let first = book.current(at(0));
        book.current(at(0) + REMEMBERED);
        assert_eq!(book.judge(first, at(0) + REMEMBERED), Verdict::Stale);
        assert_eq!(book.order.len(), 288);
    }

    #[test]
    fn no_more_than_the_maximum_of_digests_is_retained() {
        let mut book = book();
        for number in 0..=REMEMBERED_MOST {
            let digest = Digest((number as u64).to_be_bytes()[2..].try_into().unwrap());
            book.current.0 = digest;
            book.end_current(at(1));
        }
        assert_eq!((book.order.len(), book.ended.len()), (REMEMBERED_MOST, REMEMBERED_MOST));
    }

    #[test]
    fn a_hidden_message_is_replaced_by_an_older_one_until_it_is_restored() {
        let (mut book, mut without) = (book(), book());
        for number in 0..=COVERED {
            book.record(&said(&format!("msg_{number}")), at(2));
            if number != 7 {
                without.record(&said(&format!("msg_{number}")), at(2));
            }
        }
        let before = book.current(at(3));
        let preview = book.preview(&[Turn::Hidden("msg_7".into())], at(3));
        book.record(&Turn::Hidden("msg_7".into()), at(3));
        assert_eq!(book.current(at(3)), without.current(at(3)));
        assert_eq!((preview, book.covered()), (book.current(at(3)), COVERED));
        book.record(&Turn::Restored("msg_7".into()), at(4));
        assert_eq!(book.current(at(4)), before);
    }

    #[test]
    fn a_new_season_clears_the_chat_and_the_old_digest_keeps_its_grace_period() {
        let mut book = book();
        book.record(&said("msg_a"), at(2));
        let before = book.current(at(3));
        book.record(&Turn::Cleared, at(4));
        assert_eq!(book.covered(), 0);
        assert_eq!(book.judge(before, at(5)), Verdict::Fresh);
    }

    #[test]
    fn seeded_changes_count_like_recorded_ones() {
        let (mut seeded, mut recorded) = (book(), book());
        let turns = [said("msg_a"), said("msg_b"), Turn::Hidden("msg_a".into())];
        turns.iter().for_each(|turn| recorded.record(turn, at(2)));
        seeded.seed(&turns, at(2));
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
