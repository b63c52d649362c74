//! Examples of refusals for the documents. Those of a noun stand beside its enum.

use chrono::{DateTime, TimeDelta, Utc};
use rules::scope::Scope;
use text_filters::content::ContentRefusal;

use super::codes::Code;
use super::{
    CreditShortage, IntentRefusal, Refusal, account, crew, denied, guide, input, internal, placement, plan,
};

/// The time of the examples: 08:30.
const EXAMPLE_SECONDS: i64 = 1_769_848_200;

/// Returns an example of a refusal with this code; `None` if there is none.
pub fn find_example(code: Code) -> Option<Refusal> {
    let now = DateTime::<Utc>::from_timestamp(EXAMPLE_SECONDS, 0).unwrap_or_default();
    let mut examples = [
        general_examples(),
        message_examples(now),
        input::examples(),
        denied::examples(now),
        account::examples(),
        placement::examples(now),
        plan::examples(),
        crew::examples(),
        guide::examples(),
    ]
    .into_iter()
    .flatten();
    examples.find(|refusal| refusal.advice().code == code)
}

fn general_examples() -> Vec<Refusal> {
    vec![
        Refusal::Unavailable,
        Refusal::Overloaded,
        internal("handling a request")("an unexpected error"),
        Refusal::KeyMissing,
        Refusal::KeyInvalid,
        Refusal::ScopeMissing { scope: Scope::Paint },
        Refusal::LimitReached { limit: 10, objects: "extra keys" },
        Refusal::IdempotencyInFlight,
        Refusal::IdempotencyKeyReused,
        Refusal::ChatDisabled,
        Refusal::AlreadyReported,
        IntentRefusal::NotFound.into(),
        IntentRefusal::Ended.into(),
    ]
}

fn message_examples(now: DateTime<Utc>) -> Vec<Refusal> {
    let wait = TimeDelta::seconds(42);
    vec![
        Refusal::SeasonOver { since: now },
        Refusal::Content(ContentRefusal::Empty),
        Refusal::Content(ContentRefusal::TooLong { graphemes: 291, bytes: 291 }),
        Refusal::ContentProfane,
        Refusal::ContentLink,
        Refusal::DuplicateMessage,
        Refusal::ReplyTargetMissing,
        Refusal::NoCredits(CreditShortage { chat_credits: 3, pixels_until_next_message: 2, wait }),
        Refusal::MessageTooSoon { next_message_at: now + wait, wait },
        Refusal::TooManyReactions { wait },
        Refusal::SenderBlocked,
    ]
}
