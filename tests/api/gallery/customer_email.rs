//! A viewer's mail address follows the customer's at Stripe, unless an operator has set it.

use serde_json::json;

use super::{Shop, passes};

async fn read_email(shop: &Shop) -> String {
    shop.server.fetch_scalar("select email from gallery_viewer").await
}

fn customer_of(shop: &Shop) -> String {
    shop.stripe.state.lock().payments[0].customer.clone()
}

fn updated(shop: &Shop, customer: &str, email: &str) -> serde_json::Value {
    shop.stripe.event("customer.updated", json!({"id": customer, "object": "customer", "email": email}))
}

#[tokio::test]
async fn newest_address_counts_in_any_order() {
    let shop = Shop::start().await;
    shop.viewer_with_reported_pass("ada@example.com").await;
    let customer = customer_of(&shop);
    let mut events = Vec::new();
    for email in ["second@example.com", "third@example.com"] {
        shop.server.advance_clock(60);
        events.push(updated(&shop, &customer, email));
    }
    events.reverse();
    shop.send_events(&events).await;
    assert_eq!(read_email(&shop).await, "third@example.com");
    let without = shop.stripe.event("customer.updated", json!({"id": customer, "email": null}));
    shop.send_events(&[without, updated(&shop, "cus_other", "other@example.com")]).await;
    assert_eq!(read_email(&shop).await, "third@example.com");
    let others = "select count(*) from gallery_customer where id = 'cus_other'";
    assert_eq!(shop.server.fetch_number(others).await, 0, "other customers of the account are not stored");
}

#[tokio::test]
async fn address_that_an_operator_has_set_stays() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let viewer = person.viewer_id().await;
    // Even if it is the customer's at that time.
    for email in ["ada@example.com", "operator@example.com"] {
        passes::grant_with_email(&shop.server, &viewer, email).await;
        shop.server.advance_clock(60);
        shop.send_events(&[updated(&shop, &customer_of(&shop), "new@example.com")]).await;
        assert_eq!(read_email(&shop).await, email);
    }
}

#[tokio::test]
async fn late_checkout_event_does_not_restore_the_old_address() {
    let shop = Shop::start().await;
    let (mut person, id, mut events) = shop.pay_in_new_browser("gallery").await;
    let completed = events.pop().unwrap();
    person.return_from_checkout(&id).await;
    shop.send_events(&events).await;
    shop.server.advance_clock(60);
    shop.send_events(&[updated(&shop, &customer_of(&shop), "new@example.com"), completed]).await;
    assert_eq!(read_email(&shop).await, "new@example.com");
}
