//! Refunds and disputes end only the pass of the subscription that the charge has paid, in the formats of
//! older and newer versions of Stripe's API, in any order of events.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::viewer_browser::ViewerBrowser;
use super::{Shop, passes};

/// The order in which events are sent.
#[derive(Clone, Copy, Debug)]
enum Order {
    AsTheyHappen,
    Reversed,
    LastFirst,
}

/// Buys a Gallery Pass and an upgrade in two tabs, with a customer who had a pass before. Returns the events.
async fn buy_two_tiers(shop: &Shop, person: &mut ViewerBrowser<'_>) -> Vec<Value> {
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.send_events(&[shop.stripe.end_subscription(&subscription)]).await;
    shop.server.advance_clock(60);
    let (gallery, patron) = (person.begin_checkout("gallery").await, person.begin_checkout("patron").await);
    let mut events = shop.stripe.pay(&gallery, "ada@example.com");
    events.extend(shop.stripe.pay(&patron, "ada@example.com"));
    events
}

fn newest_charge(shop: &Shop) -> (String, String) {
    let books = shop.stripe.state.lock();
    let newest = books.payments.last().unwrap();
    (newest.charge.clone(), newest.customer.clone())
}

async fn refund_of_one(uses_old_api: bool, order: Order, is_disputed: bool) {
    let shop = Shop::start().await;
    shop.stripe.state.lock().uses_old_api = uses_old_api;
    let mut person = shop.viewer_with_reported_pass("ada@example.com").await;
    let mut events = buy_two_tiers(&shop, &mut person).await;
    let (charge, customer) = newest_charge(&shop);
    events.push(if is_disputed { shop.stripe.dispute(&charge) } else { shop.stripe.refund(&customer) });
    match order {
        Order::AsTheyHappen => {}
        Order::Reversed => events.reverse(),
        Order::LastFirst => events.rotate_right(1),
    }
    shop.send_events(&events).await;
    shop.send_events(&events).await;
    let me = person.me().await.body;
    let context = format!("{uses_old_api} {order:?} {is_disputed} {me}");
    assert_eq!((&me["may_speak"], &me["viewer"]["tier"]), (&json!(true), &json!("gallery")), "{context}");
    shop.send_events(&[shop.stripe.event("charge.refunded", first_new_charge(&shop))]).await;
    assert!(!person.may_speak().await, "{context}");
}

/// Returns the refunded charge of the second subscription, which is the Gallery Pass.
fn first_new_charge(shop: &Shop) -> Value {
    let mut books = shop.stripe.state.lock();
    books.payments[1].is_refunded = true;
    let payment = books.payments[1].clone();
    books.charge(&payment)
}

#[tokio::test(flavor = "multi_thread")]
async fn refund_ends_only_the_pass_that_it_paid() {
    for uses_old_api in [false, true] {
        for order in [Order::AsTheyHappen, Order::Reversed, Order::LastFirst] {
            refund_of_one(uses_old_api, order, false).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dispute_ends_only_the_pass_that_it_paid() {
    for uses_old_api in [false, true] {
        refund_of_one(uses_old_api, Order::Reversed, true).await;
    }
}

#[tokio::test]
async fn granted_pass_survives_a_refund() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let until = shop.server.clock.now() + TimeDelta::days(90);
    passes::grant_until(&shop.server, &person.viewer_id().await, until).await;
    shop.send_events(&[shop.stripe.refund(&newest_charge(&shop).1)]).await;
    let me = person.me().await.body;
    assert_eq!(me["may_speak"], json!(true));
    assert_eq!(me["viewer"]["tier"], json!("gallery"));
}

/// Buys a pass at a Stripe account that does not send which payment has paid which invoice.
async fn buy_without_payment_events(shop: &Shop) -> ViewerBrowser<'_> {
    let (mut person, id, mut events) = shop.pay_in_new_browser("gallery").await;
    events.retain(|event| event["type"] != "invoice_payment.paid");
    shop.send_events(&events).await;
    person.return_from_checkout(&id).await;
    person
}

#[tokio::test]
async fn unknown_payment_is_looked_up_after_an_outage_and_a_restart() {
    let mut shop = Shop::start().await;
    let key = buy_without_payment_events(&shop).await.key.unwrap();
    shop.stripe.state.lock().is_down = true;
    shop.send_events(&[shop.stripe.refund(&newest_charge(&shop).1)]).await;
    shop.run_jobs_until("select bool_and(error is not null) from gallery_stripe_job").await;
    shop.server.restart().await;
    shop.stripe.state.lock().is_down = false;
    let me = async || shop.server.client_with_key(&key).get("/api/viewers/me").await.body;
    assert_eq!(me().await["may_speak"], json!(true), "what the charge has paid is not known yet");
    shop.server.advance_clock(60);
    shop.finish_jobs().await;
    assert_eq!(me().await["may_speak"], json!(false));
}

#[tokio::test]
async fn charge_of_an_older_version_counts_for_all_until_it_is_looked_up() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_reported_pass("ada@example.com").await;
    shop.send_events(&buy_two_tiers(&shop, &mut person).await).await;
    let charge = first_new_charge(&shop)["id"].as_str().unwrap().to_owned();
    // The charge as an older version has stored it, and the job that the migration has added.
    for statement in [
        "update gallery_charge set payment_intent = null, returned = true where id = $1",
        "insert into gallery_stripe_job (kind, subject, due_at, created_at) values ('look_up', $1, 'infinity', now())",
    ] {
        sqlx::query(statement).bind(&charge).execute(&shop.server.pool).await.unwrap();
    }
    let newest = shop.stripe.subscriptions()[2].clone();
    shop.send_events(&[shop.stripe.set_cancel_at_period_end(&newest, false)]).await;
    assert!(!person.may_speak().await);
    shop.server.execute("update gallery_stripe_job set due_at = '-infinity'").await;
    shop.finish_jobs().await;
    let me = person.me().await.body;
    assert_eq!((&me["may_speak"], &me["viewer"]["tier"]), (&json!(true), &json!("patron")), "{me}");
    let books = shop.stripe.state.lock();
    assert!(books.requests.iter().any(|line| *line == format!("GET /v1/charges/{charge}")));
}

#[tokio::test]
async fn refund_of_another_purchase_keeps_the_pass() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let customer = newest_charge(&shop).1;
    let now = shop.server.clock.now().timestamp();
    let mug =
        json!({"id": "ch_mug", "customer": customer, "created": now, "invoice": null, "refunded": true});
    shop.send_events(&[shop.stripe.event("charge.refunded", mug)]).await;
    assert!(person.may_speak().await);
}
