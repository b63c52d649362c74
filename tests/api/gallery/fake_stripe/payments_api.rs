//! The endpoints of the fake Stripe API for prices, cancellations, refunds and look-ups. As the server asks
//! for a fixed version of the API, responses have its format, whatever that of the webhooks.

use actix_web::web::{self, Data, Form, Path, Query, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::api::{FakeStripeError, FormFields, answer_idempotent, check_request, error_response};
use super::{Payment, StripeState};

const NOT_FOUND: FakeStripeError = (404, "invalid_request_error", "resource_missing");

type Books = Data<Mutex<StripeState>>;

pub fn mount(config: &mut ServiceConfig) {
    config
        .route("/v1/prices/{id}", web::get().to(find_price))
        .route("/v1/subscriptions/{id}", web::delete().to(cancel_subscription))
        .route("/v1/invoices", web::get().to(list_invoices))
        .route("/v1/invoices/{id}", web::get().to(find_invoice))
        .route("/v1/invoice_payments", web::get().to(list_invoice_payments))
        .route("/v1/charges/{id}", web::get().to(find_charge))
        .route("/v1/refunds", web::post().to(refund));
}

/// Records a request and refuses it if Stripe would refuse it.
async fn receive(request: &HttpRequest, books: &Books) -> Result<(), HttpResponse> {
    if books.lock().hangs {
        std::future::pending::<()>().await;
    }
    check_request(request, books).map_err(error_response)?;
    let line = format!("{} {}", request.method(), request.path());
    books.lock().requests.push(line);
    Ok(())
}

/// Returns the object that `find` finds, in the newer format.
async fn respond(
    request: &HttpRequest,
    books: &Books,
    find: impl FnOnce(&mut StripeState) -> Option<Value>,
) -> HttpResponse {
    if let Err(refusal) = receive(request, books).await {
        return refusal;
    }
    let mut books = books.lock();
    let uses_old_api = std::mem::replace(&mut books.uses_old_api, false);
    let found = find(&mut books);
    books.uses_old_api = uses_old_api;
    found.map_or_else(|| error_response(NOT_FOUND), |object| HttpResponse::Ok().json(object))
}

fn find_payment(books: &StripeState, matches: impl Fn(&Payment) -> bool) -> Option<Payment> {
    books.payments.iter().find(|payment| matches(payment)).cloned()
}

async fn find_price(request: HttpRequest, books: Books, id: Path<String>) -> HttpResponse {
    let usual = |id: &str| {
        let amount = match id {
            "price_gallery" => 500,
            "price_patron" => 1_500,
            _ => return None,
        };
        Some(json!({
            "id": id, "object": "price", "currency": "usd", "unit_amount": amount,
            "recurring": {"interval": "month", "interval_count": 1},
        }))
    };
    respond(&request, &books, |books| books.prices.get(&*id).cloned().or_else(|| usual(&id))).await
}

async fn cancel_subscription(request: HttpRequest, books: Books, id: Path<String>) -> HttpResponse {
    if books.lock().refuses_cancellations {
        return error_response((403, "invalid_request_error", "permission_denied"));
    }
    respond(&request, &books, |books| {
        // A canceled subscription is not found.
        books.subscriptions.get(&*id).filter(|known| known["status"] != "canceled")?;
        books.cancel(&id);
        let object = books.subscription(&id);
        let event = books.event("customer.subscription.deleted", object.clone());
        books.caused.push(event);
        Some(object)
    })
    .await
}

async fn list_invoices(request: HttpRequest, books: Books, Query(query): Query<FormFields>) -> HttpResponse {
    assert_eq!((query["status"].as_str(), query["expand[]"].as_str()), ("paid", "data.payments"));
    respond(&request, &books, |books| {
        let payments = books.payments.iter().filter(|payment| payment.subscription == query["subscription"]);
        Some(json!({"data": payments.map(|payment| books.invoice(payment, true)).collect::<Vec<_>>()}))
    })
    .await
}

async fn find_invoice(request: HttpRequest, books: Books, id: Path<String>) -> HttpResponse {
    respond(&request, &books, |books| {
        let payment = find_payment(books, |payment| payment.invoice == *id)?;
        Some(books.invoice(&payment, false))
    })
    .await
}

async fn list_invoice_payments(
    request: HttpRequest,
    books: Books,
    Query(query): Query<FormFields>,
) -> HttpResponse {
    assert_eq!(query["payment[type]"], "payment_intent");
    let wanted = query["payment[payment_intent]"].clone();
    respond(&request, &books, |books| {
        let payment = find_payment(books, |payment| payment.payment_intent == wanted);
        let data: Vec<Value> = payment.iter().map(StripeState::invoice_payment).collect();
        Some(json!({"data": data}))
    })
    .await
}

async fn find_charge(request: HttpRequest, books: Books, id: Path<String>) -> HttpResponse {
    respond(&request, &books, |books| {
        let payment = find_payment(books, |payment| payment.charge == *id)?;
        Some(books.charge(&payment))
    })
    .await
}

async fn refund(request: HttpRequest, books: Books, Form(fields): Form<FormFields>) -> HttpResponse {
    if let Err(refusal) = receive(&request, &books).await {
        return refusal;
    }
    let key = match check_request(&request, &books) {
        Ok(key) => key,
        Err(no) => return error_response(no),
    };
    let wanted = fields["payment_intent"].clone();
    let is_refunded = find_payment(&books.lock(), |it| it.payment_intent == wanted).map(|it| it.is_refunded);
    let is_repeated = books.lock().answers.contains_key(&key);
    match is_refunded {
        None => return error_response(NOT_FOUND),
        Some(true) if !is_repeated => {
            return error_response((400, "invalid_request_error", "charge_already_refunded"));
        }
        Some(_) => {}
    }
    answer_idempotent(&books, key, request.path(), &fields, |books| {
        let payment = books.payments.iter_mut().find(|it| it.payment_intent == wanted).unwrap();
        payment.is_refunded = true;
        let payment = payment.clone();
        let charge = books.charge(&payment);
        let event = books.event("charge.refunded", charge);
        books.caused.push(event);
        json!({"id": books.next_id("re"), "object": "refund", "payment_intent": wanted, "status": "succeeded"})
    })
}
