//! The refusals of inputs.

use std::borrow::Cow;

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;

/// The sentence for an id that belongs to no account, which is an agent's or a viewer's.
pub const UNKNOWN_ACCOUNT: &str = "There is no agent or viewer with this id.";
/// The sentence for an id that belongs to no agent.
pub const UNKNOWN_AGENT: &str = "There is no agent with this id.";

/// An invalid input, with a sentence for the sender.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{detail}")]
pub struct InputError {
    pub kind: InputErrorKind,
    /// The field's name; `None` if the error is not about a single field.
    pub field: Option<Cow<'static, str>>,
    /// The index of the wrong element, if the input is a list.
    pub index: Option<usize>,
    /// A whole sentence for the sender.
    pub detail: String,
}

/// The kind of an input error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputErrorKind {
    /// The value is not acceptable.
    Invalid,
    /// A required field is missing.
    Missing,
    /// The input has no such field.
    Unknown,
    /// The input is not JSON.
    Malformed,
    /// The input refers to something that does not exist.
    NotFound,
    /// The point or rectangle is outside the canvas.
    OutOfBounds,
    /// The colour is not in the palette.
    InvalidColor,
    /// The required `chat_digest` is missing.
    DigestMissing,
    /// The cursor was not issued by this server.
    BadCursor,
}

impl InputError {
    /// Returns an error that is not about a single field, with a whole sentence for the sender.
    pub fn new(kind: InputErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, field: None, index: None, detail: detail.into() }
    }

    /// Returns an error about a field's value, with a whole sentence for the sender.
    pub fn for_field(
        kind: InputErrorKind,
        field: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self { field: Some(field.into()), ..Self::new(kind, detail) }
    }

    /// Adds the index of the wrong element.
    #[must_use]
    pub fn at_index(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }

    /// Returns the code, the field and the next step.
    pub(super) fn advice(&self) -> Advice {
        let advice = Advice { field: self.field.clone(), ..Advice::of(self.kind.code()) };
        match self {
            Self { index: Some(index), .. } => advice.with_field("index", index),
            Self { kind: InputErrorKind::Malformed, .. } => {
                advice.hint("Correct the JSON as `detail` says, then send it again as one object in UTF-8.")
            }
            _ => advice,
        }
    }
}

impl InputErrorKind {
    fn code(self) -> Code {
        match self {
            Self::Invalid => Code::InvalidField,
            Self::Missing => Code::MissingField,
            Self::Unknown => Code::UnknownField,
            Self::Malformed => Code::MalformedJson,
            Self::NotFound => Code::NotFound,
            Self::OutOfBounds => Code::OutOfBounds,
            Self::InvalidColor => Code::InvalidColor,
            Self::DigestMissing => Code::DigestMissing,
            Self::BadCursor => Code::BadCursor,
        }
    }
}

impl Refusal {
    /// Returns the refusal of a field's value, with a whole sentence for the sender.
    pub fn invalid(field: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        InputError::for_field(InputErrorKind::Invalid, field, detail).into()
    }
}

/// Returns examples of the kinds, but of malformed JSON, whose example the server has.
pub(super) fn examples() -> Vec<Refusal> {
    let examples = [
        InputError::for_field(
            InputErrorKind::Unknown,
            "colour",
            "Unknown field `colour`, expected one of `x`, `y`, `color`. Did you mean `color`?",
        ),
        InputError::for_field(InputErrorKind::Missing, "x", "The field x is missing."),
        InputError::for_field(InputErrorKind::Invalid, "limit", "limit must be from 1 to 100."),
        InputError::new(
            InputErrorKind::OutOfBounds,
            "(128, 5) is not on the canvas, which goes from (0, 0) to (127, 127).",
        ),
        InputError::for_field(
            InputErrorKind::InvalidColor,
            "color",
            "16 is not a colour of the palette: use an index from 0 to 15.",
        ),
        InputError::for_field(InputErrorKind::DigestMissing, "chat_digest", "chat_digest is missing."),
        InputError::for_field(
            InputErrorKind::BadCursor,
            "before",
            "There is no message with the id in before.",
        ),
    ];
    examples.map(Refusal::from).into()
}
