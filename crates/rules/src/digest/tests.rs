//! Tests of digests.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_digest_parses_and_prints_twelve_hex_digits(
        text in "[0-9a-fA-F+ g-]{11,13}|[0-9a-f]{12}|\\PC{0,13}",
    ) {
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
fn a_clock_that_was_set_back_has_the_window_of_its_new_time() {
    let mut ahead = tracker();
    let mut started_since = tracker();
    let future = ahead.current(at(3_600));
    assert_eq!(ahead.current(at(10)), started_since.current(at(10)));
    assert_eq!(ahead.evaluate(future, at(11)), DigestStatus::Fresh, "it was served a moment ago");
    assert_eq!(ahead.current(at(3_600)), future);
    assert_eq!(ahead.current(at(3_599)), future, "a caller that is late by a moment changes nothing");
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
    let mut one = tracker();
    let mut other = tracker();
    let empty = one.current(at(5));
    one.record(&posted("msg_a"), at(10));
    let served = one.current(at(11));
    other.record(&posted("msg_a"), at(10));
    assert_eq!(other.evaluate(empty, at(12)), DigestStatus::Fresh);
    assert_eq!(other.evaluate(served, at(12)), DigestStatus::Fresh);
}

#[test]
fn a_digest_of_a_clock_slightly_ahead_is_accepted() {
    let mut ahead = tracker();
    let mut behind = tracker();
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
    let mut long = tracker();
    let mut short = tracker();
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
        (tracker.ended_order.len(), tracker.ended.len()),
        (MAX_RETAINED_DIGESTS, MAX_RETAINED_DIGESTS)
    );
}

#[test]
fn a_hidden_message_is_replaced_by_an_older_one_until_it_is_restored() {
    let mut without = tracker();
    let mut tracker = tracker();
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
    let mut seeded = tracker();
    let mut recorded = tracker();
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

fn newer(tracker: &DigestTracker, digest: Digest) -> usize {
    tracker.count_newer_messages(digest, 9)
}

#[test]
fn messages_after_a_digest_are_counted_across_windows() {
    let mut tracker = tracker();
    tracker.record(&posted("msg_a"), at(1));
    let first = tracker.current(at(2));
    let next_window = tracker.current(at(300));
    assert_ne!(first, next_window);
    assert_eq!((newer(&tracker, first), newer(&tracker, next_window)), (0, 0));
    tracker.record(&posted("msg_b"), at(301));
    let second = tracker.current(at(302));
    tracker.record(&posted("msg_c"), at(302));
    assert_eq!([first, next_window, second].map(|digest| newer(&tracker, digest)), [2, 2, 1]);
    assert_eq!(tracker.count_newer_messages(first, 1), 1);
    let current = tracker.current(at(303));
    assert_eq!((newer(&tracker, current), newer(&tracker, Digest([9; 6]))), (0, 0));
}

#[test]
fn hidden_and_cleared_messages_are_not_newer() {
    let mut tracker = tracker();
    tracker.record(&posted("msg_a"), at(1));
    let digest = tracker.current(at(1));
    tracker.record(&posted("msg_b"), at(2));
    tracker.record(&posted("msg_c"), at(3));
    tracker.record(&ChatChange::Hidden("msg_b".into()), at(4));
    tracker.record(&ChatChange::Hidden("msg_a".into()), at(4));
    assert_eq!(newer(&tracker, digest), 1);
    tracker.record(&ChatChange::Restored("msg_a".into()), at(5));
    assert_eq!(
        newer(&tracker, digest),
        1,
        "a restored message is not newer than the digest that it precedes"
    );
    tracker.record(&ChatChange::Cleared, at(6));
    tracker.record(&posted("msg_d"), at(7));
    assert_eq!(newer(&tracker, digest), 1);
}

proptest! {
    #[test]
    fn every_served_digest_counts_the_visible_messages_after_it(
        steps in proptest::collection::vec((0_i64..200, 0_u8..5), 1..40),
        max in 0_usize..40,
    ) {
        let mut tracker = tracker();
        let mut now = 0;
        let mut served = Vec::new();
        // Whether each message is hidden, by its number.
        let mut hidden: Vec<bool> = Vec::new();
        for (seconds, action) in steps {
            now += seconds;
            served.push((tracker.current(at(now)), hidden.len()));
            if action == 0 && !hidden.is_empty() {
                let number = served.len() % hidden.len();
                hidden[number] = true;
                tracker.record(&ChatChange::Hidden(format!("msg_{number}")), at(now));
            } else {
                tracker.record(&posted(&format!("msg_{}", hidden.len())), at(now));
                hidden.push(false);
            }
        }
        for (digest, count) in served {
            // A digest that was current again later counts from then on.
            let later = usize::try_from(tracker.ended[&digest].posted_count).unwrap();
            prop_assert!(later >= count);
            let expected = hidden[later..].iter().filter(|hidden| !**hidden).count().min(max);
            prop_assert_eq!(tracker.count_newer_messages(digest, max), expected);
        }
    }
}
