//! A turn: the work that answers one question.

use std::sync::Arc;

use platform::refusal::Refusal;

use super::Guide;
use super::answer::TurnWork;
use super::claim::ClaimedQuestion;
use super::events::TurnFailure;
use super::running::TurnLog;
use crate::companion::tools::call::{ToolCaller, ToolContext};

/// A running turn.
pub(super) struct Turn {
    pub tools: Arc<ToolContext>,
    pub guide: Arc<Guide>,
    /// The visitor, as the caller of tools.
    pub caller: Arc<ToolCaller>,
    pub question: ClaimedQuestion,
    pub log: TurnLog,
}

/// The work of a turn that has ended, and the reason if it has failed.
pub(super) struct TurnOutcome {
    pub work: TurnWork,
    pub result: Result<(), TurnFailure>,
}

/// Logs an unexpected error in a turn, without the texts of the conversation.
pub(super) fn log_internal(refusal: &Refusal) {
    match refusal {
        Refusal::Internal(error) => {
            tracing::error!(cause = error.chain(), "a turn of the guide had an unexpected error");
        }
        refusal => tracing::warn!(%refusal, "a turn of the guide could not go on"),
    }
}
