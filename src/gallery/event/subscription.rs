//! Subscriptions: their states, and the Checkouts and invoices that tell about them.

use chrono::{DateTime, TimeDelta, Utc};
use rules::gallery_pass::{PaidPeriod, PaymentStatus, SubscriptionEvent, SubscriptionState};
use serde_json::Value;

use super::{CompletedCheckout, SubscriptionUpdate, id_at, string_at, time_at};
use crate::gallery::tiers::Tiers;

/// The time after a subscription's creation within which its first period starts.
const FIRST_PERIOD_TOLERANCE: TimeDelta = TimeDelta::hours(1);

/// Parses a completed Checkout Session from an event or a response. It may contain the subscription.
pub fn parse_completed_checkout(
    session: &Value,
    at: DateTime<Utc>,
    tiers: &Tiers,
) -> Option<CompletedCheckout> {
    let (checkout, customer) = (string_at(session, "/id")?, id_at(session, "/customer")?);
    let subscription = id_at(session, "/subscription")?;
    let email =
        string_at(session, "/customer_details/email").or_else(|| string_at(session, "/customer_email"));
    let object = session.get("subscription").filter(|subscription| subscription.is_object());
    // A response has no time of its own. The subscription's creation time is used, so that every event counts
    // as newer.
    let created_at = object.and_then(|object| time_at(object, "/created")).unwrap_or(at);
    let mut events = object.map(|object| subscription_events(object, created_at, tiers)).unwrap_or_default();
    let tier = string_at(session, "/metadata/caraplace_tier");
    events.extend(tier_event(created_at, tiers, tier.as_deref(), None));
    let update = SubscriptionUpdate { customer, subscription, events };
    Some(CompletedCheckout { checkout, email, email_at: created_at, update })
}

/// Returns the events that a subscription's object tells.
pub(super) fn subscription_events(
    object: &Value,
    at: DateTime<Utc>,
    tiers: &Tiers,
) -> Vec<SubscriptionEvent> {
    let status_text = string_at(object, "/status").unwrap_or_default();
    let status = payment_status(&status_text);
    let item = object.pointer("/items/data/0").unwrap_or(&Value::Null);
    let [start, end] = ["/current_period_start", "/current_period_end"];
    let period = parse_period(object, start, end).or_else(|| parse_period(item, start, end));
    let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    // A subscription is active only after its first payment. Later it is active, too, while a renewal is tried.
    let is_first = |period: &PaidPeriod| {
        time_at(object, "/created").is_some_and(|created| period.start <= created + FIRST_PERIOD_TOLERANCE)
    };
    if status == PaymentStatus::Paid {
        events.extend(period.filter(is_first).map(SubscriptionEvent::PeriodPaid));
    }
    let cancels = object["cancel_at_period_end"] == true || time_at(object, "/cancel_at").is_some();
    events.push(SubscriptionEvent::CancellationChanged(at, cancels));
    if status_text == "canceled" {
        events.push(SubscriptionEvent::Ended(time_at(object, "/ended_at").unwrap_or(at)));
    }
    let price = string_at(item, "/price/id").or_else(|| string_at(object, "/plan/id"));
    let tier = string_at(object, "/metadata/caraplace_tier");
    events.extend(tier_event(at, tiers, tier.as_deref(), price.as_deref()));
    events
}

/// Returns the events that an invoice tells about its subscription.
pub(super) fn invoice_events(
    object: &Value,
    at: DateTime<Utc>,
    status: PaymentStatus,
    tiers: &Tiers,
) -> Vec<SubscriptionEvent> {
    let lines = object.pointer("/lines/data").and_then(Value::as_array);
    let longest_line = lines.into_iter().flatten().max_by_key(|line| time_at(line, "/period/end"));
    let period = longest_line.and_then(|line| parse_period(line, "/period/start", "/period/end"));
    let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    if status == PaymentStatus::Paid {
        events.extend(period.map(SubscriptionEvent::PeriodPaid));
    }
    let tier = string_at(object, "/parent/subscription_details/metadata/caraplace_tier")
        .or_else(|| string_at(object, "/subscription_details/metadata/caraplace_tier"));
    let price = longest_line.and_then(|line| {
        string_at(line, "/price/id").or_else(|| string_at(line, "/pricing/price_details/price"))
    });
    events.extend(tier_event(at, tiers, tier.as_deref(), price.as_deref()));
    events
}

fn payment_status(status: &str) -> PaymentStatus {
    match status {
        "active" | "trialing" => PaymentStatus::Paid,
        "past_due" => PaymentStatus::PastDue,
        _ => PaymentStatus::Unpaid,
    }
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

fn parse_period(object: &Value, begin: &str, end: &str) -> Option<PaidPeriod> {
    Some(PaidPeriod { start: time_at(object, begin)?, end: time_at(object, end)? })
}
