//! Webhooks: only those with a valid signature count, each once, in any order.

use futures_util::StreamExt as _;
use futures_util::stream;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

use super::Shop;
use super::fake_stripe::{WEBHOOK_SECRET, send_webhook, sign};
use crate::support::Reply;

/// Returns all state that webhooks can change.
async fn read_passes(shop: &Shop) -> Vec<(String, String, Option<String>)> {
    let passes = "select v.customer, coalesce(a.badge, ''), a.pass_until::text from gallery_viewer v
        join agent a on a.no = v.viewer order by v.customer";
    sqlx::query_as(passes).fetch_all(&shop.server.pool).await.unwrap()
}

async fn count_stored_events(shop: &Shop) -> i64 {
    shop.server.count_rows("stripe_event").await
}

#[tokio::test]
async fn webhook_with_invalid_signature_changes_nothing() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let before = (read_passes(&shop).await, count_stored_events(&shop).await);
    let customer = before.0[0].0.clone();
    let event = shop.stripe.refund(&customer);
    let (body, now) = (event.to_string(), shop.server.clock.now().timestamp());
    let other = body.replace("true", "false");
    for (signature, sent) in [
        (sign(&body, now, "whsec_other"), &body),
        (sign(&body, now - 400, WEBHOOK_SECRET), &body),
        (sign(&body, now + 400, WEBHOOK_SECRET), &body),
        (sign(&body, now, WEBHOOK_SECRET), &other),
        (sign(&body, now, WEBHOOK_SECRET).replace("v1=", "v0="), &body),
        (String::new(), &body),
        ("t=,v1=".to_owned(), &body),
    ] {
        send_webhook(&shop.server, sent.clone(), &signature).await.assert_refused(400, "signature_invalid");
    }
    assert_eq!((read_passes(&shop).await, count_stored_events(&shop).await), before);
    assert!(person.may_speak().await);
    let both = format!("{},{}", sign(&body, now, "whsec_old"), sign(&body, now, WEBHOOK_SECRET));
    let both = both.replacen(&format!(",t={now}"), "", 1);
    assert_eq!(send_webhook(&shop.server, body, &both).await.status, 200);
    assert!(!person.may_speak().await, "the same body with a signature");
}

#[tokio::test]
async fn replayed_webhook_changes_nothing() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(30 * 86_400);
    let renewed = shop.stripe.renew(&subscription, true);
    shop.send_events(&renewed).await;
    shop.server.advance_clock(60);
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    let (before, events) = (read_passes(&shop).await, count_stored_events(&shop).await);
    shop.send_events(&renewed).await;
    assert_eq!((read_passes(&shop).await, count_stored_events(&shop).await), (before, events));
    assert!(!person.may_speak().await);
}

#[tokio::test]
async fn refuses_signed_non_events_and_accepts_unknown_events() {
    let shop = Shop::start().await;
    let now = shop.server.clock.now().timestamp();
    for body in ["", "{", "[]", "{\"id\": 1}", "{\"id\": \"evt_x\"}", "\"evt\""] {
        let reply = send_webhook(&shop.server, body.to_owned(), &sign(body, now, WEBHOOK_SECRET)).await;
        reply.assert_refused(400, "malformed_json");
    }
    for (kind, object) in [
        ("customer.subscription.updated", json!({})),
        ("customer.subscription.updated", json!({"id": "sub_x", "customer": null, "status": 7})),
        ("invoice.paid", json!({"id": "in_x", "customer": "cus_x", "lines": {"data": "none"}})),
        ("checkout.session.completed", json!({"id": "cs_x", "mode": "payment", "customer": "cus_x"})),
        ("charge.refunded", json!({"id": "ch_x", "refunded": "yes"})),
        ("balance.available", json!({"\u{0}": "\u{0}", "new": [1, 2, {"deep": null}]})),
    ] {
        shop.send_events(&[shop.stripe.event(kind, object)]).await;
    }
    assert!(read_passes(&shop).await.is_empty());
    let bare = r#"{"id": "evt_bare", "type": "customer.created"}"#;
    let before = count_stored_events(&shop).await;
    let reply = send_webhook(&shop.server, bare.to_owned(), &sign(bare, now, WEBHOOK_SECRET)).await;
    assert_eq!(reply.status, 200);
    assert_eq!(count_stored_events(&shop).await, before + 1, "its age is that of its signature");
}

#[tokio::test]
async fn foreign_purchases_on_the_same_account_give_no_pass() {
    let shop = Shop::start().await;
    let (_, _, mut events) = shop.pay_in_new_browser("gallery").await;
    let foreign = json!({"id": "price_mug"});
    for event in &mut events {
        let object = &mut event["data"]["object"];
        object["metadata"] = json!({});
        object["subscription_metadata"] = json!({});
        if object["object"] == "subscription" {
            object["items"]["data"][0]["price"] = foreign.clone();
        }
        if object["object"] == "invoice" {
            object["parent"]["subscription_details"]["metadata"] = json!({});
        }
    }
    shop.send_events(&events).await;
    assert!(read_passes(&shop).await.is_empty());
}

/// Returns the events of many customers over some months, in order.
async fn generate_events(shop: &Shop, rng: &mut StdRng, customers: usize) -> Vec<Value> {
    let mut events = Vec::new();
    for number in 0..customers {
        let mut person = shop.new_browser();
        let tier = if rng.random_bool(0.3) { "patron" } else { "gallery" };
        person.forwarded_for = Some(format!("192.0.2.{number}"));
        let id = person.begin_checkout(tier).await;
        events.extend(shop.stripe.pay(&id, &format!("{number}@example.com")));
        shop.server.advance_clock(rng.random_range(0..90));
    }
    let subscriptions: Vec<String> = shop.stripe.state.lock().subscriptions.keys().cloned().collect();
    let mut disputed: Vec<Value> = Vec::new();
    while events.len() < 700 {
        shop.server.advance_clock(rng.random_range(0..20_000));
        let one = &subscriptions[rng.random_range(0..subscriptions.len())];
        let customer = shop.stripe.state.lock().subscriptions[one]["customer"].as_str().unwrap().to_owned();
        match rng.random_range(0..20) {
            0 => events.push(shop.stripe.end_subscription(one)),
            1 => events.push(shop.stripe.refund(&customer)),
            2 => {
                let books = shop.stripe.state.lock();
                let newest = books.payments.iter().rfind(|payment| payment.subscription == *one).unwrap();
                let charge = newest.charge.clone();
                drop(books);
                events.push(shop.stripe.dispute(&charge));
                disputed.push(json!(charge));
            }
            3 if !disputed.is_empty() => {
                let charge = &disputed[rng.random_range(0..disputed.len())];
                let status = ["won", "lost", "under_review"][rng.random_range(0..3)];
                let dispute = json!({"id": "dp_1", "charge": charge, "status": status});
                events.push(shop.stripe.event("charge.dispute.updated", dispute));
            }
            luck => events.extend(shop.stripe.renew(one, luck < 15)),
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn shuffled_and_repeated_webhooks_have_the_same_result() {
    let shop = Shop::start_with(&[("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let mut rng = StdRng::seed_from_u64(4_711);
    let events = generate_events(&shop, &mut rng, 40).await;
    shop.send_events(&events).await;
    let in_order = read_passes(&shop).await;
    assert_eq!(in_order.len(), 40);
    let live = sqlx::query_scalar("select count(*) from agent where pass_until > $1");
    let live: i64 = live.bind(shop.server.clock.now()).fetch_one(&shop.server.pool).await.unwrap();
    assert!((5..36).contains(&live), "{live} passes are live: that would show little");

    let other = Shop::start().await;
    let mut shuffled = events.clone();
    shuffled.extend(events.iter().filter(|_| rng.random_bool(0.5)).cloned());
    shuffled.shuffle(&mut rng);
    assert!(shuffled.len() > 1_000);
    let responses =
        stream::iter(&shuffled).map(async |event| other.stripe.send_event(&other.server, event).await.status);
    let statuses: Vec<u16> = responses.buffer_unordered(6).collect().await;
    assert!(statuses.iter().all(|status| *status == 200));
    assert_eq!(read_passes(&other).await, in_order);
}

#[tokio::test]
async fn refuses_header_with_too_many_signatures_or_too_long() {
    let shop = Shop::start().await;
    let now = shop.server.clock.now().timestamp();
    let body = shop.stripe.event("balance.available", json!({})).to_string();
    let signed = sign(&body, now, WEBHOOK_SECRET);
    let with_others = |count: usize| {
        let others = vec![format!("v1={}", "0".repeat(64)); count];
        [signed.clone()].into_iter().chain(others).collect::<Vec<_>>().join(",")
    };
    for header in [with_others(5), with_others(500), format!("{signed},v0={}", "0".repeat(1_024))] {
        send_webhook(&shop.server, body.clone(), &header).await.assert_refused(400, "signature_invalid");
    }
    assert_eq!(count_stored_events(&shop).await, 0);
    assert_eq!(send_webhook(&shop.server, body.clone(), &with_others(4)).await.status, 200);
    assert_eq!(count_stored_events(&shop).await, 1);
}

#[tokio::test]
async fn webhook_flood_is_limited_per_address() {
    let shop = Shop::start_with(&[("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let webhook = |address: &str, body: &str, signature: &str| {
        let request = shop.server.post_request("/api/stripe/webhook").header("X-Forwarded-For", address);
        let request = request.header("Content-Type", "application/json");
        Reply::fetch(request.header("Stripe-Signature", signature).body(body.to_owned()))
    };
    let now = shop.server.clock.now().timestamp();
    // The signature is valid and the body is no event. Refusals are counted before the body is parsed.
    let signed = sign("{}", now, WEBHOOK_SECRET);
    let mut flood = stream::iter(0..10_000).map(|_| webhook("192.0.2.1", "{}", &signed)).buffer_unordered(32);
    let mut checked = 0;
    let refused = loop {
        let reply = flood.next().await.expect("the flood was never refused");
        if reply.status == 429 {
            break reply;
        }
        reply.assert_refused(400, "malformed_json");
        checked += 1;
    };
    // Responses may overtake one another.
    assert!(checked >= 3_000 - 32, "{checked} are fewer than Stripe may send at once");
    refused.assert_refused(429, "too_many_requests");
    drop(flood);
    let body = shop.stripe.event("balance.available", json!({})).to_string();
    assert_eq!(webhook("192.0.2.2", &body, &sign(&body, now, WEBHOOK_SECRET)).await.status, 200);
}
