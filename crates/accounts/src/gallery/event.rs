//! Parses Stripe's webhook events, in the formats of its older and newer API versions.

mod charge;
mod json;
mod subscription;

pub use charge::{
    InvoicePayment, PaymentSource, StripeCharge, StripeDispute, StripeInvoice, parse_charge, parse_invoice,
};
pub use json::{id_at, string_at, time_at};
pub use subscription::parse_completed_checkout;

use chrono::{DateTime, Utc};
use platform::input::json::without_byte_order_mark;
use rules::gallery_pass::{PaymentStatus, SubscriptionEvent};
use serde_json::Value;

use super::tiers::Tiers;
use charge::parse_invoice_payment;
use subscription::{invoice_events, subscription_events};

/// A webhook event.
pub struct StripeEvent {
    /// `evt_…`.
    pub id: String,
    pub kind: String,
    pub at: DateTime<Utc>,
    object: Value,
}

/// The update that an event makes to payments.
pub enum PaymentUpdate {
    /// A Checkout was completed.
    CheckoutCompleted(CompletedCheckout),
    /// The state of a subscription has changed.
    Subscription(SubscriptionUpdate),
    /// An invoice of a subscription was paid, or its payment has failed.
    Invoice(StripeInvoice, SubscriptionUpdate),
    /// A payment was made for an invoice.
    InvoicePayment(InvoicePayment),
    /// A charge was made or refunded.
    Charge(StripeCharge),
    /// The dispute of a charge was opened, updated or closed.
    Dispute(StripeDispute),
    /// A customer's mail address may have changed.
    CustomerEmail { customer: String, email: String, at: DateTime<Utc> },
}

/// Events of one subscription.
pub struct SubscriptionUpdate {
    pub customer: String,
    pub subscription: String,
    pub events: Vec<SubscriptionEvent>,
}

/// A completed Checkout.
pub struct CompletedCheckout {
    /// `cs_…`.
    pub checkout: String,
    pub email: Option<String>,
    /// The time at which the address was given.
    pub email_at: DateTime<Utc>,
    pub update: SubscriptionUpdate,
}

impl StripeEvent {
    /// Parses an event, and uses `sent_at` if it has no time. Unknown fields are ignored. `None` if it is not
    /// an event.
    pub fn parse(body: &[u8], sent_at: DateTime<Utc>) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(without_byte_order_mark(body)).ok()?;
        let id = string_at(&event, "/id")?;
        let kind = string_at(&event, "/type")?;
        let at = time_at(&event, "/created").unwrap_or(sent_at);
        let object = event.pointer_mut("/data/object").map(Value::take).unwrap_or_default();
        Some(Self { id, kind, at, object })
    }

    /// Returns the update that the event makes. `None` if it does not concern these tiers.
    pub fn payment_update(&self, tiers: &Tiers) -> Option<PaymentUpdate> {
        let object = &self.object;
        match self.kind.as_str() {
            "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
                parse_completed_checkout(object, self.at, tiers).map(PaymentUpdate::CheckoutCompleted)
            }
            "customer.subscription.deleted" => self.ended_update(tiers),
            kind if kind.starts_with("customer.subscription.") => {
                self.subscription_update("/id", subscription_events(object, self.at, tiers))
            }
            "customer.updated" => self.customer_update(),
            "invoice.paid" | "invoice.payment_succeeded" => self.invoice_update(PaymentStatus::Paid, tiers),
            "invoice.payment_failed" => self.invoice_update(PaymentStatus::PastDue, tiers),
            kind if kind.starts_with("invoice_payment.") => {
                parse_invoice_payment(object).map(PaymentUpdate::InvoicePayment)
            }
            kind if kind.starts_with("charge.dispute.") => self.dispute_update(),
            "charge.succeeded" | "charge.updated" | "charge.refunded" => {
                parse_charge(object).map(PaymentUpdate::Charge)
            }
            _ => None,
        }
    }

    /// Returns the update of a dispute. An inquiry, or a dispute that the bank has lost, takes no money.
    fn dispute_update(&self) -> Option<PaymentUpdate> {
        let status = string_at(&self.object, "/status").unwrap_or_default();
        let is_withheld = !status.starts_with("warning_") && !["won", "prevented"].contains(&status.as_str());
        let charge = id_at(&self.object, "/charge")?;
        let payment_intent = id_at(&self.object, "/payment_intent");
        Some(PaymentUpdate::Dispute(StripeDispute { charge, payment_intent, at: self.at, is_withheld }))
    }

    fn ended_update(&self, tiers: &Tiers) -> Option<PaymentUpdate> {
        let ended_at = time_at(&self.object, "/ended_at").unwrap_or(self.at);
        let mut events = subscription_events(&self.object, self.at, tiers);
        events.push(SubscriptionEvent::Ended(ended_at));
        self.subscription_update("/id", events)
    }

    fn customer_update(&self) -> Option<PaymentUpdate> {
        let customer = string_at(&self.object, "/id")?;
        let email = string_at(&self.object, "/email")?;
        Some(PaymentUpdate::CustomerEmail { customer, email, at: self.at })
    }

    /// Returns the update of an invoice. `None` if the invoice does not belong to a subscription.
    fn invoice_update(&self, status: PaymentStatus, tiers: &Tiers) -> Option<PaymentUpdate> {
        let invoice = parse_invoice(&self.object)?;
        let update = SubscriptionUpdate {
            customer: invoice.customer.clone(),
            subscription: invoice.subscription.clone(),
            events: invoice_events(&self.object, self.at, status, tiers),
        };
        Some(PaymentUpdate::Invoice(invoice, update))
    }

    fn subscription_update(&self, pointer: &str, events: Vec<SubscriptionEvent>) -> Option<PaymentUpdate> {
        let customer = id_at(&self.object, "/customer")?;
        let subscription = id_at(&self.object, pointer)?;
        Some(PaymentUpdate::Subscription(SubscriptionUpdate { customer, subscription, events }))
    }
}
