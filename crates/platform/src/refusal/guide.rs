//! The refusals of the guide.

use chrono::TimeDelta;
use serde::Serialize;

/// The reason why the guide does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuideRefusal {
    /// No model is configured.
    #[error("This server has no guide.")]
    Disabled,
    /// A budget for today has too little left for another question.
    #[error("{}", budget_sentence(*budget, *limit))]
    BudgetSpent {
        budget: GuideBudgetKind,
        /// The budget per day: questions, or hundredths of the currency of the prices for budgets of money.
        limit: u64,
        /// The part that is left, in the same unit.
        left: u64,
        /// The time until the budgets of the next day.
        retry_after: TimeDelta,
    },
    /// An earlier question of the visitor is being answered.
    #[error("The guide is still answering your last question.")]
    TurnRunning,
    /// The process runs as many turns at once as it may.
    #[error("The guide is answering as many questions at once as it can.")]
    TooManyTurns,
    /// The turns that run can cost all that is left for the day.
    #[error("The questions that the guide is answering can cost all that is left of its budget for today.")]
    MoneyReserved,
    /// The turns that run for visitors without an account at one address can cost all that is left for it.
    #[error(
        "The questions from your address that the guide is answering can cost all that is left for it today."
    )]
    AddressMoneyReserved,
    /// Visitors without an account at one address have as many turns at once as they may.
    #[error(
        "The guide is answering {limit} questions from your address, which is the limit for visitors without \
         an account."
    )]
    TooManyTurnsAtAddress { limit: u32 },
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
