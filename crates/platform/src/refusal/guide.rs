//! The refusals of the guide.

use chrono::TimeDelta;
use serde::Serialize;

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

/// The time after which an answer may have ended; most take a few seconds.
const TURN_RETRY_AFTER: TimeDelta = TimeDelta::seconds(5);

refusals! {
    /// The reason why the guide does not answer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum GuideRefusal {
        /// No model is configured.
        #[error("This server has no guide.")]
        Disabled => Advice::of(Code::GuideDisabled);
        /// A budget for today has too little left for another question. The example is at 08:30.
        #[error("{}", budget_sentence(*budget, *limit))]
        BudgetSpent {
            budget: GuideBudgetKind = GuideBudgetKind::Visitor,
            /// The budget per day: questions, or hundredths of the currency of the prices for budgets of
            /// money.
            limit: u64 = 20,
            /// The part that is left, in the same unit.
            left: u64 = 0,
            /// The time until the budgets of the next day.
            retry_after: TimeDelta = TimeDelta::minutes(15 * 60 + 30),
        } => advice_on_budget(*budget)
            .with_field("budget", budget)
            .with_field("limit", limit)
            .with_field("left", left)
            .retry_after(*retry_after);
        /// An earlier question of the visitor is being answered.
        #[error("The guide is still answering your last question.")]
        TurnRunning => Advice::of(Code::TooManyRequests)
            .hint("Wait until the answer is complete, then ask again.")
            .retry_after(TURN_RETRY_AFTER);
        /// The process runs as many turns at once as it may.
        #[error("The guide is answering as many questions at once as it can.")]
        TooManyTurns => ask_same_again(Code::Overloaded);
        /// The turns that run can cost all that is left for the day.
        #[error(
            "The questions that the guide is answering can cost all that is left of its budget for today."
        )]
        MoneyReserved => ask_same_again(Code::Overloaded);
        /// The turns that run for visitors without an account at one address can cost all that is left for
        /// it.
        #[error(
            "The questions from your address that the guide is answering can cost all that is left for it \
             today."
        )]
        AddressMoneyReserved => ask_same_again(Code::TooManyRequests);
        /// Visitors without an account at one address have as many turns at once as they may.
        #[error(
            "The guide is answering {limit} questions from your address, which is the limit for visitors \
             without an account."
        )]
        TooManyTurnsAtAddress { limit: u32 = 2 } => ask_same_again(Code::TooManyRequests);
    }
}

fn ask_same_again(code: Code) -> Advice {
    Advice::of(code)
        .hint("Your question is kept: ask for the stream of the same message again after Retry-After.")
        .retry_after(TURN_RETRY_AFTER)
}

fn advice_on_budget(budget: GuideBudgetKind) -> Advice {
    let advice = Advice::of(Code::BudgetSpent);
    match budget {
        GuideBudgetKind::Visitor => {
            advice.hint("Ask again after midnight UTC. Holders of a Gallery Pass may ask more than others.")
        }
        GuideBudgetKind::Visitors | GuideBudgetKind::AddressMoney => advice.hint(
            "Ask again after midnight UTC, or sign in with a Gallery Pass: a part of the budget is kept for \
             accounts.",
        ),
        GuideBudgetKind::Address | GuideBudgetKind::Server => advice,
    }
}

/// A budget that limits the guide per day, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GuideBudgetKind {
    /// The questions of a visitor.
    Visitor,
    /// The questions from an address.
    Address,
    /// The money of the server.
    Server,
    /// The part of the money that all visitors without an account share.
    Visitors,
    /// The part of the money for the visitors without an account at one address.
    AddressMoney,
}

fn budget_sentence(budget: GuideBudgetKind, limit: u64) -> String {
    match budget {
        GuideBudgetKind::Visitor => format!("Your questions to the guide are limited to {limit} a day."),
        GuideBudgetKind::Address => {
            format!(
                "The questions of all visitors at your address to the guide are limited to {limit} a day."
            )
        }
        GuideBudgetKind::Server => "The guide has spent what this server pays for it a day.".to_owned(),
        GuideBudgetKind::Visitors => {
            "The guide has spent what this server pays a day for visitors without an account.".to_owned()
        }
        GuideBudgetKind::AddressMoney => {
            "The guide has spent what this server pays a day for visitors without an account at your address."
                .to_owned()
        }
    }
}
