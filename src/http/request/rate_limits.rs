//! How often anyone may ask: limits against floods, per process. What is worth something is counted in the log.

use std::fmt::Write as _;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use parking_lot::RwLock;

use crate::config::{Game, Live};
use crate::http::response::codes::Code;
use crate::http::response::problem::{Problem, whole_seconds};
use crate::tokens;

/// Whom requests are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counted {
    /// An agent's number.
    Agent(i64),
    Address(IpAddr),
    /// An operator, by the hash of its session's token, of its key or of its device cookie.
    Operator(tokens::Hash),
    /// A session or an operator's key that was issued here, by its hash, before it is looked up.
    Issued(tokens::Hash),
}

type Keyed<K> = RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// The limits, which may change while the server runs.
pub struct Limits {
    current: RwLock<Arc<Current>>,
    reports: Keyed<Counted>,
    unknown_reports: Keyed<Counted>,
    letters: Keyed<IpAddr>,
    checkouts: Keyed<IpAddr>,
    returns: Keyed<IpAddr>,
    webhooks: Keyed<IpAddr>,
}

/// The limits as they are; those that are off are none.
struct Current {
    requests: Option<Keyed<Counted>>,
    registrations: Option<Keyed<IpAddr>>,
    per_minute: i64,
    per_day: i64,
}

/// How many letters an address may ask for within an hour.
const LETTERS: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// How many payments an address may begin within an hour, and how often it may come back from one: each time Stripe is
/// asked, which answers only so much to all of us.
const CHECKOUTS: NonZeroU32 = NonZeroU32::new(10).unwrap();
const RETURNS: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// How many webhooks an address may send within a minute. Stripe sends a few for each payment, from a dozen addresses, and
/// repeats for days what was refused; at this rate the largest bodies take some hundredths of a core to hash.
const WEBHOOKS: NonZeroU32 = NonZeroU32::new(3_000).unwrap();
const MINUTE: i64 = 60;
const DAY: Duration = Duration::from_hours(24);
const DAY_SECONDS: i64 = 86_400;
/// How many reports and appeals somebody with a key may send in an hour.
const REPORTS: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The same for an address, of which nobody knows who sits there.
const UNKNOWN_REPORTS: NonZeroU32 = NonZeroU32::new(3).unwrap();

impl Current {
    fn new(live: &Live) -> Self {
        let requests = NonZeroU32::new(live.requests_per_minute).map(Quota::per_minute);
        let registrations = NonZeroU32::new(live.registrations_per_day)
            .and_then(|count| Some(Quota::with_period(DAY / count.get())?.allow_burst(count)));
        Self {
            requests: requests.map(|quota| RateLimiter::keyed(quota).with_middleware()),
            registrations: registrations.map(|quota| RateLimiter::keyed(quota).with_middleware()),
            per_minute: live.requests_per_minute.into(),
            per_day: live.registrations_per_day.into(),
        }
    }

    fn gauge(&self, left: i64, next: i64) -> Gauge {
        Gauge { name: "requests", quota: self.per_minute, window: MINUTE, left: Some((left, next)) }
    }

    fn registrations_left(&self, left: i64, next: i64) -> Gauge {
        let left = Some((left, next));
        Gauge { name: "registrations", quota: self.per_day, window: DAY_SECONDS, left }
    }

    fn sweep(&self) {
        self.requests.iter().for_each(RateLimiter::retain_recent);
        self.registrations.iter().for_each(RateLimiter::retain_recent);
    }
}

fn hourly<K: Clone + Eq + Hash>(most: NonZeroU32) -> Keyed<K> {
    RateLimiter::keyed(Quota::per_hour(most)).with_middleware()
}

impl Limits {
    /// As the operator set them.
    pub fn new(live: &Live) -> Self {
        Self {
            current: RwLock::new(Arc::new(Current::new(live))),
            reports: hourly(REPORTS),
            unknown_reports: hourly(UNKNOWN_REPORTS),
            letters: hourly(LETTERS),
            checkouts: hourly(CHECKOUTS),
            returns: hourly(RETURNS),
            webhooks: RateLimiter::keyed(Quota::per_minute(WEBHOOKS)).with_middleware(),
        }
    }

    /// Does from now on as these settings say. A limit that is another one now counts from its beginning.
    pub fn follow(&self, live: &Live) {
        let known = self.now();
        let same = known.per_minute == i64::from(live.requests_per_minute)
            && known.per_day == i64::from(live.registrations_per_day);
        if !same {
            *self.current.write() = Arc::new(Current::new(live));
        }
    }

    /// Counts a request and says how many are left.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn request(&self, caller: &Counted) -> Result<Option<Gauge>, Problem> {
        let now = self.now();
        let Some(limiter) = &now.requests else { return Ok(None) };
        let detail = || format!("You may send {} requests per minute.", now.per_minute);
        let left = check(limiter, caller, detail)?;
        Ok(Some(now.gauge(left, (MINUTE / now.per_minute.max(1)).max(1))))
    }

    /// The limit on requests, with so many left and so many seconds until one more.
    pub fn gauge(&self, left: i64, next: i64) -> Gauge {
        self.now().gauge(left, next)
    }

    /// Counts a registration.
    ///
    /// # Errors
    /// How long until one more is allowed.
    pub fn registration(&self, address: IpAddr) -> Result<Option<Gauge>, TimeDelta> {
        let now = self.now();
        let Some(limiter) = &now.registrations else { return Ok(None) };
        let left = count(limiter, &address)?;
        Ok(Some(now.registrations_left(left, (DAY_SECONDS / now.per_day.max(1)).max(1))))
    }

    /// The limit on registrations, with so many left and so many seconds until one more; none while it is off.
    pub fn registrations_left(&self, left: i64, next: i64) -> Option<Gauge> {
        let now = self.now();
        now.registrations.is_some().then(|| now.registrations_left(left, next))
    }

    /// Counts a report or an appeal.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn report(&self, reporter: &Counted) -> Result<(), Problem> {
        let (limiter, most) = match reporter {
            Counted::Address(_) => (&self.unknown_reports, UNKNOWN_REPORTS),
            Counted::Agent(_) | Counted::Operator(_) | Counted::Issued(_) => (&self.reports, REPORTS),
        };
        let detail = || format!("You may report or appeal {most} times per hour.");
        check(limiter, reporter, detail).map(|_| ())
    }

    /// Counts that a letter was asked for.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn letter(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may ask for {LETTERS} links an hour.");
        check(&self.letters, &address, detail).map(|_| ())
    }

    /// Counts that somebody begins to pay.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn checkout(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may begin to pay {CHECKOUTS} times an hour.");
        check(&self.checkouts, &address, detail).map(|_| ())
    }

    /// Counts that somebody comes back from paying.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn coming_back(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may come back from paying {RETURNS} times an hour.");
        let hint = "What was paid is not lost: load this page again after as long as Retry-After says.";
        check(&self.returns, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Counts a webhook.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn webhook(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("An address may send {WEBHOOKS} webhooks per minute.");
        let hint = "Send it again after as long as Retry-After says, with a new signature.";
        check(&self.webhooks, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Forgets callers that have all their requests back.
    pub fn sweep(&self) {
        self.now().sweep();
        self.reports.retain_recent();
        self.unknown_reports.retain_recent();
        self.letters.retain_recent();
        self.checkouts.retain_recent();
        self.returns.retain_recent();
        self.webhooks.retain_recent();
    }

    fn now(&self) -> Arc<Current> {
        self.current.read().clone()
    }
}

fn check<K: Clone + Eq + Hash>(
    limiter: &Keyed<K>,
    key: &K,
    detail: impl FnOnce() -> String,
) -> Result<i64, Problem> {
    let refuse = |wait| Problem::new(Code::TooManyRequests, detail()).retry_after(wait);
    count(limiter, key).map_err(refuse)
}

/// Counts one more and returns how many are left, or how long until one more is allowed.
fn count<K: Clone + Eq + Hash>(limiter: &Keyed<K>, key: &K) -> Result<i64, TimeDelta> {
    match limiter.check_key(key) {
        Ok(state) => Ok(state.remaining_burst_capacity().into()),
        Err(refused) => {
            let wait = refused.wait_time_from(DefaultClock::default().now());
            Err(TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX))
        }
    }
}

/// One limit as the IETF's draft fields tell it.
#[derive(Clone, Copy, Debug)]
pub struct Gauge {
    pub name: &'static str,
    /// How many are allowed…
    pub quota: i64,
    /// …within so many seconds.
    pub window: i64,
    /// How many are left, and seconds until there is one more; none while that is not known.
    pub left: Option<(i64, i64)>,
}

impl Gauge {
    /// Charges as a limit.
    pub fn charges(game: &Game, left: Option<(i64, TimeDelta)>) -> Self {
        let charges = game.charges();
        Self {
            name: "charges",
            quota: charges.max(),
            window: charges.full_recharge_time().num_seconds().max(1),
            left: left.map(rounded_up),
        }
    }

    /// Messages as a limit.
    pub fn messages(interval: TimeDelta, left: Option<(i64, TimeDelta)>) -> Self {
        Self { name: "messages", quota: 1, window: interval.num_seconds().max(1), left: left.map(rounded_up) }
    }
}

fn rounded_up((count, wait): (i64, TimeDelta)) -> (i64, i64) {
    (count, whole_seconds(wait))
}

/// The limits that a request has met, for the fields of its answer.
#[derive(Default)]
pub struct Meter([Option<Gauge>; 3]);

impl Meter {
    /// Adds a limit, or replaces what was known of it.
    pub fn show(&mut self, gauge: Gauge) {
        let free = |place: &&mut Option<Gauge>| place.is_none_or(|known| known.name == gauge.name);
        if let Some(place) = self.0.iter_mut().find(free) {
            *place = Some(gauge);
        }
    }

    /// Whether no limit was met.
    pub fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// `RateLimit-Policy`; empty when nothing is limited.
    pub fn policy(&self) -> String {
        self.joined(|text, gauge| {
            let _ = write!(text, "\"{}\";q={};w={}", gauge.name, gauge.quota, gauge.window);
        })
    }

    /// `RateLimit`; empty when nothing is known.
    pub fn state(&self) -> String {
        self.joined(|text, gauge| {
            if let Some((left, next)) = gauge.left {
                let _ = write!(text, "\"{}\";r={left};t={next}", gauge.name);
            }
        })
    }

    fn joined(&self, write: impl Fn(&mut String, &Gauge)) -> String {
        let mut text = String::with_capacity(64);
        for gauge in self.0.iter().flatten() {
            let before = text.len();
            write(&mut text, gauge);
            if before > 0 && text.len() > before {
                text.insert_str(before, ", ");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn headers_follow_the_ietf_draft() {
        let mut meter = Meter::default();
        meter.show(Gauge { name: "requests", quota: 60, window: 60, left: Some((59, 1)) });
        meter.show(Gauge { name: "charges", quota: 10, window: 600, left: None });
        assert_eq!(meter.policy(), "\"requests\";q=60;w=60, \"charges\";q=10;w=600");
        assert_eq!(meter.state(), "\"requests\";r=59;t=1");
    }

    #[test]
    fn too_many_requests_are_refused_per_caller() {
        let config =
            Config::read(|name| (name == "CARAPLACE_REQUESTS_PER_MINUTE").then(|| "2".into())).unwrap();
        let limits = Limits::new(&config.live());
        let caller = Counted::Agent(1);
        assert_eq!(limits.request(&caller).unwrap().unwrap().left.map(|(left, _)| left), Some(1));
        assert!(limits.request(&caller).is_ok());
        assert_eq!(limits.request(&caller).unwrap_err().code, Code::TooManyRequests);
        assert!(limits.request(&Counted::Agent(2)).is_ok(), "each caller for itself");
    }
}
