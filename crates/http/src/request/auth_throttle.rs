//! Throttles guessing: after too many wrong keys or sessions, their sender's secrets are not looked up for a
//! while.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use platform::clock::monotonic_now;
use platform::refusal::Refusal;
use platform::tokens::Blake3Hash;

/// The largest number of wrong secrets within the window.
const MAX_FAILURES: u32 = 400;
const FAILURE_WINDOW: Duration = Duration::from_secs(10);

/// A group of wrong secrets that are counted together. Keys and session cookies are counted apart: wrong keys
/// from the same address must not block a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThrottleKey {
    /// The keys that an address sends.
    AddressKeys(IpAddr),
    /// The session cookies without a valid tag that an address sends. They are forged, or older than the
    /// tags.
    AddressSessions(IpAddr),
    /// A single key or session that was issued here, by its hash. It may have ended.
    IssuedSecret(Blake3Hash),
}

/// The counts of wrong keys and sessions. Each process counts separately, so several instances allow as many
/// times more guesses.
#[derive(Default)]
pub struct AuthThrottle(Mutex<HashMap<ThrottleKey, FailureCount>>);

struct FailureCount {
    since: Instant,
    failures: u32,
}

impl AuthThrottle {
    /// Checks that an unknown key or session may be looked up.
    ///
    /// # Errors
    /// `Overloaded` after too many wrong secrets. It is no rate limit refusal, because the caller is not
    /// known.
    pub fn check(&self, key: &ThrottleKey) -> Result<(), Refusal> {
        let counts = self.0.lock();
        let is_throttled = counts
            .get(key)
            .is_some_and(|count| count.failures >= MAX_FAILURES && count.since.elapsed() < FAILURE_WINDOW);
        if is_throttled { Err(Refusal::Overloaded) } else { Ok(()) }
    }

    /// Counts a wrong key or session.
    pub fn count_failure(&self, key: ThrottleKey) {
        let mut counts = self.0.lock();
        let count = counts.entry(key).or_insert_with(|| FailureCount { since: monotonic_now(), failures: 0 });
        if count.since.elapsed() >= FAILURE_WINDOW {
            *count = FailureCount { since: monotonic_now(), failures: 0 };
        }
        count.failures += 1;
    }

    /// Removes expired counts.
    pub fn sweep(&self) {
        self.0.lock().retain(|_, tally| tally.since.elapsed() < FAILURE_WINDOW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttles_only_the_key_with_too_many_failures() {
        let throttle = AuthThrottle::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        let key = ThrottleKey::AddressKeys(address);
        for _ in 0..MAX_FAILURES {
            assert!(throttle.check(&key).is_ok());
            throttle.count_failure(key);
        }
        assert!(throttle.check(&key).is_err());
        for other in [
            ThrottleKey::AddressKeys([192, 0, 2, 2].into()),
            ThrottleKey::AddressSessions(address),
            ThrottleKey::IssuedSecret([1; 32]),
        ] {
            assert!(throttle.check(&other).is_ok(), "{other:?}");
        }
    }
}
