//! The refusals of changes of intents.

use super::advice::Advice;
use super::codes::Code;

/// The reason why an intent cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IntentRefusal {
    /// There is no visible intent with this id.
    #[error("There is no intent with this id.")]
    NotFound,
    /// The intent belongs to another author.
    #[error("Only its author can change an intent.")]
    NotYours,
    /// The intent was ended, or has expired.
    #[error("This intent has ended.")]
    Ended,
}

impl IntentRefusal {
    /// Returns the code and the next step.
    pub(super) fn advice(self) -> Advice {
        match self {
            Self::NotFound => Advice::of(Code::NotFound),
            Self::NotYours => Advice::of(Code::Forbidden),
            Self::Ended => Advice::of(Code::Closed),
        }
    }
}
