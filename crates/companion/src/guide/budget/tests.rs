//! Tests of the budgets, and of the price of a turn.

use chrono::TimeDelta;
use platform::config::Config;

use super::*;

/// Returns the settings of the guide with these variables.
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

fn money_use(spent: u64, reserved: u64) -> MoneyUse {
    MoneyUse { spent, reserved }
}

fn refusal(
    settings: &GuideSettings,
    server: MoneyUse,
    browsers: Option<BrowserUses>,
) -> Option<GuideRefusal> {
    let now = DateTime::UNIX_EPOCH + TimeDelta::hours(23);
    match check_money(settings, &MoneyUses { server, browsers }, now) {
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
