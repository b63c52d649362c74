//! What reports weigh: whoever has painted or paid has a full voice, one owner has one, and no burst decides anything.

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
/// All who are unknown together weigh no more.
const UNKNOWN_MOST: i64 = 10;
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
    /// In tenths of a full voice.
    pub weight: i64,
    pub unknown: bool,
}

/// What reports against one author weigh together, in tenths of a full voice.
pub fn together(voices: &[Voice]) -> i64 {
    let mut ends: Option<DateTime<Utc>> = None;
    let (mut sum, mut burst, mut unknown) = (0, 0, 0);
    for voice in one_each(voices) {
        if ends.is_none_or(|end| voice.at >= end) {
            (ends, burst) = (Some(voice.at + BURST), 0);
        }
        let most = if voice.unknown { UNKNOWN_MOST - unknown } else { voice.weight };
        let counted = voice.weight.min(most).min(BURST_MOST - burst);
        (sum, burst) = (sum + counted, burst + counted);
        unknown += if voice.unknown { counted } else { 0 };
    }
    sum
}

/// Whether a shadow that reports have cast at a moment stands on these voices alone, as they were then or as they are now.
pub fn hold_up(voices: &[Voice], cast_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    let spans = [(cast_at - WEIGHED, cast_at), (now - WEIGHED, DateTime::<Utc>::MAX_UTC)];
    spans.into_iter().any(|(since, until)| {
        let heard = voices.iter().filter(|voice| voice.at > since && voice.at <= until);
        together(&heard.cloned().collect::<Vec<_>>()) >= ENOUGH
    })
}

/// Each owner once, at its first report and with its greatest weight, in the order of time.
fn one_each(voices: &[Voice]) -> Vec<Voice> {
    let mut owners: HashMap<&[u8], Voice> = HashMap::new();
    for voice in voices {
        let known = owners.entry(&voice.owner).or_insert_with(|| voice.clone());
        known.at = known.at.min(voice.at);
        if voice.weight > known.weight {
            (known.weight, known.unknown) = (voice.weight, voice.unknown);
        }
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
        Voice { at: minute(minutes), owner: vec![owner], weight, unknown: weight == FAINT }
    }

    #[test]
    fn only_who_has_painted_and_stayed_or_paid_has_a_full_voice() {
        let agent = |pixels_placed, since| Witness::Agent { pixels_placed, since: minute(since) };
        assert_eq!(agent(10, -60).weight(NOON), FULL);
        assert_eq!(agent(9, -60).weight(NOON), FAINT);
        assert_eq!(agent(10, -59).weight(NOON), FAINT);
        assert_eq!(Witness::PassHolder.weight(NOON), PAID);
        assert_eq!(Witness::Unknown.weight(NOON), FAINT);
    }

    #[test]
    fn three_full_voices_ten_minutes_apart_are_enough_and_two_are_not() {
        let voices = [voice(0, 1, FULL), voice(10, 2, FULL), voice(20, 3, FULL)];
        assert_eq!(together(&voices), ENOUGH);
        assert!(together(&voices[..2]) < ENOUGH);
        assert!(together(&[voice(0, 1, FULL), voice(9, 2, FULL), voice(20, 3, FULL)]) < ENOUGH);
    }

    #[test]
    fn a_shadow_stands_on_the_voices_that_cast_it_however_old_or_on_new_ones() {
        let voices = [voice(0, 1, FULL), voice(10, 2, FULL), voice(20, 3, FULL)];
        assert!(hold_up(&voices, minute(20), minute(9_999)), "nobody has looked at them");
        assert!(!hold_up(&voices[1..], minute(20), minute(20)), "without the first they are too few");
        let new = [voice(5_000, 1, FULL), voice(5_010, 2, FULL), voice(5_020, 3, FULL)];
        assert!(hold_up(&new, minute(20), minute(5_020)) && !hold_up(&new, minute(20), minute(9_999)));
    }

    #[test]
    fn one_owner_has_one_voice_however_often_it_speaks() {
        let voices: Vec<_> = (0..10).map(|i| voice(20 * i, 7, FULL)).collect();
        assert_eq!(together(&voices), FULL);
    }

    #[test]
    fn a_rectangle_falls_back_on_who_painted_nearly_all_of_it() {
        assert!(answers_for(8, 10) && !answers_for(7, 10) && !answers_for(0, 0));
    }

    fn voices() -> impl Strategy<Value = Vec<Voice>> {
        let one = (0_i64..1_440, 0_u8..60, prop_oneof![Just(FAINT), Just(FULL), Just(PAID)]);
        vec(one.prop_map(|(at, owner, weight)| voice(at, owner, weight)), 0..200)
    }

    proptest! {
        #[test]
        fn no_burst_is_enough(mut voices in voices(), length in 1_i64..20) {
            voices.iter_mut().for_each(|voice| voice.at = NOON + (voice.at - NOON) * length as i32 / 1_440);
            prop_assert!(together(&voices) < ENOUGH);
        }

        #[test]
        fn however_many_who_are_unknown_are_never_enough(mut voices in voices()) {
            voices.iter_mut().for_each(|voice| (voice.weight, voice.unknown) = (FAINT, true));
            prop_assert!(together(&voices) <= UNKNOWN_MOST);
        }

        #[test]
        fn the_order_in_which_they_are_read_means_nothing(voices in voices()) {
            let mut turned = voices.clone();
            turned.reverse();
            prop_assert_eq!(together(&voices), together(&turned));
        }

        #[test]
        fn fewer_than_three_owners_are_never_enough(mut voices in voices()) {
            voices.retain(|voice| voice.owner[0] < 2);
            prop_assert!(together(&voices) < ENOUGH);
        }
    }
}
