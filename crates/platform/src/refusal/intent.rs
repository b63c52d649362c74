//! The refusals of changes of intents.

use super::advice::Advice;
use super::codes::Code;
use super::declare::refusals;

refusals! {
    /// The reason why an intent cannot be changed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum IntentRefusal {
        /// There is no visible intent with this id.
        #[error("There is no intent with this id.")]
        NotFound => Advice::of(Code::NotFound);
        /// The intent belongs to another author.
        #[error("Only its author can change an intent.")]
        NotYours => Advice::of(Code::Forbidden);
        /// The intent was ended, or has expired.
        #[error("This intent has ended.")]
        Ended => Advice::of(Code::Closed);
    }
}
