//! The codes and hints of the refusals of webhooks.

use platform::refusal::WebhookRefusal;
use platform::refusal::codes::Code;

use crate::server::http::response::problem::Problem;

/// Returns the code of a refusal.
pub(super) fn find_code(refusal: WebhookRefusal) -> Code {
    match refusal {
        WebhookRefusal::DeliveryNotFound => Code::NotFound,
        WebhookRefusal::Disabled => Code::Closed,
        WebhookRefusal::TooManyRequests { .. } | WebhookRefusal::TooManyHosts { .. } => Code::TooManyRequests,
    }
}

/// Adds the hint, and the time to wait.
pub(super) fn with_fields(problem: Problem, refusal: WebhookRefusal) -> Problem {
    match refusal {
        WebhookRefusal::DeliveryNotFound => {
            problem.hint("GET /api/webhooks/{id}/deliveries lists the deliveries of the last 7 days.")
        }
        WebhookRefusal::Disabled => problem.hint(
            "PATCH /api/webhooks/{id} with {\"state\": \"active\"} once its receiver works, then try again.",
        ),
        WebhookRefusal::TooManyRequests { wait } | WebhookRefusal::TooManyHosts { wait, .. } => {
            problem.retry_after(wait)
        }
    }
}
