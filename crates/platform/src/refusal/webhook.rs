//! The refusals of webhooks.

use chrono::TimeDelta;

use super::Refusal;
use super::advice::Advice;
use super::codes::Code;

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

impl WebhookRefusal {
    /// Returns the code and the next step.
    pub(super) fn advice(self) -> Advice {
        match self {
            Self::DeliveryNotFound => Advice::of(Code::NotFound)
                .hint("GET /api/webhooks/{id}/deliveries lists the deliveries of the last 7 days."),
            Self::Disabled => Advice::of(Code::Closed).hint(
                "PATCH /api/webhooks/{id} with {\"state\": \"active\"} once its receiver works, then try \
                 again.",
            ),
            Self::TooManyRequests { wait } | Self::TooManyHosts { wait, .. } => {
                Advice::of(Code::TooManyRequests).retry_after(wait)
            }
        }
    }
}

/// Returns an example of each refusal.
pub(super) fn examples(wait: TimeDelta) -> Vec<Refusal> {
    let examples = [
        WebhookRefusal::DeliveryNotFound,
        WebhookRefusal::Disabled,
        WebhookRefusal::TooManyRequests { wait },
        WebhookRefusal::TooManyHosts { limit: 30, wait },
    ];
    examples.map(Refusal::from).into()
}
