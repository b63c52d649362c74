//! What Stripe's events tell, in the forms of its older and its newer API.

use chrono::{DateTime, Utc};
use rules::gallery_pass::{PaidPeriod, PaymentStatus, SubscriptionEvent, SubscriptionState};
use serde_json::Value;

use super::tiers::Tiers;

/// One event of a webhook.
pub struct Event {
    /// `evt_…`.
    pub id: String,
    pub kind: String,
    pub at: DateTime<Utc>,
    object: Value,
}

/// What an event means to us.
pub enum Meaning {
    /// Somebody went through Checkout.
    Bought(Bought),
    /// Something became known of a customer's subscription.
    News { customer: String, subscription: String, news: Vec<SubscriptionEvent> },
    /// A charge was made or given back.
    Charge(Charge),
    /// The dispute of a charge was opened, went on or ended.
    Dispute(Dispute),
}

/// A charge as it was made or given back.
pub struct Charge {
    pub id: String,
    pub customer: Option<String>,
    pub made_at: Option<DateTime<Utc>>,
    pub returned: bool,
}

/// How the dispute of a charge stood at a moment.
pub struct Dispute {
    pub charge: String,
    pub at: DateTime<Utc>,
    /// Whether the money is gone, or may be.
    pub taken: bool,
}

/// A Checkout that was completed.
pub struct Bought {
    /// `cs_…`.
    pub checkout: String,
    pub customer: String,
    pub email: Option<String>,
    pub subscription: String,
    pub news: Vec<SubscriptionEvent>,
}

impl Event {
    /// An event as it was sent then; fields that we do not know are fine.
    pub fn read(body: &[u8], sent_at: DateTime<Utc>) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(body).ok()?;
        let (id, kind) = (text(&event, "/id")?, text(&event, "/type")?);
        let at = time(&event, "/created").unwrap_or(sent_at);
        let object = event.pointer_mut("/data/object").map(Value::take).unwrap_or_default();
        Some(Self { id, kind, at, object })
    }

    /// Returns the meaning of the event where these tiers are sold; `None` if it has none here.
    pub fn meaning(&self, tiers: &Tiers) -> Option<Meaning> {
        let object = &self.object;
        match self.kind.as_str() {
            "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
                bought(object, self.at, tiers).map(Meaning::Bought)
            }
            "customer.subscription.deleted" => self.ended(tiers),
            kind if kind.starts_with("customer.subscription.") => {
                about(object, "/id", subscription(object, self.at, tiers))
            }
            "invoice.paid" | "invoice.payment_succeeded" => self.invoice(PaymentStatus::Paid, tiers),
            "invoice.payment_failed" => self.invoice(PaymentStatus::Unpaid, tiers),
            kind if kind.starts_with("charge.dispute.") => self.dispute(),
            "charge.succeeded" | "charge.updated" | "charge.refunded" => charge(object).map(Meaning::Charge),
            _ => None,
        }
    }

    /// Banks may only inquire, and may lose.
    fn dispute(&self) -> Option<Meaning> {
        let status = text(&self.object, "/status").unwrap_or_default();
        let taken = !status.starts_with("warning_") && !["won", "prevented"].contains(&status.as_str());
        let charge = reference(&self.object, "/charge")?;
        Some(Meaning::Dispute(Dispute { charge, at: self.at, taken }))
    }

    fn ended(&self, tiers: &Tiers) -> Option<Meaning> {
        let ended = time(&self.object, "/ended_at").unwrap_or(self.at);
        let mut news = subscription(&self.object, self.at, tiers);
        news.push(SubscriptionEvent::Ended(ended));
        about(&self.object, "/id", news)
    }

    /// Of an invoice that has nothing to do with a subscription nothing is made.
    fn invoice(&self, status: PaymentStatus, tiers: &Tiers) -> Option<Meaning> {
        let object = &self.object;
        let place = ["/subscription", "/parent/subscription_details/subscription"]
            .into_iter()
            .find(|place| reference(object, place).is_some())?;
        let lines = object.pointer("/lines/data").and_then(Value::as_array);
        let longest = lines.into_iter().flatten().max_by_key(|line| time(line, "/period/end"));
        let period = longest.and_then(|line| period(line, "/period/start", "/period/end"));
        let mut news = vec![SubscriptionEvent::Updated(SubscriptionState { at: self.at, status, period })];
        let tier = text(object, "/parent/subscription_details/metadata/caraplace_tier")
            .or_else(|| text(object, "/subscription_details/metadata/caraplace_tier"));
        let price = longest
            .and_then(|line| text(line, "/price/id").or_else(|| text(line, "/pricing/price_details/price")));
        news.extend(buys(self.at, tiers, tier.as_deref(), price.as_deref()));
        about(object, place, news)
    }
}

/// What a completed Checkout Session tells, as an event or as an answer; the subscription may be a part of it.
pub fn bought(session: &Value, at: DateTime<Utc>, tiers: &Tiers) -> Option<Bought> {
    let (checkout, customer) = (text(session, "/id")?, reference(session, "/customer")?);
    let subscription_id = reference(session, "/subscription")?;
    let email = text(session, "/customer_details/email").or_else(|| text(session, "/customer_email"));
    let whole = session.get("subscription").filter(|whole| whole.is_object());
    // An answer does not say of what moment it is: it counts as old as the subscription, so that no event is doubted.
    let made = whole.and_then(|whole| time(whole, "/created")).unwrap_or(at);
    let mut news = whole.map(|whole| subscription(whole, made, tiers)).unwrap_or_default();
    news.extend(buys(made, tiers, text(session, "/metadata/caraplace_tier").as_deref(), None));
    Some(Bought { checkout, customer, email, subscription: subscription_id, news })
}

/// How a subscription stands.
fn subscription(object: &Value, at: DateTime<Utc>, tiers: &Tiers) -> Vec<SubscriptionEvent> {
    let word = text(object, "/status").unwrap_or_default();
    let status = if ["active", "trialing"].contains(&word.as_str()) {
        PaymentStatus::Paid
    } else {
        PaymentStatus::Unpaid
    };
    let item = object.pointer("/items/data/0").unwrap_or(&Value::Null);
    let whole = period(object, "/current_period_start", "/current_period_end");
    let period = whole.or_else(|| period(item, "/current_period_start", "/current_period_end"));
    let mut news = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    if word == "canceled" {
        news.push(SubscriptionEvent::Ended(time(object, "/ended_at").unwrap_or(at)));
    }
    let price = text(item, "/price/id").or_else(|| text(object, "/plan/id"));
    let tier = text(object, "/metadata/caraplace_tier");
    news.extend(buys(at, tiers, tier.as_deref(), price.as_deref()));
    news
}

/// Returns what a subscription buys: the tier of its price, or the one that our Checkout wrote on it.
fn buys(
    at: DateTime<Utc>,
    tiers: &Tiers,
    tier: Option<&str>,
    price: Option<&str>,
) -> Option<SubscriptionEvent> {
    tiers.named(tier, price).map(|tier| SubscriptionEvent::TierChosen(at, tier))
}

fn about(object: &Value, subscription: &str, news: Vec<SubscriptionEvent>) -> Option<Meaning> {
    let (customer, subscription) = (reference(object, "/customer")?, reference(object, subscription)?);
    Some(Meaning::News { customer, subscription, news })
}

fn charge(object: &Value) -> Option<Charge> {
    Some(Charge {
        id: text(object, "/id")?,
        customer: reference(object, "/customer"),
        made_at: time(object, "/created"),
        returned: object["refunded"] == true,
    })
}

fn period(object: &Value, begin: &str, end: &str) -> Option<PaidPeriod> {
    Some(PaidPeriod { start: time(object, begin)?, end: time(object, end)? })
}

/// A text at a place; an empty one is none.
pub fn text(object: &Value, place: &str) -> Option<String> {
    object.pointer(place)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// An id, where the object itself may stand in its place.
fn reference(object: &Value, place: &str) -> Option<String> {
    text(object, place).or_else(|| text(object, &format!("{place}/id")))
}

/// Seconds since 1970.
fn time(object: &Value, place: &str) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(object.pointer(place)?.as_i64()?, 0)
}
