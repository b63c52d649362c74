//! The states of rate limits, and the header fields that report them.

use std::fmt::Write as _;

use chrono::TimeDelta;
use platform::config::GameSettings;
use platform::time_format::whole_seconds;

/// The state of a limit, as in the header fields of the IETF draft "`RateLimit` header fields for HTTP".
#[derive(Clone, Copy, Debug)]
pub struct RateLimitState {
    pub name: &'static str,
    /// The number that is allowed per window.
    pub quota: i64,
    /// The window in seconds.
    pub window_seconds: i64,
    /// The remaining number, and the seconds until there is one more; `None` if they are not known.
    pub remaining: Option<(i64, i64)>,
}

impl RateLimitState {
    /// Returns the state of the charges as a limit.
    pub fn charges(game: &GameSettings, remaining: Option<(i64, TimeDelta)>) -> Self {
        let charges = game.charge_allowance();
        Self {
            name: "charges",
            quota: charges.max(),
            window_seconds: charges.full_recharge_time().num_seconds().max(1),
            remaining: remaining.map(|(count, wait)| (count, whole_seconds(wait))),
        }
    }

    /// Returns the state of the message interval as a limit.
    pub fn messages(interval: TimeDelta, remaining: Option<(i64, TimeDelta)>) -> Self {
        Self {
            name: "messages",
            quota: 1,
            window_seconds: interval.num_seconds().max(1),
            remaining: remaining.map(|(count, wait)| (count, whole_seconds(wait))),
        }
    }
}

/// The limits that apply to a request, for the headers of its response.
#[derive(Default)]
pub struct RateLimitHeaders([Option<RateLimitState>; 3]);

impl RateLimitHeaders {
    /// Adds a limit, or replaces its earlier state.
    pub fn record(&mut self, state: RateLimitState) {
        let is_usable =
            |slot: &&mut Option<RateLimitState>| slot.is_none_or(|known| known.name == state.name);
        if let Some(slot) = self.0.iter_mut().find(is_usable) {
            *slot = Some(state);
        }
    }

    /// Returns true if no limit applies.
    pub fn is_empty(&self) -> bool {
        self.0[0].is_none()
    }

    /// Returns the value of `RateLimit-Policy`; empty if no limit applies.
    pub fn policy_header(&self) -> String {
        self.join_states(|text, state| {
            let _ = write!(text, "\"{}\";q={};w={}", state.name, state.quota, state.window_seconds);
        })
    }

    /// Returns the value of `RateLimit`; empty if no state is known.
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
}
