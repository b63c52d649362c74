//! Pays for costly work from the allowance of requests of its caller.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpRequest;
use caraplace_log::identity::Identity;
use chrono::TimeDelta;
use platform::work_shares::{WorkAccount, WorkCaller};

use super::app_data::http_state;
use super::authentication::rate_limit_address_of;
use super::rate_limits::RateLimitKey;
use crate::response::problem::Problem;
use crate::state::HttpState;

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

/// Returns the caller of a request that may need costly work. The work is paid for by whom the request
/// counts.
pub fn work_caller(request: &HttpRequest, caller: Option<&Identity>) -> Result<WorkCaller, Problem> {
    let address = rate_limit_address_of(request)?;
    Ok(new_work_caller(http_state(request)?, address, caller))
}

/// Returns a caller at an address, given the account for which its requests count.
pub fn new_work_caller(
    http_state: &Arc<HttpState>,
    address: IpAddr,
    caller: Option<&Identity>,
) -> WorkCaller {
    let key = caller.map_or(RateLimitKey::Address(address), |caller| RateLimitKey::Agent(caller.no));
    let account: Arc<dyn WorkAccount> = Arc::new(RequestAllowance { http_state: http_state.clone(), key });
    WorkCaller { address, account: Some(account) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::rate_limits::RateLimits;
    use platform::config::Config;
    use rules::numbers::AccountNo;

    fn limits(requests_per_minute: &str) -> RateLimits {
        let lookup =
            |name: &str| (name == "CARAPLACE_REQUESTS_PER_MINUTE").then(|| requests_per_minute.to_owned());
        RateLimits::new(&Config::read(lookup).unwrap().adjustable_values())
    }

    fn remaining(limits: &RateLimits, key: &RateLimitKey) -> Option<i64> {
        limits.count_request(key).ok().flatten().and_then(|state| state.remaining).map(|(left, _)| left)
    }

    #[test]
    fn work_is_taken_from_the_allowance_and_what_is_missing_is_owed() {
        let limits = limits("100");
        let key = RateLimitKey::Agent(AccountNo(1));
        assert_eq!(remaining(&limits, &key), Some(99));
        limits.charge_work(&key, Duration::from_secs(1));
        assert_eq!(remaining(&limits, &key), Some(79));
        for _ in 0..4 {
            limits.charge_work(&key, Duration::from_mins(1));
        }
        assert_eq!(remaining(&limits, &key), None, "nothing is left");
        let wait = limits.settle_work(&key).unwrap_err();
        assert!((1..=15).contains(&wait.num_seconds()), "20 or so requests are owed: {wait}");
        assert_eq!(
            limits.settle_work(&RateLimitKey::Agent(AccountNo(2))),
            Ok(()),
            "each caller pays for itself"
        );
    }

    #[test]
    fn nothing_is_owed_while_requests_are_not_limited() {
        let limits = limits("0");
        let key = RateLimitKey::Agent(AccountNo(1));
        limits.charge_work(&key, Duration::from_mins(1));
        assert_eq!(limits.settle_work(&key), Ok(()));
    }
}
