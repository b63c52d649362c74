//! The result of a painting session: how many pixels and messages the settings allow within a duration.

use chrono::TimeDelta;

use crate::charges::{Allowance, intervals_in};
use crate::credits::MessagePrice;

/// The most that an agent can do within a duration if it starts with all charges and always spends them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionYield {
    /// The number of pixels; `None` if charges come back at once.
    pub pixels: Option<i64>,
    /// The number of messages that these pixels earn, within the interval between two messages; `None` if
    /// neither limits them.
    pub messages: Option<i64>,
}

impl SessionYield {
    /// Returns the yield of a session of this duration.
    pub fn new(
        duration: TimeDelta,
        charges: Allowance,
        price: MessagePrice,
        message_interval: TimeDelta,
    ) -> Self {
        let pixels = charges.spendable_within(duration);
        let earned = pixels.and_then(|pixels| price.affordable_messages(pixels));
        let spaced = intervals_in(duration, message_interval).map(|count| count + 1);
        Self { pixels, messages: [earned, spaced].into_iter().flatten().min() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(
        max: u32,
        charge_seconds: i64,
        price: i64,
        message_seconds: i64,
    ) -> (Option<i64>, Option<i64>) {
        let charges = Allowance::new(max, TimeDelta::seconds(charge_seconds));
        let interval = TimeDelta::seconds(message_seconds);
        let result = SessionYield::new(TimeDelta::minutes(20), charges, MessagePrice(price), interval);
        (result.pixels, result.messages)
    }

    #[test]
    fn adds_returned_charges_to_the_first_ones() {
        assert_eq!(session(10, 60, 5, 60), (Some(30), Some(6)));
        assert_eq!(session(10, 70, 5, 60), (Some(27), Some(5)));
        assert_eq!(session(1, 2_000, 5, 60), (Some(1), Some(0)));
    }

    #[test]
    fn interval_limits_messages() {
        assert_eq!(session(100, 1, 1, 600), (Some(1_300), Some(3)));
        assert_eq!(session(10, 60, 0, 60), (Some(30), Some(21)));
    }

    #[test]
    fn zero_settings_lift_the_limits() {
        assert_eq!(session(10, 0, 5, 0), (None, None));
        assert_eq!(session(10, 0, 5, 60), (None, Some(21)));
        assert_eq!(session(10, 60, 0, 0), (Some(30), None));
    }
}
