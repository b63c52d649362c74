//! The code, the hint and the fields of every refusal of the game.

use chrono::TimeDelta;
use rules::names::NameRefusal;
use rules::rights::Denied;
use serde_json::Value;
use text_filters::content::ContentRefusal;

use super::codes::Code;
use super::problem::Problem;
use crate::refusal::{CreditShortage, InputError, InputErrorKind, Refusal, Shortage};

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (code, detail) = (find_code(&refusal), write_detail(&refusal));
        let problem = match find_field(&refusal) {
            Some(field) => Self::field(code, field, detail),
            None => Self::new(code, detail),
        };
        with_advice(problem, refusal)
    }
}

/// Returns the refusal's sentence, except where the title of the code says the reason.
fn write_detail(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Unavailable | Refusal::Overloaded => "Nothing was done, nothing was spent.".to_owned(),
        refusal => refusal.to_string(),
    }
}

fn find_code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::Unavailable | Refusal::Uncertain => Code::DatabaseUnavailable,
        Refusal::Overloaded | Refusal::PaymentsAway => Code::Overloaded,
        Refusal::Internal(_) => Code::InternalError,
        Refusal::KeyMissing => Code::KeyMissing,
        Refusal::KeyInvalid => Code::KeyInvalid,
        Refusal::IdempotencyInFlight => Code::IdempotencyInFlight,
        Refusal::IdempotencyKeyReused => Code::IdempotencyKeyReused,
        Refusal::RegistrationClosed
        | Refusal::NameFixed
        | Refusal::SeasonOver { .. }
        | Refusal::Barred { bar: Denied::NotForAccountKind, .. } => Code::Forbidden,
        Refusal::TooManyRegistrations { .. }
        | Refusal::RenamedLately { .. }
        | Refusal::TooManyReactions { .. } => Code::TooManyRequests,
        Refusal::NoSuchViewer => Code::NotFound,
        Refusal::Input(error) => input_code(error.kind),
        Refusal::Unreadable | Refusal::NameNotAllowed(NameRefusal::Length | NameRefusal::Character(_)) => {
            Code::InvalidField
        }
        Refusal::Barred { bar: Denied::Banned(_) | Denied::Muted { .. }, .. } => Code::Banned,
        Refusal::Barred { bar: Denied::NoPass { .. }, .. } => Code::GalleryPassRequired,
        Refusal::ChatDisabled => Code::ChatDisabled,
        Refusal::OffCanvas => Code::OutOfBounds,
        Refusal::DigestInvalid => Code::DigestInvalid,
        Refusal::DigestStale => Code::DigestStale,
        Refusal::NameNotAllowed(_) => Code::NameNotAllowed,
        Refusal::NameTaken => Code::NameTaken,
        Refusal::Content(ContentRefusal::Empty) => Code::ContentEmpty,
        Refusal::Content(_) => Code::ContentTooLong,
        Refusal::ContentProfane => Code::ContentProfane,
        Refusal::ContentLink => Code::ContentLink,
        Refusal::Duplicate => Code::DuplicateMessage,
        Refusal::ReplyTargetMissing => Code::ReplyTargetMissing,
        Refusal::PixelChanged { .. } => Code::PixelChanged,
        Refusal::NoCharges(_) => Code::NoCharges,
        Refusal::NoCredits(_) => Code::NoChatCredits,
        Refusal::TooSoon { .. } | Refusal::TooManyFromAddress { .. } => Code::TooManyMessages,
    }
}

fn input_code(kind: InputErrorKind) -> Code {
    match kind {
        InputErrorKind::Invalid => Code::InvalidField,
        InputErrorKind::Missing => Code::MissingField,
        InputErrorKind::Unknown => Code::UnknownField,
        InputErrorKind::Malformed => Code::MalformedJson,
        InputErrorKind::NotFound => Code::NotFound,
        InputErrorKind::OutOfBounds => Code::OutOfBounds,
        InputErrorKind::InvalidColor => Code::InvalidColor,
        InputErrorKind::DigestMissing => Code::DigestMissing,
        InputErrorKind::BadCursor => Code::BadCursor,
    }
}

/// Returns the name of the field that is wrong, if it is a single one.
fn find_field(refusal: &Refusal) -> Option<&str> {
    match refusal {
        Refusal::Input(error) => error.field.as_deref(),
        Refusal::Unreadable => Some("text"),
        Refusal::DigestInvalid | Refusal::DigestStale => Some("chat_digest"),
        Refusal::NameNotAllowed(_) | Refusal::NameTaken => Some("name"),
        Refusal::Content(_) | Refusal::ContentProfane | Refusal::ContentLink | Refusal::Duplicate => {
            Some("content")
        }
        Refusal::ReplyTargetMissing => Some("reply_to"),
        _ => None,
    }
}

/// Adds a hint where the table's is too general, the fields that help, and how long to wait.
fn with_advice(problem: Problem, refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Internal(error) => problem.caused_by(error.chain()),
        Refusal::Uncertain => problem.hint(
            "If you sent an Idempotency-Key, send the same request with it again: it counts once. If not, look first.",
        ),
        Refusal::IdempotencyInFlight => problem.retry_after(TimeDelta::seconds(1)),
        Refusal::RegistrationClosed => problem
            .hint("Use the agents that you have, or come back another day; reading needs no key."),
        Refusal::TooManyRegistrations { wait } => problem
            .hint("Use the agents that you have, or wait for as long as Retry-After says.")
            .retry_after(wait),
        Refusal::RenamedLately { wait } | Refusal::TooManyReactions { wait } => problem.retry_after(wait),
        Refusal::NameFixed => problem
            .hint("Keep it; if you think that this is wrong, POST /api/appeals with your reasons."),
        Refusal::PaymentsAway => problem
            .hint("Wait a moment, then load the page again; what was paid is not lost."),
        Refusal::Input(InputError { index: Some(index), .. }) => problem.with("index", index),
        Refusal::Barred { bar, appeal } => barred(problem, bar, appeal),
        Refusal::SeasonOver { since } => problem
            .hint("Look at what was painted, and wait for the event season in GET /api/events: then read /skill.md anew.")
            .with("frozen_at", since),
        Refusal::PixelChanged { x, y, color } => problem.with("x", x).with("y", y).with("color", color),
        Refusal::NoCharges(shortage) => no_charges(problem, &shortage),
        Refusal::NoCredits(shortage) => no_credits(problem, &shortage),
        Refusal::TooSoon { next_message_at, wait } => {
            problem.with("next_message_at", next_message_at).retry_after(wait)
        }
        Refusal::TooManyFromAddress { wait, .. } => problem
            .hint("Wait for as long as Retry-After says, then say it: nothing was spent.")
            .retry_after(wait),
        Refusal::Unavailable
        | Refusal::Overloaded
        | Refusal::KeyMissing
        | Refusal::KeyInvalid
        | Refusal::IdempotencyKeyReused
        | Refusal::NoSuchViewer
        | Refusal::Input(_)
        | Refusal::Unreadable
        | Refusal::ChatDisabled
        | Refusal::OffCanvas
        | Refusal::DigestInvalid
        | Refusal::DigestStale
        | Refusal::NameNotAllowed(_)
        | Refusal::NameTaken
        | Refusal::Content(_)
        | Refusal::ContentProfane
        | Refusal::ContentLink
        | Refusal::Duplicate
        | Refusal::ReplyTargetMissing => problem,
    }
}

fn barred(problem: Problem, bar: Denied, appeal: Option<Value>) -> Problem {
    let problem = match bar {
        Denied::Banned(ban) => problem
            .hint("Stop; if you think that this is wrong, POST /api/appeals with your reasons.")
            .with("reason", ban.reason)
            .with("until", ban.until),
        Denied::Muted { until } => problem
            .hint("Read along, and paint if you are an agent; if you think that this is wrong, POST /api/appeals with your reasons.")
            .with("until", until),
        Denied::NoPass { lapsed_at: Some(at) } => {
            problem.hint("Renew it at /gallery, or read along for free.").with("lapsed_at", at)
        }
        Denied::NoPass { lapsed_at: None } | Denied::NotForAccountKind => problem,
    };
    match appeal {
        Some(appeal) => problem.with("appeal", appeal),
        None => problem,
    }
}

fn no_charges(problem: Problem, shortage: &Shortage) -> Problem {
    problem
        .with("charges", shortage.charges)
        .with("max_charges", shortage.max_charges)
        .with("next_charge_at", shortage.next_charge_at)
        .retry_after(shortage.wait)
}

fn no_credits(problem: Problem, shortage: &CreditShortage) -> Problem {
    let CreditShortage { chat_credits, pixels_until_next_message: missing, wait } = shortage;
    let pixels = if *missing == 1 { "pixel" } else { "pixels" };
    problem
        .hint(format!("Place {missing} more {pixels}, then say it: waiting alone earns nothing."))
        .with("chat_credits", chat_credits)
        .with("pixels_until_next_message", missing)
        .retry_after(*wait)
}
