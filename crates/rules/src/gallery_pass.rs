//! The duration of a Gallery Pass, from the events of its subscriptions, which may arrive repeatedly and in
//! any order.

use chrono::{DateTime, TimeDelta, Utc};

/// The payment status of a subscription. Of two events in the same second, the greater status counts, because
/// subscriptions usually change from unpaid to paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaymentStatus {
    /// The subscription is not paid, or not yet.
    Unpaid,
    /// The payment of the newest period has failed, and will be tried again.
    PastDue,
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
    /// A period was paid.
    PeriodPaid(PaidPeriod),
    /// Its cancellation was scheduled (true) or withdrawn (false).
    CancellationChanged(DateTime<Utc>, bool),
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
    /// The newest period that was paid.
    pub paid_period: Option<PaidPeriod>,
    /// The time at which it ended permanently.
    pub ended_at: Option<DateTime<Utc>>,
    /// The time of the newest change of its cancellation, and whether it is scheduled.
    pub cancellation: Option<(DateTime<Utc>, bool)>,
    /// The newest choice of a tier, with its time.
    pub tier: Option<(DateTime<Utc>, String)>,
    /// The time of its newest payment that was refunded or disputed.
    pub refunded_until: Option<DateTime<Utc>>,
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
/// The time for which a pass goes on after a paid period while the renewal is not known yet.
pub const RENEWAL_GRACE: TimeDelta = TimeDelta::days(3);

impl PassSubscription {
    /// Applies an event. The newest state counts, and an end is final.
    pub fn apply(&mut self, event: SubscriptionEvent) {
        match event {
            SubscriptionEvent::Updated(state) => self.latest_state = self.latest_state.max(Some(state)),
            SubscriptionEvent::PeriodPaid(period) => self.paid_period = self.paid_period.max(Some(period)),
            SubscriptionEvent::CancellationChanged(at, is_scheduled) => {
                self.cancellation = self.cancellation.max(Some((at, is_scheduled)));
            }
            SubscriptionEvent::Ended(at) => {
                self.ended_at = Some(self.ended_at.map_or(at, |earlier| earlier.min(at)));
            }
            SubscriptionEvent::TierChosen(at, tier) => self.tier = self.tier.take().max(Some((at, tier))),
        }
    }

    /// Returns the pass of this subscription. `None` if it is unpaid or its payment was refunded.
    pub fn pass(&self) -> Option<GalleryPass> {
        let period = self.covered_period()?;
        let is_refunded =
            self.refunded_until.is_some_and(|paid_at| period.start <= paid_at + PAYMENT_TOLERANCE);
        let (_, tier) = self.tier.clone().filter(|_| !is_refunded)?;
        Some(GalleryPass { until: self.pass_end(period), tier })
    }

    /// Returns the newest period that was paid, if the subscription goes on. A state says nothing of the
    /// payment of its period: a subscription is active before a renewal is tried, and while the collection of
    /// payments is paused.
    fn covered_period(&self) -> Option<PaidPeriod> {
        match self.latest_state?.status {
            PaymentStatus::Paid | PaymentStatus::PastDue => self.paid_period,
            PaymentStatus::Unpaid => None,
        }
    }

    /// Returns the end of a pass that covers this period. There is no grace after a cancellation.
    fn pass_end(&self, period: PaidPeriod) -> DateTime<Utc> {
        match (self.ended_at, self.cancellation) {
            (Some(ended_at), _) => ended_at.min(period.end),
            (None, Some((_, true))) => period.end,
            (None, _) => period.end + RENEWAL_GRACE,
        }
    }
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
        replay(events.to_vec()).pass().map(|pass| pass.until)
    }

    fn end_of_month(number: i64) -> DateTime<Utc> {
        month(number).end + RENEWAL_GRACE
    }

    /// Returns the events of a subscription that was paid for this month.
    fn paid_month(number: i64) -> Vec<SubscriptionEvent> {
        let tier = SubscriptionEvent::TierChosen(at(0), "gallery".into());
        let paid = SubscriptionEvent::PeriodPaid(month(number));
        vec![tier, updated(number * MONTH, PaymentStatus::Paid, number), paid]
    }

    #[test]
    fn a_pass_is_granted_renewed_lapsed_and_ended() {
        let bought =
            [SubscriptionEvent::TierChosen(at(0), "gallery".into()), updated(0, PaymentStatus::Unpaid, 0)];
        assert_eq!(pass_end(&bought), None, "not paid yet");
        let active = [bought.to_vec(), vec![updated(0, PaymentStatus::Paid, 0)]].concat();
        assert_eq!(pass_end(&active), None, "no payment is known");
        let paid = [active, vec![SubscriptionEvent::PeriodPaid(month(0))]].concat();
        assert_eq!(pass_end(&paid), Some(end_of_month(0)));
        let active_again = [paid.clone(), vec![updated(MONTH, PaymentStatus::Paid, 1)]].concat();
        assert_eq!(pass_end(&active_again), Some(end_of_month(0)), "not renewed yet");
        let renewed = [active_again, vec![SubscriptionEvent::PeriodPaid(month(1))]].concat();
        assert_eq!(pass_end(&renewed), Some(end_of_month(1)));
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
    fn a_failed_renewal_leaves_three_days_after_the_last_paid_period() {
        let past_due = |number| updated(number * MONTH + 9, PaymentStatus::PastDue, number);
        assert_eq!(pass_end(&[past_due(0)]), None, "the first payment has failed");
        let failed = [paid_month(0), vec![past_due(1)]].concat();
        assert_eq!(pass_end(&failed), Some(end_of_month(0)));
        // Stripe may leave the subscription past due for months.
        assert_eq!(pass_end(&[failed.clone(), vec![past_due(2)]].concat()), Some(end_of_month(0)));
        // At the renewal the subscription is active in the new period before the payment is tried.
        let tried = [paid_month(0), vec![updated(MONTH, PaymentStatus::Paid, 1), past_due(1)]].concat();
        assert_eq!(pass_end(&tried), Some(end_of_month(0)));
        let cancelled = vec![SubscriptionEvent::CancellationChanged(at(5), true)];
        assert_eq!(pass_end(&[failed.clone(), cancelled].concat()), Some(month(0).end));
        let ended = vec![SubscriptionEvent::Ended(month(0).end + TimeDelta::days(1))];
        assert_eq!(pass_end(&[failed.clone(), ended].concat()), Some(month(0).end));
        let refunded = PassSubscription { refunded_until: Some(at(60)), ..replay(failed) };
        assert_eq!(refunded.pass(), None);
    }

    #[test]
    fn a_subscription_whose_payments_are_paused_gives_no_free_pass() {
        let mut events = paid_month(0);
        for number in 1..12 {
            events.push(updated(number * MONTH, PaymentStatus::Paid, number));
            assert_eq!(pass_end(&events), Some(end_of_month(0)), "month {number}");
        }
        events.push(SubscriptionEvent::PeriodPaid(month(12)));
        assert_eq!(pass_end(&events), Some(end_of_month(12)), "collected again");
    }

    #[test]
    fn a_withdrawn_cancellation_restores_the_grace() {
        let scheduled = SubscriptionEvent::CancellationChanged(at(5), true);
        let withdrawn = SubscriptionEvent::CancellationChanged(at(6), false);
        let cancelled = [paid_month(0), vec![scheduled]].concat();
        assert_eq!(pass_end(&cancelled), Some(month(0).end));
        assert_eq!(pass_end(&[vec![withdrawn], cancelled].concat()), Some(end_of_month(0)));
    }

    #[test]
    fn a_refunded_payment_gives_no_pass_and_the_next_payment_counts_again() {
        let refunded =
            |number| PassSubscription { refunded_until: Some(at(60)), ..replay(paid_month(number)) };
        assert_eq!(refunded(0).pass(), None);
        assert_eq!(refunded(1).pass().map(|pass| pass.until), Some(end_of_month(1)));
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
        let status =
            prop::sample::select(vec![PaymentStatus::Unpaid, PaymentStatus::PastDue, PaymentStatus::Paid]);
        prop_oneof![
            20 => (0..9_i64, status, 0..9_i64)
                .prop_map(|(second, status, number)| updated(second, status, number)),
            3 => (0..9_i64).prop_map(|number| SubscriptionEvent::PeriodPaid(month(number))),
            3 => (0..9_i64, any::<bool>())
                .prop_map(|(second, cancels)| SubscriptionEvent::CancellationChanged(at(second), cancels)),
            1 => (0..9_i64).prop_map(|second| SubscriptionEvent::Ended(at(second))),
            3 => (0..9_i64, "gallery|patron")
                .prop_map(|(second, tier)| SubscriptionEvent::TierChosen(at(second), tier)),
        ]
    }

    proptest! {
        #[test]
        fn combined_passes_change_only_at_the_announced_time(
            passes in vec((1..9_i64, "gallery|patron"), 1..5),
            now in 0..9_i64,
        ) {
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
        fn grace_is_three_days_at_most_and_needs_a_subscription_that_goes_on(
            news in vec(any_event(), 0..12), refunded_until in prop::option::of((0..9 * MONTH).prop_map(at)),
        ) {
            let subscription = PassSubscription { refunded_until, ..replay(news) };
            let Some(pass) = subscription.pass() else { return Ok(()) };
            prop_assert_ne!(subscription.latest_state.unwrap().status, PaymentStatus::Unpaid);
            let period = subscription.paid_period.unwrap();
            let is_cancelled = subscription.cancellation.is_some_and(|(_, cancels)| cancels);
            let goes_on = subscription.ended_at.is_none() && !is_cancelled;
            let grace = if goes_on { RENEWAL_GRACE } else { TimeDelta::zero() };
            prop_assert!(pass.until <= period.end + grace);
            prop_assert_eq!(pass.until > period.end, goes_on);
            prop_assert!(refunded_until.is_none_or(|paid_at| paid_at < period.start));
        }

        #[test]
        fn order_and_repetition_of_events_do_not_matter(
            news in vec(any_event(), 1_000), swaps in vec(any::<prop::sample::Index>(), 2_000),
        ) {
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
