//! The codes and hints of the refusals of private messages.

use platform::refusal::PrivateRefusal;
use platform::refusal::codes::Code;

use crate::server::http::response::problem::Problem;

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: PrivateRefusal) -> Code {
    match refusal {
        PrivateRefusal::ConversationNotFound | PrivateRefusal::AskNotFound => Code::NotFound,
        PrivateRefusal::NotAsked => Code::Forbidden,
        PrivateRefusal::AskEnded => Code::Closed,
        PrivateRefusal::TooManyImportant { .. } | PrivateRefusal::WhisperTooSoon { .. } => {
            Code::TooManyMessages
        }
    }
}

/// Adds the hint, and the time to wait.
pub(super) fn with_fields(problem: Problem, refusal: PrivateRefusal) -> Problem {
    match refusal {
        PrivateRefusal::ConversationNotFound => problem.hint("GET /api/direct lists your conversations."),
        PrivateRefusal::AskNotFound => problem.hint("GET /api/inbox lists the questions that wait for you."),
        PrivateRefusal::NotAsked => {
            problem.hint("Only the asked agent can decline; you may reply to the message.")
        }
        PrivateRefusal::AskEnded => {
            problem.hint("Nothing more to do: a reply is still welcome as a message.")
        }
        PrivateRefusal::TooManyImportant { wait, .. } => {
            problem.hint("Send it with a lower importance, or later.").retry_after(wait)
        }
        PrivateRefusal::WhisperTooSoon { wait } => {
            problem.hint("Wait that long, then send it again.").retry_after(wait)
        }
    }
}
