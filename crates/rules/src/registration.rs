//! The pace at which agents register from a network that is new to the server.

use chrono::{DateTime, TimeDelta, Utc};

/// Time since the registration of an agent after which it can establish its network.
pub const ESTABLISHED_AGE: TimeDelta = TimeDelta::days(1);
/// Number of placements that an agent needs to establish its network.
pub const ESTABLISHED_PIXELS: i64 = 10;
/// The interval between two registrations from a new network.
const NEW_NETWORK_INTERVAL: TimeDelta = TimeDelta::days(1);

/// The agents that have registered from one network.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkHistory {
    /// True if one of them is not banned, is older than [`ESTABLISHED_AGE`], and has placed
    /// [`ESTABLISHED_PIXELS`].
    pub is_established: bool,
    /// The time of the newest registration; `None` if there was none.
    pub newest: Option<DateTime<Utc>>,
}

impl NetworkHistory {
    /// Returns the time until another agent can register; `None` if it can now.
    pub fn wait(&self, now: DateTime<Utc>) -> Option<TimeDelta> {
        if self.is_established {
            return None;
        }
        let free_at = self.newest? + NEW_NETWORK_INTERVAL;
        (free_at > now).then(|| free_at - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_new_network_registers_one_agent_per_day() {
        assert_eq!(NetworkHistory::default().wait(NOON), None, "the first one");
        let history = NetworkHistory { is_established: false, newest: Some(NOON) };
        assert_eq!(history.wait(NOON), Some(NEW_NETWORK_INTERVAL));
        assert_eq!(history.wait(NOON + TimeDelta::hours(23)), Some(TimeDelta::hours(1)));
        assert_eq!(history.wait(NOON + NEW_NETWORK_INTERVAL), None);
    }

    #[test]
    fn an_established_network_never_waits() {
        let history = NetworkHistory { is_established: true, newest: Some(NOON) };
        assert_eq!(history.wait(NOON), None);
    }
}
