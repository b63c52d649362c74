//! The refusals of costly work.

use chrono::TimeDelta;

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;

/// The time after which another request of the address may have ended.
const BUSY_RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

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

impl WorkRefusal {
    /// Returns the code and the time to wait.
    pub(super) fn advice(self) -> Advice {
        let advice = Advice::of(Code::TooManyRequests);
        match self {
            Self::AddressBusy => advice
                .hint("Wait for the answers of your other requests, then send the next one.")
                .retry_after(BUSY_RETRY_AFTER),
            Self::NotPaid { wait } => advice.retry_after(wait),
        }
    }
}

/// Returns an example of each refusal.
pub(super) fn examples(wait: TimeDelta) -> Vec<Refusal> {
    let examples = [WorkRefusal::AddressBusy, WorkRefusal::NotPaid { wait }];
    examples.map(Refusal::from).into()
}
