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

use crate::config::{AdjustableValues, GameSettings};
use crate::http::response::codes::Code;
use crate::http::response::problem::{Problem, whole_seconds};
use crate::tokens;

/// Whom requests are counted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// An agent's number.
    Agent(i64),
    Address(IpAddr),
    /// An operator, by the hash of its session's token, of its key or of its device cookie.
    Operator(tokens::Blake3Hash),
    /// A session or an operator's key that was issued here, by its hash, before it is looked up.
    IssuedSecret(tokens::Blake3Hash),
}

type KeyedLimiter<K> = RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// The limits, which may change while the server runs.
pub struct RateLimits {
    current: RwLock<Arc<AdjustableLimits>>,
    reports: KeyedLimiter<RateLimitKey>,
    anonymous_reports: KeyedLimiter<RateLimitKey>,
    magic_links: KeyedLimiter<IpAddr>,
    checkouts: KeyedLimiter<IpAddr>,
    checkout_returns: KeyedLimiter<IpAddr>,
    webhooks: KeyedLimiter<IpAddr>,
}

/// The limits as they are; those that are off are none.
struct AdjustableLimits {
    requests: Option<KeyedLimiter<RateLimitKey>>,
    registrations: Option<KeyedLimiter<IpAddr>>,
    requests_per_minute: i64,
    registrations_per_day: i64,
}

/// How many letters an address may ask for within an hour.
const MAX_MAGIC_LINKS_PER_HOUR: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// How many payments an address may begin within an hour, and how often it may come back from one: each time Stripe is
/// asked, which answers only so much to all of us.
const MAX_CHECKOUTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(10).unwrap();
const MAX_CHECKOUT_RETURNS_PER_HOUR: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// How many webhooks an address may send within a minute. Stripe sends a few for each payment, from a dozen addresses, and
/// repeats for days what was refused; at this rate the largest bodies take some hundredths of a core to hash.
const MAX_WEBHOOKS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(3_000).unwrap();
const MINUTE_SECONDS: i64 = 60;
const DAY: Duration = Duration::from_hours(24);
const DAY_SECONDS: i64 = 86_400;
/// How many reports and appeals somebody with a key may send in an hour.
const MAX_REPORTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The same for an address, of which nobody knows who sits there.
const MAX_ANONYMOUS_REPORTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(3).unwrap();

impl AdjustableLimits {
    fn new(live: &AdjustableValues) -> Self {
        let requests = NonZeroU32::new(live.requests_per_minute).map(Quota::per_minute);
        let registrations = NonZeroU32::new(live.registrations_per_day)
            .and_then(|count| Some(Quota::with_period(DAY / count.get())?.allow_burst(count)));
        Self {
            requests: requests.map(|quota| RateLimiter::keyed(quota).with_middleware()),
            registrations: registrations.map(|quota| RateLimiter::keyed(quota).with_middleware()),
            requests_per_minute: live.requests_per_minute.into(),
            registrations_per_day: live.registrations_per_day.into(),
        }
    }

    fn request_state(&self, remaining: i64, next_seconds: i64) -> RateLimitState {
        RateLimitState {
            name: "requests",
            quota: self.requests_per_minute,
            window_seconds: MINUTE_SECONDS,
            remaining: Some((remaining, next_seconds)),
        }
    }

    fn registration_state(&self, remaining: i64, next_seconds: i64) -> RateLimitState {
        let remaining = Some((remaining, next_seconds));
        RateLimitState {
            name: "registrations",
            quota: self.registrations_per_day,
            window_seconds: DAY_SECONDS,
            remaining,
        }
    }

    fn sweep(&self) {
        self.requests.iter().for_each(RateLimiter::retain_recent);
        self.registrations.iter().for_each(RateLimiter::retain_recent);
    }
}

fn hourly_limiter<K: Clone + Eq + Hash>(max: NonZeroU32) -> KeyedLimiter<K> {
    RateLimiter::keyed(Quota::per_hour(max)).with_middleware()
}

impl RateLimits {
    /// As the operator set them.
    pub fn new(live: &AdjustableValues) -> Self {
        Self {
            current: RwLock::new(Arc::new(AdjustableLimits::new(live))),
            reports: hourly_limiter(MAX_REPORTS_PER_HOUR),
            anonymous_reports: hourly_limiter(MAX_ANONYMOUS_REPORTS_PER_HOUR),
            magic_links: hourly_limiter(MAX_MAGIC_LINKS_PER_HOUR),
            checkouts: hourly_limiter(MAX_CHECKOUTS_PER_HOUR),
            checkout_returns: hourly_limiter(MAX_CHECKOUT_RETURNS_PER_HOUR),
            webhooks: RateLimiter::keyed(Quota::per_minute(MAX_WEBHOOKS_PER_MINUTE)).with_middleware(),
        }
    }

    /// Does from now on as these settings say. A limit that is another one now counts from its beginning.
    pub fn apply_settings(&self, live: &AdjustableValues) {
        let current = self.current();
        let is_unchanged = current.requests_per_minute == i64::from(live.requests_per_minute)
            && current.registrations_per_day == i64::from(live.registrations_per_day);
        if !is_unchanged {
            *self.current.write() = Arc::new(AdjustableLimits::new(live));
        }
    }

    /// Counts a request and says how many are left.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_request(&self, key: &RateLimitKey) -> Result<Option<RateLimitState>, Problem> {
        let limits = self.current();
        let Some(limiter) = &limits.requests else { return Ok(None) };
        let detail = || format!("You may send {} requests per minute.", limits.requests_per_minute);
        let remaining = check(limiter, key, detail)?;
        Ok(Some(limits.request_state(remaining, (MINUTE_SECONDS / limits.requests_per_minute.max(1)).max(1))))
    }

    /// The limit on requests, with so many left and so many seconds until one more.
    pub fn request_state(&self, remaining: i64, next_seconds: i64) -> RateLimitState {
        self.current().request_state(remaining, next_seconds)
    }

    /// Counts a registration.
    ///
    /// # Errors
    /// How long until one more is allowed.
    pub fn count_registration(&self, address: IpAddr) -> Result<Option<RateLimitState>, TimeDelta> {
        let limits = self.current();
        let Some(limiter) = &limits.registrations else { return Ok(None) };
        let remaining = count(limiter, &address)?;
        Ok(Some(
            limits.registration_state(remaining, (DAY_SECONDS / limits.registrations_per_day.max(1)).max(1)),
        ))
    }

    /// The limit on registrations, with so many left and so many seconds until one more; none while it is off.
    pub fn registration_state(&self, remaining: i64, next_seconds: i64) -> Option<RateLimitState> {
        let limits = self.current();
        limits.registrations.is_some().then(|| limits.registration_state(remaining, next_seconds))
    }

    /// Counts a report or an appeal.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_report(&self, key: &RateLimitKey) -> Result<(), Problem> {
        let (limiter, max) = match key {
            RateLimitKey::Address(_) => (&self.anonymous_reports, MAX_ANONYMOUS_REPORTS_PER_HOUR),
            RateLimitKey::Agent(_) | RateLimitKey::Operator(_) | RateLimitKey::IssuedSecret(_) => {
                (&self.reports, MAX_REPORTS_PER_HOUR)
            }
        };
        let detail = || format!("You may report or appeal {max} times per hour.");
        check(limiter, key, detail).map(|_| ())
    }

    /// Counts that a letter was asked for.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_magic_link(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may ask for {MAX_MAGIC_LINKS_PER_HOUR} links an hour.");
        check(&self.magic_links, &address, detail).map(|_| ())
    }

    /// Counts that somebody begins to pay.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_checkout(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may begin to pay {MAX_CHECKOUTS_PER_HOUR} times an hour.");
        check(&self.checkouts, &address, detail).map(|_| ())
    }

    /// Counts that somebody comes back from paying.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_checkout_return(&self, address: IpAddr) -> Result<(), Problem> {
        let detail =
            || format!("You may come back from paying {MAX_CHECKOUT_RETURNS_PER_HOUR} times an hour.");
        let hint = "What was paid is not lost: load this page again after as long as Retry-After says.";
        check(&self.checkout_returns, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Counts a webhook.
    ///
    /// # Errors
    /// `too_many_requests`.
    pub fn count_webhook(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("An address may send {MAX_WEBHOOKS_PER_MINUTE} webhooks per minute.");
        let hint = "Send it again after as long as Retry-After says, with a new signature.";
        check(&self.webhooks, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Forgets callers that have all their requests back.
    pub fn sweep(&self) {
        self.current().sweep();
        self.reports.retain_recent();
        self.anonymous_reports.retain_recent();
        self.magic_links.retain_recent();
        self.checkouts.retain_recent();
        self.checkout_returns.retain_recent();
        self.webhooks.retain_recent();
    }

    fn current(&self) -> Arc<AdjustableLimits> {
        self.current.read().clone()
    }
}

fn check<K: Clone + Eq + Hash>(
    limiter: &KeyedLimiter<K>,
    key: &K,
    detail: impl FnOnce() -> String,
) -> Result<i64, Problem> {
    let refuse = |wait| Problem::new(Code::TooManyRequests, detail()).retry_after(wait);
    count(limiter, key).map_err(refuse)
}

/// Counts one more and returns how many are left, or how long until one more is allowed.
fn count<K: Clone + Eq + Hash>(limiter: &KeyedLimiter<K>, key: &K) -> Result<i64, TimeDelta> {
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
pub struct RateLimitState {
    pub name: &'static str,
    /// How many are allowed…
    pub quota: i64,
    /// …within so many seconds.
    pub window_seconds: i64,
    /// How many are left, and seconds until there is one more; none while that is not known.
    pub remaining: Option<(i64, i64)>,
}

impl RateLimitState {
    /// Charges as a limit.
    pub fn charges(game: &GameSettings, remaining: Option<(i64, TimeDelta)>) -> Self {
        let charges = game.charge_allowance();
        Self {
            name: "charges",
            quota: charges.max(),
            window_seconds: charges.full_recharge_time().num_seconds().max(1),
            remaining: remaining.map(round_up_wait),
        }
    }

    /// Messages as a limit.
    pub fn messages(interval: TimeDelta, remaining: Option<(i64, TimeDelta)>) -> Self {
        Self {
            name: "messages",
            quota: 1,
            window_seconds: interval.num_seconds().max(1),
            remaining: remaining.map(round_up_wait),
        }
    }
}

fn round_up_wait((count, wait): (i64, TimeDelta)) -> (i64, i64) {
    (count, whole_seconds(wait))
}

/// The limits that a request has met, for the fields of its answer.
#[derive(Default)]
pub struct RateLimitHeaders([Option<RateLimitState>; 3]);

impl RateLimitHeaders {
    /// Adds a limit, or replaces what was known of it.
    pub fn record(&mut self, state: RateLimitState) {
        let is_usable =
            |slot: &&mut Option<RateLimitState>| slot.is_none_or(|known| known.name == state.name);
        if let Some(slot) = self.0.iter_mut().find(is_usable) {
            *slot = Some(state);
        }
    }

    /// Whether no limit was met.
    pub fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// `RateLimit-Policy`; empty when nothing is limited.
    pub fn policy_header(&self) -> String {
        self.join_states(|text, state| {
            let _ = write!(text, "\"{}\";q={};w={}", state.name, state.quota, state.window_seconds);
        })
    }

    /// `RateLimit`; empty when nothing is known.
    pub fn state_header(&self) -> String {
        self.join_states(|text, state| {
            if let Some((remaining, next_seconds)) = state.remaining {
                let _ = write!(text, "\"{}\";r={remaining};t={next_seconds}", state.name);
            }
        })
    }

    fn join_states(&self, write: impl Fn(&mut String, &RateLimitState)) -> String {
        let mut text = String::with_capacity(64);
        for state in self.0.iter().flatten() {
            let length_before = text.len();
            write(&mut text, state);
            if length_before > 0 && text.len() > length_before {
                text.insert_str(length_before, ", ");
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
        let mut headers = RateLimitHeaders::default();
        headers.record(RateLimitState {
            name: "requests",
            quota: 60,
            window_seconds: 60,
            remaining: Some((59, 1)),
        });
        headers.record(RateLimitState { name: "charges", quota: 10, window_seconds: 600, remaining: None });
        assert_eq!(headers.policy_header(), "\"requests\";q=60;w=60, \"charges\";q=10;w=600");
        assert_eq!(headers.state_header(), "\"requests\";r=59;t=1");
    }

    #[test]
    fn too_many_requests_are_refused_per_caller() {
        let config =
            Config::read(|name| (name == "CARAPLACE_REQUESTS_PER_MINUTE").then(|| "2".into())).unwrap();
        let limits = RateLimits::new(&config.adjustable_values());
        let caller = RateLimitKey::Agent(1);
        assert_eq!(limits.count_request(&caller).unwrap().unwrap().remaining.map(|(left, _)| left), Some(1));
        assert!(limits.count_request(&caller).is_ok());
        assert_eq!(limits.count_request(&caller).unwrap_err().code, Code::TooManyRequests);
        assert!(limits.count_request(&RateLimitKey::Agent(2)).is_ok(), "each caller for itself");
    }
}
