//! Parses Stripe's webhook events, in the formats of its older and newer API versions.

use chrono::{DateTime, Utc};
use rules::gallery_pass::{PaidPeriod, PaymentStatus, SubscriptionEvent, SubscriptionState};
use serde_json::Value;

use super::tiers::Tiers;

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
    /// The state of a customer's subscription has changed.
    Subscription { customer: String, subscription: String, events: Vec<SubscriptionEvent> },
    /// A charge was made or refunded.
    Charge(StripeCharge),
    /// The dispute of a charge was opened, updated or closed.
    Dispute(StripeDispute),
}

/// A charge that was made or refunded.
pub struct StripeCharge {
    pub id: String,
    pub customer: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    pub is_refunded: bool,
}

/// The state of a charge's dispute at a time.
pub struct StripeDispute {
    pub charge: String,
    pub at: DateTime<Utc>,
    /// True if the money is lost or may be lost.
    pub is_withheld: bool,
}

/// A completed Checkout.
pub struct CompletedCheckout {
    /// `cs_…`.
    pub checkout: String,
    pub customer: String,
    pub email: Option<String>,
    pub subscription: String,
    pub events: Vec<SubscriptionEvent>,
}

impl StripeEvent {
    /// Parses an event, and uses `sent_at` if it has no time. Unknown fields are ignored. `None` if it is not
    /// an event.
    pub fn parse(body: &[u8], sent_at: DateTime<Utc>) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(body).ok()?;
        let (id, kind) = (string_at(&event, "/id")?, string_at(&event, "/type")?);
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
                subscription_update(object, "/id", subscription_events(object, self.at, tiers))
            }
            "invoice.paid" | "invoice.payment_succeeded" => self.invoice_update(PaymentStatus::Paid, tiers),
            "invoice.payment_failed" => self.invoice_update(PaymentStatus::Unpaid, tiers),
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
        Some(PaymentUpdate::Dispute(StripeDispute { charge, at: self.at, is_withheld }))
    }

    fn ended_update(&self, tiers: &Tiers) -> Option<PaymentUpdate> {
        let ended_at = time_at(&self.object, "/ended_at").unwrap_or(self.at);
        let mut events = subscription_events(&self.object, self.at, tiers);
        events.push(SubscriptionEvent::Ended(ended_at));
        subscription_update(&self.object, "/id", events)
    }

    /// Returns the update of an invoice. `None` if the invoice does not belong to a subscription.
    fn invoice_update(&self, status: PaymentStatus, tiers: &Tiers) -> Option<PaymentUpdate> {
        let object = &self.object;
        let pointer = ["/subscription", "/parent/subscription_details/subscription"]
            .into_iter()
            .find(|pointer| id_at(object, pointer).is_some())?;
        let lines = object.pointer("/lines/data").and_then(Value::as_array);
        let longest_line = lines.into_iter().flatten().max_by_key(|line| time_at(line, "/period/end"));
        let period = longest_line.and_then(|line| parse_period(line, "/period/start", "/period/end"));
        let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at: self.at, status, period })];
        let tier = string_at(object, "/parent/subscription_details/metadata/caraplace_tier")
            .or_else(|| string_at(object, "/subscription_details/metadata/caraplace_tier"));
        let price = longest_line.and_then(|line| {
            string_at(line, "/price/id").or_else(|| string_at(line, "/pricing/price_details/price"))
        });
        events.extend(tier_event(self.at, tiers, tier.as_deref(), price.as_deref()));
        subscription_update(object, pointer, events)
    }
}

/// Parses a completed Checkout Session from an event or a response. It may contain the subscription.
pub fn parse_completed_checkout(
    session: &Value,
    at: DateTime<Utc>,
    tiers: &Tiers,
) -> Option<CompletedCheckout> {
    let (checkout, customer) = (string_at(session, "/id")?, id_at(session, "/customer")?);
    let subscription_id = id_at(session, "/subscription")?;
    let email =
        string_at(session, "/customer_details/email").or_else(|| string_at(session, "/customer_email"));
    let subscription_object =
        session.get("subscription").filter(|subscription_object| subscription_object.is_object());
    // A response has no time of its own. The subscription's creation time is used, so that every event counts
    // as newer.
    let created_at = subscription_object
        .and_then(|subscription_object| time_at(subscription_object, "/created"))
        .unwrap_or(at);
    let mut events = subscription_object
        .map(|subscription_object| subscription_events(subscription_object, created_at, tiers))
        .unwrap_or_default();
    events.extend(tier_event(
        created_at,
        tiers,
        string_at(session, "/metadata/caraplace_tier").as_deref(),
        None,
    ));
    Some(CompletedCheckout { checkout, customer, email, subscription: subscription_id, events })
}

/// Parses the state of a subscription.
fn subscription_events(object: &Value, at: DateTime<Utc>, tiers: &Tiers) -> Vec<SubscriptionEvent> {
    let status_text = string_at(object, "/status").unwrap_or_default();
    let status = if ["active", "trialing"].contains(&status_text.as_str()) {
        PaymentStatus::Paid
    } else {
        PaymentStatus::Unpaid
    };
    let item = object.pointer("/items/data/0").unwrap_or(&Value::Null);
    let subscription_period = parse_period(object, "/current_period_start", "/current_period_end");
    let period =
        subscription_period.or_else(|| parse_period(item, "/current_period_start", "/current_period_end"));
    let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    if status_text == "canceled" {
        events.push(SubscriptionEvent::Ended(time_at(object, "/ended_at").unwrap_or(at)));
    }
    let price = string_at(item, "/price/id").or_else(|| string_at(object, "/plan/id"));
    let tier = string_at(object, "/metadata/caraplace_tier");
    events.extend(tier_event(at, tiers, tier.as_deref(), price.as_deref()));
    events
}

/// Returns the tier of a subscription: by its price, or else by the metadata of our Checkout.
fn tier_event(
    at: DateTime<Utc>,
    tiers: &Tiers,
    tier: Option<&str>,
    price: Option<&str>,
) -> Option<SubscriptionEvent> {
    tiers.purchased_tier(tier, price).map(|tier| SubscriptionEvent::TierChosen(at, tier))
}

fn subscription_update(
    object: &Value,
    pointer: &str,
    events: Vec<SubscriptionEvent>,
) -> Option<PaymentUpdate> {
    let (customer, subscription) = (id_at(object, "/customer")?, id_at(object, pointer)?);
    Some(PaymentUpdate::Subscription { customer, subscription, events })
}

fn parse_charge(object: &Value) -> Option<StripeCharge> {
    Some(StripeCharge {
        id: string_at(object, "/id")?,
        customer: id_at(object, "/customer"),
        made_at: time_at(object, "/created"),
        is_refunded: object["refunded"] == true,
    })
}

fn parse_period(object: &Value, begin: &str, end: &str) -> Option<PaidPeriod> {
    Some(PaidPeriod { start: time_at(object, begin)?, end: time_at(object, end)? })
}

/// Returns the string at a JSON pointer. `None` if it is missing or empty.
pub fn string_at(object: &Value, pointer: &str) -> Option<String> {
    object.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the id at a JSON pointer, which may point to the id or to the object itself.
fn id_at(object: &Value, pointer: &str) -> Option<String> {
    string_at(object, pointer).or_else(|| string_at(object, &format!("{pointer}/id")))
}

/// Returns the time at a JSON pointer, given in seconds since 1970.
fn time_at(object: &Value, pointer: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(object.pointer(pointer)?.as_i64()?, 0)
}
