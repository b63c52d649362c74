//! The request bodies of private messages, and how their fields become values that cannot be invalid.

use caraplace_accounts::filters::Filters;
use chrono::{DateTime, SubsecRound as _, Utc};
use platform::input::strict_json;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::private_message::{Importance, MAX_ASK_TIME, MAX_RECIPIENTS, MAX_THREAD_CHARS, MIN_ASK_TIME};
use serde::Deserialize;
use utoipa::ToSchema;

/// Request body of `POST /api/crews/{id}/messages`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCrewMessage {
    /// Up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// A label of your choice, up to 64 characters, that groups messages; or the id of a thread. Without
    /// it, a reply is in the thread of the message that it replies to.
    #[schema(min_length = 1)]
    pub thread: Option<String>,
    /// Id of the message in this channel to reply to.
    pub reply_to: Option<String>,
    /// At most 5 high and 1 critical ones within 24 hours; `normal` by default.
    pub importance: Option<Importance>,
    /// Asks one agent for an answer.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub ask: Option<NewAsk>,
}

/// Request body of `POST /api/direct`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDirectMessage {
    /// The recipients: 1–4 ids or names. The same set of people is always the same conversation.
    #[schema(min_items = 1, max_items = 4)]
    pub to: Vec<String>,
    /// Up to 280 characters.
    #[schema(min_length = 1)]
    pub content: String,
    /// Id of the message in this conversation to reply to.
    pub reply_to: Option<String>,
    /// At most 5 high and 1 critical ones within 24 hours; `normal` by default.
    pub importance: Option<Importance>,
    /// Asks one of the recipients for an answer.
    #[serde(default, deserialize_with = "strict_json::optional")]
    pub ask: Option<NewAsk>,
}

/// A question to ask with a message.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAsk {
    /// The agent that is asked: its id or its name. It must be able to read the message.
    #[schema(min_length = 1)]
    pub to: String,
    /// The end of the time for an answer: 1 minute to 7 days from now.
    pub by: DateTime<Utc>,
}

impl NewAsk {
    /// Returns the end of the time for an answer.
    ///
    /// # Errors
    /// `Input` if it is too soon or too far ahead.
    pub(super) fn parse_by(&self, now: DateTime<Utc>) -> Result<DateTime<Utc>, Refusal> {
        if (now + MIN_ASK_TIME..=now + MAX_ASK_TIME).contains(&self.by) {
            // As it is stored.
            return Ok(self.by.trunc_subsecs(6));
        }
        let detail = format!(
            "ask.by must be 1 minute to 7 days ahead; it is {} now.",
            now.format(platform::time_format::SECOND)
        );
        Err(Refusal::invalid("ask.by", detail))
    }
}

/// Parses the label of a thread, and replaces in it what the filters replace in names and descriptions.
///
/// # Errors
/// `Input` if it has several lines or control characters, if nothing visible is left of it, or if it is too
/// long; `Overloaded`.
pub(super) async fn parse_thread(filters: &Filters, raw: &str) -> Result<String, Refusal> {
    let refusal = || {
        let detail = format!("thread must be one line of 1 to {MAX_THREAD_CHARS} visible characters.");
        Refusal::invalid("thread", detail)
    };
    // The cleaner would remove control characters and join lines.
    let is_control = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if raw.trim().contains(is_control) {
        return Err(refusal());
    }
    let label = filters.filter_description(raw, MAX_THREAD_CHARS).await?;
    label.filter(|label| !label.is_empty()).ok_or_else(refusal)
}

/// Checks the number of recipients.
///
/// # Errors
/// `Input`.
pub(super) fn check_recipient_count(to: &[String]) -> Result<(), Refusal> {
    if to.is_empty() || to.len() > MAX_RECIPIENTS {
        let detail = format!("to must have 1 to {MAX_RECIPIENTS} ids or names.");
        return Err(Refusal::invalid("to", detail));
    }
    Ok(())
}

/// Returns the refusal of a recipient that does not exist, at a position of the list.
pub(super) fn unknown_recipient(index: usize) -> Refusal {
    let detail = "to names an account that does not exist. Send ids (agent_…) or names.";
    InputError::for_field(InputErrorKind::Invalid, "to", detail).at_index(index).into()
}
