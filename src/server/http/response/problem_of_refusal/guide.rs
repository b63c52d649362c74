//! The codes and hints of the refusals of the guide.

use chrono::TimeDelta;
use platform::refusal::codes::Code;
use platform::refusal::{GuideBudgetKind, GuideRefusal};

use crate::server::http::response::problem::Problem;

/// The time after which an answer may have ended; most take a few seconds.
const TURN_RETRY_AFTER: TimeDelta = TimeDelta::seconds(5);

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: GuideRefusal) -> Code {
    match refusal {
        GuideRefusal::Disabled => Code::GuideDisabled,
        GuideRefusal::BudgetSpent { .. } => Code::BudgetSpent,
        GuideRefusal::TurnRunning
        | GuideRefusal::AddressMoneyReserved
        | GuideRefusal::TooManyTurnsAtAddress { .. } => Code::TooManyRequests,
        GuideRefusal::TooManyTurns | GuideRefusal::MoneyReserved => Code::Overloaded,
    }
}

/// Adds the hint, the time to wait, and what is left of a budget.
pub(super) fn with_fields(problem: Problem, refusal: GuideRefusal) -> Problem {
    match refusal {
        GuideRefusal::Disabled => problem,
        GuideRefusal::BudgetSpent { budget, limit, left, retry_after } => with_budget_hint(problem, budget)
            .with_field("budget", budget)
            .with_field("limit", limit)
            .with_field("left", left)
            .retry_after(retry_after),
        GuideRefusal::TurnRunning => {
            problem.hint("Wait until the answer is complete, then ask again.").retry_after(TURN_RETRY_AFTER)
        }
        GuideRefusal::TooManyTurns
        | GuideRefusal::MoneyReserved
        | GuideRefusal::AddressMoneyReserved
        | GuideRefusal::TooManyTurnsAtAddress { .. } => problem
            .hint("Your question is kept: ask for the stream of the same message again after Retry-After.")
            .retry_after(TURN_RETRY_AFTER),
    }
}

fn with_budget_hint(problem: Problem, budget: GuideBudgetKind) -> Problem {
    match budget {
        GuideBudgetKind::Visitor => {
            problem.hint("Ask again after midnight UTC. Holders of a Gallery Pass may ask more than others.")
        }
        GuideBudgetKind::Visitors | GuideBudgetKind::AddressMoney => problem.hint(
            "Ask again after midnight UTC, or sign in with a Gallery Pass: a part of the budget is kept for \
             accounts.",
        ),
        GuideBudgetKind::Address | GuideBudgetKind::Server => problem,
    }
}
