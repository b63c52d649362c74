//! A fake of the part of Stripe's API that is used. It has its own state and sends signed webhooks.

mod api;
mod objects;
mod payments_api;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
use platform::clock::Clock;
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{Reply, Server};

pub const SECRET_KEY: &str = "sk_test_stand_in";
pub const WEBHOOK_SECRET: &str = "whsec_stand_in";
const MONTH_SECONDS: i64 = 30 * 86_400;

/// The state of the fake API.
#[derive(Default)]
pub struct StripeState {
    clock: Clock,
    url: String,
    last_id: u32,
    sessions: HashMap<String, Value>,
    pub subscriptions: HashMap<String, Value>,
    /// Payments of invoices, in order.
    pub payments: Vec<Payment>,
    /// Prices that differ from the usual one, by id.
    pub prices: HashMap<String, Value>,
    /// First responses by idempotency key.
    answers: HashMap<String, Value>,
    /// Forms that were sent, by path.
    pub forms: Vec<(String, HashMap<String, String>)>,
    /// The paths of other requests, with their method.
    pub requests: Vec<String>,
    /// Events that requests to the API have caused, not sent yet.
    pub caused: Vec<Value>,
    /// True to name payments as the API versions before 2025-03-31 did.
    pub uses_old_api: bool,
    pub is_down: bool,
    /// True to respond never.
    pub hangs: bool,
    /// True to refuse cancellations.
    pub refuses_cancellations: bool,
}

/// The payment of an invoice.
#[derive(Clone)]
pub struct Payment {
    pub charge: String,
    pub payment_intent: String,
    pub invoice: String,
    pub subscription: String,
    pub customer: String,
    pub made_at: i64,
    pub is_refunded: bool,
}

pub struct FakeStripe {
    pub url: String,
    pub state: Arc<Mutex<StripeState>>,
    handle: ServerHandle,
}

impl FakeStripe {
    #[allow(clippy::unused_async, reason = "started like other servers")]
    pub async fn start() -> Self {
        let books = Arc::new(Mutex::new(StripeState::default()));
        let data = web::Data::from(books.clone());
        let app = move || App::new().app_data(data.clone()).configure(api::mount);
        let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        books.lock().url.clone_from(&url);
        let running = server.run();
        let handle = running.handle();
        tokio::spawn(running);
        Self { url, state: books, handle }
    }

    /// Uses this clock from now on.
    pub fn use_clock(&self, clock: &Clock) {
        self.state.lock().clock = clock.clone();
    }

    /// Pays a Checkout Session. Returns Stripe's events in order.
    pub fn pay(&self, session: &str, email: &str) -> Vec<Value> {
        let mut books = self.state.lock();
        let subscription = books.pay(session, email);
        let mut unpaid = books.subscription(&subscription);
        unpaid["status"] = json!("incomplete");
        let mut events = vec![("customer.subscription.created", unpaid)];
        events.push(("customer.subscription.updated", books.subscription(&subscription)));
        events.extend(books.pay_invoice(&subscription));
        events.push(("checkout.session.completed", books.session(session, false)));
        events.into_iter().map(|(kind, object)| books.event(kind, object)).collect()
    }

    /// Starts the next month, paid or not. Returns the events.
    pub fn renew(&self, subscription: &str, paid: bool) -> Vec<Value> {
        let mut books = self.state.lock();
        books.start_month(subscription, if paid { "active" } else { "past_due" });
        let mut events = vec![("customer.subscription.updated", books.subscription(subscription))];
        if paid {
            events.extend(books.pay_invoice(subscription));
        } else {
            events.push(("invoice.payment_failed", books.unpaid_invoice(subscription)));
        }
        events.into_iter().map(|(kind, object)| books.event(kind, object)).collect()
    }

    /// Schedules the end of a subscription at the end of its period, or withdraws that. Returns the event.
    pub fn set_cancel_at_period_end(&self, subscription: &str, cancels: bool) -> Value {
        let mut books = self.state.lock();
        books.subscriptions.get_mut(subscription).unwrap()["cancel_at_period_end"] = json!(cancels);
        let object = books.subscription(subscription);
        books.event("customer.subscription.updated", object)
    }

    /// Starts the next month while the collection of payments is paused: the subscription stays active, and
    /// its invoice is void. Returns the event.
    pub fn renew_without_collection(&self, subscription: &str) -> Value {
        let mut books = self.state.lock();
        books.start_month(subscription, "active");
        let object = books.subscriptions.get_mut(subscription).unwrap();
        object["pause_collection"] = json!({"behavior": "void", "resumes_at": null});
        let object = books.subscription(subscription);
        books.event("customer.subscription.updated", object)
    }

    /// Ends the subscription now. Returns the event.
    pub fn end_subscription(&self, subscription: &str) -> Value {
        let mut books = self.state.lock();
        books.cancel(subscription);
        let object = books.subscription(subscription);
        books.event("customer.subscription.deleted", object)
    }

    /// Refunds the newest payment of a customer. Returns the event.
    pub fn refund(&self, customer: &str) -> Value {
        let mut books = self.state.lock();
        let newest = books.payments.iter_mut().rfind(|payment| payment.customer == customer).unwrap();
        newest.is_refunded = true;
        let payment = newest.clone();
        let charge = books.charge(&payment);
        books.event("charge.refunded", charge)
    }

    /// Disputes a charge. Returns the event.
    pub fn dispute(&self, charge: &str) -> Value {
        let mut books = self.state.lock();
        let payment_intent =
            books.payments.iter().find(|it| it.charge == charge).map(|it| it.payment_intent.clone());
        let object = json!({
            "id": "dp_1", "charge": charge, "payment_intent": payment_intent, "status": "needs_response",
        });
        books.event("charge.dispute.created", object)
    }

    /// Returns the events that requests to the API have caused.
    pub fn take_caused_events(&self) -> Vec<Value> {
        std::mem::take(&mut self.state.lock().caused)
    }

    /// Returns the ids of all subscriptions in the order of their purchase.
    pub fn subscriptions(&self) -> Vec<String> {
        self.state.lock().subscriptions.keys().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Returns the status of a subscription.
    pub fn status(&self, subscription: &str) -> String {
        self.state.lock().subscriptions[subscription]["status"].as_str().unwrap().to_owned()
    }

    /// Returns the number of refunded payments of a subscription.
    pub fn count_refunds(&self, subscription: &str) -> usize {
        let books = self.state.lock();
        books.payments.iter().filter(|it| it.subscription == subscription && it.is_refunded).count()
    }

    /// Returns an event of this kind.
    pub fn event(&self, kind: &str, object: Value) -> Value {
        self.state.lock().event(kind, object)
    }

    /// Sends an event to a server's webhook, signed now.
    pub async fn send_event(&self, server: &Server, event: &Value) -> Reply {
        let body = event.to_string();
        let signature = sign(&body, server.clock.now().timestamp(), WEBHOOK_SECRET);
        send_webhook(server, body, &signature).await
    }
}

impl Drop for FakeStripe {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

/// Returns the value of the `Stripe-Signature` header.
pub fn sign(body: &str, time: i64, secret: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{time}.{body}").as_bytes());
    let signature: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={time},v1={signature}")
}

/// Sends a body to a server's webhook.
pub async fn send_webhook(server: &Server, body: String, signature: &str) -> Reply {
    let request = server.post_request("/api/stripe/webhook").header("Content-Type", "application/json");
    Reply::fetch(request.header("Stripe-Signature", signature).body(body)).await
}

impl StripeState {
    /// Returns the id of the only subscription.
    pub fn only_subscription(&self) -> String {
        assert_eq!(self.subscriptions.len(), 1);
        self.subscriptions.keys().next().unwrap().clone()
    }

    fn now(&self) -> i64 {
        self.clock.now().timestamp()
    }

    fn next_id(&mut self, prefix: &str) -> String {
        self.last_id += 1;
        format!("{prefix}_{:06}", self.last_id)
    }

    fn event(&mut self, kind: &str, object: Value) -> Value {
        let created = self.now();
        let mut event = json!({
            "id": self.next_id("evt"), "object": "event", "type": kind, "created": created, "livemode": false,
            "api_version": "2025-03-31.basil", "pending_webhooks": 1,
        });
        event["data"]["object"] = object;
        event
    }
}
