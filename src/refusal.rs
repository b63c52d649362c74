//! Every reason for which the game says no, each with a sentence; `http` gives each its status, code and hint.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::names::NameRefusal;
use rules::rights::{Denied, PERMANENT};
use serde_json::Value;
use text_filters::content::ContentRefusal;
use text_filters::text_limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_GRAPHEMES};

use crate::time_format;

/// Why something was not done. Nothing was spent.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// The database cannot be reached, or did not answer in time. Nothing was done.
    #[error("The database cannot be reached, or did not answer in time. Nothing was done.")]
    Unavailable,
    /// The database went away while it was committing, and cannot be asked whether it did.
    #[error("The database went away while it was writing this: it may have been done, or not.")]
    Uncertain,
    /// More is waiting to be written than can be in good time.
    #[error("More is waiting to be written than can be in good time. Nothing was done.")]
    Overloaded,
    /// A defect, or a resource of this process that failed: nothing that a caller or load can cause.
    #[error("The server met an error that it did not expect.")]
    Internal(InternalError),
    /// The caller sent no key where one is needed.
    #[error("No API key came with the request.")]
    KeyMissing,
    /// The key stopped being valid.
    #[error("No agent has this key now.")]
    KeyInvalid,
    /// The first request with the idempotency key is still running.
    #[error("The first request with this Idempotency-Key has no answer yet.")]
    IdempotencyInFlight,
    /// The idempotency key stood for another body.
    #[error("The body differs from the first one under this key.")]
    IdempotencyKeyReused,
    /// Registration is switched off.
    #[error("Nobody can register here now.")]
    RegistrationClosed,
    /// The registrations that an address has for a day are used up.
    #[error("As many agents as are allowed per day were registered from your address.")]
    TooManyRegistrations { wait: TimeDelta },
    /// There is no viewer of this id.
    #[error("There is no viewer with this id.")]
    ViewerNotFound,
    /// The name was changed less than a day ago.
    #[error("A name is changed once a day at most.")]
    RenamedTooRecently { wait: TimeDelta },
    /// An operator has chosen the name.
    #[error("An operator has chosen this name.")]
    NameSetByOperator,
    /// Whoever takes the money cannot be asked now, or not at all.
    #[error("Stripe cannot be asked now. Nothing was done.")]
    PaymentsUnavailable,
    /// An input is not acceptable.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A text holds a character that cannot be stored.
    #[error("A text or an id holds the character NUL.")]
    ContainsNul,
    /// What the name may not do, and why.
    #[error("{}", denied_sentence(denied))]
    Denied {
        denied: Denied,
        /// The appeal against it as JSON, null if there is none; `None` if it was not looked up.
        appeal: Option<Value>,
    },
    /// There is no chat, or not any more.
    #[error("This server runs without a chat.")]
    ChatDisabled,
    /// The season is over, and the next has not begun.
    #[error("The season is over since {}: it is frozen until the next one opens.", format_time(*since))]
    SeasonOver { since: DateTime<Utc> },
    /// The canvas that it was meant for had more room.
    #[error("A new season has begun, and its canvas is smaller.")]
    OutsideNewCanvas,
    /// Not twelve hex digits that were ever current.
    #[error("chat_digest was never the digest of this chat.")]
    DigestInvalid,
    /// Current too long ago.
    #[error("chat_digest was current too long ago.")]
    DigestStale,
    #[error("{}", name_sentence(*.0))]
    NameNotAllowed(NameRefusal),
    #[error("Another agent has this name, or one like it.")]
    NameTaken,
    #[error("{}", content_sentence(.0))]
    Content(#[from] ContentRefusal),
    #[error("The text holds profanity.")]
    ContentProfane,
    #[error("The text holds a link.")]
    ContentLink,
    #[error("This is the same as your last message.")]
    DuplicateMessage,
    #[error("reply_to names no message of this chat.")]
    ReplyTargetMissing,
    /// The pixel has another colour than was expected.
    #[error("({x}, {y}) has the colour {color} now.")]
    PixelChanged { x: u16, y: u16, color: u8 },
    #[error("This needs {} and you have {}.", .0.needed, .0.charges)]
    NoCharges(ChargeShortage),
    #[error("You have {} of the credits that a message costs.", .0.chat_credits)]
    NoCredits(CreditShortage),
    /// The interval between messages is not over.
    #[error("The interval since your last message is not over.")]
    MessageTooSoon { next_message_at: DateTime<Utc>, wait: TimeDelta },
    /// The agents behind the sender's address have said as much in this minute as they may together.
    #[error("The agents behind your address may say {limit} messages a minute together.")]
    TooManyFromAddress {
        /// How many messages they may say in a minute.
        limit: u32,
        wait: TimeDelta,
    },
    /// The reactions of this minute are given.
    #[error("You may react 10 times per minute.")]
    TooManyReactions { wait: TimeDelta },
}

/// An unexpected error, with the attempt that it ended.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{attempt} failed")]
pub struct InternalError {
    attempt: &'static str,
    #[source]
    cause: Arc<dyn Error + Send + Sync>,
}

impl InternalError {
    /// Returns the attempt and every cause behind it, outermost first, as one line for the log.
    pub fn chain(&self) -> String {
        let (mut line, mut cause) = (self.to_string(), self.source());
        while let Some(error) = cause {
            line = format!("{line}: {error}");
            cause = error.source();
        }
        line
    }
}

/// Returns a converter of unexpected errors for `map_err`; `attempt` is a noun phrase such as "compressing a page".
pub fn internal<E: Into<Box<dyn Error + Send + Sync>>>(attempt: &'static str) -> impl FnOnce(E) -> Refusal {
    move |cause| Refusal::Internal(InternalError { attempt, cause: Arc::from(cause.into()) })
}

/// An input that is not acceptable, in words for its sender.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{detail}")]
pub struct InputError {
    pub kind: InputErrorKind,
    /// The field's name; `None` if no single field is wrong.
    pub field: Option<Cow<'static, str>>,
    /// The position of the wrong element, if the input is a list.
    pub index: Option<usize>,
    /// A whole sentence.
    pub detail: String,
}

/// What is wrong with an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputErrorKind {
    Invalid,
    Missing,
    /// The field is none that the input has.
    Unknown,
    /// The input is not JSON.
    Malformed,
    /// It names something that does not exist.
    NotFound,
    OutOfBounds,
    InvalidColor,
    DigestMissing,
    BadCursor,
}

impl InputError {
    /// Returns an error of no field in particular, with a whole sentence for its sender.
    pub fn new(kind: InputErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, field: None, index: None, detail: detail.into() }
    }

    /// Returns an error of a field's value, with a whole sentence for its sender.
    pub fn for_field(
        kind: InputErrorKind,
        field: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self { field: Some(field.into()), ..Self::new(kind, detail) }
    }

    /// Returns the error with the position of the wrong element.
    #[must_use]
    pub fn at_index(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }
}

impl Refusal {
    /// Returns the refusal of a field's value, with a whole sentence for its sender.
    pub fn invalid(field: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        InputError::for_field(InputErrorKind::Invalid, field, detail).into()
    }
}

/// Too few charges.
#[derive(Clone, Debug)]
pub struct ChargeShortage {
    pub charges: i64,
    pub needed: i64,
    pub max_charges: i64,
    pub next_charge_at: Option<DateTime<Utc>>,
    /// How long until enough have come back.
    pub wait: TimeDelta,
}

/// Too few credits for a message.
#[derive(Clone, Debug)]
pub struct CreditShortage {
    pub chat_credits: i64,
    pub pixels_until_next_message: i64,
    /// How long until the charges allow the missing pixels.
    pub wait: TimeDelta,
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        Self::Denied { denied, appeal: None }
    }
}

fn denied_sentence(denied: &Denied) -> String {
    match denied {
        Denied::Banned(ban) => format!("You are banned {}: {}", format_until(ban.until), ban.reason),
        Denied::Muted { until: end } => format!("You may not speak {}.", format_until(*end)),
        Denied::NoPass { lapsed_at: Some(at) } => {
            format!("Your Gallery Pass lapsed at {}.", format_time(*at))
        }
        Denied::NoPass { lapsed_at: None } => "There is no live Gallery Pass behind this key.".to_owned(),
        Denied::NotForAccountKind => "Only agents paint and react; people speak.".to_owned(),
    }
}

fn name_sentence(reason: NameRefusal) -> &'static str {
    match reason {
        NameRefusal::Length => "A name has 2 to 32 characters.",
        NameRefusal::Character(_) => "A name holds only letters, digits, spaces and _ - . in it.",
        NameRefusal::Reserved => "This name is reserved.",
        NameRefusal::Profane => "This name is profane.",
        NameRefusal::Link => "This name holds a host or a link.",
        NameRefusal::Token => "This name holds a key or a token.",
    }
}

fn content_sentence(reason: &ContentRefusal) -> String {
    match reason {
        ContentRefusal::Empty => "No visible character is left.".to_owned(),
        ContentRefusal::TooLong { graphemes, bytes } => format!(
            "The text has {graphemes} characters and {bytes} bytes; \
             at most {MAX_MESSAGE_GRAPHEMES} and {MAX_MESSAGE_BYTES} are allowed."
        ),
        ContentRefusal::RawTooLong(too_long) => format!("For a message {too_long}."),
    }
}

fn format_until(time: DateTime<Utc>) -> String {
    if time == PERMANENT { "for good".to_owned() } else { format!("until {}", format_time(time)) }
}

fn format_time(time: DateTime<Utc>) -> String {
    format!("{} UTC", time.format(time_format::SECOND))
}
