//! The refusals of costly work.

use chrono::TimeDelta;

use super::advice::Advice;
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

/// The time after which another request of the address may have ended.
const BUSY_RETRY_AFTER: TimeDelta = TimeDelta::seconds(2);

refusals! {
    /// The reason why costly work is not done for a caller: a search, an animation, a past canvas, a large
    /// message or an export.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum WorkRefusal {
        /// The address has as many such requests as it may.
        #[error(
            "Your address has as many requests of this kind at once as it may: half of what the server works \
             on."
        )]
        AddressBusy => Advice::of(Code::TooManyRequests)
            .hint("Wait for the answers of your other requests, then send the next one.")
            .retry_after(BUSY_RETRY_AFTER);
        /// Another export of the account is being sent, or several of other accounts.
        #[error("An export of your account, or several of others, are being sent already.")]
        ExportRunning => Advice::of(Code::TooManyRequests)
            .hint("Wait until it has ended, then ask for it again.")
            .retry_after(BUSY_RETRY_AFTER);
        /// The allowance of requests does not yet pay for the work of earlier ones.
        #[error(
            "Your earlier requests took long, and what takes long counts as several requests: your allowance \
             is used up."
        )]
        NotPaid { wait: TimeDelta = EXAMPLE_WAIT } => Advice::of(Code::TooManyRequests).retry_after(*wait);
    }
}
