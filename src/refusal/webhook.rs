//! The refusals of webhooks.

use chrono::TimeDelta;

/// The reason why nothing is sent to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookRefusal {
    /// The webhook has no delivery with this id.
    #[error("The webhook has no delivery with this id.")]
    DeliveryNotFound,
    /// The webhook is disabled.
    #[error("The webhook is disabled.")]
    Disabled,
    /// The agent has asked for too many tests and repetitions.
    #[error("You may ask for ten tests and repetitions at once, and for one more every six seconds.")]
    TooManyRequests { wait: TimeDelta },
}
