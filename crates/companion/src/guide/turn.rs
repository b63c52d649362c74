//! A turn: the work that answers one question.

use std::sync::Arc;

use chrono::TimeDelta;
use platform::config::GuideSettings;
use platform::refusal::Refusal;

use super::Guide;
use super::estimate::TokenAccount;
use super::events::ToolStep;
use super::running::TurnLog;
use crate::drafts::TurnRun;
use crate::tools::call::{ToolCaller, ToolContext};
use crate::tools::guide::context::GuideContext;

/// The time after which an instance that has not renewed its claim counts as dead. The visitor waits as long
/// after a crash.
pub(super) const LEASE: TimeDelta = TimeDelta::seconds(20);
/// The maximum number of turns for one question.
pub(super) const MAX_RUNS: i32 = 5;
/// The maximum length of an answer. A model that keeps to its limit of tokens stays far below.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// A running turn.
pub(super) struct Turn {
    pub tools: Arc<ToolContext>,
    pub guide: Arc<Guide>,
    /// The visitor, as the caller of tools.
    pub caller: Arc<ToolCaller>,
    pub question: ClaimedQuestion,
    pub log: TurnLog,
}

/// A question that this instance answers.
pub(super) struct ClaimedQuestion {
    /// The number in the database.
    pub no: i64,
    /// The number of the conversation.
    pub conversation: i64,
    pub content: String,
    pub context: GuideContext,
    /// The number of this run.
    pub run: i32,
    /// The most that the turn can cost, in millionths.
    pub reserved_micros: u64,
    /// The name under which the cost counts for an address; `None` for an account.
    pub payer: Option<String>,
}

impl ClaimedQuestion {
    /// Returns this run.
    pub(super) fn run(&self) -> TurnRun {
        TurnRun { question: self.no, number: self.run }
    }
}

/// The work of a turn so far.
pub(super) struct TurnWork {
    /// The answer as Markdown.
    pub text: String,
    pub steps: Vec<ToolStep>,
    /// The ids of the drafts.
    pub drafts: Vec<String>,
    pub tokens: TokenAccount,
    /// True if text that comes now belongs to a new request.
    is_new_part: bool,
}

impl TurnWork {
    /// Returns the work of a turn that begins.
    pub(super) fn new(settings: &GuideSettings) -> Self {
        Self {
            text: String::new(),
            steps: Vec::new(),
            drafts: Vec::new(),
            tokens: TokenAccount::new(settings.turn_tokens.into()),
            is_new_part: false,
        }
    }

    /// Separates the text that follows from the text so far.
    pub(super) fn begin_part(&mut self) {
        self.is_new_part = true;
    }

    /// Adds text of the model and returns what a stream has to send: without control characters, and not more
    /// than an answer may have.
    pub(super) fn add_text(&mut self, text: &str) -> String {
        let mut added: String =
            text.chars().filter(|&c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        if self.is_new_part && !added.is_empty() {
            self.is_new_part = false;
            if !self.text.is_empty() {
                added.insert_str(0, "\n\n");
            }
        }
        if self.text.len() + added.len() > MAX_ANSWER_BYTES {
            added.clear();
        }
        self.text.push_str(&added);
        added
    }
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

#[cfg(test)]
mod tests {
    use platform::config::Config;

    use super::*;

    #[test]
    fn parts_of_an_answer_are_paragraphs_without_control_characters() {
        let mut work = TurnWork::new(&Config::read(|_| None).unwrap().guide);
        work.begin_part();
        assert_eq!(work.add_text("I look.\u{0}\u{1b}[2J"), "I look.[2J");
        work.begin_part();
        assert_eq!(work.add_text(""), "");
        assert_eq!(work.add_text("It is\n"), "\n\nIt is\n");
        assert_eq!(work.add_text("red."), "red.");
        assert_eq!(work.text, "I look.[2J\n\nIt is\nred.");
        assert_eq!(work.add_text(&"x".repeat(MAX_ANSWER_BYTES)), "");
    }
}
