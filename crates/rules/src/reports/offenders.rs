//! Accounts about which reports were upheld lately: their reports count double toward a shadow-ban.

use chrono::TimeDelta;

/// Time for which an upheld case makes the account that it is about a repeat offender.
pub const REPEAT_DURATION: TimeDelta = TimeDelta::days(90);
/// Factor of the weight of all reports about a repeat offender.
const REPEAT_FACTOR: i64 = 2;

/// Returns the weight of all reports about an account, in tenths, from their combined weight.
pub fn weight_against(combined_weight: i64, is_repeat_offender: bool) -> i64 {
    if is_repeat_offender { combined_weight * REPEAT_FACTOR } else { combined_weight }
}

#[cfg(test)]
mod tests {
    use super::super::{ACTION_THRESHOLD, FOLD_THRESHOLD, FULL_WEIGHT, MAX_BURST_WEIGHT};
    use super::*;

    #[test]
    fn reports_count_double_only_about_repeat_offenders() {
        assert_eq!([false, true].map(|is_repeat| weight_against(FULL_WEIGHT, is_repeat)), [10, 20]);
        assert_eq!([false, true].map(|is_repeat| weight_against(0, is_repeat)), [0, 0]);
    }

    #[test]
    fn two_full_reports_are_enough_about_a_repeat_offender_and_one_burst_is_not() {
        assert!(weight_against(FOLD_THRESHOLD, true) >= ACTION_THRESHOLD);
        assert!(weight_against(FOLD_THRESHOLD, false) < ACTION_THRESHOLD);
        assert!(weight_against(MAX_BURST_WEIGHT, true) < ACTION_THRESHOLD);
    }
}
