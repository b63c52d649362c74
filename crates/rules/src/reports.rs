//! The weights of reports: a reporter that has painted or paid counts in full, one owner counts once, one network little
//! more, reporters of little trust count as one together, and no burst decides anything.

pub mod alert;
pub mod explanation;
pub mod history;
pub mod networks;

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

/// Weights are counted in tenths of a full voice.
pub const FULL_WEIGHT: i64 = 10;
/// Of who is new, or unknown.
const LOW_TRUST_WEIGHT: i64 = 2;
/// Of who pays to be here.
const PASS_HOLDER_WEIGHT: i64 = 15;
/// Total of all reporters with less than a full voice: new, unknown, or lowered by their history.
const MAX_LOW_TRUST_TOTAL: i64 = 10;
/// Weight of a network beyond that of its strongest reporter, however many report from there. Two networks are never
/// enough: `2 × (FULL + GROUP_EXTRA) < ENOUGH`.
const NETWORK_EXTRA_WEIGHT: i64 = 2;
/// Most that a report of a name weighs. It names neither a message nor pixels, so it is never counted against an account.
const MAX_NAME_REPORT_WEIGHT: i64 = 1;
/// Within a burst nothing weighs more.
const MAX_BURST_WEIGHT: i64 = 10;
/// What is enough to act before anybody has looked.
pub const ACTION_THRESHOLD: i64 = 30;
/// How long a burst lasts.
const BURST_DURATION: TimeDelta = TimeDelta::minutes(10);
/// For how long a report weighs anything.
pub const REPORT_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// What an agent must have painted to have a full voice…
const MIN_TRUSTED_PIXELS: i64 = 10;
/// …and how long it must have been here.
const MIN_TRUSTED_AGE: TimeDelta = TimeDelta::hours(1);
/// Which share of a rectangle somebody must have painted to answer for it unseen.
const MIN_RESPONSIBLE_SHARE: f64 = 0.8;

/// Who reports.
#[derive(Clone, Copy, Debug)]
pub enum ReporterTrust {
    Unknown,
    Agent {
        pixels_placed: i64,
        since: DateTime<Utc>,
    },
    /// A viewer whose pass is live.
    PassHolder,
}

impl ReporterTrust {
    /// In tenths of a full voice.
    pub fn weight(&self, now: DateTime<Utc>) -> i64 {
        match self {
            Self::Unknown => LOW_TRUST_WEIGHT,
            Self::Agent { pixels_placed, since } => {
                let is_trusted = *pixels_placed >= MIN_TRUSTED_PIXELS && now - *since >= MIN_TRUSTED_AGE;
                if is_trusted { FULL_WEIGHT } else { LOW_TRUST_WEIGHT }
            }
            Self::PassHolder => PASS_HOLDER_WEIGHT,
        }
    }
}

/// A report as it is weighed.
#[derive(Clone, Debug)]
pub struct WeightedReport {
    pub at: DateTime<Utc>,
    /// Who it is behind all its names.
    pub owner: Vec<u8>,
    /// The account, or what stands for the address of a reporter without a key.
    pub reporter: Vec<u8>,
    /// The networks that the reporter registered and reported from, as far as they are known.
    pub networks: Vec<Vec<u8>>,
    /// In tenths of a full voice, before history and kind of target.
    pub trust: i64,
    /// In tenths of a full voice.
    pub weight: i64,
    /// Whether it may count against the account: it names a message or pixels of it, and no rejection holds against it.
    pub is_counted: bool,
}

impl WeightedReport {
    /// Returns the keys by which it belongs together with others: the owner's and the networks'.
    pub fn keys(&self) -> Vec<&[u8]> {
        std::iter::once(&self.owner).chain(&self.networks).map(Vec::as_slice).collect()
    }
}

/// Returns the weight of a report of a name, in tenths, by a reporter of this weight.
pub fn name_weight(weight: i64) -> i64 {
    weight.min(MAX_NAME_REPORT_WEIGHT)
}

/// What reports against one author weigh together, in tenths of a full voice.
pub fn combined_weight(reports: &[WeightedReport]) -> i64 {
    let merged = merge_by_owner(reports);
    let groups = networks::group_by_keys(&merged.iter().map(WeightedReport::keys).collect::<Vec<_>>());
    let mut remaining = group_limits(&merged, &groups);
    let mut burst_end: Option<DateTime<Utc>> = None;
    let (mut total, mut burst_weight, mut low_trust_total) = (0, 0, 0);
    for (report, group) in merged.iter().zip(groups) {
        if burst_end.is_none_or(|end| report.at >= end) {
            (burst_end, burst_weight) = (Some(report.at + BURST_DURATION), 0);
        }
        let mut counted = report.weight.min(MAX_BURST_WEIGHT - burst_weight).min(remaining[group]);
        if report.weight < FULL_WEIGHT {
            counted = counted.min(MAX_LOW_TRUST_TOTAL - low_trust_total);
            low_trust_total += counted;
        }
        remaining[group] -= counted;
        (total, burst_weight) = (total + counted, burst_weight + counted);
    }
    total
}

/// Returns what each group may weigh, at the position that names it: little more than its strongest reporter.
fn group_limits(reports: &[WeightedReport], groups: &[usize]) -> Vec<i64> {
    let mut limits = vec![0; reports.len()];
    for (report, group) in reports.iter().zip(groups) {
        limits[*group] = (report.weight.min(FULL_WEIGHT) + NETWORK_EXTRA_WEIGHT).max(limits[*group]);
    }
    limits
}

/// Whether a shadow that reports have cast at a moment stands on these voices alone, as they were then or as they are now.
pub fn still_justified(reports: &[WeightedReport], imposed_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let spans =
        [(imposed_at - REPORT_LIFETIME, imposed_at), (now - REPORT_LIFETIME, DateTime::<Utc>::MAX_UTC)];
    spans.into_iter().any(|(since, until)| {
        let in_span = reports.iter().filter(|voice| voice.at > since && voice.at <= until);
        combined_weight(&in_span.cloned().collect::<Vec<_>>()) >= ACTION_THRESHOLD
    })
}

/// Each owner of reports that count once, at its first report, with its greatest weight and all its networks, in the
/// order of time.
fn merge_by_owner(reports: &[WeightedReport]) -> Vec<WeightedReport> {
    let mut owners: HashMap<&[u8], WeightedReport> = HashMap::new();
    for report in reports.iter().filter(|voice| voice.is_counted) {
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

/// Whether who painted so many of the painted pixels of a rectangle answers for it before anybody has looked.
pub fn is_responsible(own_pixels: usize, painted_pixels: usize) -> bool {
    painted_pixels > 0 && own_pixels as f64 >= MIN_RESPONSIBLE_SHARE * painted_pixels as f64
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

    fn from_network(network: u8, voice: WeightedReport) -> WeightedReport {
        WeightedReport { networks: vec![vec![network, 0]], ..voice }
    }

    #[test]
    fn only_established_agents_and_pass_holders_have_full_weight() {
        let agent = |pixels_placed, since| ReporterTrust::Agent { pixels_placed, since: minute(since) };
        assert_eq!(agent(10, -60).weight(NOON), FULL_WEIGHT);
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
        let voices = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert_eq!(combined_weight(&voices), ACTION_THRESHOLD);
        assert!(combined_weight(&voices[..2]) < ACTION_THRESHOLD);
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
        let voices = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert!(still_justified(&voices, minute(20), minute(9_999)), "nobody has looked at them");
        assert!(!still_justified(&voices[1..], minute(20), minute(20)), "without the first they are too few");
        let new =
            [report(5_000, 1, FULL_WEIGHT), report(5_010, 2, FULL_WEIGHT), report(5_020, 3, FULL_WEIGHT)];
        assert!(
            still_justified(&new, minute(20), minute(5_020))
                && !still_justified(&new, minute(20), minute(9_999))
        );
    }

    #[test]
    fn reports_of_one_owner_count_once() {
        let voices: Vec<_> = (0..10).map(|i| report(20 * i, 7, FULL_WEIGHT)).collect();
        assert_eq!(combined_weight(&voices), FULL_WEIGHT);
    }

    #[test]
    fn reporters_of_one_network_count_little_more_than_one() {
        let voices: Vec<_> =
            (0..10).map(|i| from_network(200, report(10 * i64::from(i), i, FULL_WEIGHT))).collect();
        assert_eq!(combined_weight(&voices[..1]), FULL_WEIGHT);
        assert_eq!(combined_weight(&voices), FULL_WEIGHT + NETWORK_EXTRA_WEIGHT);
        let mut linked = report(200, 99, FULL_WEIGHT);
        linked.networks = vec![vec![200, 0], vec![201, 0]];
        let roaming = [voices, vec![linked, from_network(201, report(300, 98, FULL_WEIGHT))]].concat();
        assert_eq!(
            combined_weight(&roaming),
            FULL_WEIGHT + NETWORK_EXTRA_WEIGHT,
            "linked through one that uses both networks"
        );
    }

    #[test]
    fn uncounted_reports_weigh_nothing_but_raise_an_alert() {
        let mut voices = [report(0, 1, FULL_WEIGHT), report(10, 2, FULL_WEIGHT), report(20, 3, FULL_WEIGHT)];
        assert_eq!(alert::alert_reason(&voices, minute(20)), None, "it is enough");
        voices.iter_mut().for_each(|voice| voice.is_counted = false);
        assert_eq!(combined_weight(&voices), 0);
        assert_eq!(alert::alert_reason(&voices, minute(20)), Some(alert::AlertReason::Discounted));
        assert_eq!(alert::alert_reason(&voices[..2], minute(20)), None, "two are not many");
        let paid = [report(0, 1, PASS_HOLDER_WEIGHT), report(0, 2, PASS_HOLDER_WEIGHT)];
        assert_eq!(alert::alert_reason(&paid, minute(20)), None, "nor are two that pay");
        let one = vec![report(0, 1, FULL_WEIGHT); 11];
        assert_eq!(alert::alert_reason(&one, minute(20)), Some(alert::AlertReason::Many));
        assert_eq!(alert::alert_reason(&one[..10], minute(20)), None, "one reporter is one, however often");
    }

    #[test]
    fn is_responsible_needs_most_of_the_painted_pixels() {
        assert!(is_responsible(8, 10) && !is_responsible(7, 10) && !is_responsible(0, 0));
    }

    fn any_reports() -> impl Strategy<Value = Vec<WeightedReport>> {
        let one = (
            0_i64..1_440,
            0_u8..60,
            0_u8..30,
            prop_oneof![Just(LOW_TRUST_WEIGHT), Just(5), Just(FULL_WEIGHT), Just(PASS_HOLDER_WEIGHT)],
        );
        vec(
            one.prop_map(|(at, owner, network, weight)| from_network(network, report(at, owner, weight))),
            0..200,
        )
    }

    proptest! {
        #[test]
        fn a_burst_never_reaches_the_threshold(mut voices in any_reports(), length in 1..20) {
            voices.iter_mut().for_each(|voice| voice.at = NOON + (voice.at - NOON) * length / 1_440);
            prop_assert!(combined_weight(&voices) < ACTION_THRESHOLD);
        }

        #[test]
        fn low_trust_reports_never_reach_the_threshold(mut voices in any_reports(), weight in 0_i64..FULL_WEIGHT) {
            voices.iter_mut().for_each(|voice| voice.weight = voice.weight.min(weight));
            prop_assert!(combined_weight(&voices) <= MAX_LOW_TRUST_TOTAL);
        }

        #[test]
        fn fewer_than_three_networks_never_reach_the_threshold(mut voices in any_reports()) {
            voices.iter_mut().for_each(|voice| voice.networks[0][0] %= 2);
            prop_assert!(combined_weight(&voices) < ACTION_THRESHOLD);
        }

        #[test]
        fn an_alert_is_raised_only_below_the_threshold(voices in any_reports()) {
            let alert = alert::alert_reason(&voices, minute(1_440));
            prop_assert!(alert.is_none() || combined_weight(&voices) < ACTION_THRESHOLD);
        }

        #[test]
        fn the_order_of_reports_does_not_matter(voices in any_reports()) {
            let mut turned = voices.clone();
            turned.reverse();
            prop_assert_eq!(combined_weight(&voices), combined_weight(&turned));
        }

        #[test]
        fn fewer_than_three_owners_never_reach_the_threshold(mut voices in any_reports()) {
            voices.retain(|voice| voice.owner[0] < 2);
            prop_assert!(combined_weight(&voices) < ACTION_THRESHOLD);
        }
    }
}
