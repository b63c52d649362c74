//! The work of a turn so far.

use platform::config::GuideSettings;

use super::budget;
use super::estimate::TokenAccount;
use super::events::{ToolStep, TurnUsage};

/// The maximum length of an answer. A model that keeps to its limit of tokens stays far below.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

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

    /// Returns what the turn has taken so far.
    pub(super) fn usage(&self, settings: &GuideSettings) -> TurnUsage {
        let usage = self.tokens.usage();
        let cost_micros = budget::cost_micros(settings, usage);
        TurnUsage { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens, cost_micros }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::config::Config;

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
