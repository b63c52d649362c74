//! How long a pass lasts, from what was told of its subscriptions: in whatever order, however often.

use chrono::{DateTime, TimeDelta, Utc};

/// Whether a subscription is paid. Of two things told of the same second the greater one is believed: it is how
/// subscriptions usually go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Not paid, or not yet.
    Unpaid,
    Paid,
}

/// A stretch of time that is paid for, or is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period {
    pub end: DateTime<Utc>,
    pub begin: DateTime<Utc>,
}

/// How a subscription stood at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub at: DateTime<Utc>,
    pub status: Status,
    pub period: Option<Period>,
}

/// One thing that was told of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    Stands(Standing),
    /// It ended for good.
    Ended(DateTime<Utc>),
    /// What it buys, by the tier's name.
    Buys(DateTime<Utc>, String),
}

/// All that matters of what was told of one subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscription {
    pub newest: Option<Standing>,
    pub ended: Option<DateTime<Utc>>,
    /// When it was told what it buys, and what.
    pub tier: Option<(DateTime<Utc>, String)>,
}

/// A pass until some moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pass {
    pub until: DateTime<Utc>,
    pub tier: String,
}

/// A payment may be noted a little before the stretch that it pays for begins.
const SLACK: TimeDelta = TimeDelta::hours(1);

impl Subscription {
    /// Takes in what was told. The newest counts; an end is final.
    pub fn hear(&mut self, news: News) {
        match news {
            News::Stands(standing) => self.newest = self.newest.max(Some(standing)),
            News::Ended(at) => self.ended = Some(self.ended.map_or(at, |known| known.min(at))),
            News::Buys(at, tier) => self.tier = self.tier.take().max(Some((at, tier))),
        }
    }

    /// The pass that it gives, where payments made until `refunded` were given back.
    fn pass(&self, refunded: Option<DateTime<Utc>>) -> Option<Pass> {
        let period = self.newest.filter(|standing| standing.status == Status::Paid)?.period?;
        let given_back = refunded.is_some_and(|paid_at| period.begin <= paid_at + SLACK);
        let (_, tier) = self.tier.clone().filter(|_| !given_back)?;
        let until = self.ended.map_or(period.end, |ended| ended.min(period.end));
        Some(Pass { until, tier })
    }
}

/// The passes that a customer's subscriptions give.
pub fn given(subscriptions: &[Subscription], refunded: Option<DateTime<Utc>>) -> Vec<Pass> {
    subscriptions.iter().filter_map(|subscription| subscription.pass(refunded)).collect()
}

/// What somebody's passes are together: they last as long as the longest, and are as good as the best that is live, until
/// the moment that comes along, if that one ends first.
pub fn together<R: Ord>(
    passes: Vec<Pass>,
    rank: impl Fn(&str) -> R,
    now: DateTime<Utc>,
) -> Option<(Pass, Option<DateTime<Utc>>)> {
    let longest = passes.iter().max()?.clone();
    let live = passes.into_iter().filter(|pass| pass.until > now);
    let Some(best) = live.max_by_key(|pass| (rank(&pass.tier), pass.until)) else {
        return Some((longest, None));
    };
    let turns_at = Some(best.until).filter(|until| *until < longest.until);
    Some((Pass { until: longest.until, tier: best.tier }, turns_at))
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

    fn month(number: i64) -> Period {
        Period { begin: at(number * MONTH), end: at((number + 1) * MONTH) }
    }

    fn stands(second: i64, status: Status, number: i64) -> News {
        News::Stands(Standing { at: at(second), status, period: Some(month(number)) })
    }

    fn heard(news: impl IntoIterator<Item = News>) -> Subscription {
        let mut subscription = Subscription::default();
        news.into_iter().for_each(|news| subscription.hear(news));
        subscription
    }

    fn until(news: &[News]) -> Option<DateTime<Utc>> {
        given(&[heard(news.to_vec())], None).pop().map(|pass| pass.until)
    }

    #[test]
    fn a_pass_is_granted_renewed_lapsed_and_ended() {
        let bought = [News::Buys(at(0), "gallery".into()), stands(0, Status::Unpaid, 0)];
        assert_eq!(until(&bought), None, "not paid yet");
        let paid = [bought.to_vec(), vec![stands(0, Status::Paid, 0)]].concat();
        assert_eq!(until(&paid), Some(at(MONTH)));
        let renewed = [paid.clone(), vec![stands(MONTH, Status::Paid, 1)]].concat();
        assert_eq!(until(&renewed), Some(at(2 * MONTH)));
        let failed = [paid, vec![stands(MONTH + 9, Status::Unpaid, 1)]].concat();
        assert_eq!(until(&failed), None);
        let ended = [renewed, vec![News::Ended(at(MONTH + 99)), stands(2 * MONTH, Status::Paid, 2)]].concat();
        assert_eq!(until(&ended), Some(at(MONTH + 99)), "an end is final");
    }

    #[test]
    fn a_refunded_payment_gives_no_pass_and_the_next_payment_counts_again() {
        let one = |number| {
            [heard([News::Buys(at(0), "gallery".into()), stands(number * MONTH, Status::Paid, number)])]
        };
        let refunded = Some(at(60));
        assert_eq!(given(&one(0), refunded), []);
        assert_eq!(given(&one(1), refunded).pop().map(|pass| pass.until), Some(at(2 * MONTH)));
    }

    #[test]
    fn a_subscription_without_a_tier_gives_no_pass() {
        assert_eq!(until(&[stands(0, Status::Paid, 0)]), None);
    }

    fn pass(until: i64, tier: &str) -> Pass {
        Pass { until: at(until), tier: tier.into() }
    }

    /// In these tests the tier whose name is greater is the better one.
    fn now_at(passes: &[Pass], second: i64) -> Option<(Pass, Option<DateTime<Utc>>)> {
        together(passes.to_vec(), str::to_owned, at(second))
    }

    #[test]
    fn the_best_valid_tier_counts_until_the_longest_pass_ends() {
        let both = [pass(10, "patron"), pass(20, "gallery")];
        assert_eq!(now_at(&both, 0), Some((pass(20, "patron"), Some(at(10)))));
        assert_eq!(now_at(&both, 10), Some((pass(20, "gallery"), None)));
        assert_eq!(now_at(&both, 30), Some((pass(20, "gallery"), None)), "the last one that there was");
        assert_eq!(now_at(&[], 0), None);
    }

    fn any_news() -> impl Strategy<Value = News> {
        let status = prop::sample::select(vec![Status::Unpaid, Status::Paid]);
        prop_oneof![
            20 => (0..9_i64, status, 0..9_i64).prop_map(|(second, status, number)| stands(second, status, number)),
            1 => (0..9_i64).prop_map(|second| News::Ended(at(second))),
            3 => (0..9_i64, "gallery|patron").prop_map(|(second, tier)| News::Buys(at(second), tier)),
        ]
    }

    proptest! {
        #[test]
        fn combined_passes_change_only_at_the_announced_time(passes in vec((1..9_i64, "gallery|patron"), 1..5), now in 0..9_i64) {
            let passes: Vec<Pass> = passes.iter().map(|(until, tier)| pass(*until, tier)).collect();
            let (held, turns_at) = now_at(&passes, now).unwrap();
            prop_assert_eq!(held.until, passes.iter().map(|pass| pass.until).max().unwrap());
            let better = passes.iter().filter(|pass| pass.until > at(now) && pass.tier > held.tier);
            prop_assert_eq!(better.count(), 0);
            for later in now..9 {
                let turned = turns_at.is_some_and(|turns_at| turns_at <= at(later));
                let same = now_at(&passes, later).unwrap().0 == held;
                prop_assert!(same != turned || at(later) >= held.until, "{} {}", now, later);
            }
        }

        #[test]
        fn order_and_repetition_of_events_do_not_matter(news in vec(any_news(), 1_000), swaps in vec(any::<prop::sample::Index>(), 2_000)) {
            let in_order = heard(news.clone());
            let mut shuffled = news.clone();
            for pair in swaps.chunks(2) {
                shuffled.swap(pair[0].index(news.len()), pair[1].index(news.len()));
            }
            shuffled.extend(swaps.iter().take(300).map(|index| news[index.index(news.len())].clone()));
            prop_assert_eq!(heard(shuffled), in_order);
        }
    }
}
