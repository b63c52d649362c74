//! The budgets of a day in UTC: questions of each visitor and from each address, and the money of the server,
//! of all visitors without an account, and of each of their addresses.

use caraplace_accounts::visitor::{ConversationOwner, Visitor};
use caraplace_log::state::AppState;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use platform::config::GuideSettings;
use platform::refusal::{GuideBudgetKind, GuideRefusal, Refusal};
use platform::tokens::hex;
use sqlx::{PgConnection, PgPool};

use super::estimate::{MAX_ANSWER_TOKENS, MAX_REQUESTS};
use super::message::GuideBudget;
use super::model::ModelUsage;
use super::store::claim::LockedQuestion;
use super::store::uses::{self, Increase, ReservedRow};

/// The part of the money that all visitors without an account together can take, in percent. The rest is kept
/// for accounts. If one turn can cost more than the part, one turn is possible.
const BROWSERS_PERCENT: u64 = 60;
/// The part of the money that the visitors without an account at one address can take, in percent. One turn
/// can cost more than that, so the last one may exceed it.
const ADDRESS_PERCENT: u64 = 5;
/// Prices are in cents per million tokens: this many tokens at a price of 1 cost a millionth of a unit of the
/// currency.
const TOKENS_PER_MICRO: u64 = 100;
/// The number of millionths of the currency in a hundredth.
const MICROS_PER_CENT: u64 = 10_000;

/// The budgets that hold for a visitor at a time.
pub(super) struct Budgets<'a> {
    settings: &'a GuideSettings,
    visitor: &'a Visitor,
    now: DateTime<Utc>,
    day: NaiveDate,
    /// The name under which the cost of the visitor's turns counts for its address; `None` for accounts,
    /// which cannot be made in numbers.
    pub payer: Option<String>,
}

/// A limit on questions per day.
struct TurnLimit {
    budget: GuideBudgetKind,
    /// The name under which they are counted.
    subject: String,
    limit: u32,
}

/// The money that turns have taken from a budget, in millionths.
#[derive(Clone, Copy, Debug, Default)]
struct MoneyUse {
    /// The cost of turns that have ended.
    spent: u64,
    /// The most that running turns can cost.
    reserved: u64,
}

/// The money that turns have taken from the budgets that hold for a visitor.
#[derive(Clone, Copy, Debug, Default)]
struct MoneyUses {
    server: MoneyUse,
    /// The parts that hold for visitors without an account; `None` for accounts.
    browsers: Option<BrowserUses>,
}

/// The money that turns have taken from the parts of visitors without an account.
#[derive(Clone, Copy, Debug, Default)]
struct BrowserUses {
    all: MoneyUse,
    address: MoneyUse,
}

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

impl<'a> Budgets<'a> {
    /// Returns the budgets of a visitor.
    pub(super) fn new(
        settings: &'a GuideSettings,
        state: &AppState,
        visitor: &'a Visitor,
        now: DateTime<Utc>,
    ) -> Self {
        let name = || format!("address:{}", hex(&state.hash_address(visitor.address)));
        let payer = visitor.owner.is_browser().then(name);
        Self { settings, visitor, now, day: now.date_naive(), payer }
    }

    /// Counts a question of the visitor.
    ///
    /// # Errors
    /// `BudgetSpent` if a budget has nothing left. The transaction must be rolled back then.
    pub(super) async fn count_turn(&self, connection: &mut PgConnection) -> Result<(), Refusal> {
        let money_uses = self.read_money(&mut *connection, ReservedRow::default()).await?;
        check_money(self.settings, &money_uses, self.now)?;
        for TurnLimit { budget, subject, limit } in self.turn_limits() {
            if !uses::count_turn(&mut *connection, self.day, &subject, limit.into()).await? {
                return Err(spent_budget(budget, limit.into(), 0, self.now));
            }
        }
        Ok(())
    }

    /// Counts that a turn begins, and returns the most that it can cost, in millionths, which is to be
    /// reserved for it.
    ///
    /// # Errors
    /// `BudgetSpent`, `MoneyReserved`, or `AddressMoneyReserved`. The transaction must be rolled back then.
    pub(super) async fn begin_turn(
        &self,
        connection: &mut PgConnection,
        question: &LockedQuestion,
    ) -> Result<u64, Refusal> {
        // The instance that ran it has died. Its cost is unknown, so the reserved amount counts.
        if question.reserved_micros > 0 {
            let lost_payer = question.payer.as_deref();
            uses::add_lost(&mut *connection, self.day, lost_payer, question.reserved_micros).await?;
        }
        let reserved = uses::sum_reserved(&mut *connection, question.no, self.payer.as_deref()).await?;
        let money_uses = self.read_money(&mut *connection, reserved).await?;
        check_money(self.settings, &money_uses, self.now)?;
        // The questions of an earlier day were counted then, and those who ask without opening streams must
        // not save them up.
        if question.created_at.date_naive() < self.day {
            self.count_turn(&mut *connection).await?;
        }
        let begun = Increase { turns: 1, ..Increase::default() };
        uses::add(connection, self.day, None, begun).await?;
        Ok(max_turn_micros(self.settings))
    }

    /// Returns the number of questions that the visitor may still ask today.
    pub(super) async fn find_left(&self, pool: &PgPool) -> Result<GuideBudget, Refusal> {
        let mut connection = pool.acquire().await?;
        let money_uses = self.read_money(&mut connection, ReservedRow::default()).await?;
        let has_money = check_money(self.settings, &money_uses, self.now).is_ok();
        let mut turns_left = if has_money { u32::MAX } else { 0 };
        for TurnLimit { subject, limit, .. } in self.turn_limits() {
            let used = uses::read(&mut connection, self.day, &subject).await?.turns;
            turns_left = turns_left.min(limit.saturating_sub(used as u32));
        }
        let resets_at = next_midnight(self.now);
        Ok(GuideBudget { turns_left, turns_per_day: self.turns_per_day(), resets_at })
    }

    /// Returns the limits that hold for the visitor. Accounts cannot be made in numbers, so the limit of an
    /// address holds only for browsers without one, which can forget their cookie.
    fn turn_limits(&self) -> Vec<TurnLimit> {
        let subject = match &self.visitor.owner {
            ConversationOwner::Browser(hash) => format!("browser:{}", hex(hash)),
            ConversationOwner::Account(no) => format!("account:{no}"),
        };
        let limit = self.turns_per_day();
        let mut limits = vec![TurnLimit { budget: GuideBudgetKind::Visitor, subject, limit }];
        if let Some(subject) = self.payer.clone() {
            let limit = self.settings.turns_per_ip_per_day;
            limits.push(TurnLimit { budget: GuideBudgetKind::Address, subject, limit });
        }
        limits
    }

    /// Returns the number of questions that the visitor may ask per day: more with a pass, and for operators.
    fn turns_per_day(&self) -> u32 {
        let pass = self.visitor.viewer.as_ref().and_then(|viewer| viewer.rights.pass.as_ref());
        let has_pass = pass.is_some_and(|pass| pass.until > self.now);
        let has_more = self.visitor.operator.is_some() || has_pass;
        if has_more { self.settings.pass_turns_per_day } else { self.settings.turns_per_day }
    }

    /// Returns what turns have taken from the visitor's budgets, given the most that running turns can cost.
    async fn read_money(
        &self,
        connection: &mut PgConnection,
        reserved: ReservedRow,
    ) -> Result<MoneyUses, sqlx::Error> {
        let ReservedRow { server, browsers, address } = reserved;
        let server = self.read_use(connection, uses::SERVER, server).await?;
        let browsers = match &self.payer {
            Some(payer) => Some(BrowserUses {
                all: self.read_use(connection, uses::BROWSERS, browsers).await?,
                address: self.read_use(connection, payer, address).await?,
            }),
            None => None,
        };
        Ok(MoneyUses { server, browsers })
    }

    async fn read_use(
        &self,
        connection: &mut PgConnection,
        subject: &str,
        reserved: i64,
    ) -> Result<MoneyUse, sqlx::Error> {
        let spent = uses::read(connection, self.day, subject).await?.cost_micros;
        Ok(MoneyUse { spent: spent as u64, reserved: reserved as u64 })
    }
}

/// Returns what the guide has taken today on all instances.
pub async fn find_spending(state: &AppState) -> Result<GuideSpending, Refusal> {
    let mut connection = state.pool.acquire().await?;
    let day = state.clock.now().date_naive();
    let row = uses::read(&mut connection, day, uses::SERVER).await?;
    Ok(GuideSpending {
        turns: row.turns as u64,
        tokens: row.tokens as u64,
        cost_micros: row.cost_micros as u64,
    })
}

/// Checks that there is money for one more turn.
///
/// # Errors
/// `BudgetSpent`; `MoneyReserved` or `AddressMoneyReserved` if there may be enough when running turns have
/// ended.
fn check_money(settings: &GuideSettings, uses: &MoneyUses, now: DateTime<Utc>) -> Result<(), Refusal> {
    let money = u64::from(settings.cents_per_day) * MICROS_PER_CENT;
    let needed = max_turn_micros(settings);
    let part = |percent: u64| money * percent / 100;
    check_fits(uses.server, needed, GuideBudgetKind::Server, money, now)?;
    match uses.browsers {
        Some(BrowserUses { all, address }) if needed > 0 => {
            check_address(address, part(ADDRESS_PERCENT), now)?;
            let limit = part(BROWSERS_PERCENT).max(needed);
            check_fits(all, needed, GuideBudgetKind::Visitors, limit, now)
        }
        _ => Ok(()),
    }
}

/// Checks that a turn fits into what is left of a budget.
fn check_fits(
    MoneyUse { spent, reserved }: MoneyUse,
    needed: u64,
    budget: GuideBudgetKind,
    limit: u64,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    if spent + needed > limit {
        return Err(spent_money(budget, limit, limit.saturating_sub(spent), now));
    }
    if spent + reserved + needed > limit { Err(GuideRefusal::MoneyReserved.into()) } else { Ok(()) }
}

/// Checks that an address has anything left.
fn check_address(
    MoneyUse { spent, reserved }: MoneyUse,
    limit: u64,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    if spent >= limit {
        return Err(spent_money(GuideBudgetKind::AddressMoney, limit, 0, now));
    }
    if spent + reserved >= limit { Err(GuideRefusal::AddressMoneyReserved.into()) } else { Ok(()) }
}

fn spent_money(budget: GuideBudgetKind, limit: u64, left: u64, now: DateTime<Utc>) -> Refusal {
    spent_budget(budget, limit / MICROS_PER_CENT, left / MICROS_PER_CENT, now)
}

fn spent_budget(budget: GuideBudgetKind, limit: u64, left: u64, now: DateTime<Utc>) -> Refusal {
    GuideRefusal::BudgetSpent { budget, limit, left, retry_after: next_midnight(now) - now }.into()
}

/// Returns the price of tokens, in millionths.
pub(super) fn cost_micros(settings: &GuideSettings, usage: ModelUsage) -> u64 {
    let input = usage.input_tokens.saturating_mul(settings.input_price.into());
    let output = usage.output_tokens.saturating_mul(settings.output_price.into());
    input.saturating_add(output).div_ceil(TOKENS_PER_MICRO)
}

/// Returns the most that a turn can cost, in millionths.
fn max_turn_micros(settings: &GuideSettings) -> u64 {
    let tokens = u64::from(settings.turn_tokens);
    let output_tokens = tokens.min(MAX_REQUESTS * MAX_ANSWER_TOKENS);
    let usage = ModelUsage { input_tokens: tokens - output_tokens, output_tokens };
    let without_answer = ModelUsage { input_tokens: tokens, output_tokens: 0 };
    cost_micros(settings, usage).max(cost_micros(settings, without_answer))
}

/// Returns the beginning of the next day in UTC.
fn next_midnight(now: DateTime<Utc>) -> DateTime<Utc> {
    (now.date_naive() + Days::new(1)).and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests;
