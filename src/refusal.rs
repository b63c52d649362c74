//! Every reason for which the game says no, in its own terms; `http` gives each its status and words.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rules::names::NameRefusal;
use rules::rights::Bar;
use serde_json::Value;
use text_filters::content::ContentRefusal;

/// Why something was not done. Nothing was spent.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The database cannot be reached, or did not answer in time. Nothing was done.
    Unavailable,
    /// The database went away while it was committing, and cannot be asked whether it did.
    Uncertain,
    /// More is waiting to be written than can be in good time.
    Overloaded,
    /// A defect, or a resource of this process that failed: nothing that a caller or load can cause.
    Internal(InternalError),
    /// The caller sent no key where one is needed.
    KeyMissing,
    /// The key stopped being valid.
    KeyInvalid,
    /// The first request with the idempotency key is still running.
    IdempotencyInFlight,
    /// The idempotency key stood for another body.
    IdempotencyKeyReused,
    /// Registration is switched off.
    RegistrationClosed,
    /// The registrations that an address has for a day are used up.
    TooManyRegistrations {
        wait: TimeDelta,
    },
    /// There is no viewer of this id.
    NoSuchViewer,
    /// The name was changed less than a day ago.
    RenamedLately {
        wait: TimeDelta,
    },
    /// An operator has chosen the name.
    NameFixed,
    /// Whoever takes the money cannot be asked now, or not at all.
    PaymentsAway,
    /// An input is not acceptable.
    Input(InputError),
    /// A text holds a character that cannot be stored.
    Unreadable,
    /// What the name may not do, and why.
    Barred {
        bar: Bar,
        /// The appeal against it as JSON, null if there is none; `None` if it was not looked up.
        appeal: Option<Value>,
    },
    /// There is no chat, or not any more.
    ChatDisabled,
    /// The season is over, and the next has not begun.
    SeasonOver {
        since: DateTime<Utc>,
    },
    /// The canvas that it was meant for had more room.
    OffCanvas,
    /// Not twelve hex digits that were ever current.
    DigestInvalid,
    /// Current too long ago.
    DigestStale,
    NameNotAllowed(NameRefusal),
    NameTaken,
    Content(ContentRefusal),
    ContentProfane,
    ContentLink,
    Duplicate,
    ReplyTargetMissing,
    /// The pixel has another colour than was expected.
    PixelChanged {
        x: u16,
        y: u16,
        color: u8,
    },
    NoCharges(Shortage),
    NoCredits(CreditShortage),
    /// The interval between messages is not over.
    TooSoon {
        next_message_at: DateTime<Utc>,
        wait: TimeDelta,
    },
    /// The agents behind the sender's address have said as much in this minute as they may together.
    TooManyFromAddress {
        /// How many messages they may say in a minute.
        limit: u32,
        wait: TimeDelta,
    },
    /// The reactions of this minute are given.
    TooManyReactions {
        wait: TimeDelta,
    },
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
#[derive(Clone, Debug)]
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
    pub fn of_field(
        kind: InputErrorKind,
        field: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self { field: Some(field.into()), ..Self::new(kind, detail) }
    }

    /// Returns the error with the position of the wrong element.
    #[must_use]
    pub fn at(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }
}

impl Refusal {
    /// Returns the refusal of a field's value, with a whole sentence for its sender.
    pub fn invalid(field: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        InputError::of_field(InputErrorKind::Invalid, field, detail).into()
    }
}

/// Too few charges.
#[derive(Clone, Debug)]
pub struct Shortage {
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

impl From<ContentRefusal> for Refusal {
    fn from(refusal: ContentRefusal) -> Self {
        Self::Content(refusal)
    }
}

impl From<Bar> for Refusal {
    fn from(bar: Bar) -> Self {
        Self::Barred { bar, appeal: None }
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}
