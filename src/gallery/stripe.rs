//! Stripe's HTTP API, the little of it that selling passes needs.

use std::error::Error as _;
use std::time::Duration;

use reqwest::{Client, RequestBuilder};
use serde_json::Value;

use super::event::string_at;
use crate::clock;
use crate::config::Secret;
use crate::refusal::Refusal;

/// The version of the API that we were written against; what it answers does not change under us.
const API_VERSION: &str = "2025-03-31.basil";
/// How long Stripe may take to answer, and to be reached.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// How often a request is sent before it is given up.
const MAX_ATTEMPTS: usize = 2;

/// Why Stripe did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StripeError {
    #[error("it cannot be reached, or does not answer in time")]
    Unreachable(#[source] reqwest::Error),
    #[error("it refuses with status {status} ({code})")]
    Refused { status: u16, code: String },
    #[error("its answer is not what it should be")]
    UnexpectedResponse,
}

/// One account at Stripe.
pub struct Stripe {
    http: Client,
    base_url: String,
    key: Secret,
}

/// What is to be bought.
pub struct CheckoutRequest<'a> {
    pub price: &'a str,
    pub tier: &'a str,
    /// Who has bought before.
    pub customer: Option<&'a str>,
    pub success_url: &'a str,
    pub cancel_url: &'a str,
}

/// Where somebody pays.
pub struct CheckoutSession {
    /// `cs_…`.
    pub id: String,
    pub url: String,
}

impl Stripe {
    /// A way to Stripe at this address.
    pub fn new(base_url: &str, key: Secret) -> Option<Self> {
        let client = https_client::builder().ok()?.timeout(REQUEST_TIMEOUT).connect_timeout(CONNECT_TIMEOUT);
        let http = client.redirect(reqwest::redirect::Policy::none()).build().ok()?;
        Some(Self { http, base_url: base_url.to_owned(), key })
    }

    /// Where it is.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Opens a Checkout Session for a subscription.
    ///
    /// # Errors
    /// That Stripe did not.
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

    /// A Checkout Session with its subscription.
    ///
    /// # Errors
    /// That Stripe did not tell.
    pub async fn fetch_checkout(&self, id: &str) -> Result<Value, StripeError> {
        let url = format!("{}/v1/checkout/sessions/{id}?expand%5B%5D=subscription", self.base_url);
        self.send(|| self.http.get(&url)).await
    }

    /// Opens the Billing Portal for a customer, who comes back to this address.
    ///
    /// # Errors
    /// That Stripe did not.
    pub async fn open_portal(&self, customer: &str, return_url: &str) -> Result<String, StripeError> {
        let form = [("customer", customer), ("return_url", return_url)];
        redirect_url(&self.post("/v1/billing_portal/sessions", &form).await?)
    }

    /// Under one idempotency key, however often it is sent.
    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Value, StripeError> {
        let (url, idempotency_key) = (format!("{}{path}", self.base_url), clock::new_id("once"));
        self.send(|| self.http.post(&url).header("Idempotency-Key", &idempotency_key).form(form)).await
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

/// The error was logged when the request failed.
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

/// The address of a request may name a Checkout Session: it stays out of the log.
fn unreachable(error: reqwest::Error) -> StripeError {
    StripeError::Unreachable(error.without_url())
}

/// Where the browser is to be sent: nowhere that is no address.
fn redirect_url(response: &Value) -> Result<String, StripeError> {
    let url =
        string_at(response, "/url").filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    url.ok_or(StripeError::UnexpectedResponse)
}
