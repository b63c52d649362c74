//! A fake of the part of Stripe's API that is used. It has its own state and sends signed webhooks.

mod api;

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer, web};
use caraplace::clock::Clock;
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
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
    /// First responses by idempotency key.
    answers: HashMap<String, Value>,
    /// Forms that were sent, by path.
    pub forms: Vec<(String, HashMap<String, String>)>,
    pub is_down: bool,
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
        let (subscription, customer) = books.pay(session, email);
        let mut unpaid = books.subscriptions[&subscription].clone();
        unpaid["status"] = json!("incomplete");
        let events = [
            ("customer.subscription.created", unpaid),
            ("customer.subscription.updated", books.subscriptions[&subscription].clone()),
            ("invoice.paid", books.invoice(&subscription)),
            ("charge.succeeded", books.charge(&customer, false)),
            ("checkout.session.completed", books.session(session, false)),
        ];
        events.into_iter().map(|(kind, object)| books.event(kind, object)).collect()
    }

    /// Starts the next month, paid or not. Returns the events.
    pub fn renew(&self, subscription: &str, paid: bool) -> Vec<Value> {
        let mut books = self.state.lock();
        let now = books.now();
        let object = books.subscriptions.get_mut(subscription).unwrap();
        object["status"] = json!(if paid { "active" } else { "past_due" });
        object["items"]["data"][0]["current_period_start"] = json!(now);
        object["items"]["data"][0]["current_period_end"] = json!(now + MONTH_SECONDS);
        let (object, invoice) = (object.clone(), books.invoice(subscription));
        let invoice_kind = if paid { "invoice.paid" } else { "invoice.payment_failed" };
        vec![books.event("customer.subscription.updated", object), books.event(invoice_kind, invoice)]
    }

    /// Ends the subscription now. Returns the event.
    pub fn end_subscription(&self, subscription: &str) -> Value {
        let mut books = self.state.lock();
        let now = books.now();
        let object = books.subscriptions.get_mut(subscription).unwrap();
        object["status"] = json!("canceled");
        object["ended_at"] = json!(now);
        let object = object.clone();
        books.event("customer.subscription.deleted", object)
    }

    /// Refunds the current payment. Returns the event.
    pub fn refund(&self, customer: &str) -> Value {
        let mut books = self.state.lock();
        let charge = books.charge(customer, true);
        books.event("charge.refunded", charge)
    }

    /// Disputes a charge. Returns the event.
    pub fn dispute(&self, charge: &str) -> Value {
        self.state.lock().event(
            "charge.dispute.created",
            json!({"id": "dp_1", "charge": charge, "status": "needs_response"}),
        )
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

    fn pay(&mut self, session: &str, email: &str) -> (String, String) {
        let (now, id) = (self.now(), self.next_id("sub"));
        let known = self.sessions[session].clone();
        let customer = known["customer"].as_str().map_or_else(|| self.next_id("cus"), str::to_owned);
        let price = known["line_items"]["data"][0]["price"]["id"].clone();
        let subscription = json!({
            "id": id, "object": "subscription", "customer": customer, "status": "active", "created": now,
            "metadata": known["subscription_metadata"],
            "items": {"data": [{
                "current_period_start": now, "current_period_end": now + MONTH_SECONDS, "price": {"id": price},
            }]},
        });
        self.subscriptions.insert(id.clone(), subscription);
        let session = self.sessions.get_mut(session).unwrap();
        for (name, value) in [
            ("status", json!("complete")),
            ("payment_status", json!("paid")),
            ("customer", json!(customer)),
            ("subscription", json!(id)),
            ("customer_details", json!({"email": email})),
        ] {
            session[name] = value;
        }
        (id, customer)
    }

    fn session(&self, id: &str, expanded: bool) -> Value {
        let mut session = self.sessions[id].clone();
        let subscription = session["subscription"].as_str().and_then(|id| self.subscriptions.get(id));
        if let (true, Some(subscription)) = (expanded, subscription) {
            session["subscription"] = subscription.clone();
        }
        session
    }

    fn invoice(&mut self, subscription: &str) -> Value {
        let id = self.next_id("in");
        let known = &self.subscriptions[subscription];
        let item = &known["items"]["data"][0];
        json!({
            "id": id, "object": "invoice", "customer": known["customer"],
            "parent": {"subscription_details": {"subscription": subscription, "metadata": known["metadata"]}},
            "lines": {"data": [{"period": {
                "start": item["current_period_start"], "end": item["current_period_end"],
            }}]},
        })
    }

    pub fn charge(&mut self, customer: &str, refunded: bool) -> Value {
        let (id, now) = (self.next_id("ch"), self.now());
        json!({"id": id, "object": "charge", "customer": customer, "created": now, "refunded": refunded})
    }
}
