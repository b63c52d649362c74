//! The refusals of changes of intents.

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
