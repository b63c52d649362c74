//! A client for the parts of Stripe's HTTP API that selling passes needs.

use std::error::Error as _;
use std::time::Duration;

use platform::clock;
use platform::config::Secret;
use platform::refusal::Refusal;
use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use super::event::{self, PaymentSource, StripeCharge, StripeInvoice, string_at};

/// The version of Stripe's API. It fixes the format of responses.
const API_VERSION: &str = "2025-03-31.basil";
/// The timeouts of requests and of connecting.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// The timeout of a price, which is only shown.
const PRICE_TIMEOUT: Duration = Duration::from_secs(3);
/// The maximum number of attempts for a request.
const MAX_ATTEMPTS: usize = 2;

/// The reason why a request to Stripe failed.
#[derive(Debug, thiserror::Error)]
pub enum StripeError {
    #[error("Stripe cannot be reached or does not respond in time")]
    Unreachable(#[source] reqwest::Error),
    #[error("Stripe refuses the request with status {status} ({code})")]
    Refused { status: u16, code: String },
    #[error("the response of Stripe is not as expected")]
    UnexpectedResponse,
    #[error("the id is not one of Stripe's")]
    InvalidId,
    #[error("Stripe did not respond in time")]
    TimedOut,
}

impl StripeError {
    /// Returns true if a repeated request would be refused, too, until somebody changes something.
    pub fn needs_operator(&self) -> bool {
        match self {
            Self::Refused { status, .. } => (400..500).contains(status) && ![409, 429].contains(status),
            Self::InvalidId => true,
            Self::Unreachable(_) | Self::UnexpectedResponse | Self::TimedOut => false,
        }
    }
}

/// A client for one Stripe account.
pub struct StripeClient {
    http: Client,
    base_url: String,
    key: Secret,
}

/// The parameters of a Checkout.
pub struct CheckoutRequest<'a> {
    pub price: &'a str,
    pub tier: &'a str,
    /// The id of a returning customer.
    pub customer: Option<&'a str>,
    pub success_url: &'a str,
    pub cancel_url: &'a str,
}

/// An open Checkout Session.
pub struct CheckoutSession {
    /// `cs_…`.
    pub id: String,
    pub url: String,
}

impl StripeClient {
    /// Returns a client for Stripe's API at this address. `None` if the HTTP client cannot be built.
    pub fn new(base_url: &str, key: Secret) -> Option<Self> {
        let client = https_client::builder().ok()?.timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT);
        let http = client.redirect(reqwest::redirect::Policy::none()).build().ok()?;
        Some(Self { http, base_url: base_url.to_owned(), key })
    }

    /// Returns the address of Stripe's API.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Opens a Checkout Session for a subscription.
    pub async fn open_checkout(&self, request: &CheckoutRequest<'_>) -> Result<CheckoutSession, StripeError> {
        let mut form = vec![
            ("mode", "subscription"),
            ("line_items[0][price]", request.price),
            ("line_items[0][quantity]", "1"),
            ("metadata[caraplace_tier]", request.tier),
            ("subscription_data[metadata][caraplace_tier]", request.tier),
            ("success_url", request.success_url),
            ("cancel_url", request.cancel_url),
        ];
        form.extend(request.customer.map(|customer| ("customer", customer)));
        let session = self.post("/v1/checkout/sessions", &form).await?;
        let id = string_at(&session, "/id").ok_or(StripeError::UnexpectedResponse)?;
        Ok(CheckoutSession { id, url: redirect_url(&session)? })
    }

    /// Returns a Checkout Session with its subscription.
    pub async fn fetch_checkout(&self, id: &str) -> Result<Value, StripeError> {
        let url = format!("{}/v1/checkout/sessions/{id}?expand%5B%5D=subscription", self.base_url);
        self.send(|| self.http.get(&url)).await
    }

    /// Opens the Billing Portal for a customer, with a link back to `return_url`, and returns its URL.
    pub async fn open_portal(&self, customer: &str, return_url: &str) -> Result<String, StripeError> {
        let form = [("customer", customer), ("return_url", return_url)];
        redirect_url(&self.post("/v1/billing_portal/sessions", &form).await?)
    }

    /// Returns a price.
    pub async fn fetch_price(&self, id: &str) -> Result<Value, StripeError> {
        let url = self.url_with_id("/v1/prices/", id)?;
        self.send(|| self.http.get(&url).timeout(PRICE_TIMEOUT)).await
    }

    /// Cancels a subscription now. One that is cancelled already, or does not exist, is no error.
    pub async fn cancel_subscription(&self, id: &str) -> Result<(), StripeError> {
        let url = self.url_with_id("/v1/subscriptions/", id)?;
        // Stripe takes idempotency keys for POST only. A repeated DELETE finds nothing to cancel.
        match self.send(|| self.http.delete(&url)).await {
            Ok(_) | Err(StripeError::Refused { status: 404, .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the paid invoices of a subscription, with their payments.
    pub async fn list_paid_invoices(&self, subscription: &str) -> Result<Vec<StripeInvoice>, StripeError> {
        let url = self.url_with_id(
            "/v1/invoices?status=paid&limit=100&expand%5B%5D=data.payments&subscription=",
            subscription,
        )?;
        let list = self.send(|| self.http.get(&url)).await?;
        let invoices = list["data"].as_array().ok_or(StripeError::UnexpectedResponse)?;
        Ok(invoices.iter().filter_map(event::parse_invoice).collect())
    }

    /// Refunds a payment in full. One that is refunded already is no error. `attempt` is the number of the
    /// attempt.
    pub async fn refund(&self, payment: &PaymentSource, attempt: i32) -> Result<(), StripeError> {
        let (kind, id) = match payment {
            PaymentSource::PaymentIntent(id) => ("payment_intent", id),
            PaymentSource::Charge(id) => ("charge", id),
        };
        // Stripe repeats its first answer to a key, also a failure, so each attempt of the job has one of its
        // own.
        let form = [(kind, id.as_str())];
        let key = format!("caraplace_refund_{id}_{attempt}");
        match self.post_with_key("/v1/refunds", &form, &key).await {
            Err(StripeError::Refused { code, .. }) if code == "charge_already_refunded" => Ok(()),
            result => result.map(|_| ()),
        }
    }

    /// Returns a charge.
    pub async fn fetch_charge(&self, id: &str) -> Result<StripeCharge, StripeError> {
        let url = self.url_with_id("/v1/charges/", id)?;
        let charge = self.send(|| self.http.get(&url)).await?;
        event::parse_charge(&charge).ok_or(StripeError::UnexpectedResponse)
    }

    /// Returns the subscription's invoice that a payment intent has paid. `None` if it has paid no such
    /// invoice.
    ///
    /// # Errors
    /// If a request fails.
    pub async fn find_paid_invoice(
        &self,
        payment_intent: &str,
    ) -> Result<Option<StripeInvoice>, StripeError> {
        let url = self.url_with_id(
            "/v1/invoice_payments?payment%5Btype%5D=payment_intent&payment%5Bpayment_intent%5D=",
            payment_intent,
        )?;
        let payments = self.send(|| self.http.get(&url)).await?;
        let Some(invoice) = event::id_at(&payments, "/data/0/invoice") else { return Ok(None) };
        let url = self.url_with_id("/v1/invoices/", &invoice)?;
        Ok(event::parse_invoice(&self.send(|| self.http.get(&url)).await?))
    }

    /// Returns the URL of an object. Ids come from Stripe itself; anything that could be another path is
    /// refused.
    fn url_with_id(&self, path: &str, id: &str) -> Result<String, StripeError> {
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_id { Ok(format!("{}{path}{id}", self.base_url)) } else { Err(StripeError::InvalidId) }
    }

    /// Sends a POST request, with the same idempotency key for all attempts.
    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Value, StripeError> {
        self.post_with_key(path, form, &clock::new_id("once")).await
    }

    async fn post_with_key(
        &self,
        path: &str,
        form: &[(&str, &str)],
        idempotency_key: &str,
    ) -> Result<Value, StripeError> {
        let url = format!("{}{path}", self.base_url);
        self.send(|| self.http.post(&url).header("Idempotency-Key", idempotency_key).form(form)).await
    }

    async fn send(&self, request: impl Fn() -> RequestBuilder) -> Result<Value, StripeError> {
        let attempt =
            || send_once(request().bearer_auth(self.key.expose()).header("Stripe-Version", API_VERSION));
        let mut result = attempt().await;
        for _ in 1..MAX_ATTEMPTS {
            if let Err(StripeError::Unreachable(_) | StripeError::Refused { status: 409 | 500.., .. }) =
                result
            {
                result = attempt().await;
            }
        }
        result.inspect_err(|error| {
            tracing::warn!(error = %error, cause = ?error.source(), "request to Stripe failed");
        })
    }
}

// The error was logged when the request failed.
impl From<StripeError> for Refusal {
    fn from(_: StripeError) -> Self {
        Self::PaymentsUnavailable
    }
}

async fn send_once(request: RequestBuilder) -> Result<Value, StripeError> {
    let response = request.send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let body = response.bytes().await.map_err(unreachable)?;
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if status == 200 {
        return Ok(json);
    }
    let code = string_at(&json, "/error/code").or_else(|| string_at(&json, "/error/type"));
    Err(StripeError::Refused { status, code: code.unwrap_or_default() })
}

/// Removes the URL from the error, because it may contain the id of a Checkout Session, which must not be
/// logged.
fn unreachable(error: reqwest::Error) -> StripeError {
    StripeError::Unreachable(error.without_url())
}

/// Returns the URL to redirect the browser to, if it is an HTTP URL.
fn redirect_url(response: &Value) -> Result<String, StripeError> {
    let url =
        string_at(response, "/url").filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    url.ok_or(StripeError::UnexpectedResponse)
}
