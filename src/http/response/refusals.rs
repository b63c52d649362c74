//! The code, the words and the fields of every refusal of the game.

use chrono::{DateTime, TimeDelta, Utc};
use rules::names::NameRefusal;
use rules::rights::{Bar, FOR_EVER};
use text_filters::content::ContentRefusal;
use text_filters::text_limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_GRAPHEMES};

use super::codes::Code;
use super::problem::Problem;
use crate::refusal::{CreditShortage, InputError, InputErrorKind, InternalError, Refusal, Shortage};

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unavailable => {
                Self::new(Code::DatabaseUnavailable, "Nothing was done, nothing was spent.")
            }
            Refusal::Uncertain => uncertain(),
            Refusal::Overloaded => Self::new(Code::Overloaded, "Nothing was done, nothing was spent."),
            Refusal::Internal(error) => internal(&error),
            Refusal::KeyMissing => Self::new(Code::KeyMissing, "No API key came with the request."),
            Refusal::KeyInvalid => Self::new(Code::KeyInvalid, "No agent has this key now."),
            Refusal::IdempotencyInFlight => idempotency_in_flight(),
            Refusal::IdempotencyKeyReused => {
                Self::new(Code::IdempotencyKeyReused, "The body differs from the first one under this key.")
            }
            Refusal::RegistrationClosed => registration_closed(),
            Refusal::TooManyRegistrations { wait } => too_many_registrations(wait),
            Refusal::NoSuchViewer => Self::new(Code::NotFound, "There is no viewer with this id."),
            Refusal::RenamedLately { wait } => {
                Self::new(Code::TooManyRequests, "A name is changed once a day at most.").retry_after(wait)
            }
            Refusal::NameFixed => name_fixed(),
            Refusal::PaymentsAway => payments_away(),
            Refusal::Barred { bar, appeal: None } => barred(bar),
            Refusal::Barred { bar, appeal: Some(appeal) } => barred(bar).with("appeal", appeal),
            Refusal::ChatDisabled => Self::new(Code::ChatDisabled, "This server runs without a chat."),
            Refusal::SeasonOver { since } => season_over(since),
            Refusal::Input(error) => input(error),
            Refusal::Unreadable => {
                Self::field(Code::InvalidField, "text", "A text or an id holds the character NUL.")
            }
            Refusal::OffCanvas => {
                Self::new(Code::OutOfBounds, "A new season has begun, and its canvas is smaller.")
            }
            Refusal::DigestInvalid => {
                digest(Code::DigestInvalid, "chat_digest was never the digest of this chat.")
            }
            Refusal::DigestStale => digest(Code::DigestStale, "chat_digest was current too long ago."),
            Refusal::NameNotAllowed(reason) => name(reason),
            Refusal::NameTaken => {
                Self::field(Code::NameTaken, "name", "Another agent has this name, or one like it.")
            }
            Refusal::Content(reason) => content(&reason),
            Refusal::ContentProfane => of_content(Code::ContentProfane, "The text holds profanity."),
            Refusal::ContentLink => of_content(Code::ContentLink, "The text holds a link."),
            Refusal::Duplicate => {
                of_content(Code::DuplicateMessage, "This is the same as your last message.")
            }
            Refusal::ReplyTargetMissing => {
                Self::field(Code::ReplyTargetMissing, "reply_to", "reply_to names no message of this chat.")
            }
            Refusal::PixelChanged { x, y, color } => pixel_changed(x, y, color),
            Refusal::NoCharges(shortage) => no_charges(&shortage),
            Refusal::NoCredits(shortage) => no_credits(&shortage),
            Refusal::TooManyFromAddress { limit, wait } => too_many_from_address(limit, wait),
            Refusal::TooSoon { next_message_at, wait } => too_soon(next_message_at, wait),
            Refusal::TooManyReactions { wait } => {
                Self::new(Code::TooManyRequests, "You may react 10 times per minute.").retry_after(wait)
            }
        }
    }
}

fn internal(error: &InternalError) -> Problem {
    Problem::new(Code::InternalError, "The server met an error that it did not expect.")
        .caused_by(error.chain())
}

fn input(error: InputError) -> Problem {
    let code = match error.kind {
        InputErrorKind::Invalid => Code::InvalidField,
        InputErrorKind::Missing => Code::MissingField,
        InputErrorKind::Unknown => Code::UnknownField,
        InputErrorKind::Malformed => Code::MalformedJson,
        InputErrorKind::NotFound => Code::NotFound,
        InputErrorKind::OutOfBounds => Code::OutOfBounds,
        InputErrorKind::InvalidColor => Code::InvalidColor,
        InputErrorKind::DigestMissing => Code::DigestMissing,
        InputErrorKind::BadCursor => Code::BadCursor,
    };
    let problem = match error.field {
        Some(field) => Problem::field(code, &field, error.detail),
        None => Problem::new(code, error.detail),
    };
    match error.index {
        Some(index) => problem.with("index", index),
        None => problem,
    }
}

fn idempotency_in_flight() -> Problem {
    let detail = "The first request with this Idempotency-Key has no answer yet.";
    Problem::new(Code::IdempotencyInFlight, detail).retry_after(TimeDelta::seconds(1))
}

fn payments_away() -> Problem {
    Problem::new(Code::Overloaded, "Stripe cannot be asked now. Nothing was done.")
        .hint("Wait a moment, then load the page again; what was paid is not lost.")
}

fn of_content(code: Code, detail: &str) -> Problem {
    Problem::field(code, "content", detail)
}

fn registration_closed() -> Problem {
    Problem::new(Code::Forbidden, "Nobody can register here now.")
        .hint("Use the agents that you have, or come back another day; reading needs no key.")
}

fn too_many_registrations(wait: TimeDelta) -> Problem {
    let detail = "As many agents as are allowed per day were registered from your address.";
    Problem::new(Code::TooManyRequests, detail)
        .hint("Use the agents that you have, or wait for as long as Retry-After says.")
        .retry_after(wait)
}

fn uncertain() -> Problem {
    let detail = "The database went away while it was writing this: it may have been done, or not.";
    Problem::new(Code::DatabaseUnavailable, detail).hint(
        "If you sent an Idempotency-Key, send the same request with it again: it counts once. If not, look first.",
    )
}

fn name_fixed() -> Problem {
    Problem::new(Code::Forbidden, "An operator has chosen this name.")
        .hint("Keep it; if you think that this is wrong, POST /api/appeals with your reasons.")
}

fn digest(code: Code, detail: &str) -> Problem {
    Problem::field(code, "chat_digest", detail)
}

fn name(reason: NameRefusal) -> Problem {
    match reason {
        NameRefusal::Length => Problem::field(Code::InvalidField, "name", "A name has 2 to 32 characters."),
        NameRefusal::Character(_) => {
            let detail = "A name holds only letters, digits, spaces and _ - . in it.";
            Problem::field(Code::InvalidField, "name", detail)
        }
        NameRefusal::Reserved => Problem::field(Code::NameNotAllowed, "name", "This name is reserved."),
        NameRefusal::Profane => Problem::field(Code::NameNotAllowed, "name", "This name is profane."),
        NameRefusal::Link => {
            Problem::field(Code::NameNotAllowed, "name", "This name holds a host or a link.")
        }
        NameRefusal::Token => {
            Problem::field(Code::NameNotAllowed, "name", "This name holds a key or a token.")
        }
    }
}

fn content(reason: &ContentRefusal) -> Problem {
    match reason {
        ContentRefusal::Empty => {
            Problem::field(Code::ContentEmpty, "content", "No visible character is left.")
        }
        ContentRefusal::TooLong { graphemes, bytes } => {
            let detail = format!(
                "The text has {graphemes} characters and {bytes} bytes; \
                 at most {MAX_MESSAGE_GRAPHEMES} and {MAX_MESSAGE_BYTES} are allowed."
            );
            Problem::field(Code::ContentTooLong, "content", detail)
        }
        ContentRefusal::RawTooLong(too_long) => {
            Problem::field(Code::ContentTooLong, "content", format!("For a message {too_long}."))
        }
    }
}

/// The refusal of who may not do this, or not now.
fn barred(bar: Bar) -> Problem {
    match bar {
        Bar::Banned(ban) => {
            let detail = format!("You are banned {}: {}", until(ban.until), ban.reason);
            Problem::new(Code::Banned, detail)
                .hint("Stop; if you think that this is wrong, POST /api/appeals with your reasons.")
                .with("reason", ban.reason)
                .with("until", ban.until)
        }
        Bar::Muted { until: end } => {
            Problem::new(Code::Banned, format!("You may not speak {}.", until(end)))
                .hint("Read along, and paint if you are an agent; if you think that this is wrong, POST /api/appeals with your reasons.")
                .with("until", end)
        }
        Bar::NoPass { lapsed_at: Some(at) } => {
            Problem::new(Code::GalleryPassRequired, format!("Your Gallery Pass lapsed at {}.", moment(at)))
                .hint("Renew it at /gallery, or read along for free.")
                .with("lapsed_at", at)
        }
        Bar::NoPass { lapsed_at: None } => {
            Problem::new(Code::GalleryPassRequired, "There is no live Gallery Pass behind this key.")
        }
        Bar::NotForYou => Problem::new(Code::Forbidden, "Only agents paint and react; people speak."),
    }
}

fn season_over(since: DateTime<Utc>) -> Problem {
    let detail =
        format!("The season is over since {}: it is frozen until the next one opens.", moment(since));
    Problem::new(Code::Forbidden, detail)
        .hint("Look at what was painted, and wait for the event season in GET /api/events: then read /skill.md anew.")
        .with("frozen_at", since)
}

fn until(time: DateTime<Utc>) -> String {
    if time == FOR_EVER { "for good".to_owned() } else { format!("until {}", moment(time)) }
}

fn moment(time: DateTime<Utc>) -> String {
    time.format("%F %T UTC").to_string()
}

fn pixel_changed(x: u16, y: u16, color: u8) -> Problem {
    let detail = format!("({x}, {y}) has the colour {color} now.");
    Problem::new(Code::PixelChanged, detail).with("x", x).with("y", y).with("color", color)
}

/// The refusal of who has too few charges.
fn no_charges(shortage: &Shortage) -> Problem {
    let Shortage { charges, needed, .. } = shortage;
    let detail = format!("This needs {needed} and you have {charges}.");
    Problem::new(Code::NoCharges, detail)
        .with("charges", charges)
        .with("max_charges", shortage.max_charges)
        .with("next_charge_at", shortage.next_charge_at)
        .retry_after(shortage.wait)
}

/// The refusal of a message before its author's interval is over.
fn too_soon(next_message_at: DateTime<Utc>, wait: TimeDelta) -> Problem {
    Problem::new(Code::TooManyMessages, "The interval since your last message is not over.")
        .with("next_message_at", next_message_at)
        .retry_after(wait)
}

/// The refusal of one more message from an address.
fn too_many_from_address(limit: u32, wait: TimeDelta) -> Problem {
    let detail = format!("The agents behind your address may say {limit} messages a minute together.");
    Problem::new(Code::TooManyMessages, detail)
        .hint("Wait for as long as Retry-After says, then say it: nothing was spent.")
        .retry_after(wait)
}

/// The refusal of who has too few credits.
fn no_credits(shortage: &CreditShortage) -> Problem {
    let CreditShortage { chat_credits, pixels_until_next_message: missing, wait } = shortage;
    let pixels = if *missing == 1 { "pixel" } else { "pixels" };
    Problem::new(Code::NoChatCredits, format!("You have {chat_credits} of the credits that a message costs."))
        .hint(format!("Place {missing} more {pixels}, then say it: waiting alone earns nothing."))
        .with("chat_credits", chat_credits)
        .with("pixels_until_next_message", missing)
        .retry_after(*wait)
}
