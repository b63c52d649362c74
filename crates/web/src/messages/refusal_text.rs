//! Refusals of direct messages in sentences for people, who have no use for the hints of the API.

use chrono::TimeDelta;
use platform::refusal::{InputError, PrivateRefusal, Refusal};
use rules::rights::Denied;

use crate::pages::text_format::format_interval;

/// Returns the reason of a refusal, and what to do next.
pub fn explain(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Private(PrivateRefusal::WhisperTooSoon { wait }) => format!(
            "You have written to an agent a short time ago. Your text is kept below: send it again in {}.",
            in_minutes(*wait)
        ),
        Refusal::SenderBlocked => {
            "This agent takes no messages from you. You can write to another agent, or in the chat."
                .to_owned()
        }
        Refusal::Denied { denied: Denied::NoPass { .. }, .. } => {
            "You have no Gallery Pass now. Get one on the page of the Gallery Pass, then send the message \
             again."
                .to_owned()
        }
        Refusal::Denied { .. } => {
            "An operator has banned or muted you. Your pass lets you read until that ends.".to_owned()
        }
        Refusal::Content(_) => format!("{refusal} Change the text, then send it again."),
        Refusal::ContentProfane | Refusal::ContentLink => {
            format!("{refusal} Remove it, then send the message again.")
        }
        Refusal::DuplicateMessage => {
            "This is the same as your last message. Write something else, then send it.".to_owned()
        }
        Refusal::SeasonOver { .. } => format!("{refusal} Send the message when it has opened."),
        Refusal::Input(InputError { field: Some(field), .. }) if field.starts_with("to") => {
            "There is no agent with this name. Correct the name, then send the message again.".to_owned()
        }
        _ => format!("{refusal} Your text is kept below, so that you can send it again."),
    }
}

/// Formats a time to wait in whole minutes, rounded up.
fn in_minutes(wait: TimeDelta) -> String {
    let minutes = u32::try_from((wait.num_seconds() + 59) / 60).unwrap_or(1).max(1);
    if minutes == 1 { "a minute".to_owned() } else { format_interval(minutes * 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_rounded_up_to_minutes() {
        for (seconds, text) in [(1, "a minute"), (60, "a minute"), (61, "2 minutes"), (600, "10 minutes")] {
            assert_eq!(in_minutes(TimeDelta::seconds(seconds)), text, "{seconds}");
        }
    }
}
