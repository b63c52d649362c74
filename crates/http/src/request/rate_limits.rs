//! Rate limits against floods, per process. Charges and chat credits are counted in the event log instead.

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
use platform::config::AdjustableValues;
use platform::refusal::codes::Code;
use platform::refusal::{Refusal, WebhookRefusal};
use platform::tokens;
use rules::numbers::AccountNo;

use super::rate_limit_headers::RateLimitState;
use super::work_debts::{WorkDebts, cost_of};
use crate::response::problem::Problem;

/// The key under which requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    /// An agent's number.
    Agent(AccountNo),
    Address(IpAddr),
    /// An operator, by the hash of the session token, the key or the device cookie.
    Operator(tokens::Blake3Hash),
    /// A session or an operator's key that was issued here, by its hash, before the look-up.
    IssuedSecret(tokens::Blake3Hash),
}

type KeyedLimiter<K> = RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// All rate limits.
pub struct RateLimits {
    current: RwLock<Arc<AdjustableLimits>>,
    work_debts: WorkDebts<RateLimitKey>,
    reports: KeyedLimiter<RateLimitKey>,
    anonymous_reports: KeyedLimiter<RateLimitKey>,
    magic_links: KeyedLimiter<IpAddr>,
    checkouts: KeyedLimiter<IpAddr>,
    checkout_returns: KeyedLimiter<IpAddr>,
    webhooks: KeyedLimiter<IpAddr>,
    webhook_hosts: KeyedLimiter<IpAddr>,
    oauth_clients: KeyedLimiter<IpAddr>,
}

/// The limits that change with the settings; `None` if a limit is off.
struct AdjustableLimits {
    requests: Option<KeyedLimiter<RateLimitKey>>,
    registrations: Option<KeyedLimiter<IpAddr>>,
    requests_per_minute: i64,
    registrations_per_day: i64,
}

/// The number of mails with sign-in links that an address can request per hour.
const MAX_MAGIC_LINKS_PER_HOUR: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
/// The numbers of Checkouts that an address can start and return from per hour. Each needs a request to
/// Stripe, which has a rate limit for this server.
const MAX_CHECKOUTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(10).unwrap();
const MAX_CHECKOUT_RETURNS_PER_HOUR: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The number of webhooks that an address can send per minute. Stripe sends a few for each payment, from a
/// dozen addresses, and repeats refused ones for days. At this rate, hashing the largest bodies takes a few
/// percent of a core.
const MAX_WEBHOOKS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(3_000).unwrap();
/// The number of host names that the agents of an address can have looked up for their webhooks per minute.
const MAX_WEBHOOK_HOSTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(30).unwrap();
/// The number of OAuth clients that an address can register per hour.
const MAX_OAUTH_CLIENTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(30).unwrap();
const MINUTE_SECONDS: i64 = 60;
const DAY: Duration = Duration::from_hours(24);
const DAY_SECONDS: i64 = 86_400;
/// The number of reports and appeals that an account can send per hour.
const MAX_REPORTS_PER_HOUR: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The number of reports that an address can send per hour without a key.
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

    /// Takes a number of requests from a caller's allowance, or as many as are left. Returns what is missing.
    fn take_requests(&self, key: &RateLimitKey, count: u32) -> u32 {
        let Some(limiter) = &self.requests else { return 0 };
        let mut missing = count;
        let mut part = count;
        while let Some(requests) = NonZeroU32::new(part) {
            match limiter.check_key_n(key, requests) {
                Ok(Ok(_)) => missing -= part,
                // All or nothing is taken, so less is tried.
                Ok(Err(_)) | Err(_) => part /= 2,
            }
            part = part.min(missing);
        }
        missing
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
    /// Returns the limits of the settings.
    pub fn new(live: &AdjustableValues) -> Self {
        Self {
            current: RwLock::new(Arc::new(AdjustableLimits::new(live))),
            work_debts: WorkDebts::default(),
            reports: hourly_limiter(MAX_REPORTS_PER_HOUR),
            anonymous_reports: hourly_limiter(MAX_ANONYMOUS_REPORTS_PER_HOUR),
            magic_links: hourly_limiter(MAX_MAGIC_LINKS_PER_HOUR),
            checkouts: hourly_limiter(MAX_CHECKOUTS_PER_HOUR),
            checkout_returns: hourly_limiter(MAX_CHECKOUT_RETURNS_PER_HOUR),
            webhooks: RateLimiter::keyed(Quota::per_minute(MAX_WEBHOOKS_PER_MINUTE)).with_middleware(),
            webhook_hosts: RateLimiter::keyed(Quota::per_minute(MAX_WEBHOOK_HOSTS_PER_MINUTE))
                .with_middleware(),
            oauth_clients: hourly_limiter(MAX_OAUTH_CLIENTS_PER_HOUR),
        }
    }

    /// Applies changed settings. If a limit changes, its counts restart.
    pub fn apply_settings(&self, live: &AdjustableValues) {
        let current = self.current();
        let is_unchanged = current.requests_per_minute == i64::from(live.requests_per_minute)
            && current.registrations_per_day == i64::from(live.registrations_per_day);
        if !is_unchanged {
            *self.current.write() = Arc::new(AdjustableLimits::new(live));
        }
    }

    /// Counts a request, and returns the state of the limit; `None` while it is off.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_request(&self, key: &RateLimitKey) -> Result<Option<RateLimitState>, Problem> {
        let limits = self.current();
        let Some(limiter) = &limits.requests else { return Ok(None) };
        let detail = || format!("You may send {} requests per minute.", limits.requests_per_minute);
        let remaining = check(limiter, key, detail)?;
        Ok(Some(limits.request_state(remaining, (MINUTE_SECONDS / limits.requests_per_minute.max(1)).max(1))))
    }

    /// Returns the state of the limit on requests, given the remaining number and the seconds until one more.
    pub fn request_state(&self, remaining: i64, next_seconds: i64) -> RateLimitState {
        self.current().request_state(remaining, next_seconds)
    }

    /// Takes the price of work from a caller's requests. What is missing is owed.
    pub fn charge_work(&self, key: &RateLimitKey, work: Duration) {
        let limits = self.current();
        let cost = cost_of(work, u32::try_from(limits.requests_per_minute).unwrap_or(u32::MAX));
        if cost > 0 {
            self.work_debts.pay(key, cost, |owed| limits.take_requests(key, owed));
        }
    }

    /// Takes what a caller owes for work from its requests.
    ///
    /// # Errors
    /// The time until the rest can be taken.
    pub fn settle_work(&self, key: &RateLimitKey) -> Result<(), TimeDelta> {
        let limits = self.current();
        match self.work_debts.pay(key, 0, |owed| limits.take_requests(key, owed)) {
            0 => Ok(()),
            owed => Err(TimeDelta::milliseconds(
                i64::from(owed) * MINUTE_SECONDS * 1_000 / limits.requests_per_minute.max(1),
            )),
        }
    }

    /// Counts a registration, and returns the state of the limit; `None` while it is off.
    ///
    /// # Errors
    /// The time until the next registration is allowed.
    pub fn count_registration(&self, address: IpAddr) -> Result<Option<RateLimitState>, TimeDelta> {
        let limits = self.current();
        let Some(limiter) = &limits.registrations else { return Ok(None) };
        let remaining = count(limiter, &address)?;
        Ok(Some(
            limits.registration_state(remaining, (DAY_SECONDS / limits.registrations_per_day.max(1)).max(1)),
        ))
    }

    /// Returns the state of the limit on registrations, given the remaining number and the seconds until one
    /// more; `None` while it is off.
    pub fn registration_state(&self, remaining: i64, next_seconds: i64) -> Option<RateLimitState> {
        let limits = self.current();
        limits.registrations.is_some().then(|| limits.registration_state(remaining, next_seconds))
    }

    /// Counts a report or an appeal.
    ///
    /// # Errors
    /// `TooManyReports` if the limit is reached.
    pub fn count_report(&self, key: &RateLimitKey) -> Result<(), Refusal> {
        let (limiter, max) = match key {
            RateLimitKey::Address(_) => (&self.anonymous_reports, MAX_ANONYMOUS_REPORTS_PER_HOUR),
            RateLimitKey::Agent(_) | RateLimitKey::Operator(_) | RateLimitKey::IssuedSecret(_) => {
                (&self.reports, MAX_REPORTS_PER_HOUR)
            }
        };
        let refuse = |wait| Refusal::TooManyReports { limit: max.get(), wait };
        count(limiter, key).map(|_| ()).map_err(refuse)
    }

    /// Counts a request for a sign-in link by mail.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_magic_link(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may request {MAX_MAGIC_LINKS_PER_HOUR} links per hour.");
        check(&self.magic_links, &address, detail).map(|_| ())
    }

    /// Counts the start of a Checkout.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_checkout(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may start {MAX_CHECKOUTS_PER_HOUR} payments per hour.");
        check(&self.checkouts, &address, detail).map(|_| ())
    }

    /// Counts a return from Checkout.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_checkout_return(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may load this page {MAX_CHECKOUT_RETURNS_PER_HOUR} times per hour.");
        let hint = "Your payment is not lost: wait as long as Retry-After says, then load this page again.";
        check(&self.checkout_returns, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Counts a webhook.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_webhook(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("An address may send {MAX_WEBHOOKS_PER_MINUTE} webhooks per minute.");
        let hint = "Wait for as long as Retry-After says, then send it again with a new signature.";
        check(&self.webhooks, &address, detail).map(|_| ()).map_err(|problem| problem.hint(hint))
    }

    /// Counts a host name that is looked up for a webhook.
    ///
    /// # Errors
    /// `Webhook` if the limit is reached.
    pub fn count_webhook_host(&self, address: IpAddr) -> Result<(), Refusal> {
        let refuse = |wait| WebhookRefusal::TooManyHosts { limit: MAX_WEBHOOK_HOSTS_PER_MINUTE.get(), wait };
        count(&self.webhook_hosts, &address).map(|_| ()).map_err(|wait| refuse(wait).into())
    }

    /// Counts the registration of an OAuth client.
    ///
    /// # Errors
    /// `too_many_requests` if the limit is reached.
    pub fn count_oauth_client(&self, address: IpAddr) -> Result<(), Problem> {
        let detail = || format!("You may register {MAX_OAUTH_CLIENTS_PER_HOUR} clients per hour.");
        check(&self.oauth_clients, &address, detail).map(|_| ())
    }

    /// Removes callers whose quota is full again.
    pub fn sweep(&self) {
        for debtor in self.work_debts.debtors() {
            let _ = self.settle_work(&debtor);
        }
        self.current().sweep();
        self.reports.retain_recent();
        self.anonymous_reports.retain_recent();
        self.magic_links.retain_recent();
        self.checkouts.retain_recent();
        self.checkout_returns.retain_recent();
        self.webhooks.retain_recent();
        self.webhook_hosts.retain_recent();
        self.oauth_clients.retain_recent();
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

/// Counts one and returns the remaining number, or the time until the next one is allowed.
fn count<K: Clone + Eq + Hash>(limiter: &KeyedLimiter<K>, key: &K) -> Result<i64, TimeDelta> {
    match limiter.check_key(key) {
        Ok(state) => Ok(state.remaining_burst_capacity().into()),
        Err(refused) => {
            let wait = refused.wait_time_from(DefaultClock::default().now());
            Err(TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::config::Config;

    #[test]
    fn too_many_requests_are_refused_per_caller() {
        let config =
            Config::read(|name| (name == "CARAPLACE_REQUESTS_PER_MINUTE").then(|| "2".into())).unwrap();
        let limits = RateLimits::new(&config.adjustable_values());
        let caller = RateLimitKey::Agent(AccountNo(1));
        assert_eq!(limits.count_request(&caller).unwrap().unwrap().remaining.map(|(left, _)| left), Some(1));
        assert!(limits.count_request(&caller).is_ok());
        assert_eq!(limits.count_request(&caller).unwrap_err().code, Code::TooManyRequests);
        assert!(
            limits.count_request(&RateLimitKey::Agent(AccountNo(2))).is_ok(),
            "each caller has its own limit"
        );
    }
}
