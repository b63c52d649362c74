//! The objects of the fake Stripe API, in the formats of its older and newer versions.

use serde_json::{Value, json};

use super::{MONTH_SECONDS, Payment, StripeState};

/// The kind and the object of an event.
type EventObject = (&'static str, Value);

impl StripeState {
    /// Pays a Checkout Session, which starts a subscription. Returns its id.
    pub(super) fn pay(&mut self, session: &str, email: &str) -> String {
        let (now, id) = (self.now(), self.next_id("sub"));
        let known = self.sessions[session].clone();
        let customer = known["customer"].as_str().map_or_else(|| self.next_id("cus"), str::to_owned);
        let price = known["line_items"]["data"][0]["price"]["id"].clone();
        let subscription = json!({
            "id": id, "object": "subscription", "customer": customer, "status": "active", "created": now,
            "metadata": known["subscription_metadata"], "cancel_at_period_end": false, "cancel_at": null,
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
        id
    }

    pub(super) fn start_month(&mut self, subscription: &str, status: &str) {
        let now = self.now();
        let object = self.subscriptions.get_mut(subscription).unwrap();
        object["status"] = json!(status);
        object["items"]["data"][0]["current_period_start"] = json!(now);
        object["items"]["data"][0]["current_period_end"] = json!(now + MONTH_SECONDS);
    }

    pub(super) fn cancel(&mut self, subscription: &str) {
        let now = self.now();
        let object = self.subscriptions.get_mut(subscription).unwrap();
        object["status"] = json!("canceled");
        object["ended_at"] = json!(now);
    }

    /// Pays the current period of a subscription. Returns the events.
    pub(super) fn pay_invoice(&mut self, subscription: &str) -> Vec<EventObject> {
        let payment = Payment {
            charge: self.next_id("ch"),
            payment_intent: self.next_id("pi"),
            invoice: self.next_id("in"),
            subscription: subscription.to_owned(),
            customer: self.subscriptions[subscription]["customer"].as_str().unwrap().to_owned(),
            made_at: self.now(),
            is_refunded: false,
        };
        self.payments.push(payment.clone());
        let mut events = vec![("invoice.paid", self.invoice(&payment, false))];
        if !self.uses_old_api {
            events.push(("invoice_payment.paid", Self::invoice_payment(&payment)));
        }
        events.push(("charge.succeeded", self.charge(&payment)));
        events
    }

    pub(super) fn session(&self, id: &str, expanded: bool) -> Value {
        let mut session = self.sessions[id].clone();
        let subscription = session["subscription"].as_str().filter(|_| expanded);
        if let Some(subscription) = subscription {
            session["subscription"] = self.subscription(subscription);
        }
        session
    }

    pub(super) fn subscription(&self, id: &str) -> Value {
        let mut subscription = self.subscriptions[id].clone();
        if self.uses_old_api {
            let item = subscription["items"]["data"][0].clone();
            for name in ["current_period_start", "current_period_end"] {
                subscription[name] = item[name].clone();
                subscription["items"]["data"][0][name].take();
            }
        }
        subscription
    }

    pub(super) fn unpaid_invoice(&mut self, subscription: &str) -> Value {
        let id = self.next_id("in");
        self.bare_invoice(&id, subscription)
    }

    /// Returns a paid invoice. The newer API versions list its payments only if asked to.
    pub(super) fn invoice(&self, payment: &Payment, lists_payments: bool) -> Value {
        let mut invoice = self.bare_invoice(&payment.invoice, &payment.subscription);
        invoice["status"] = json!("paid");
        if self.uses_old_api {
            invoice["charge"] = json!(payment.charge);
            invoice["payment_intent"] = json!(payment.payment_intent);
        } else if lists_payments {
            invoice["payments"] = json!({"object": "list", "data": [Self::invoice_payment(payment)]});
        }
        invoice
    }

    fn bare_invoice(&self, id: &str, subscription: &str) -> Value {
        let known = &self.subscriptions[subscription];
        let item = &known["items"]["data"][0];
        let mut invoice = json!({
            "id": id, "object": "invoice", "customer": known["customer"],
            "lines": {"data": [{"period": {
                "start": item["current_period_start"], "end": item["current_period_end"],
            }}]},
        });
        if self.uses_old_api {
            invoice["subscription"] = json!(subscription);
            invoice["subscription_details"] = json!({"metadata": known["metadata"]});
        } else {
            invoice["parent"] = json!({"subscription_details": {"subscription": subscription, "metadata": known["metadata"]}});
        }
        invoice
    }

    pub(super) fn invoice_payment(payment: &Payment) -> Value {
        json!({
            "id": format!("inpay_{}", payment.charge), "object": "invoice_payment", "status": "paid",
            "invoice": payment.invoice,
            "payment": {"type": "payment_intent", "payment_intent": payment.payment_intent},
        })
    }

    pub fn charge(&self, payment: &Payment) -> Value {
        let mut charge = json!({
            "id": payment.charge, "object": "charge", "customer": payment.customer, "created": payment.made_at,
            "payment_intent": payment.payment_intent, "refunded": payment.is_refunded,
        });
        if self.uses_old_api {
            charge["invoice"] = json!(payment.invoice);
        }
        charge
    }
}
