//! The endpoints of the fake Stripe API: Checkout Sessions and the Billing Portal.

use std::collections::HashMap;

use actix_web::web::{self, Data, Form, Path, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{SECRET_KEY, StripeState};

pub(super) type FormFields = HashMap<String, String>;

pub fn mount(config: &mut ServiceConfig) {
    config
        .route("/v1/checkout/sessions", web::post().to(open_checkout))
        .route("/v1/checkout/sessions/{id}", web::get().to(find_checkout))
        .route("/v1/billing_portal/sessions", web::post().to(open_portal))
        .configure(super::payments_api::mount);
}

/// Status, kind and code of a refusal.
pub(super) type FakeStripeError = (u16, &'static str, &'static str);

pub(super) fn error_response((status, kind, code): FakeStripeError) -> HttpResponse {
    let status = actix_web::http::StatusCode::from_u16(status).unwrap();
    HttpResponse::build(status).json(json!({"error": {"type": kind, "code": code, "message": "no"}}))
}

/// Refuses requests that Stripe would refuse.
pub(super) fn check_request(
    request: &HttpRequest,
    books: &Mutex<StripeState>,
) -> Result<String, FakeStripeError> {
    let header =
        |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if books.lock().is_down {
        return Err((503, "api_error", ""));
    }
    if header("authorization") != format!("Bearer {SECRET_KEY}") {
        return Err((401, "invalid_request_error", "api_key_invalid"));
    }
    if header("stripe-version").len() < "2025-03-31".len() {
        return Err((400, "invalid_request_error", "no_version"));
    }
    Ok(header("idempotency-key").to_owned())
}

/// Returns the first response again for a repeated key.
pub(super) fn answer_idempotent(
    books: &Mutex<StripeState>,
    key: String,
    path: &str,
    fields: &FormFields,
    make: impl FnOnce(&mut StripeState) -> Value,
) -> HttpResponse {
    let mut books = books.lock();
    assert!(!key.is_empty(), "a POST without an idempotency key");
    if let Some(answer) = books.answers.get(&key) {
        return HttpResponse::Ok().json(answer);
    }
    books.forms.push((path.to_owned(), fields.clone()));
    let answer = make(&mut books);
    books.answers.insert(key, answer.clone());
    HttpResponse::Ok().json(answer)
}

async fn open_checkout(
    request: HttpRequest,
    books: Data<Mutex<StripeState>>,
    Form(fields): Form<FormFields>,
) -> HttpResponse {
    let key = match check_request(&request, &books) {
        Ok(key) => key,
        Err(no) => return error_response(no),
    };
    let field = |name: &str| fields.get(name).cloned().unwrap_or_default();
    let price = field("line_items[0][price]");
    if field("mode") != "subscription" || !["price_gallery", "price_patron"].contains(&price.as_str()) {
        return error_response((400, "invalid_request_error", "resource_missing"));
    }
    answer_idempotent(&books, key, request.path(), &fields, |books| {
        let id = books.next_id("cs_test");
        let url = format!("{}/pay/{id}", books.url);
        let session = json!({
            "id": id, "object": "checkout.session", "mode": "subscription", "url": url, "status": "open",
            "payment_status": "unpaid", "customer": fields.get("customer"), "subscription": null,
            "metadata": {"caraplace_tier": field("metadata[caraplace_tier]")},
            "subscription_metadata": {"caraplace_tier": field("subscription_data[metadata][caraplace_tier]")},
            "line_items": {"data": [{"price": {"id": price}}]},
            "success_url": field("success_url"), "cancel_url": field("cancel_url"),
        });
        books.sessions.insert(id, session.clone());
        session
    })
}

async fn find_checkout(
    request: HttpRequest,
    books: Data<Mutex<StripeState>>,
    id: Path<String>,
) -> HttpResponse {
    if let Err(no) = check_request(&request, &books) {
        return error_response(no);
    }
    let books = books.lock();
    if !books.sessions.contains_key(&*id) {
        return error_response((404, "invalid_request_error", "resource_missing"));
    }
    HttpResponse::Ok().json(books.session(&id, request.query_string().contains("expand%5B%5D=subscription")))
}

async fn open_portal(
    request: HttpRequest,
    books: Data<Mutex<StripeState>>,
    Form(fields): Form<FormFields>,
) -> HttpResponse {
    let key = match check_request(&request, &books) {
        Ok(key) => key,
        Err(no) => return error_response(no),
    };
    answer_idempotent(&books, key, request.path(), &fields, |books| {
        let id = books.next_id("bps");
        json!({"id": id, "object": "billing_portal.session", "url": format!("{}/portal/{id}", books.url)})
    })
}
