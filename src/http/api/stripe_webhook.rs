//! Where Stripe tells what was paid.

use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::app::App;
use crate::gallery::signature::Untrue;
use crate::gallery::webhook::NotTaken;
use crate::http::Answer;
use crate::http::request::{address, body};
use crate::http::response::codes::Code;
use crate::http::response::problem::Problem;
use crate::http::state::HttpState;

const SIGNATURE: &str = "stripe-signature";

/// Stores an event and answers. A limit of its own is counted before the body is hashed; the limit on requests does
/// not apply, so that it may be set low without Stripe being refused.
pub async fn webhook(
    request: HttpRequest,
    payload: Payload,
    app: Data<App>,
    door: Data<HttpState>,
) -> Answer {
    let raw = body::take(&request, &mut payload.into_inner()).await?;
    door.limits.webhook(address::of(&request, &door.trusted_proxies))?;
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
    match app.gallery.hear(&app.state, signature.unwrap_or_default(), &raw).await {
        Ok(()) => Ok(HttpResponse::Ok().json(json!({"received": true}))),
        Err(NotTaken::Untrue(untrue)) => Err(untrue_problem(untrue)),
        Err(NotTaken::NoEvent) => {
            Err(Problem::new(Code::MalformedJson, "The body is no event: JSON with id, type and created."))
        }
        Err(NotTaken::Refusal(refusal)) => Err(refusal.into()),
    }
}

fn untrue_problem(untrue: Untrue) -> Problem {
    let detail = match untrue {
        Untrue::Missing => "There is no Stripe-Signature that can be checked.",
        Untrue::Wrong => "No signature in Stripe-Signature fits the body.",
        Untrue::Old => "The signature was made more than 300 s ago, or ahead of time.",
        Untrue::TooLong => "Stripe-Signature has more than 1024 bytes.",
        Untrue::TooMany => "Stripe-Signature has more than 5 signatures (v1).",
    };
    Problem::new(Code::SignatureInvalid, detail)
}
