//! A revoked pass ends at once. Its subscription is cancelled at Stripe by a job that outlives outages and
//! restarts, runs once, and is shown to operators.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Shop, stripe_settings};
use crate::support::actions::CONSOLE_SETTINGS;

const HAS_ERROR: &str = "select bool_and(error is not null) from gallery_stripe_job";

async fn start_shop() -> Shop {
    Shop::start_with(&CONSOLE_SETTINGS).await
}

async fn revoke(shop: &Shop, viewer: &str) {
    let path = format!("/api/admin/passes/{viewer}/revoke");
    shop.server.sign_in_operator().await.post_with_reason(&path).await;
}

/// Returns the only pass in the operators' list.
async fn listed_pass(shop: &Shop) -> Value {
    let list = shop.server.sign_in_operator().await.get("/api/admin/passes").await.body;
    assert_eq!(list["passes"].as_array().unwrap().len(), 1, "{list}");
    list["passes"][0].clone()
}

fn count_cancellations(shop: &Shop) -> usize {
    let books = shop.stripe.state.lock();
    books.requests.iter().filter(|line| line.starts_with("DELETE /v1/subscriptions/")).count()
}

#[tokio::test]
async fn revoked_pass_is_cancelled_at_stripe() {
    let shop = start_shop().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    assert_eq!(listed_pass(&shop).await["cancellation"], Value::Null);
    let subscription = shop.stripe.state.lock().only_subscription();
    revoke(&shop, &person.viewer_id().await).await;
    assert!(!person.may_speak().await, "at once");
    shop.finish_jobs().await;
    assert_eq!(shop.stripe.status(&subscription), "canceled");
    assert_eq!(shop.stripe.count_refunds(&subscription), 0, "what was used is not refunded");
    assert_eq!(listed_pass(&shop).await["cancellation"], json!("done"));
    shop.send_events(&shop.stripe.take_caused_events()).await;
    let pass = listed_pass(&shop).await;
    assert_eq!((&pass["revoked"], &pass["pass_until"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn cancellation_survives_an_outage_and_a_restart() {
    let mut shop = start_shop().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let (viewer, subscription) = (person.viewer_id().await, shop.stripe.state.lock().only_subscription());
    drop(person);
    shop.stripe.state.lock().is_down = true;
    revoke(&shop, &viewer).await;
    shop.run_jobs_until(HAS_ERROR).await;
    let pass = listed_pass(&shop).await;
    assert_eq!((&pass["cancellation"], &pass["pass_until"]), (&json!("pending"), &Value::Null), "{pass}");
    assert!(pass["cancellation_error"].as_str().unwrap().contains("503"), "{pass}");
    shop.server.restart().await;
    shop.stripe.state.lock().is_down = false;
    shop.server.advance_clock(30);
    shop.finish_jobs().await;
    assert_eq!(shop.stripe.status(&subscription), "canceled");
    let pass = listed_pass(&shop).await;
    assert_eq!((&pass["cancellation"], &pass["cancellation_error"]), (&json!("done"), &Value::Null));
}

#[tokio::test]
async fn refused_cancellation_is_shown_and_tried_again_on_request() {
    let shop = start_shop().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let (viewer, subscription) = (person.viewer_id().await, shop.stripe.state.lock().only_subscription());
    shop.stripe.state.lock().refuses_cancellations = true;
    revoke(&shop, &viewer).await;
    shop.run_jobs_until(HAS_ERROR).await;
    assert_eq!(listed_pass(&shop).await["cancellation"], json!("failed"));
    let (_, page) = shop.server.sign_in_operator().await.page("/admin/passes").await;
    assert!(page.contains("cancelling failed") && page.contains("permission_denied"), "{page}");
    assert!(page.contains("Try again now"), "{page}");
    shop.stripe.state.lock().refuses_cancellations = false;
    revoke(&shop, &viewer).await;
    shop.finish_jobs().await;
    assert_eq!(shop.stripe.status(&subscription), "canceled");
    let (_, page) = shop.server.sign_in_operator().await.page("/admin/passes").await;
    assert!(page.contains("cancelled") && !page.contains("Try again now"), "{page}");
}

#[tokio::test]
async fn subscription_to_another_product_is_left_alone() {
    let shop = start_shop().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let customer = shop.stripe.state.lock().payments[0].customer.clone();
    let other = json!({"id": "sub_mug", "customer": customer, "status": "active",
        "items": {"data": [{"price": {"id": "price_mug"}}]}});
    shop.send_events(&[shop.stripe.event("customer.subscription.created", other)]).await;
    revoke(&shop, &person.viewer_id().await).await;
    shop.finish_jobs().await;
    let jobs: Vec<String> = shop.server.fetch_scalars("select subject from gallery_stripe_job").await;
    assert_eq!(jobs, [shop.stripe.state.lock().only_subscription()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_perform_each_job_once() {
    let shop = start_shop().await;
    let second = shop.server.start_instance(&stripe_settings(&shop.stripe.url)).await;
    for number in 0..5 {
        let person = shop.viewer_with_reported_pass(&format!("{number}@example.com")).await;
        revoke(&shop, &person.viewer_id().await).await;
    }
    let (one, other) = (shop.gallery(), shop.gallery());
    let states = [&shop.server.running().state, &second.running().state];
    let runs = [(&one, states[0]), (&other, states[1]), (&one, states[1]), (&other, states[0])];
    join_all(runs.map(async |(gallery, state)| gallery.run_stripe_jobs(state).await.unwrap())).await;
    shop.finish_jobs().await;
    assert_eq!(count_cancellations(&shop), 5);
    assert!(shop.stripe.subscriptions().iter().all(|one| shop.stripe.status(one) == "canceled"));
}

#[tokio::test]
async fn purchase_after_a_revocation_is_cancelled_and_refunded() {
    let shop = start_shop().await;
    let mut person = shop.viewer_with_reported_pass("ada@example.com").await;
    let first = shop.stripe.state.lock().only_subscription();
    shop.send_events(&[shop.stripe.end_subscription(&first)]).await;
    shop.server.advance_clock(60);
    let checkout = person.begin_checkout("gallery").await;
    revoke(&shop, &person.viewer_id().await).await;
    shop.send_events(&shop.stripe.pay(&checkout, "ada@example.com")).await;
    assert!(!person.may_speak().await);
    shop.finish_jobs().await;
    let second = shop.stripe.subscriptions()[1].clone();
    assert_eq!((shop.stripe.status(&second), shop.stripe.count_refunds(&second)), ("canceled".into(), 1));
    assert_eq!(shop.stripe.count_refunds(&first), 0);
}
