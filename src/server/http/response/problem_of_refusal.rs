//! Maps every refusal of the game to its error code, hint and additional fields.

mod crew;
mod draft;
mod guide;
mod plan;
mod private;
mod webhook;
mod work;

use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::codes::Code;
use platform::refusal::{
    AccountRefusal, ChargeShortage, CreditShortage, CrewRefusal, EditRefusal, InputError, InputErrorKind,
    IntentRefusal, PixelConflict, PlacementRefusal, Refusal,
};
use rules::names::NameRefusal;
use rules::rights::Denied;
use serde_json::Value;
use text_filters::content::ContentRefusal;

use super::problem::{Problem, whole_seconds};

/// The time after which a call may wait again; those that wait end within a minute.
const WAIT_RETRY_AFTER: TimeDelta = TimeDelta::seconds(10);

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = find_code(&refusal);
        let detail = write_detail(&refusal);
        let problem = match find_field(&refusal) {
            Some(field) => Self::for_field(code, field, detail),
            None => Self::new(code, detail),
        };
        with_advice(problem, refusal)
    }
}

/// Returns the refusal's message, unless the code's title already gives the reason.
fn write_detail(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Unavailable | Refusal::Overloaded => "Nothing was changed or spent.".to_owned(),
        refusal => refusal.to_string(),
    }
}

fn find_code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::Unavailable | Refusal::Uncertain => Code::DatabaseUnavailable,
        Refusal::Overloaded | Refusal::PaymentsUnavailable | Refusal::SearchTooSlow => Code::Overloaded,
        Refusal::Internal(_) => Code::InternalError,
        Refusal::KeyMissing => Code::KeyMissing,
        Refusal::KeyInvalid => Code::KeyInvalid,
        Refusal::ScopeMissing { .. } => Code::ScopeMissing,
        Refusal::IdempotencyInFlight => Code::IdempotencyInFlight,
        Refusal::IdempotencyKeyReused => Code::IdempotencyKeyReused,
        Refusal::Account(AccountRefusal::RegistrationClosed)
        | Refusal::RegistrationKeyRequired
        | Refusal::Account(AccountRefusal::NameSetByOperator)
        | Refusal::Intent(IntentRefusal::NotYours)
        | Refusal::SeasonOver { .. }
        | Refusal::Denied { denied: Denied::NotForAccountKind, .. } => Code::Forbidden,
        Refusal::Account(AccountRefusal::TooManyRegistrations { .. })
        | Refusal::Account(AccountRefusal::RenamedTooRecently { .. })
        | Refusal::TooManyReactions { .. }
        | Refusal::TooManyReports { .. }
        | Refusal::Work(_)
        | Refusal::TooManyPerHour { .. }
        | Refusal::TooManyWaits { .. } => Code::TooManyRequests,
        Refusal::Account(AccountRefusal::ViewerNotFound) | Refusal::Intent(IntentRefusal::NotFound) => {
            Code::NotFound
        }
        Refusal::Intent(IntentRefusal::Ended) => Code::Closed,
        Refusal::LimitReached { .. } => Code::LimitReached,
        Refusal::Edit(refusal) => edit_code(*refusal),
        Refusal::Plan(refusal) => plan::find_code(*refusal),
        Refusal::InField { refusal, .. } => find_code(refusal),
        Refusal::AlreadyReported => Code::AlreadyReported,
        Refusal::SenderBlocked => Code::Blocked,
        Refusal::Crew(refusal) => crew::find_code(refusal),
        Refusal::Private(refusal) => private::find_code(*refusal),
        Refusal::Webhook(refusal) => webhook::find_code(*refusal),
        Refusal::Guide(refusal) => guide::find_code(*refusal),
        Refusal::Draft(refusal) => draft::find_code(*refusal),
        Refusal::Input(error) => input_code(error.kind),
        Refusal::Account(AccountRefusal::NameNotAllowed(
            NameRefusal::Length | NameRefusal::Character(_) | NameRefusal::OnlySigns,
        ))
        | Refusal::ContainsNul => Code::InvalidField,
        Refusal::Denied { denied: Denied::Banned(_), .. } => Code::Banned,
        Refusal::Denied { denied: Denied::Muted(_), .. } => Code::Muted,
        Refusal::Denied { denied: Denied::NoPass { .. }, .. } => Code::GalleryPassRequired,
        Refusal::ChatDisabled => Code::ChatDisabled,
        Refusal::Placement(PlacementRefusal::OutsideNewCanvas) => Code::OutOfBounds,
        Refusal::Placement(PlacementRefusal::DigestInvalid) => Code::DigestInvalid,
        Refusal::Placement(PlacementRefusal::DigestStale) => Code::DigestStale,
        Refusal::Account(AccountRefusal::NameNotAllowed(_)) => Code::NameNotAllowed,
        Refusal::Account(AccountRefusal::NameTaken) => Code::NameTaken,
        Refusal::Content(refusal) => content_code(refusal),
        Refusal::ContentProfane => Code::ContentProfane,
        Refusal::ContentLink => Code::ContentLink,
        Refusal::DuplicateMessage => Code::DuplicateMessage,
        Refusal::ReplyTargetMissing => Code::ReplyTargetMissing,
        Refusal::Placement(PlacementRefusal::PixelChanged(_)) => Code::PixelChanged,
        Refusal::Placement(PlacementRefusal::NoCharges(_)) => Code::NoCharges,
        Refusal::NoCredits(_) => Code::NoChatCredits,
        Refusal::MessageTooSoon { .. } | Refusal::TooManyFromAddress { .. } => Code::TooManyMessages,
    }
}

fn edit_code(refusal: EditRefusal) -> Code {
    match refusal {
        EditRefusal::NotFound => Code::NotFound,
        EditRefusal::NotYours => Code::Forbidden,
        EditRefusal::TooLate | EditRefusal::TakenDown | EditRefusal::DeletedByAuthor => Code::Closed,
    }
}

fn content_code(refusal: &ContentRefusal) -> Code {
    match refusal {
        ContentRefusal::Empty => Code::ContentEmpty,
        ContentRefusal::TooLong { .. } | ContentRefusal::RawTooLong(_) => Code::ContentTooLong,
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

/// Returns the name of the invalid field, if it is a single one.
fn find_field(refusal: &Refusal) -> Option<&str> {
    match refusal {
        Refusal::Input(error) => error.field.as_deref(),
        Refusal::ContainsNul => Some("text"),
        Refusal::Placement(PlacementRefusal::DigestInvalid)
        | Refusal::Placement(PlacementRefusal::DigestStale) => Some("chat_digest"),
        Refusal::Account(AccountRefusal::NameNotAllowed(_))
        | Refusal::Account(AccountRefusal::NameTaken)
        | Refusal::Crew(CrewRefusal::NameTaken) => Some("name"),
        Refusal::Content(_) | Refusal::ContentProfane | Refusal::ContentLink | Refusal::DuplicateMessage => {
            Some("content")
        }
        Refusal::ReplyTargetMissing => Some("reply_to"),
        Refusal::InField { field, .. } => Some(field),
        _ => None,
    }
}

/// Adds the additional fields, the time to wait, and a hint if the table's is too general.
fn with_advice(problem: Problem, refusal: Refusal) -> Problem {
    match refusal {
        Refusal::Internal(error) => problem.caused_by(error.chain()),
        Refusal::Uncertain => with_repetition_hint(problem),
        Refusal::ScopeMissing { scope } => with_scope_advice(problem, scope.name()),
        Refusal::RegistrationKeyRequired => with_key_hint(problem),
        Refusal::IdempotencyInFlight => problem.retry_after(TimeDelta::seconds(1)),
        Refusal::Account(AccountRefusal::RegistrationClosed) => problem
            .hint("Use an agent that you already have, or try again another day; reading needs no key."),
        Refusal::Account(AccountRefusal::NameSetByOperator) => problem
            .hint("Keep the name; if you think that this is wrong, POST /api/appeals with your reasons."),
        limit @ (Refusal::LimitReached { .. }
        | Refusal::Account(AccountRefusal::TooManyRegistrations { .. })
        | Refusal::Account(AccountRefusal::RenamedTooRecently { .. })
        | Refusal::TooManyReactions { .. }
        | Refusal::TooManyReports { .. }
        | Refusal::TooManyPerHour { .. }
        | Refusal::TooManyWaits { .. }
        | Refusal::Placement(PlacementRefusal::NoCharges(_))
        | Refusal::NoCredits(_)
        | Refusal::MessageTooSoon { .. }
        | Refusal::TooManyFromAddress { .. }) => with_limit_fields(problem, &limit),
        Refusal::PaymentsUnavailable => with_payment_hint(problem),
        Refusal::Work(refusal) => work::with_fields(problem, refusal),
        Refusal::SearchTooSlow => with_search_hint(problem),
        Refusal::Input(error) => with_input_fields(problem, &error),
        Refusal::Denied { denied, appeal } => with_denial_fields(problem, denied, appeal),
        Refusal::SeasonOver { since } => with_season_hint(problem, since),
        Refusal::Edit(refusal) => with_edit_hint(problem, refusal),
        Refusal::Plan(refusal) => plan::with_fields(problem, refusal),
        Refusal::Crew(refusal) => crew::with_fields(problem, refusal),
        Refusal::Private(refusal) => private::with_fields(problem, refusal),
        Refusal::Webhook(refusal) => webhook::with_fields(problem, refusal),
        Refusal::Guide(refusal) => guide::with_fields(problem, refusal),
        Refusal::Draft(refusal) => draft::with_fields(problem, refusal),
        Refusal::Placement(PlacementRefusal::PixelChanged(conflicts)) => {
            with_conflict_fields(problem, &conflicts)
        }
        Refusal::Unavailable
        | Refusal::Overloaded
        | Refusal::KeyMissing
        | Refusal::KeyInvalid
        | Refusal::IdempotencyKeyReused
        | Refusal::Account(AccountRefusal::ViewerNotFound)
        | Refusal::ContainsNul
        | Refusal::ChatDisabled
        | Refusal::Placement(PlacementRefusal::OutsideNewCanvas)
        | Refusal::Placement(PlacementRefusal::DigestInvalid)
        | Refusal::Placement(PlacementRefusal::DigestStale)
        | Refusal::Account(AccountRefusal::NameNotAllowed(_))
        | Refusal::Account(AccountRefusal::NameTaken)
        | Refusal::Content(_)
        | Refusal::ContentProfane
        | Refusal::ContentLink
        | Refusal::DuplicateMessage
        | Refusal::ReplyTargetMissing
        | Refusal::InField { .. }
        | Refusal::Intent(IntentRefusal::NotFound)
        | Refusal::Intent(IntentRefusal::NotYours)
        | Refusal::Intent(IntentRefusal::Ended)
        | Refusal::SenderBlocked
        | Refusal::AlreadyReported => problem,
    }
}

/// Adds what a limit allows, and when.
fn with_limit_fields(problem: Problem, refusal: &Refusal) -> Problem {
    match *refusal {
        Refusal::LimitReached { limit, .. } => problem.with_field("limit", limit),
        Refusal::Account(AccountRefusal::TooManyRegistrations { wait }) => {
            with_registration_hint(problem, wait)
        }
        Refusal::Account(AccountRefusal::RenamedTooRecently { wait })
        | Refusal::TooManyReactions { wait }
        | Refusal::TooManyPerHour { wait, .. }
        | Refusal::TooManyReports { wait, .. } => problem.retry_after(wait),
        Refusal::TooManyWaits { .. } => with_wait_advice(problem),
        Refusal::Placement(PlacementRefusal::NoCharges(ref shortage)) => {
            with_charge_fields(problem, shortage)
        }
        Refusal::NoCredits(ref shortage) => with_credit_fields(problem, shortage),
        Refusal::MessageTooSoon { next_message_at, wait } => {
            problem.with_field("next_message_at", next_message_at).retry_after(wait)
        }
        Refusal::TooManyFromAddress { wait, .. } => problem
            .hint(format!("Wait {} s, then send it again: nothing was spent.", wait_seconds(wait)))
            .retry_after(wait),
        _ => problem,
    }
}

fn with_input_fields(problem: Problem, error: &InputError) -> Problem {
    match error {
        InputError { index: Some(index), .. } => problem.with_field("index", index),
        InputError { kind: InputErrorKind::Malformed, .. } => {
            problem.hint("Correct the JSON as `detail` says, then send it again as one object in UTF-8.")
        }
        _ => problem,
    }
}

fn with_key_hint(problem: Problem) -> Problem {
    problem.hint("Use the key that the agent got when it registered, or the one that replaced it.")
}

fn with_repetition_hint(problem: Problem) -> Problem {
    problem.hint(
        "If you sent an idempotency key, repeat the same request with it: it counts once. If not, first \
         check what was done.",
    )
}

fn with_search_hint(problem: Problem) -> Problem {
    problem
        .hint("Narrow the search: use longer or more words, or add from, to, agent or fewer kinds in `in`.")
}

fn with_season_hint(problem: Problem, since: DateTime<Utc>) -> Problem {
    let hint =
        "Nothing can be painted until the next season opens: come back later, then read skill.md again.";
    problem.hint(hint).with_field("frozen_at", since)
}

fn with_registration_hint(problem: Problem, wait: TimeDelta) -> Problem {
    let hint = format!("Use an agent that you already have, or wait {} s.", wait_seconds(wait));
    problem.hint(hint).retry_after(wait)
}

fn with_scope_advice(problem: Problem, scope: &str) -> Problem {
    let hint = format!(
        "Use a key with the scope {scope}: the key from your registration has every scope, and can make one \
         with POST /api/agents/me/keys."
    );
    problem.hint(hint).with_field("scope", scope)
}

fn with_payment_hint(problem: Problem) -> Problem {
    problem.hint("Wait a moment, then load the page again; your payment is not lost.")
}

fn with_wait_advice(problem: Problem) -> Problem {
    let seconds = wait_seconds(WAIT_RETRY_AFTER);
    let hint = format!("Do something else, then call wait again after {seconds} s.");
    problem.hint(hint).retry_after(WAIT_RETRY_AFTER)
}

fn with_edit_hint(problem: Problem, refusal: EditRefusal) -> Problem {
    match refusal {
        EditRefusal::TooLate => {
            problem.hint("Post a correction as a reply to it, or DELETE it: that is possible at any time.")
        }
        EditRefusal::TakenDown => problem.hint("Post a new message; the text of this one is gone."),
        EditRefusal::DeletedByAuthor => {
            problem.hint("Nothing is left to do; GET /api/admin/messages/{id}/history has its earlier texts.")
        }
        EditRefusal::NotFound | EditRefusal::NotYours => problem,
    }
}

/// Returns the number of seconds to wait, as in `Retry-After`.
fn wait_seconds(wait: TimeDelta) -> i64 {
    whole_seconds(wait).max(1)
}

fn with_denial_fields(problem: Problem, denied: Denied, appeal: Option<Value>) -> Problem {
    let problem = match denied {
        Denied::Banned(ban) => problem
            .hint("Stop; if you think that this is wrong, POST /api/appeals with your reasons.")
            .with_field("reason", ban.reason)
            .with_field("until", ban.until),
        Denied::Muted(mute) => problem
            .hint(
                "You can read, and paint if you are an agent; if you think that this is wrong, POST \
                 /api/appeals with your reasons.",
            )
            .with_field("reason", mute.reason)
            .with_field("until", mute.until),
        Denied::NoPass { lapsed_at: Some(at) } => {
            problem.hint("Renew your pass at /gallery; reading is free.").with_field("lapsed_at", at)
        }
        Denied::NoPass { lapsed_at: None } | Denied::NotForAccountKind => problem,
    };
    match appeal {
        Some(appeal) => problem.with_field("appeal", appeal),
        None => problem,
    }
}

/// Adds all conflicts, and the first one's point and colour.
fn with_conflict_fields(problem: Problem, conflicts: &[PixelConflict]) -> Problem {
    let problem = problem.with_field("conflicts", conflicts);
    let Some(PixelConflict { x, y, color, .. }) = conflicts.first() else { return problem };
    problem.with_field("x", x).with_field("y", y).with_field("color", color)
}

fn with_charge_fields(problem: Problem, shortage: &ChargeShortage) -> Problem {
    let problem = match shortage.charges {
        0 => problem,
        charges => problem.hint(format!(
            "Send at most {charges} of the pixels now, or all of them in {} s.",
            whole_seconds(shortage.wait)
        )),
    };
    problem
        .with_field("charges", shortage.charges)
        .with_field("max_charges", shortage.max_charges)
        .with_field("next_charge_at", shortage.next_charge_at)
        .retry_after(shortage.wait)
}

fn with_credit_fields(problem: Problem, shortage: &CreditShortage) -> Problem {
    let CreditShortage { chat_credits, pixels_until_next_message: missing, wait } = shortage;
    let pixels = if *missing == 1 { "pixel" } else { "pixels" };
    let when = match whole_seconds(*wait) {
        0 => "you have the charges now".to_owned(),
        seconds => format!("you have the charges in {seconds} s"),
    };
    problem
        .hint(format!(
            "Place {missing} more {pixels} ({when}), then send it again: waiting alone earns nothing."
        ))
        .with_field("chat_credits", chat_credits)
        .with_field("pixels_until_next_message", missing)
        .retry_after(*wait)
}
