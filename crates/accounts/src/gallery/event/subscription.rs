//! Subscriptions: their states, and what follows for them from Checkouts and invoices.

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
    let checkout = string_at(session, "/id")?;
    let customer = id_at(session, "/customer")?;
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

/// Returns the events that follow from a subscription's object.
pub(super) fn subscription_events(
    object: &Value,
    at: DateTime<Utc>,
    tiers: &Tiers,
) -> Vec<SubscriptionEvent> {
    let status_text = string_at(object, "/status").unwrap_or_default();
    let status = payment_status(&status_text);
    let [start, end] = ["/current_period_start", "/current_period_end"];
    // The older API versions have one period for all items.
    let period_of =
        |item: &Value| parse_period(item, start, end).or_else(|| parse_period(object, start, end));
    let items = object.pointer("/items/data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let item = items
        .iter()
        .filter(|item| is_tier_price(item, tiers))
        .max_by_key(|item| (period_of(item).map(|period| period.end), rank(item, tiers)))
        .or(items.first())
        .unwrap_or(&Value::Null);
    let period = period_of(item);
    let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    // A subscription is active only after its first payment, unless that is collected later or not at all.
    // After the first period it is active, too, while a renewal is tried.
    let is_first = |period: &PaidPeriod| {
        time_at(object, "/created").is_some_and(|created| period.start <= created + FIRST_PERIOD_TOLERANCE)
    };
    if status == PaymentStatus::Paid && is_collected_at_once(object) {
        events.extend(period.filter(is_first).map(SubscriptionEvent::PeriodPaid));
    }
    let cancels = object["cancel_at_period_end"] == true || time_at(object, "/cancel_at").is_some();
    events.push(SubscriptionEvent::CancellationChanged(at, cancels));
    if status_text == "canceled" {
        events.push(SubscriptionEvent::Ended(time_at(object, "/ended_at").unwrap_or(at)));
    }
    let price = price_id(item).or_else(|| string_at(object, "/plan/id"));
    let tier = string_at(object, "/metadata/caraplace_tier");
    events.extend(tier_event(at, tiers, tier.as_deref(), price.as_deref()));
    events
}

/// Returns the events of a subscription that follow from an invoice.
pub(super) fn invoice_events(
    object: &Value,
    at: DateTime<Utc>,
    status: PaymentStatus,
    tiers: &Tiers,
) -> Vec<SubscriptionEvent> {
    let lines = object.pointer("/lines/data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let charged = || lines.iter().filter(|line| !is_credit(line));
    let line = charged()
        .filter(|line| is_tier_price(line, tiers))
        .max_by_key(|line| (time_at(line, "/period/end"), rank(line, tiers)))
        // None has the price of a tier now. The tier's price may have been another one.
        .or_else(|| charged().max_by_key(|line| time_at(line, "/period/end")));
    let period = line.and_then(|line| parse_period(line, "/period/start", "/period/end"));
    let mut events = vec![SubscriptionEvent::Updated(SubscriptionState { at, status, period })];
    if status == PaymentStatus::Paid {
        events.extend(period.map(SubscriptionEvent::PeriodPaid));
    }
    let tier = string_at(object, "/parent/subscription_details/metadata/caraplace_tier")
        .or_else(|| string_at(object, "/subscription_details/metadata/caraplace_tier"));
    let price = line.and_then(price_id);
    events.extend(tier_event(at, tiers, tier.as_deref(), price.as_deref()));
    events
}

/// Returns the price of an item of a subscription, or of a line of an invoice.
fn price_id(item: &Value) -> Option<String> {
    ["/price", "/pricing/price_details/price", "/plan"].into_iter().find_map(|pointer| id_at(item, pointer))
}

/// Returns the rank of the tier that is sold for the price of an item; higher is better. `None` if it is
/// another price.
fn rank(item: &Value, tiers: &Tiers) -> Option<usize> {
    let tier = tiers.purchased_tier(None, price_id(item).as_deref())?;
    tiers.rank(&tier)
}

fn is_tier_price(item: &Value, tiers: &Tiers) -> bool {
    rank(item, tiers).is_some()
}

/// Returns true if a line pays back what was not used of another price.
fn is_credit(line: &Value) -> bool {
    line["amount"].as_i64().is_some_and(|amount| amount < 0)
}

/// Returns true if a subscription becomes active by its payment. With an invoice that is sent, it is active
/// before; while the collection is paused, without one.
fn is_collected_at_once(object: &Value) -> bool {
    object["collection_method"] != "send_invoice" && !object["pause_collection"].is_object()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use platform::config::Config;

    const MONTH: i64 = 30 * 86_400;
    const YEAR: i64 = 365 * 86_400;
    const NOW: i64 = 1_800_000_000;

    fn tiers() -> Tiers {
        let prices = [("STRIPE_PRICE_ID", "price_gallery"), ("CARAPLACE_PATRON_PRICE_ID", "price_patron")];
        let find =
            |setting: &str| prices.iter().find(|(name, _)| *name == setting).map(|(_, it)| (*it).to_owned());
        Tiers::new(&Config::read(find).unwrap().payments)
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(NOW, 0).unwrap()
    }

    /// Returns the seconds from now to the end of the paid period, and the tier.
    fn paid(events: &[SubscriptionEvent]) -> (Option<i64>, Option<&str>) {
        let end = events.iter().find_map(|event| match event {
            SubscriptionEvent::PeriodPaid(period) => Some(period.end.timestamp() - NOW),
            _ => None,
        });
        let tier = events.iter().find_map(|event| match event {
            SubscriptionEvent::TierChosen(_, tier) => Some(tier.as_str()),
            _ => None,
        });
        (end, tier)
    }

    fn line(price: &str, length: i64, amount: i64) -> Value {
        json!({"amount": amount, "price": {"id": price}, "period": {"start": NOW, "end": NOW + length}})
    }

    #[test]
    fn the_line_with_the_price_of_a_tier_counts_with_its_own_period() {
        let paid_for = |lines: &[Value]| {
            let invoice = json!({"lines": {"data": lines}});
            let events = invoice_events(&invoice, now(), PaymentStatus::Paid, &tiers());
            let (end, tier) = paid(&events);
            (end, tier.map(str::to_owned))
        };
        let result = |length, tier: &str| (Some(length), Some(tier.to_owned()));
        let pass = line("price_gallery", MONTH, 500);
        let mug = line("price_mug", YEAR, 900);
        assert_eq!(paid_for(&[pass.clone(), mug.clone()]), result(MONTH, "gallery"));
        assert_eq!(paid_for(&[mug.clone(), pass.clone()]), result(MONTH, "gallery"));
        let patron = line("price_patron", MONTH, 2_000);
        for lines in [[pass.clone(), patron.clone()], [patron.clone(), pass]] {
            assert_eq!(paid_for(&lines), result(MONTH, "patron"));
        }
        // A change to a better tier: what was not used of the other one is paid back.
        let credit = line("price_gallery", YEAR, -300);
        assert_eq!(paid_for(&[credit.clone(), patron]), result(MONTH, "patron"));
        assert_eq!(paid_for(&[credit]), (None, None));
        let new_line = json!({"pricing": {"price_details": {"price": "price_gallery"}},
            "period": {"start": NOW, "end": NOW + MONTH}});
        assert_eq!(paid_for(&[mug.clone(), new_line]), result(MONTH, "gallery"));
        assert_eq!(paid_for(&[mug]), (Some(YEAR), None), "no pass without a tier");
    }

    #[test]
    fn the_item_with_the_price_of_a_tier_counts_with_its_own_period() {
        let item = |price: &str, length: i64| {
            json!({"price": {"id": price}, "current_period_start": NOW,
                "current_period_end": NOW + length})
        };
        let paid_for = |items: Value| {
            let object = json!({"status": "active", "created": NOW, "items": {"data": items}});
            let events = subscription_events(&object, now(), &tiers());
            let (end, tier) = paid(&events);
            (end, tier.map(str::to_owned))
        };
        let pass = item("price_gallery", MONTH);
        let mug = item("price_mug", YEAR);
        for items in [json!([pass, mug]), json!([mug, pass])] {
            assert_eq!(paid_for(items), (Some(MONTH), Some("gallery".to_owned())));
        }
        let tiers = json!([item("price_gallery", MONTH), item("price_patron", MONTH), mug]);
        assert_eq!(paid_for(tiers), (Some(MONTH), Some("patron".to_owned())));
    }

    #[test]
    fn an_active_subscription_is_paid_only_if_payments_are_collected_at_once() {
        let item = json!({"price": {"id": "price_gallery"}, "current_period_start": NOW,
            "current_period_end": NOW + MONTH});
        for (name, value, length) in [
            ("pause_collection", Value::Null, Some(MONTH)),
            ("pause_collection", json!({"behavior": "void", "resumes_at": null}), None),
            ("collection_method", json!("charge_automatically"), Some(MONTH)),
            ("collection_method", json!("send_invoice"), None),
        ] {
            let mut object = json!({"status": "active", "created": NOW, "items": {"data": [item]}});
            object[name] = value;
            assert_eq!(paid(&subscription_events(&object, now(), &tiers())).0, length, "{object}");
        }
    }
}
