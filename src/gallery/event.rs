//! What Stripe's events tell, in the forms of its older and its newer API.

use chrono::{DateTime, Utc};
use rules::gallery_pass::{PaidPeriod, PaymentStatus, SubscriptionEvent, SubscriptionState};
use serde_json::Value;

use super::tiers::Tiers;

/// One event of a webhook.
pub struct StripeEvent {
    /// `evt_…`.
    pub id: String,
    pub kind: String,
    pub at: DateTime<Utc>,
    object: Value,
}

/// What an event means to us.
pub enum PaymentUpdate {
    /// Somebody went through Checkout.
    CheckoutCompleted(CompletedCheckout),
    /// Something became known of a customer's subscription.
    Subscription { customer: String, subscription: String, events: Vec<SubscriptionEvent> },
    /// A charge was made or given back.
    Charge(StripeCharge),
    /// The dispute of a charge was opened, went on or ended.
    Dispute(StripeDispute),
}

/// A charge as it was made or given back.
pub struct StripeCharge {
    pub id: String,
    pub customer: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    pub is_refunded: bool,
}

/// How the dispute of a charge stood at a moment.
pub struct StripeDispute {
    pub charge: String,
    pub at: DateTime<Utc>,
    /// Whether the money is gone, or may be.
    pub is_withheld: bool,
}

/// A Checkout that was completed.
pub struct CompletedCheckout {
    /// `cs_…`.
    pub checkout: String,
    pub customer: String,
    pub email: Option<String>,
    pub subscription: String,
    pub events: Vec<SubscriptionEvent>,
}

impl StripeEvent {
    /// An event as it was sent then; fields that we do not know are fine.
    pub fn parse(body: &[u8], sent_at: DateTime<Utc>) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(body).ok()?;
        let (id, kind) = (string_at(&event, "/id")?, string_at(&event, "/type")?);
        let at = time_at(&event, "/created").unwrap_or(sent_at);
        let object = event.pointer_mut("/data/object").map(Value::take).unwrap_or_default();
        Some(Self { id, kind, at, object })
    }

    /// Returns the meaning of the event where these tiers are sold; `None` if it has none here.
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

    /// Banks may only inquire, and may lose.
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

    /// Of an invoice that has nothing to do with a subscription nothing is made.
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

/// What a completed Checkout Session tells, as an event or as an answer; the subscription may be a part of it.
pub fn parse_completed_checkout(
    session: &Value,
    at: DateTime<Utc>,
    tiers: &Tiers,
) -> Option<CompletedCheckout> {
    let (checkout, customer) = (string_at(session, "/id")?, id_at(session, "/customer")?);
    let subscription_id = id_at(session, "/subscription")?;
    let email =
        string_at(session, "/customer_details/email").or_else(|| string_at(session, "/customer_email"));
    let whole = session.get("subscription").filter(|whole| whole.is_object());
    // An answer does not say of what moment it is: it counts as old as the subscription, so that no event is doubted.
    let created_at = whole.and_then(|whole| time_at(whole, "/created")).unwrap_or(at);
    let mut events = whole.map(|whole| subscription_events(whole, created_at, tiers)).unwrap_or_default();
    events.extend(tier_event(
        created_at,
        tiers,
        string_at(session, "/metadata/caraplace_tier").as_deref(),
        None,
    ));
    Some(CompletedCheckout { checkout, customer, email, subscription: subscription_id, events })
}

/// How a subscription stands.
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

/// Returns what a subscription buys: the tier of its price, or the one that our Checkout wrote on it.
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

/// A text at a place; an empty one is none.
pub fn string_at(object: &Value, pointer: &str) -> Option<String> {
    object.pointer(pointer)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An id, where the object itself may stand in its place.
fn id_at(object: &Value, pointer: &str) -> Option<String> {
    string_at(object, pointer).or_else(|| string_at(object, &format!("{pointer}/id")))
}

/// Seconds since 1970.
fn time_at(object: &Value, pointer: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(object.pointer(pointer)?.as_i64()?, 0)
}
