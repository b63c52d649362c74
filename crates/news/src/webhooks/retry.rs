//! The times of attempts.

use chrono::TimeDelta;
use platform::clock;

/// The time for which an attempt is repeated.
pub(super) const RETRY_PERIOD: TimeDelta = TimeDelta::hours(24);
/// The shortest and the longest time between two attempts, without jitter.
const MIN_RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
const MAX_RETRY_DELAY: TimeDelta = TimeDelta::hours(1);

/// Returns the time until the next attempt if all have failed for this long: half of it, so that it grows by
/// half with each attempt. The result is at random between 80 and 120 percent, so that receivers that come
/// back are not flooded.
pub(super) fn next_delay(failing_for: TimeDelta) -> TimeDelta {
    let delay = (failing_for / 2).clamp(MIN_RETRY_DELAY, MAX_RETRY_DELAY);
    // Without randomness, the delay has no jitter.
    let random = clock::random_bytes::<1>().map_or(128, |[byte]| i32::from(byte));
    delay * (800 + random * 400 / 255) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_from_seconds_to_an_hour() {
        for (failing_for, expected) in
            [(0, 5), (9, 5), (60, 30), (3_600, 1_800), (7_200, 3_600), (86_400, 3_600)]
        {
            for _ in 0..100 {
                let delay = next_delay(TimeDelta::seconds(failing_for)).num_milliseconds();
                assert!((expected * 800..=expected * 1_200).contains(&delay), "{failing_for}: {delay}");
            }
        }
        let delays: std::collections::HashSet<_> = (0..100).map(|_| next_delay(RETRY_PERIOD)).collect();
        assert!(delays.len() > 10, "the delays have jitter");
    }

    #[test]
    fn dead_receiver_gets_some_dozens_of_requests_in_a_day() {
        let mut failing_for = TimeDelta::zero();
        let mut attempts = 1;
        while failing_for < RETRY_PERIOD {
            failing_for += next_delay(failing_for);
            attempts += 1;
        }
        assert!((25..100).contains(&attempts), "{attempts}");
    }
}
