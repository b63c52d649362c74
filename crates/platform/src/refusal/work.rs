//! The refusals of costly work.

use chrono::TimeDelta;

/// The reason why costly work is not done for a caller: a search, an animation, a past canvas or a large
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkRefusal {
    /// The address has as many such requests as it may.
    #[error(
        "Your address has as many requests of this kind at once as it may: half of what the server works on."
    )]
    AddressBusy,
    /// The allowance of requests does not yet pay for the work of earlier ones.
    #[error(
        "Your earlier requests took long, and what takes long counts as several requests: your allowance is \
         used up."
    )]
    NotPaid { wait: TimeDelta },
}
