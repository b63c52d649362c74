//! The duration of a Gallery Pass, from the events of its subscriptions, which may arrive repeatedly and in
//! any order.

use chrono::{DateTime, TimeDelta, Utc};

/// The payment status of a subscription. Of two events in the same second, the greater status counts, because
/// subscriptions usually change from unpaid to paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// The subscription is not paid, or not yet.
    Unpaid,
    Paid,
}

/// A period that is paid for, or is to be paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PaidPeriod {
    /// The end of the period.
    pub end: DateTime<Utc>,
    /// The start of the period.
    pub start: DateTime<Utc>,
}

/// The state of a subscription at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubscriptionState {
    /// The time of the state.
    pub at: DateTime<Utc>,
    pub status: PaymentStatus,
    pub period: Option<PaidPeriod>,
}

/// An event of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscriptionEvent {
    /// Its state has changed.
    Updated(SubscriptionState),
    /// It ended permanently.
    Ended(DateTime<Utc>),
    /// Its tier was chosen, by the tier's name.
    TierChosen(DateTime<Utc>, String),
}

/// The state of one subscription after all events so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassSubscription {
    /// The newest state; `None` before the first event.
    pub latest_state: Option<SubscriptionState>,
    /// The time at which it ended permanently.
    pub ended_at: Option<DateTime<Utc>>,
    /// The newest choice of a tier, with its time.
    pub tier: Option<(DateTime<Utc>, String)>,
}

/// A Gallery Pass of some tier that ends at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GalleryPass {
    /// The end of the pass.
    pub until: DateTime<Utc>,
    /// The name of the tier.
    pub tier: String,
}

/// Tolerance for payments that are recorded shortly before the period that they pay for starts.
const PAYMENT_TOLERANCE: TimeDelta = TimeDelta::hours(1);

impl PassSubscription {
    /// Applies an event. The newest state counts, and an end is final.
    pub fn apply(&mut self, event: SubscriptionEvent) {
        match event {
            SubscriptionEvent::Updated(state) => self.latest_state = self.latest_state.max(Some(state)),
            SubscriptionEvent::Ended(at) => {
                self.ended_at = Some(self.ended_at.map_or(at, |earlier| earlier.min(at)));
            }
            SubscriptionEvent::TierChosen(at, tier) => self.tier = self.tier.take().max(Some((at, tier))),
        }
    }

    /// Returns the pass of this subscription; `None` if it is unpaid or its payment was made before
    /// `refunded_until` and refunded.
    fn to_pass(&self, refunded_until: Option<DateTime<Utc>>) -> Option<GalleryPass> {
        let period = self.latest_state.filter(|state| state.status == PaymentStatus::Paid)?.period?;
        let is_refunded = refunded_until.is_some_and(|paid_at| period.start <= paid_at + PAYMENT_TOLERANCE);
        let (_, tier) = self.tier.clone().filter(|_| !is_refunded)?;
        let until = self.ended_at.map_or(period.end, |ended| ended.min(period.end));
        Some(GalleryPass { until, tier })
    }
}

/// Returns the passes that a customer's subscriptions give.
pub fn granted_passes(
    subscriptions: &[PassSubscription],
    refunded_until: Option<DateTime<Utc>>,
) -> Vec<GalleryPass> {
    subscriptions.iter().filter_map(|subscription| subscription.to_pass(refunded_until)).collect()
}

/// Combines a customer's passes: the result lasts as long as the longest, and has the best tier among the
/// valid ones.
/// Also returns the time at which the tier changes, if the best pass ends before the longest one.
pub fn combine_passes<R: Ord>(
    passes: Vec<GalleryPass>,
    rank: impl Fn(&str) -> R,
    now: DateTime<Utc>,
) -> Option<(GalleryPass, Option<DateTime<Utc>>)> {
    let longest = passes.iter().max()?.clone();
    let valid = passes.into_iter().filter(|pass| pass.until > now);
    let Some(best) = valid.max_by_key(|pass| (rank(&pass.tier), pass.until)) else {
        return Some((longest, None));
    };
    let tier_changes_at = Some(best.until).filter(|until| *until < longest.until);
    Some((GalleryPass { until: longest.until, tier: best.tier }, tier_changes_at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const MONTH: i64 = 30 * 86_400;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn month(number: i64) -> PaidPeriod {
        PaidPeriod { start: at(number * MONTH), end: at((number + 1) * MONTH) }
    }

    fn updated(second: i64, status: PaymentStatus, number: i64) -> SubscriptionEvent {
        SubscriptionEvent::Updated(SubscriptionState { at: at(second), status, period: Some(month(number)) })
    }

    fn replay(events: impl IntoIterator<Item = SubscriptionEvent>) -> PassSubscription {
        let mut subscription = PassSubscription::default();
        events.into_iter().for_each(|event| subscription.apply(event));
        subscription
    }

    fn pass_end(events: &[SubscriptionEvent]) -> Option<DateTime<Utc>> {
        granted_passes(&[replay(events.to_vec())], None).pop().map(|pass| pass.until)
    }

    #[test]
    fn a_pass_is_granted_renewed_lapsed_and_ended() {
        let bought =
            [SubscriptionEvent::TierChosen(at(0), "gallery".into()), updated(0, PaymentStatus::Unpaid, 0)];
        assert_eq!(pass_end(&bought), None, "not paid yet");
        let paid = [bought.to_vec(), vec![updated(0, PaymentStatus::Paid, 0)]].concat();
        assert_eq!(pass_end(&paid), Some(at(MONTH)));
        let renewed = [paid.clone(), vec![updated(MONTH, PaymentStatus::Paid, 1)]].concat();
        assert_eq!(pass_end(&renewed), Some(at(2 * MONTH)));
        let failed = [paid, vec![updated(MONTH + 9, PaymentStatus::Unpaid, 1)]].concat();
        assert_eq!(pass_end(&failed), None);
        let ended = [
            renewed,
            vec![SubscriptionEvent::Ended(at(MONTH + 99)), updated(2 * MONTH, PaymentStatus::Paid, 2)],
        ]
        .concat();
        assert_eq!(pass_end(&ended), Some(at(MONTH + 99)), "an end is final");
    }

    #[test]
    fn a_refunded_payment_gives_no_pass_and_the_next_payment_counts_again() {
        let one = |number| {
            [replay([
                SubscriptionEvent::TierChosen(at(0), "gallery".into()),
                updated(number * MONTH, PaymentStatus::Paid, number),
            ])]
        };
        let refunded = Some(at(60));
        assert_eq!(granted_passes(&one(0), refunded), []);
        assert_eq!(granted_passes(&one(1), refunded).pop().map(|pass| pass.until), Some(at(2 * MONTH)));
    }

    #[test]
    fn a_subscription_without_a_tier_gives_no_pass() {
        assert_eq!(pass_end(&[updated(0, PaymentStatus::Paid, 0)]), None);
    }

    fn pass(until: i64, tier: &str) -> GalleryPass {
        GalleryPass { until: at(until), tier: tier.into() }
    }

    /// Returns the combined pass at a time. In these tests the tier with the greater name is the better one.
    fn combined_at(passes: &[GalleryPass], second: i64) -> Option<(GalleryPass, Option<DateTime<Utc>>)> {
        combine_passes(passes.to_vec(), str::to_owned, at(second))
    }

    #[test]
    fn the_best_valid_tier_counts_until_the_longest_pass_ends() {
        let both = [pass(10, "patron"), pass(20, "gallery")];
        assert_eq!(combined_at(&both, 0), Some((pass(20, "patron"), Some(at(10)))));
        assert_eq!(combined_at(&both, 10), Some((pass(20, "gallery"), None)));
        assert_eq!(combined_at(&both, 30), Some((pass(20, "gallery"), None)), "the last one that there was");
        assert_eq!(combined_at(&[], 0), None);
    }

    fn any_event() -> impl Strategy<Value = SubscriptionEvent> {
        let status = prop::sample::select(vec![PaymentStatus::Unpaid, PaymentStatus::Paid]);
        prop_oneof![
            20 => (0..9_i64, status, 0..9_i64).prop_map(|(second, status, number)| updated(second, status, number)),
            1 => (0..9_i64).prop_map(|second| SubscriptionEvent::Ended(at(second))),
            3 => (0..9_i64, "gallery|patron").prop_map(|(second, tier)| SubscriptionEvent::TierChosen(at(second), tier)),
        ]
    }

    proptest! {
        #[test]
        fn combined_passes_change_only_at_the_announced_time(passes in vec((1..9_i64, "gallery|patron"), 1..5), now in 0..9_i64) {
            let passes: Vec<GalleryPass> = passes.iter().map(|(until, tier)| pass(*until, tier)).collect();
            let (held, turns_at) = combined_at(&passes, now).unwrap();
            prop_assert_eq!(held.until, passes.iter().map(|pass| pass.until).max().unwrap());
            let better = passes.iter().filter(|pass| pass.until > at(now) && pass.tier > held.tier);
            prop_assert_eq!(better.count(), 0);
            for later in now..9 {
                let turned = turns_at.is_some_and(|turns_at| turns_at <= at(later));
                let same = combined_at(&passes, later).unwrap().0 == held;
                prop_assert!(same != turned || at(later) >= held.until, "{} {}", now, later);
            }
        }

        #[test]
        fn order_and_repetition_of_events_do_not_matter(news in vec(any_event(), 1_000), swaps in vec(any::<prop::sample::Index>(), 2_000)) {
            let in_order = replay(news.clone());
            let mut shuffled = news.clone();
            for pair in swaps.chunks(2) {
                shuffled.swap(pair[0].index(news.len()), pair[1].index(news.len()));
            }
            shuffled.extend(swaps.iter().take(300).map(|index| news[index.index(news.len())].clone()));
            prop_assert_eq!(replay(shuffled), in_order);
        }
    }
}
