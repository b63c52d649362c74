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
    /// The agent has made too many requests for its webhooks.
    #[error(
        "Ten new webhooks, addresses, tests and repetitions are possible at once, and one more every six \
         seconds."
    )]
    TooManyRequests { wait: TimeDelta },
    /// The agents of a network address have had too many host names looked up.
    #[error("The agents of an address may name {limit} hosts of webhooks per minute.")]
    TooManyHosts { limit: u32, wait: TimeDelta },
}
