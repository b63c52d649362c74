//! The time since the machine was booted.

use std::ops::Add;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Counts the time during which the machine was suspended, too. `std::time::Instant` leaves it out on Linux.
#[cfg(target_os = "linux")]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const CLOCK: ClockId = ClockId::Monotonic;

/// A moment by a clock that nobody can set. The database's clock is compared with it: a machine that was
/// suspended must not look like a clock that was set forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootTime(Duration);

impl BootTime {
    /// Returns the present moment.
    pub fn now() -> Self {
        let time = clock_gettime(CLOCK);
        Self(Duration::try_from(time).unwrap_or_default())
    }

    /// Returns the time since an earlier moment; zero if that is a later one.
    pub fn saturating_duration_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the time since this moment.
    pub fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

impl Add<Duration> for BootTime {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn suspended_times_count() {
        assert_eq!(CLOCK, ClockId::Boottime);
        let earlier = BootTime::now();
        assert!(earlier <= BootTime::now() && earlier > BootTime(Duration::ZERO));
    }
}
