//! The weights of reports: a reporter that has painted or paid counts in full, and an owner counts once.
//! Reporters of one network together count little more than one, reporters of low trust together count as
//! one, and a burst alone never reaches the threshold.

pub mod alert;
pub mod explanation;
pub mod history;
pub mod networks;
pub mod offenders;

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

/// Weight of a fully trusted reporter. Weights are in tenths.
pub const FULL_WEIGHT: i64 = 10;
/// Weight of an agent that has painted, but was registered hours ago.
const FIRST_HOURS_WEIGHT: i64 = 5;
/// Weight of a new or unknown reporter.
const LOW_TRUST_WEIGHT: i64 = 2;
/// Weight of a viewer with a Gallery Pass.
const PASS_HOLDER_WEIGHT: i64 = 15;
/// Maximum total of all reporters with less than full weight: new, unknown, or lowered by their history.
const MAX_LOW_TRUST_TOTAL: i64 = 10;
/// Weight of a network beyond that of its strongest reporter, independent of the number of its reporters. Two
/// networks never reach the threshold: `2 × (FULL_WEIGHT + NETWORK_EXTRA_WEIGHT) < ACTION_THRESHOLD`.
const NETWORK_EXTRA_WEIGHT: i64 = 2;
/// Maximum weight of a report of a name, which refers to neither a message nor pixels and never counts
/// against an account.
const MAX_NAME_REPORT_WEIGHT: i64 = 1;
/// Maximum total weight within a burst.
const MAX_BURST_WEIGHT: i64 = 10;
/// Total weight that triggers an automatic shadow-ban.
pub const ACTION_THRESHOLD: i64 = 30;
/// Total weight of the reports about one message from which it is folded, that is, shown on request only. It
/// takes two reporters of full weight from two networks, and more than a burst. It is below the threshold of
/// a shadow-ban, because a folded message can still be read.
pub const FOLD_THRESHOLD: i64 = 20;
/// Duration of a burst.
const BURST_DURATION: TimeDelta = TimeDelta::minutes(10);
/// Time for which a report has weight.
pub const REPORT_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// Number of placements that an agent needs for more than the weight of a new one.
const MIN_TRUSTED_PIXELS: i64 = 10;
/// Time since registration that an agent needs for more than the weight of a new one.
const MIN_KNOWN_AGE: TimeDelta = TimeDelta::hours(1);
/// Time since registration that an agent needs for full weight.
const MIN_TRUSTED_AGE: TimeDelta = TimeDelta::hours(6);
/// Share of a rectangle's painted pixels that makes an agent responsible for the rectangle.
const MIN_RESPONSIBLE_SHARE: f64 = 0.8;
/// Share of a rectangle's painted pixels from which operators are proposed an agent as the reported one.
const MIN_PROPOSED_SHARE: f64 = 2.0 / 3.0;

/// The trust in a reporter.
#[derive(Clone, Copy, Debug)]
pub enum ReporterTrust {
    /// A reporter without a key.
    Unknown,
    /// An agent.
    Agent { pixels_placed: i64, since: DateTime<Utc> },
    /// A viewer with a valid pass.
    PassHolder,
}

impl ReporterTrust {
    /// Returns the reporter's weight in tenths.
    pub fn weight(&self, now: DateTime<Utc>) -> i64 {
        match self {
            Self::Unknown => LOW_TRUST_WEIGHT,
            Self::Agent { pixels_placed, .. } if *pixels_placed < MIN_TRUSTED_PIXELS => LOW_TRUST_WEIGHT,
            Self::Agent { since, .. } => age_weight(now - *since),
            Self::PassHolder => PASS_HOLDER_WEIGHT,
        }
    }
}

/// Returns the weight of an agent that has painted, by the time since its registration.
fn age_weight(age: TimeDelta) -> i64 {
    if age < MIN_KNOWN_AGE {
        LOW_TRUST_WEIGHT
    } else if age < MIN_TRUSTED_AGE {
        FIRST_HOURS_WEIGHT
    } else {
        FULL_WEIGHT
    }
}

/// A report with its weight.
#[derive(Clone, Debug)]
pub struct WeightedReport {
    /// The time of the report.
    pub at: DateTime<Utc>,
    /// The owner behind all accounts of the reporter.
    pub owner: Vec<u8>,
    /// The account, or a hash of the address of a reporter without a key.
    pub reporter: Vec<u8>,
    /// The known networks that the reporter registered and reported from.
    pub networks: Vec<Vec<u8>>,
    /// Weight of the reporter in tenths, before history and kind of target.
    pub trust: i64,
    /// Weight of the report in tenths.
    pub weight: i64,
    /// True if the report may count against the account: it refers to a message or pixels of the account, and
    /// no rejection covers it.
    pub is_counted: bool,
}

impl WeightedReport {
    /// Returns the keys by which reports are grouped: the owner's and the networks'.
    pub fn keys(&self) -> Vec<&[u8]> {
        std::iter::once(&self.owner).chain(&self.networks).map(Vec::as_slice).collect()
    }
}

/// Returns the weight of a report of a name, in tenths, by a reporter of this weight.
pub fn name_weight(weight: i64) -> i64 {
    weight.min(MAX_NAME_REPORT_WEIGHT)
}

/// Returns the combined weight of reports against one author, in tenths.
pub fn combined_weight(reports: &[WeightedReport]) -> i64 {
    let merged = merge_by_owner(reports);
    let groups = networks::group_by_keys(&merged.iter().map(WeightedReport::keys).collect::<Vec<_>>());
    let mut remaining = group_limits(&merged, &groups);
    let mut burst_end: Option<DateTime<Utc>> = None;
    let mut total = 0;
    let mut burst_weight = 0;
    let mut low_trust_total = 0;
    for (report, group) in merged.iter().zip(groups) {
        if burst_end.is_none_or(|end| report.at >= end) {
            burst_end = Some(report.at + BURST_DURATION);
            burst_weight = 0;
        }
        let mut counted = report.weight.min(MAX_BURST_WEIGHT - burst_weight).min(remaining[group]);
        if report.weight < FULL_WEIGHT {
            counted = counted.min(MAX_LOW_TRUST_TOTAL - low_trust_total);
            low_trust_total += counted;
        }
        remaining[group] -= counted;
        total += counted;
        burst_weight += counted;
    }
    total
}

/// Returns the maximum weight of each group, at the index that names it: little more than that of its
/// strongest reporter.
fn group_limits(reports: &[WeightedReport], groups: &[usize]) -> Vec<i64> {
    let mut limits = vec![0; reports.len()];
    for (report, group) in reports.iter().zip(groups) {
        limits[*group] = (report.weight.min(FULL_WEIGHT) + NETWORK_EXTRA_WEIGHT).max(limits[*group]);
    }
    limits
}

/// Returns true if these reports alone justify a shadow-ban imposed at `imposed_at`, as they were then or as
/// they are now.
pub fn still_justified(
    reports: &[WeightedReport],
    is_repeat_offender: bool,
    imposed_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> bool {
    let windows =
        [(imposed_at - REPORT_LIFETIME, imposed_at), (now - REPORT_LIFETIME, DateTime::<Utc>::MAX_UTC)];
    windows.into_iter().any(|(since, until)| {
        let in_window = reports.iter().filter(|report| report.at > since && report.at <= until);
        let weight = combined_weight(&in_window.cloned().collect::<Vec<_>>());
        offenders::weight_against(weight, is_repeat_offender) >= ACTION_THRESHOLD
    })
}

/// Merges the counted reports of each owner into one, with the time of the first, the greatest weight and all
/// networks.
/// The result is in order of time.
fn merge_by_owner(reports: &[WeightedReport]) -> Vec<WeightedReport> {
    let mut owners: HashMap<&[u8], WeightedReport> = HashMap::new();
    for report in reports.iter().filter(|report| report.is_counted) {
        let merged = owners
            .entry(&report.owner)
            .or_insert_with(|| WeightedReport { networks: Vec::new(), ..report.clone() });
        merged.at = merged.at.min(report.at);
        merged.weight = merged.weight.max(report.weight);
        merged.networks.extend(report.networks.iter().cloned());
    }
    let mut merged: Vec<WeightedReport> = owners.into_values().collect();
    merged.sort_unstable_by(|first, second| (first.at, &first.owner).cmp(&(second.at, &second.owner)));
    merged
}

/// Returns true if an agent painted enough of a rectangle's painted pixels to be responsible for it without a
/// review.
pub fn is_responsible(own_pixels: usize, painted_pixels: usize) -> bool {
    painted_pixels > 0 && own_pixels as f64 >= MIN_RESPONSIBLE_SHARE * painted_pixels as f64
}

/// Returns true if an agent painted enough of a rectangle's painted pixels to be proposed to operators as the
/// reported one. The painter of fewer may be the victim of the reported one.
pub fn is_proposed(own_pixels: usize, painted_pixels: usize) -> bool {
    painted_pixels > 0 && own_pixels as f64 >= MIN_PROPOSED_SHARE * painted_pixels as f64
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn minute(minutes: i64) -> DateTime<Utc> {
        NOON + TimeDelta::minutes(minutes)
    }

    fn report(minutes: i64, owner: u8, weight: i64) -> WeightedReport {
        WeightedReport {
            at: minute(minutes),
            owner: vec![owner],
            reporter: vec![owner],
            networks: vec![vec![owner, 0]],
            trust: weight,
            weight,
            is_counted: true,
        }
    }

    fn from_network(network: u8, report: WeightedReport) -> WeightedReport {
        WeightedReport { networks: vec![vec![network, 0]], ..report }
    }

    #[test]
    fn only_established_agents_and_pass_holders_have_full_weight() {
        let agent = |pixels_placed, since| ReporterTrust::Agent { pixels_placed, since: minute(since) };
        assert_eq!(agent(10, -360).weight(NOON), FULL_WEIGHT);
        assert_eq!(agent(9, -360).weight(NOON), LOW_TRUST_WEIGHT);
        assert_eq!(agent(10, -359).weight(NOON), FIRST_HOURS_WEIGHT);
        assert_eq!(agent(10, -60).weight(NOON), FIRST_HOURS_WEIGHT);
        assert_eq!(agent(9, -60).weight(NOON), LOW_TRUST_WEIGHT);
        assert_eq!(agent(10, -59).weight(NOON), LOW_TRUST_WEIGHT);
        assert_eq!(ReporterTrust::PassHolder.weight(NOON), PASS_HOLDER_WEIGHT);
        assert_eq!(ReporterTrust::Unknown.weight(NOON), LOW_TRUST_WEIGHT);
    }

    #[test]
    fn a_name_report_has_at_most_a_tenth_of_full_weight() {
        assert_eq!([0, MAX_NAME_REPORT_WEIGHT, FULL_WEIGHT].map(name_weight), [0, 1, 1]);
    }

    #[test]
    fn three_full_reports_ten_minutes_apart_reach_the_threshold_and_two_do_not() {
        let reports = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert_eq!(combined_weight(&reports), ACTION_THRESHOLD);
        assert!(combined_weight(&reports[..2]) < ACTION_THRESHOLD);
        assert_eq!(combined_weight(&reports[..2]), FOLD_THRESHOLD, "two fold a message");
        assert!(
            combined_weight(&[
                report(0, 1, FULL_WEIGHT),
                report(9, 2, FULL_WEIGHT),
                report(20, 3, FULL_WEIGHT)
            ]) < ACTION_THRESHOLD
        );
    }

    #[test]
    fn a_shadow_stays_justified_by_its_original_reports_or_by_new_ones() {
        let reports = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert!(still_justified(&reports, false, minute(20), minute(9_999)), "no operator has reviewed them");
        assert!(
            !still_justified(&reports[1..], false, minute(20), minute(20)),
            "without the first they are too few"
        );
        assert!(still_justified(&reports[1..], true, minute(20), minute(20)), "about a repeat offender");
        let new =
            [report(5_000, 1, FULL_WEIGHT), report(5_010, 2, FULL_WEIGHT), report(5_020, 3, FULL_WEIGHT)];
        assert!(
            still_justified(&new, false, minute(20), minute(5_020))
                && !still_justified(&new, false, minute(20), minute(9_999))
        );
    }

    #[test]
    fn reports_of_one_owner_count_once() {
        let reports: Vec<_> = (0..10).map(|i| report(20 * i, 7, FULL_WEIGHT)).collect();
        assert_eq!(combined_weight(&reports), FULL_WEIGHT);
    }

    #[test]
    fn reporters_of_one_network_count_little_more_than_one() {
        let reports: Vec<_> =
            (0..10).map(|i| from_network(200, report(10 * i64::from(i), i, FULL_WEIGHT))).collect();
        assert_eq!(combined_weight(&reports[..1]), FULL_WEIGHT);
        assert_eq!(combined_weight(&reports), FULL_WEIGHT + NETWORK_EXTRA_WEIGHT);
        let mut linked = report(200, 99, FULL_WEIGHT);
        linked.networks = vec![vec![200, 0], vec![201, 0]];
        let roaming = [reports, vec![linked, from_network(201, report(300, 98, FULL_WEIGHT))]].concat();
        assert_eq!(
            combined_weight(&roaming),
            FULL_WEIGHT + NETWORK_EXTRA_WEIGHT,
            "linked through one that uses both networks"
        );
    }

    #[test]
    fn uncounted_reports_weigh_nothing_but_raise_an_alert() {
        let mut reports = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert_eq!(alert::alert_reason(&reports, minute(20)), None, "it is enough");
        reports.iter_mut().for_each(|report| report.is_counted = false);
        assert_eq!(combined_weight(&reports), 0);
        assert_eq!(alert::alert_reason(&reports, minute(20)), Some(alert::AlertReason::Discounted));
        assert_eq!(alert::alert_reason(&reports[..2], minute(20)), None, "two are not many");
        let paid = [report(0, 1, PASS_HOLDER_WEIGHT), report(0, 2, PASS_HOLDER_WEIGHT)];
        assert_eq!(alert::alert_reason(&paid, minute(20)), None, "nor are two that pay");
        let one = vec![report(0, 1, FULL_WEIGHT); 11];
        assert_eq!(alert::alert_reason(&one, minute(20)), Some(alert::AlertReason::Many));
        assert_eq!(alert::alert_reason(&one[..10], minute(20)), None, "one reporter is one, however often");
    }

    #[test]
    fn is_responsible_needs_most_of_the_painted_pixels() {
        assert!(is_responsible(8, 10) && !is_responsible(7, 10) && !is_responsible(0, 0));
        assert!(is_proposed(4, 6) && !is_proposed(3, 5) && !is_proposed(0, 0));
    }

    fn any_reports() -> impl Strategy<Value = Vec<WeightedReport>> {
        let one = (
            0_i64..1_440,
            0_u8..60,
            0_u8..30,
            prop_oneof![
                Just(LOW_TRUST_WEIGHT),
                Just(FIRST_HOURS_WEIGHT),
                Just(FULL_WEIGHT),
                Just(PASS_HOLDER_WEIGHT)
            ],
        );
        vec(
            one.prop_map(|(at, owner, network, weight)| from_network(network, report(at, owner, weight))),
            0..200,
        )
    }

    proptest! {
        #[test]
        fn a_burst_never_reaches_the_threshold(mut reports in any_reports(), length in 1..20) {
            reports.iter_mut().for_each(|report| report.at = NOON + (report.at - NOON) * length / 1_440);
            prop_assert!(combined_weight(&reports) < ACTION_THRESHOLD);
        }

        #[test]
        fn low_trust_reports_never_reach_the_threshold(
            mut reports in any_reports(),
            weight in 0_i64..FULL_WEIGHT,
        ) {
            reports.iter_mut().for_each(|report| report.weight = report.weight.min(weight));
            prop_assert!(combined_weight(&reports) <= MAX_LOW_TRUST_TOTAL);
        }

        #[test]
        fn fewer_than_three_networks_never_reach_the_threshold(mut reports in any_reports()) {
            reports.iter_mut().for_each(|report| report.networks[0][0] %= 2);
            prop_assert!(combined_weight(&reports) < ACTION_THRESHOLD);
        }

        #[test]
        fn fewer_than_two_networks_never_fold(mut reports in any_reports()) {
            reports.iter_mut().for_each(|report| report.networks[0][0] = 0);
            prop_assert!(combined_weight(&reports) < FOLD_THRESHOLD);
        }

        #[test]
        fn low_trust_reports_never_fold(mut reports in any_reports(), weight in 0_i64..FULL_WEIGHT) {
            reports.iter_mut().for_each(|report| report.weight = report.weight.min(weight));
            prop_assert!(combined_weight(&reports) < FOLD_THRESHOLD);
        }

        #[test]
        fn an_alert_is_raised_only_below_the_threshold(reports in any_reports()) {
            let alert = alert::alert_reason(&reports, minute(1_440));
            prop_assert!(alert.is_none() || combined_weight(&reports) < ACTION_THRESHOLD);
        }

        #[test]
        fn the_order_of_reports_does_not_matter(reports in any_reports()) {
            let mut turned = reports.clone();
            turned.reverse();
            prop_assert_eq!(combined_weight(&reports), combined_weight(&turned));
        }

        #[test]
        fn fewer_than_three_owners_never_reach_the_threshold(mut reports in any_reports()) {
            reports.retain(|report| report.owner[0] < 2);
            prop_assert!(combined_weight(&reports) < ACTION_THRESHOLD);
        }
    }
}
