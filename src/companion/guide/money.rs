//! The money of a day: that of the server, the part of all visitors without an account, and that of each of
//! their addresses.

use chrono::{DateTime, NaiveDate, Utc};
use platform::config::GuideSettings;
use platform::refusal::{GuideBudgetKind, GuideRefusal, Refusal};
use platform::tokens::hex;
use sqlx::PgConnection;

use super::spending::{MICROS_PER_CENT, max_turn_micros, next_midnight};

use super::store::uses::{self, ReservedRow};
use crate::accounts::visitor::Visitor;
use crate::log::state::AppState;

/// The part of the money that all visitors without an account together can take, in percent. The rest is kept
/// for accounts. If one turn can cost more than the part, one turn is possible.
const BROWSERS_PERCENT: u64 = 60;
/// The part of the money that the visitors without an account at one address can take, in percent. One turn
/// can cost more than that, so the last one may exceed it.
const ADDRESS_PERCENT: u64 = 5;

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
pub(super) struct MoneyUses {
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

/// Returns the name under which the cost of a visitor's turns counts for its address; `None` for accounts,
/// which cannot be made in numbers.
pub(super) fn find_payer(state: &AppState, visitor: &Visitor) -> Option<String> {
    let name = || format!("address:{}", hex(&state.hash_address(visitor.address)));
    visitor.owner.is_browser().then(name)
}

/// Returns what turns have taken on a day from the budgets of a payer, given the most that running turns can
/// cost.
pub(super) async fn read(
    connection: &mut PgConnection,
    day: NaiveDate,
    payer: Option<&str>,
    reserved: ReservedRow,
) -> Result<MoneyUses, sqlx::Error> {
    let ReservedRow { server, browsers, address } = reserved;
    let server = read_use(connection, day, uses::SERVER, server).await?;
    let browsers = match payer {
        Some(payer) => Some(BrowserUses {
            all: read_use(connection, day, uses::BROWSERS, browsers).await?,
            address: read_use(connection, day, payer, address).await?,
        }),
        None => None,
    };
    Ok(MoneyUses { server, browsers })
}

/// Returns what turns have taken, with that of all running turns but the one of a question.
pub(super) async fn read_with_running(
    connection: &mut PgConnection,
    day: NaiveDate,
    payer: Option<&str>,
    except: i64,
) -> Result<MoneyUses, sqlx::Error> {
    let reserved = uses::sum_reserved(connection, except, payer).await?;
    read(connection, day, payer, reserved).await
}

async fn read_use(
    connection: &mut PgConnection,
    day: NaiveDate,
    subject: &str,
    reserved: i64,
) -> Result<MoneyUse, sqlx::Error> {
    let spent = uses::read(connection, day, subject).await?.cost_micros;
    Ok(MoneyUse { spent, reserved: reserved as u64 })
}

/// Checks that there is money for one more turn.
///
/// # Errors
/// `BudgetSpent`; `MoneyReserved` or `AddressMoneyReserved` if there may be enough when running turns have
/// ended.
pub(super) fn check(settings: &GuideSettings, uses: &MoneyUses, now: DateTime<Utc>) -> Result<(), Refusal> {
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
    let limit = limit / MICROS_PER_CENT;
    let left = left / MICROS_PER_CENT;
    GuideRefusal::BudgetSpent { budget, limit, left, retry_after: next_midnight(now) - now }.into()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::companion::guide::spending::tests::settings;

    fn money_use(spent: u64, reserved: u64) -> MoneyUse {
        MoneyUse { spent, reserved }
    }

    fn refusal(
        settings: &GuideSettings,
        server: MoneyUse,
        browsers: Option<BrowserUses>,
    ) -> Option<GuideRefusal> {
        let now = DateTime::UNIX_EPOCH + TimeDelta::hours(23);
        match check(settings, &MoneyUses { server, browsers }, now) {
            Ok(()) => None,
            Err(Refusal::Guide(refusal)) => Some(refusal),
            Err(refusal) => panic!("{refusal}"),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with the result of a check")]
    fn spent(budget: GuideBudgetKind, limit: u64, left: u64) -> Option<GuideRefusal> {
        Some(GuideRefusal::BudgetSpent { budget, limit, left, retry_after: TimeDelta::hours(1) })
    }

    #[test]
    fn money_in_use_by_running_turns_comes_back() {
        let settings = settings(&[("CARAPLACE_GUIDE_CENTS_PER_DAY", "100")]);
        let turn = max_turn_micros(&settings);
        assert_eq!(refusal(&settings, money_use(0, turn), None), None);
        assert_eq!(refusal(&settings, money_use(0, 2 * turn), None), Some(GuideRefusal::MoneyReserved));
        let refused = refusal(&settings, money_use(3 * turn, 0), None);
        assert_eq!(refused, spent(GuideBudgetKind::Server, 100, 0));
    }

    #[test]
    fn visitors_without_an_account_leave_two_fifths_to_accounts() {
        let settings = settings(&[("CARAPLACE_GUIDE_CENTS_PER_DAY", "1000")]);
        let turn = max_turn_micros(&settings);
        let share = 600 * MICROS_PER_CENT;
        let used = |spent, reserved| {
            let all = money_use(spent, reserved);
            refusal(&settings, all, Some(BrowserUses { all, address: MoneyUse::default() }))
        };
        assert_eq!(used(share - turn, 0), None);
        let left = (turn - 1) / MICROS_PER_CENT;
        assert_eq!(used(share - turn + 1, 0), spent(GuideBudgetKind::Visitors, 600, left));
        assert_eq!(used(0, share - turn + 1), Some(GuideRefusal::MoneyReserved));
        assert_eq!(refusal(&settings, money_use(share, 0), None), None, "an account goes on");
    }

    #[test]
    fn a_part_that_is_less_than_a_turn_allows_one() {
        let settings = settings(&[("CARAPLACE_GUIDE_CENTS_PER_DAY", "40")]);
        let turn = max_turn_micros(&settings);
        let used = |spent| {
            let all = money_use(spent, 0);
            refusal(&settings, MoneyUse::default(), Some(BrowserUses { all, address: MoneyUse::default() }))
        };
        assert_eq!(used(0), None);
        let left = (turn - 1) / MICROS_PER_CENT;
        assert_eq!(used(1), spent(GuideBudgetKind::Visitors, turn / MICROS_PER_CENT, left));
    }

    #[test]
    fn an_address_begins_no_turn_after_a_twentieth() {
        let settings = settings(&[("CARAPLACE_GUIDE_CENTS_PER_DAY", "1000")]);
        let share = 50 * MICROS_PER_CENT;
        let used = |spent, reserved| {
            let all = money_use(spent, reserved);
            refusal(&settings, all, Some(BrowserUses { all, address: all }))
        };
        assert_eq!(used(share - 1, 0), None);
        assert_eq!(used(share, 0), spent(GuideBudgetKind::AddressMoney, 50, 0));
        assert_eq!(used(1, share), Some(GuideRefusal::AddressMoneyReserved));
    }

    #[test]
    fn a_model_without_a_price_has_no_budgets() {
        let free = [
            ("CARAPLACE_GUIDE_CENTS_PER_DAY", "0"),
            ("CARAPLACE_GUIDE_INPUT_PRICE", "0"),
            ("CARAPLACE_GUIDE_OUTPUT_PRICE", "0"),
        ];
        assert_eq!(refusal(&settings(&free), MoneyUse::default(), Some(BrowserUses::default())), None);
    }
}
