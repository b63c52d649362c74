//! The refusals of webhooks.

use chrono::TimeDelta;

use super::advice::Advice;
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, refusals};

refusals! {
    /// The reason why nothing is sent to a webhook.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum WebhookRefusal {
        /// The webhook has no delivery with this id.
        #[error("The webhook has no delivery with this id.")]
        DeliveryNotFound => Advice::of(Code::NotFound)
            .hint("GET /api/webhooks/{id}/deliveries lists the deliveries of the last 7 days.");
        /// The webhook is disabled.
        #[error("The webhook is disabled.")]
        Disabled => Advice::of(Code::Closed).hint(
            "PATCH /api/webhooks/{id} with {\"state\": \"active\"} once its receiver works, then try again.",
        );
        /// The agent has made too many requests for its webhooks.
        #[error(
            "Ten new webhooks, addresses, tests and repetitions are possible at once, and one more every six \
             seconds."
        )]
        TooManyRequests { wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
        /// The agents of a network address have had too many host names looked up.
        #[error("The agents of an address may name {limit} hosts of webhooks per minute.")]
        TooManyHosts { limit: u32 = 30, wait: TimeDelta = EXAMPLE_WAIT } =>
            Advice::of(Code::TooManyRequests).retry_after(*wait);
    }
}
