//! The earlier turns of a conversation, shortened, as the model reads them.

use platform::refusal::Refusal;
use rules::token_budget::TokenBudget;

use super::model::ModelMessage;
use super::store::model_loop::{self as store, PastTurn};
use super::turn::ClaimedQuestion;
use crate::log::state::AppState;

/// The maximum number of earlier turns.
const MAX_TURNS: i64 = 10;
/// The maximum number of tokens of all of them.
const MAX_HISTORY_TOKENS: usize = 6_000;
/// The share of a turn's tokens (1 in this number) that they may have.
const HISTORY_SHARE: usize = 10;
/// The bytes from which a part of an answer is worth keeping.
const MIN_ANSWER_BYTES: usize = 200;
const CUT_MARK: &str = " […]";

/// Returns the newest turns before a question, oldest first.
pub(super) async fn read(
    state: &AppState,
    question: &ClaimedQuestion,
    turn_tokens: u32,
) -> Result<Vec<ModelMessage>, Refusal> {
    let turns = store::list_past_turns(&state.pool, question.conversation, question.no, MAX_TURNS).await?;
    let tokens = MAX_HISTORY_TOKENS.min(turn_tokens as usize / HISTORY_SHARE);
    Ok(shorten(turns, TokenBudget::from_tokens(tokens)))
}

/// Returns the turns, of which the newest comes first, as messages in their order. Those that do not fit are
/// left out, and the oldest of the others is cut.
fn shorten(turns: Vec<PastTurn>, mut budget: TokenBudget) -> Vec<ModelMessage> {
    let mut kept = Vec::new();
    for PastTurn { question, answer } in turns {
        if !budget.spend(question.len()) {
            break;
        }
        let is_whole = budget.spend(answer.len());
        if !is_whole && !budget.has_room_for(MIN_ANSWER_BYTES) {
            break;
        }
        let text = if is_whole { answer } else { cut(&answer, budget.remaining_bytes() - CUT_MARK.len()) };
        kept.push(ModelMessage::Model { text, calls: Vec::new() });
        kept.push(ModelMessage::Visitor(question));
        if !is_whole {
            break;
        }
    }
    kept.reverse();
    kept
}

fn cut(text: &str, max_bytes: usize) -> String {
    format!("{}{CUT_MARK}", &text[..text.floor_char_boundary(max_bytes)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(answers: &[&str]) -> Vec<PastTurn> {
        let turn = |answer: &&str| PastTurn { question: "why?".to_owned(), answer: (*answer).to_owned() };
        answers.iter().map(turn).collect()
    }

    fn texts(messages: Vec<ModelMessage>) -> Vec<String> {
        let text = |message| match message {
            ModelMessage::Visitor(text) | ModelMessage::Model { text, .. } => text,
            ModelMessage::ToolResults(_) => String::new(),
        };
        messages.into_iter().map(text).collect()
    }

    #[test]
    fn newest_turns_are_kept_and_the_oldest_is_cut() {
        let long = "é".repeat(400);
        let kept = texts(shorten(turns(&["newest", &long, "oldest"]), TokenBudget::from_tokens(150)));
        assert_eq!(kept.len(), 4, "{kept:?}");
        assert_eq!((kept[0].as_str(), kept[2].as_str(), kept[3].as_str()), ("why?", "why?", "newest"));
        assert!(kept[1].ends_with(&format!("é{CUT_MARK}")) && kept[1].len() <= 450, "{}", kept[1]);
        assert_eq!(texts(shorten(turns(&["newest", &long]), TokenBudget::from_tokens(40))).len(), 2);
        assert_eq!(
            texts(shorten(turns(&["a", "b"]), TokenBudget::from_tokens(900))),
            ["why?", "b", "why?", "a"]
        );
    }
}
