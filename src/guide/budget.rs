//! The budgets of a day in UTC: questions of each visitor and from each address. Money has budgets of its own.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use sqlx::PgConnection;

use super::estimate::{MAX_ANSWER_TOKENS, MAX_REQUESTS};
use super::message::GuideBudget;
use super::model::ModelUsage;
use super::store::turns::ReservedRow;
use super::store::uses;
use super::{Guide, money};
use crate::config::GuideSettings;
use crate::refusal::{GuideBudgetKind, GuideRefusal, Refusal};
use crate::state::AppState;
use crate::tokens::hex;
use crate::visitor::{ConversationOwner, Visitor};

/// Prices are in cents per million tokens: this many tokens at a price of 1 cost a millionth of a unit of the currency.
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

/// A limit on questions per day.
struct TurnLimit {
    budget: GuideBudgetKind,
    /// The name under which they are counted.
    subject: String,
    limit: u32,
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

/// Counts a question of a visitor.
///
/// # Errors
/// `BudgetSpent` if a budget has nothing left, or the error of the database. The transaction must be rolled back then.
pub(super) async fn count_turn(
    connection: &mut PgConnection,
    guide: &Guide,
    state: &AppState,
    visitor: &Visitor,
) -> Result<(), Refusal> {
    let (day, now) = (today(state), state.clock.now());
    let payer = money::find_payer(state, visitor);
    let uses = money::read(&mut *connection, day, payer.as_deref(), ReservedRow::default()).await?;
    money::check(&guide.settings, &uses, now)?;
    for TurnLimit { budget, subject, limit } in turn_limits(&guide.settings, state, visitor) {
        if !uses::count_turn(&mut *connection, day, &subject, limit.into()).await? {
            return Err(spent_budget(budget, limit.into(), 0, now));
        }
    }
    Ok(())
}

/// Returns the number of questions that a visitor may still ask today.
pub(super) async fn find_left(
    guide: &Guide,
    state: &AppState,
    visitor: &Visitor,
) -> Result<GuideBudget, Refusal> {
    let (day, now, settings) = (today(state), state.clock.now(), &guide.settings);
    let mut connection = state.pool.acquire().await?;
    let payer = money::find_payer(state, visitor);
    let money_uses = money::read(&mut connection, day, payer.as_deref(), ReservedRow::default()).await?;
    let mut turns_left = if money::check(settings, &money_uses, now).is_ok() { u32::MAX } else { 0 };
    for TurnLimit { subject, limit, .. } in turn_limits(settings, state, visitor) {
        let used = uses::read(&mut connection, day, &subject).await?.turns;
        turns_left = turns_left.min(limit.saturating_sub(used as u32));
    }
    let turns_per_day = turns_per_day(settings, state, visitor);
    Ok(GuideBudget { turns_left, turns_per_day, resets_at: next_midnight(now) })
}

/// Returns what the guide has taken today on all instances.
///
/// # Errors
/// The error of the database.
pub async fn find_spending(state: &AppState) -> Result<GuideSpending, Refusal> {
    let mut connection = state.pool.acquire().await?;
    Ok(uses::read(&mut connection, today(state), uses::SERVER).await?)
}

/// Returns the limits that hold for a visitor. Accounts cannot be made in numbers, so the limit of an address holds only for
/// browsers without one, which can forget their cookie.
fn turn_limits(settings: &GuideSettings, state: &AppState, visitor: &Visitor) -> Vec<TurnLimit> {
    let subject = match &visitor.owner {
        ConversationOwner::Browser(hash) => format!("browser:{}", hex(hash)),
        ConversationOwner::Account(no) => format!("account:{no}"),
    };
    let limit = turns_per_day(settings, state, visitor);
    let mut limits = vec![TurnLimit { budget: GuideBudgetKind::Visitor, subject, limit }];
    if let Some(subject) = money::find_payer(state, visitor) {
        let limit = settings.turns_per_ip_per_day;
        limits.push(TurnLimit { budget: GuideBudgetKind::Address, subject, limit });
    }
    limits
}

/// Returns the number of questions that a visitor may ask per day: more with a pass, and for operators.
fn turns_per_day(settings: &GuideSettings, state: &AppState, visitor: &Visitor) -> u32 {
    let now = state.clock.now();
    let pass = visitor.viewer.as_ref().and_then(|viewer| viewer.rights.pass.as_ref());
    let has_more = visitor.operator.is_some() || pass.is_some_and(|pass| pass.until > now);
    if has_more { settings.pass_turns_per_day } else { settings.turns_per_day }
}

fn spent_budget(budget: GuideBudgetKind, limit: u64, left: u64, now: DateTime<Utc>) -> Refusal {
    GuideRefusal::BudgetSpent { budget, limit, left, retry_after: next_midnight(now) - now }.into()
}

/// Returns the beginning of the next day in UTC.
pub(super) fn next_midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    (now.date_naive() + Days::new(1)).and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn settings(changed: &[(&str, &str)]) -> GuideSettings {
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
