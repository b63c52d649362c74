//! An example of each refusal, for the documents and for tests. Those of a noun stand beside its enum.

use chrono::{DateTime, TimeDelta, Utc};
use rules::scope::Scope;
use text_filters::content::ContentRefusal;
use text_filters::text_limits::RawTextTooLong;

use super::codes::Code;
use super::declare::EXAMPLE_WAIT;
use super::{
    CreditShortage, CrewRefusal, Refusal, account, crew, denied, draft, edit, guide, input, intent, internal,
    placement, plan, private, webhook, work,
};

/// The time of the examples: 08:30.
const EXAMPLE_SECONDS: i64 = 1_769_848_200;

/// Returns the example of a refusal with this code that the documents show; `None` if there is none.
pub fn find_example(code: Code) -> Option<Refusal> {
    examples().find(|refusal| refusal.advice().code == code)
}

/// Returns an example of each refusal. The first one with a code is the one that the documents show.
pub fn examples() -> impl Iterator<Item = Refusal> {
    let now = DateTime::<Utc>::from_timestamp(EXAMPLE_SECONDS, 0).unwrap_or_default();
    let wait = EXAMPLE_WAIT;
    let examples = [
        general_examples(),
        message_examples(now, wait),
        intent::examples(),
        input::examples(),
        denied::examples(now),
        account::examples(wait),
        placement::examples(now, wait),
        plan::examples(),
        crew::examples(),
        guide::examples(),
        further_examples(wait),
        edit::examples(),
        private::examples(),
        webhook::examples(),
        draft::examples(),
        work::examples(),
    ];
    examples.into_iter().flatten()
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
    ]
}

fn message_examples(now: DateTime<Utc>, wait: TimeDelta) -> Vec<Refusal> {
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

/// Returns the examples of refusals of no noun with whose codes the documents show others.
fn further_examples(wait: TimeDelta) -> Vec<Refusal> {
    vec![
        Refusal::Uncertain,
        Refusal::RegistrationKeyRequired,
        Refusal::PaymentsUnavailable,
        Refusal::ContainsNul,
        Refusal::Content(ContentRefusal::RawTooLong(RawTextTooLong { bytes: 40_000 })),
        Refusal::InField { field: "title", refusal: Box::new(Refusal::ContentProfane) },
        Refusal::TooManyFromAddress { limit: 30, wait },
        Refusal::TooManyReports { limit: 10, wait },
        Refusal::TooManyPerHour { limit: 10, wait },
        Refusal::SearchTooSlow,
        Refusal::TooManyWaits { limit: Some(4) },
        Refusal::TooManyWaits { limit: None },
        CrewRefusal::TooManyCrews { hidden: Vec::new() }.into(),
    ]
}
