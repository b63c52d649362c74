//! The weights of reports: a reporter that has painted or paid counts in full, one owner counts once, one network little
//! more, reporters of little trust count as one together, and no burst decides anything.

pub mod alert;
pub mod explanation;
pub mod history;
pub mod networks;

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};

/// Weights are counted in tenths of a full voice.
pub const FULL: i64 = 10;
/// Of who is new, or unknown.
const FAINT: i64 = 2;
/// Of who pays to be here.
const PAID: i64 = 15;
/// Total of all reporters with less than a full voice: new, unknown, or lowered by their history.
const LOW_TRUST_MOST: i64 = 10;
/// Weight of a network beyond that of its strongest reporter, however many report from there. Two networks are never
/// enough: `2 × (FULL + GROUP_EXTRA) < ENOUGH`.
const GROUP_EXTRA: i64 = 2;
/// Most that a report of a name weighs. It names neither a message nor pixels, so it is never counted against an account.
const NAME_MOST: i64 = 1;
/// Within a burst nothing weighs more.
const BURST_MOST: i64 = 10;
/// What is enough to act before anybody has looked.
pub const ENOUGH: i64 = 30;
/// How long a burst lasts.
const BURST: TimeDelta = TimeDelta::minutes(10);
/// For how long a report weighs anything.
pub const WEIGHED: TimeDelta = TimeDelta::hours(24);
/// What an agent must have painted to have a full voice…
const PAINTED: i64 = 10;
/// …and how long it must have been here.
const KNOWN_FOR: TimeDelta = TimeDelta::hours(1);
/// Which share of a rectangle somebody must have painted to answer for it unseen.
const MOST_OF_IT: f64 = 0.8;

/// Who reports.
#[derive(Clone, Copy, Debug)]
pub enum Witness {
    Unknown,
    Agent {
        pixels_placed: i64,
        since: DateTime<Utc>,
    },
    /// A viewer whose pass is live.
    PassHolder,
}

impl Witness {
    /// In tenths of a full voice.
    pub fn weight(&self, now: DateTime<Utc>) -> i64 {
        match self {
            Self::Unknown => FAINT,
            Self::Agent { pixels_placed, since } => {
                let settled = *pixels_placed >= PAINTED && now - *since >= KNOWN_FOR;
                if settled { FULL } else { FAINT }
            }
            Self::PassHolder => PAID,
        }
    }
}

/// A report as it is weighed.
#[derive(Clone, Debug)]
pub struct Voice {
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
    pub counts: bool,
}

impl Voice {
    /// Returns the keys by which it belongs together with others: the owner's and the networks'.
    pub fn keys(&self) -> Vec<&[u8]> {
        std::iter::once(&self.owner).chain(&self.networks).map(Vec::as_slice).collect()
    }
}

/// Returns the weight of a report of a name, in tenths, by a reporter of this weight.
pub fn name_weight(weight: i64) -> i64 {
    weight.min(NAME_MOST)
}

/// What reports against one author weigh together, in tenths of a full voice.
pub fn together(voices: &[Voice]) -> i64 {
    let each = one_each(voices);
    let groups = networks::group_by_keys(&each.iter().map(Voice::keys).collect::<Vec<_>>());
    let mut left = group_limits(&each, &groups);
    let mut ends: Option<DateTime<Utc>> = None;
    let (mut sum, mut burst, mut low) = (0, 0, 0);
    for (voice, group) in each.iter().zip(groups) {
        if ends.is_none_or(|end| voice.at >= end) {
            (ends, burst) = (Some(voice.at + BURST), 0);
        }
        let mut counted = voice.weight.min(BURST_MOST - burst).min(left[group]);
        if voice.weight < FULL {
            counted = counted.min(LOW_TRUST_MOST - low);
            low += counted;
        }
        left[group] -= counted;
        (sum, burst) = (sum + counted, burst + counted);
    }
    sum
}

/// Returns what each group may weigh, at the position that names it: little more than its strongest reporter.
fn group_limits(each: &[Voice], groups: &[usize]) -> Vec<i64> {
    let mut limits = vec![0; each.len()];
    for (voice, group) in each.iter().zip(groups) {
        limits[*group] = (voice.weight.min(FULL) + GROUP_EXTRA).max(limits[*group]);
    }
    limits
}

/// Whether a shadow that reports have cast at a moment stands on these voices alone, as they were then or as they are now.
pub fn hold_up(voices: &[Voice], cast_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let spans = [(cast_at - WEIGHED, cast_at), (now - WEIGHED, DateTime::<Utc>::MAX_UTC)];
    spans.into_iter().any(|(since, until)| {
        let heard = voices.iter().filter(|voice| voice.at > since && voice.at <= until);
        together(&heard.cloned().collect::<Vec<_>>()) >= ENOUGH
    })
}

/// Each owner of reports that count once, at its first report, with its greatest weight and all its networks, in the
/// order of time.
fn one_each(voices: &[Voice]) -> Vec<Voice> {
    let mut owners: HashMap<&[u8], Voice> = HashMap::new();
    for voice in voices.iter().filter(|voice| voice.counts) {
        let known =
            owners.entry(&voice.owner).or_insert_with(|| Voice { networks: Vec::new(), ..voice.clone() });
        known.at = known.at.min(voice.at);
        known.weight = known.weight.max(voice.weight);
        known.networks.extend(voice.networks.iter().cloned());
    }
    let mut each: Vec<Voice> = owners.into_values().collect();
    each.sort_unstable_by(|one, other| (one.at, &one.owner).cmp(&(other.at, &other.owner)));
    each
}

/// Whether who painted so many of the painted pixels of a rectangle answers for it before anybody has looked.
pub fn answers_for(own: usize, painted: usize) -> bool {
    painted > 0 && own as f64 >= MOST_OF_IT * painted as f64
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

    fn voice(minutes: i64, owner: u8, weight: i64) -> Voice {
        Voice {
            at: minute(minutes),
            owner: vec![owner],
            reporter: vec![owner],
            networks: vec![vec![owner, 0]],
            trust: weight,
            weight,
            counts: true,
        }
    }

    fn from(network: u8, voice: Voice) -> Voice {
        Voice { networks: vec![vec![network, 0]], ..voice }
    }

    #[test]
    fn only_established_agents_and_pass_holders_have_full_weight() {
        let agent = |pixels_placed, since| Witness::Agent { pixels_placed, since: minute(since) };
        assert_eq!(agent(10, -60).weight(NOON), FULL);
        assert_eq!(agent(9, -60).weight(NOON), FAINT);
        assert_eq!(agent(10, -59).weight(NOON), FAINT);
        assert_eq!(Witness::PassHolder.weight(NOON), PAID);
        assert_eq!(Witness::Unknown.weight(NOON), FAINT);
    }

    #[test]
    fn a_name_report_has_at_most_a_tenth_of_full_weight() {
        assert_eq!([0, NAME_MOST, FULL].map(name_weight), [0, 1, 1]);
    }

    #[test]
    fn three_full_reports_ten_minutes_apart_reach_the_threshold_and_two_do_not() {
        let voices = [voice(0, 1, FULL), voice(10, 2, FULL), voice(20, 3, FULL)];
        assert_eq!(together(&voices), ENOUGH);
        assert!(together(&voices[..2]) < ENOUGH);
        assert!(together(&[voice(0, 1, FULL), voice(9, 2, FULL), voice(20, 3, FULL)]) < ENOUGH);
    }

    #[test]
    fn a_shadow_stays_justified_by_its_original_reports_or_by_new_ones() {
        let voices = [voice(0, 1, FULL), voice(10, 2, FULL), voice(20, 3, FULL)];
        assert!(hold_up(&voices, minute(20), minute(9_999)), "nobody has looked at them");
        assert!(!hold_up(&voices[1..], minute(20), minute(20)), "without the first they are too few");
        let new = [voice(5_000, 1, FULL), voice(5_010, 2, FULL), voice(5_020, 3, FULL)];
        assert!(hold_up(&new, minute(20), minute(5_020)) && !hold_up(&new, minute(20), minute(9_999)));
    }

    #[test]
    fn reports_of_one_owner_count_once() {
        let voices: Vec<_> = (0..10).map(|i| voice(20 * i, 7, FULL)).collect();
        assert_eq!(together(&voices), FULL);
    }

    #[test]
    fn reporters_of_one_network_count_little_more_than_one() {
        let voices: Vec<_> = (0..10).map(|i| from(200, voice(10 * i64::from(i), i, FULL))).collect();
        assert_eq!(together(&voices[..1]), FULL);
        assert_eq!(together(&voices), FULL + GROUP_EXTRA);
        let mut linked = voice(200, 99, FULL);
        linked.networks = vec![vec![200, 0], vec![201, 0]];
        let roaming = [voices, vec![linked, from(201, voice(300, 98, FULL))]].concat();
        assert_eq!(together(&roaming), FULL + GROUP_EXTRA, "linked through one that uses both networks");
    }

    #[test]
    fn uncounted_reports_weigh_nothing_but_raise_an_alert() {
        let mut voices = [voice(0, 1, FULL), voice(10, 2, FULL), voice(20, 3, FULL)];
        assert_eq!(alert::alert_cause(&voices, minute(20)), None, "it is enough");
        voices.iter_mut().for_each(|voice| voice.counts = false);
        assert_eq!(together(&voices), 0);
        assert_eq!(alert::alert_cause(&voices, minute(20)), Some(alert::AlertCause::Discounted));
        assert_eq!(alert::alert_cause(&voices[..2], minute(20)), None, "two are not many");
        let paid = [voice(0, 1, PAID), voice(0, 2, PAID)];
        assert_eq!(alert::alert_cause(&paid, minute(20)), None, "nor are two that pay");
        let one = vec![voice(0, 1, FULL); 11];
        assert_eq!(alert::alert_cause(&one, minute(20)), Some(alert::AlertCause::Many));
        assert_eq!(alert::alert_cause(&one[..10], minute(20)), None, "one reporter is one, however often");
    }

    #[test]
    fn is_responsible_needs_most_of_the_painted_pixels() {
        assert!(answers_for(8, 10) && !answers_for(7, 10) && !answers_for(0, 0));
    }

    fn voices() -> impl Strategy<Value = Vec<Voice>> {
        let one =
            (0_i64..1_440, 0_u8..60, 0_u8..30, prop_oneof![Just(FAINT), Just(5), Just(FULL), Just(PAID)]);
        vec(one.prop_map(|(at, owner, network, weight)| from(network, voice(at, owner, weight))), 0..200)
    }

    proptest! {
        #[test]
        fn a_burst_never_reaches_the_threshold(mut voices in voices(), length in 1..20) {
            voices.iter_mut().for_each(|voice| voice.at = NOON + (voice.at - NOON) * length / 1_440);
            prop_assert!(together(&voices) < ENOUGH);
        }

        #[test]
        fn low_trust_reports_never_reach_the_threshold(mut voices in voices(), weight in 0_i64..FULL) {
            voices.iter_mut().for_each(|voice| voice.weight = voice.weight.min(weight));
            prop_assert!(together(&voices) <= LOW_TRUST_MOST);
        }

        #[test]
        fn fewer_than_three_networks_never_reach_the_threshold(mut voices in voices()) {
            voices.iter_mut().for_each(|voice| voice.networks[0][0] %= 2);
            prop_assert!(together(&voices) < ENOUGH);
        }

        #[test]
        fn an_alert_is_raised_only_below_the_threshold(voices in voices()) {
            let alert = alert::alert_cause(&voices, minute(1_440));
            prop_assert!(alert.is_none() || together(&voices) < ENOUGH);
        }

        #[test]
        fn the_order_of_reports_does_not_matter(voices in voices()) {
            let mut turned = voices.clone();
            turned.reverse();
            prop_assert_eq!(together(&voices), together(&turned));
        }

        #[test]
        fn fewer_than_three_owners_never_reach_the_threshold(mut voices in voices()) {
            voices.retain(|voice| voice.owner[0] < 2);
            prop_assert!(together(&voices) < ENOUGH);
        }
    }
}
