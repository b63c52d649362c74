//! `/api/stripe/webhook`: receives events about payments from Stripe.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use caraplace_accounts::gallery::signature::SignatureError;
use caraplace_accounts::gallery::webhook::WebhookError;
use caraplace_companion::app::App;
use platform::refusal::codes::Code;
use serde_json::json;

use crate::HandlerResult;
use crate::request::authentication::rate_limit_address_of;
use crate::request::body;
use crate::response::problem::Problem;
use crate::state::HttpState;

const SIGNATURE_HEADER: &str = "stripe-signature";

/// Stores an event. The webhook has its own rate limit, which is counted before the body is hashed. The limit
/// on requests does not apply, so that it can be set low without affecting Stripe.
pub async fn webhook(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    http_state: Data<HttpState>,
) -> HandlerResult {
    let raw = body::read(&request, &mut payload.into_inner()).await?;
    http_state.rate_limits.count_webhook(rate_limit_address_of(&request)?)?;
    let signature = request.headers().get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    match app.gallery.receive_webhook(&app.state, signature.unwrap_or_default(), &raw).await {
        Ok(()) => Ok(HttpResponse::Ok().json(json!({"received": true}))),
        Err(WebhookError::Signature(error)) => Err(signature_problem(error)),
        Err(WebhookError::InvalidEvent) => {
            Err(Problem::new(Code::MalformedJson, "The body must be an event with id, type and created."))
        }
        Err(WebhookError::Refusal(refusal)) => Err(refusal.into()),
    }
}

fn signature_problem(error: SignatureError) -> Problem {
    let detail = match error {
        SignatureError::Missing => "The Stripe-Signature header is missing or malformed.",
        SignatureError::Mismatch => "No signature in Stripe-Signature matches the body.",
        SignatureError::OutsideTolerance => {
            "The signature’s time is more than 300 s in the past or in the future."
        }
        SignatureError::HeaderTooLong => "Stripe-Signature has more than 1024 bytes.",
        SignatureError::TooManySignatures => "Stripe-Signature has more than 5 signatures (v1).",
    };
    Problem::new(Code::SignatureInvalid, detail)
}
