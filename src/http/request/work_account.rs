//! Pays for costly work from the allowance of requests of its caller.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpRequest;
use chrono::TimeDelta;
use parking_lot::Mutex;

use super::authentication::{http_state, rate_limit_address_of};
use super::rate_limits::RateLimitKey;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;
use crate::log::key_cache::Agent;
use crate::work_shares::{WorkAccount, WorkCaller};

/// The work that one request pays for. Each started further unit counts as one more request.
const WORK_UNIT: Duration = Duration::from_millis(50);
/// The part (1 in this number) of a minute's allowance that the work of one request takes at most.
const MAX_COST_SHARE: u32 = 4;

/// The requests that callers still owe for work, because their allowance had too little left.
#[derive(Default)]
pub struct WorkDebts(Mutex<HashMap<RateLimitKey, u32>>);

impl WorkDebts {
    /// Adds to what a caller owes, and pays as much as `pay` can. `pay` takes a number and returns what is missing.
    /// Returns what the caller still owes.
    pub(super) fn pay(&self, key: &RateLimitKey, cost: u32, pay: impl FnOnce(u32) -> u32) -> u32 {
        let mut debts = self.0.lock();
        let owed = debts.get(key).copied().unwrap_or_default().saturating_add(cost);
        let missing = if owed == 0 { 0 } else { pay(owed) };
        if missing == 0 {
            debts.remove(key);
        } else {
            debts.insert(*key, missing);
        }
        missing
    }

    /// Returns the callers that owe something.
    pub(super) fn debtors(&self) -> Vec<RateLimitKey> {
        self.0.lock().keys().copied().collect()
    }
}

/// The allowance of requests of one caller, which pays for its work.
struct RequestAllowance {
    http_state: Arc<HttpState>,
    key: RateLimitKey,
}

impl WorkAccount for RequestAllowance {
    fn settle(&self) -> Result<(), TimeDelta> {
        self.http_state.rate_limits.settle_work(&self.key)
    }

    fn charge(&self, work: Duration) {
        self.http_state.rate_limits.charge_work(&self.key, work);
    }
}

/// Returns the number of requests that work counts as, besides the one that was counted before it.
pub(super) fn cost_of(work: Duration, requests_per_minute: u32) -> u32 {
    let units = work.as_nanos().div_ceil(WORK_UNIT.as_nanos()).saturating_sub(1);
    u32::try_from(units).unwrap_or(u32::MAX).min(requests_per_minute / MAX_COST_SHARE)
}

/// Returns the caller of a request that may need costly work. The work is paid for by whom the request counts.
///
/// # Errors
/// `internal_error` if the route was mounted without the state.
pub fn work_caller(request: &HttpRequest, agent: Option<&Agent>) -> Result<WorkCaller, Problem> {
    let address = rate_limit_address_of(request)?;
    Ok(new_work_caller(http_state(request)?, address, agent))
}

/// Returns a caller at an address, given the agent or viewer for whom its requests count.
pub fn new_work_caller(http_state: &Arc<HttpState>, address: IpAddr, agent: Option<&Agent>) -> WorkCaller {
    let key = agent.map_or(RateLimitKey::Address(address), |agent| RateLimitKey::Agent(agent.no));
    let account: Arc<dyn WorkAccount> = Arc::new(RequestAllowance { http_state: http_state.clone(), key });
    WorkCaller { address, account: Some(account) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::http::request::rate_limits::RateLimits;

    fn limits(requests_per_minute: &str) -> RateLimits {
        let lookup =
            |name: &str| (name == "CARAPLACE_REQUESTS_PER_MINUTE").then(|| requests_per_minute.to_owned());
        RateLimits::new(&Config::read(lookup).unwrap().adjustable_values())
    }

    fn remaining(limits: &RateLimits, key: &RateLimitKey) -> Option<i64> {
        limits.count_request(key).ok().flatten().and_then(|state| state.remaining).map(|(left, _)| left)
    }

    #[test]
    fn each_started_unit_beyond_the_first_counts_as_a_request() {
        let cost = |milliseconds| cost_of(Duration::from_millis(milliseconds), 1_200);
        assert_eq!([0, 1, 50, 51, 100, 101, 3_000].map(cost), [0, 0, 0, 1, 1, 2, 59]);
        assert_eq!(cost(600_000), 300, "a quarter of a minute's allowance at most");
        assert_eq!(cost_of(Duration::from_mins(1), 3), 0);
    }

    #[test]
    fn work_is_taken_from_the_allowance_and_what_is_missing_is_owed() {
        let (limits, key) = (limits("100"), RateLimitKey::Agent(1));
        assert_eq!(remaining(&limits, &key), Some(99));
        limits.charge_work(&key, Duration::from_secs(1));
        assert_eq!(remaining(&limits, &key), Some(79));
        for _ in 0..4 {
            limits.charge_work(&key, Duration::from_mins(1));
        }
        assert_eq!(remaining(&limits, &key), None, "nothing is left");
        let wait = limits.settle_work(&key).unwrap_err();
        assert!((1..=15).contains(&wait.num_seconds()), "20 or so requests are owed: {wait}");
        assert_eq!(limits.settle_work(&RateLimitKey::Agent(2)), Ok(()), "each caller pays for itself");
    }

    #[test]
    fn nothing_is_owed_while_requests_are_not_limited() {
        let (limits, key) = (limits("0"), RateLimitKey::Agent(1));
        limits.charge_work(&key, Duration::from_mins(1));
        assert_eq!(limits.settle_work(&key), Ok(()));
    }
}
