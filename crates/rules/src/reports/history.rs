//! The history of a reporter: rejected reports lower the weight of later ones, and the effect fades.

use chrono::{DateTime, TimeDelta, Utc};

/// Time after which a rejected report no longer lowers its reporter's weight.
pub const RECOVERY_DURATION: TimeDelta = TimeDelta::weeks(6);
/// Time for which a rejection covers new reports about the same account by the same reporters, or by new or
/// unknown ones on their networks: they do not count. Open reports by the same reporters cease to count at
/// the rejection.
pub const REJECTION_DURATION: TimeDelta = TimeDelta::weeks(4);

/// Returns the weight of a reporter, in tenths, after the reports rejected at these times.
///
/// `weight = round(base × 2^(−p))` with `p = Σ max(0, 1 − age ÷ 6 weeks)` over the rejected reports: each one
/// halves the weight when it is rejected, and its effect falls linearly to nothing within
/// [`RECOVERY_DURATION`].
#[allow(clippy::cast_possible_truncation, reason = "the result is between 0 and `base`")]
pub fn weight_after_rejections(base: i64, rejected_at: &[DateTime<Utc>], now: DateTime<Utc>) -> i64 {
    let halvings: f64 = rejected_at.iter().map(|at| remaining_effect(*at, now)).sum();
    (base as f64 * (-halvings).exp2()).round() as i64
}

/// Returns the effect of a rejection that remains: 1 at first, 0 from [`RECOVERY_DURATION`] on.
fn remaining_effect(rejected_at: DateTime<Utc>, now: DateTime<Utc>) -> f64 {
    let age = (now - rejected_at).num_seconds().max(0) as f64;
    (1.0 - age / RECOVERY_DURATION.num_seconds() as f64).max(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::FULL_WEIGHT;
    use super::*;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn week(weeks: i64) -> DateTime<Utc> {
        NOON + TimeDelta::weeks(weeks)
    }

    #[test]
    fn each_rejection_halves_the_weight_and_fades_within_six_weeks() {
        let weights =
            [0, 1, 2, 3, 4, 6].map(|weeks| weight_after_rejections(FULL_WEIGHT, &[NOON], week(weeks)));
        assert_eq!(weights, [5, 6, 6, 7, 8, 10]);
        assert_eq!(weight_after_rejections(FULL_WEIGHT, &[NOON; 2], NOON), 3);
        assert_eq!(weight_after_rejections(FULL_WEIGHT, &[NOON; 5], NOON), 0);
    }

    proptest! {
        #[test]
        fn weight_stays_between_zero_and_base_and_only_recovers(
            base in 0_i64..100, weeks in vec(0_i64..10, 0..20), later in 0_i64..10
        ) {
            let rejected: Vec<_> = weeks.into_iter().map(week).collect();
            let now = weight_after_rejections(base, &rejected, week(10));
            let then = weight_after_rejections(base, &rejected, week(10 + later));
            prop_assert!(0 <= now && now <= then && then <= base);
            prop_assert_eq!(weight_after_rejections(base, &rejected, week(16)), base);
        }

        #[test]
        fn one_more_rejection_never_raises_the_weight(base in 0_i64..100, weeks in vec(0_i64..10, 1..20)) {
            let rejected: Vec<_> = weeks.into_iter().map(week).collect();
            let fewer = weight_after_rejections(base, &rejected[1..], week(10));
            prop_assert!(weight_after_rejections(base, &rejected, week(10)) <= fewer);
        }
    }
}
