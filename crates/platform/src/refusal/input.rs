//! The refusals of inputs.

use std::borrow::Cow;

use super::Refusal;

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
}

impl Refusal {
    /// Returns the refusal of a field's value, with a whole sentence for the sender.
    pub fn invalid(field: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        InputError::for_field(InputErrorKind::Invalid, field, detail).into()
    }
}
