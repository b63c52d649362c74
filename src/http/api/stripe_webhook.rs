//! Where Stripe tells what was paid.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::app::App;
use crate::gallery::signature::SignatureError;
use crate::gallery::webhook::WebhookError;
use crate::http::HandlerResult;
use crate::http::request::{address, body};
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;

const SIGNATURE_HEADER: &str = "stripe-signature";

/// Stores an event and answers. A limit of its own is counted before the body is hashed; the limit on requests does
/// not apply, so that it may be set low without Stripe being refused.
pub async fn webhook(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    http_state: Data<HttpState>,
) -> HandlerResult {
    let raw = body::read(&request, &mut payload.into_inner()).await?;
    http_state
        .rate_limits
        .count_webhook(address::rate_limit_address(&request, &http_state.trusted_proxies))?;
    let signature = request.headers().get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    match app.gallery.receive_webhook(&app.state, signature.unwrap_or_default(), &raw).await {
        Ok(()) => Ok(HttpResponse::Ok().json(json!({"received": true}))),
        Err(WebhookError::Signature(error)) => Err(signature_problem(error)),
        Err(WebhookError::InvalidEvent) => {
            Err(Problem::new(Code::MalformedJson, "The body is no event: JSON with id, type and created."))
        }
        Err(WebhookError::Refusal(refusal)) => Err(refusal.into()),
    }
}

fn signature_problem(error: SignatureError) -> Problem {
    let detail = match error {
        SignatureError::Missing => "There is no Stripe-Signature that can be checked.",
        SignatureError::Mismatch => "No signature in Stripe-Signature fits the body.",
        SignatureError::OutsideTolerance => "The signature was made more than 300 s ago, or ahead of time.",
        SignatureError::HeaderTooLong => "Stripe-Signature has more than 1024 bytes.",
        SignatureError::TooManySignatures => "Stripe-Signature has more than 5 signatures (v1).",
    };
    Problem::new(Code::SignatureInvalid, detail)
}
