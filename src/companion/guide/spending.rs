//! The price of turns, and the days to which it is counted.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use platform::config::GuideSettings;

use super::estimate::{MAX_ANSWER_TOKENS, MAX_REQUESTS};
use super::model::ModelUsage;
use crate::log::state::AppState;

/// Prices are in cents per million tokens: this many tokens at a price of 1 cost a millionth of a unit of the
/// currency.
const TOKENS_PER_MICRO: u64 = 100;
/// The number of millionths of the currency in a hundredth.
pub(super) const MICROS_PER_CENT: u64 = 10_000;

/// The use of the guide on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuideSpending {
    /// Turns that were begun.
    pub turns: u64,
    pub tokens: u64,
    /// Millionths of the currency of the prices.
    pub cost_micros: u64,
}

impl GuideSpending {
    /// Returns the price in cents, rounded down.
    pub fn cents(&self) -> u64 {
        self.cost_micros / MICROS_PER_CENT
    }
}

/// Returns the price of tokens, in millionths.
pub(super) fn cost_micros(settings: &GuideSettings, usage: ModelUsage) -> u64 {
    let input = usage.input_tokens.saturating_mul(settings.input_price.into());
    let output = usage.output_tokens.saturating_mul(settings.output_price.into());
    input.saturating_add(output).div_ceil(TOKENS_PER_MICRO)
}

/// Returns the most that a turn can cost, in millionths.
pub(super) fn max_turn_micros(settings: &GuideSettings) -> u64 {
    let tokens = u64::from(settings.turn_tokens);
    let output_tokens = tokens.min(MAX_REQUESTS * MAX_ANSWER_TOKENS);
    let usage = ModelUsage { input_tokens: tokens - output_tokens, output_tokens };
    let without_answer = ModelUsage { input_tokens: tokens, output_tokens: 0 };
    cost_micros(settings, usage).max(cost_micros(settings, without_answer))
}

/// Returns the day of all instances' budgets.
pub(super) fn today(state: &AppState) -> NaiveDate {
    state.clock.now().date_naive()
}

/// Returns the beginning of the next day in UTC.
pub(super) fn next_midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    (now.date_naive() + Days::new(1)).and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use platform::config::Config;

    /// Returns the settings of the guide with these variables.
    pub fn settings(changed: &[(&str, &str)]) -> GuideSettings {
        let lookup =
            |name: &str| changed.iter().find(|(known, _)| *known == name).map(|(_, it)| (*it).to_owned());
        Config::read(lookup).unwrap().guide
    }

    #[test]
    fn tokens_cost_what_the_settings_say() {
        let usage = ModelUsage { input_tokens: 1_000_000, output_tokens: 1 };
        assert_eq!(cost_micros(&settings(&[]), usage), 3_000_015);
        let free = settings(&[("CARAPLACE_GUIDE_INPUT_PRICE", "0"), ("CARAPLACE_GUIDE_OUTPUT_PRICE", "0")]);
        assert_eq!((cost_micros(&free, usage), max_turn_micros(&free)), (0, 0));
    }

    #[test]
    fn a_turn_costs_most_if_it_is_all_output_up_to_the_longest_answers() {
        let settings = settings(&[]);
        let output_tokens = MAX_REQUESTS * MAX_ANSWER_TOKENS;
        let usage = ModelUsage { input_tokens: 60_000 - output_tokens, output_tokens };
        assert_eq!(max_turn_micros(&settings), cost_micros(&settings, usage));
    }
}
