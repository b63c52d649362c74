//! Two open Checkouts of one buyer end as one pass and one refund.

use futures_util::future::join_all;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use serde_json::{Value, json};

use super::viewer_browser::find_shown_key;
use super::{Shop, stripe_settings};

async fn count_viewers(shop: &Shop) -> i64 {
    shop.server.count_rows("gallery_viewer").await
}

/// Returns the statuses of all subscriptions, and how many of their payments were refunded.
fn outcomes(shop: &Shop) -> Vec<(String, usize)> {
    let subscriptions = shop.stripe.subscriptions();
    subscriptions.iter().map(|one| (shop.stripe.status(one), shop.stripe.count_refunds(one))).collect()
}

fn one_kept_one_refunded() -> Vec<(String, usize)> {
    vec![("active".to_owned(), 0), ("canceled".to_owned(), 1)]
}

#[tokio::test]
async fn second_tab_is_refunded_and_the_pass_goes_on() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let tabs = [person.begin_checkout("gallery").await, person.begin_checkout("gallery").await];
    let mut events = shop.stripe.pay(&tabs[0], "ada@example.com");
    person.return_from_checkout(&tabs[0]).await;
    let session = person.session().unwrap().to_owned();
    events.extend(shop.stripe.pay(&tabs[1], "ada@example.com"));
    for _ in 0..2 {
        let reply = person.return_from_checkout(&tabs[1]).await;
        let page = reply.text();
        assert!(page.contains("You paid twice") && page.contains("refunded"), "{page}");
        assert_eq!((find_shown_key(&reply), person.session()), (None, Some(session.as_str())));
    }
    shop.finish_jobs().await;
    assert_eq!(outcomes(&shop), one_kept_one_refunded());
    events.extend(shop.stripe.take_caused_events());
    events.shuffle(&mut StdRng::seed_from_u64(17));
    shop.send_events(&events).await;
    shop.finish_jobs().await;
    assert_eq!((count_viewers(&shop).await, outcomes(&shop)), (1, one_kept_one_refunded()));
    assert!(person.may_speak().await, "the refund has no effect on the other pass");
}

#[tokio::test]
async fn return_from_the_refunded_tab_first_shows_the_key() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let tabs = [person.begin_checkout("gallery").await, person.begin_checkout("gallery").await];
    for tab in &tabs {
        shop.send_events(&shop.stripe.pay(tab, "ada@example.com")).await;
    }
    let page = person.return_from_checkout(&tabs[1]).await;
    assert!(find_shown_key(&page).is_some() && page.text().contains("two Checkouts"), "{}", page.text());
    assert!(person.may_speak().await);
    let again = person.return_from_checkout(&tabs[0]).await;
    assert_eq!((again.status, find_shown_key(&again)), (303, None), "this was its return");
    assert_eq!(count_viewers(&shop).await, 1);
}

#[tokio::test]
async fn refunded_tab_signs_nobody_else_in() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let tabs = [person.begin_checkout("gallery").await, person.begin_checkout("gallery").await];
    shop.stripe.pay(&tabs[0], "ada@example.com");
    person.return_from_checkout(&tabs[0]).await;
    person.submit("/gallery/sign-out", &[]).await;
    shop.stripe.pay(&tabs[1], "eve@example.com");
    for _ in 0..2 {
        let page = person.return_from_checkout(&tabs[1]).await;
        assert_eq!((find_shown_key(&page), person.session()), (None, None), "{}", page.text());
    }
}

#[tokio::test]
async fn checkouts_of_one_viewer_in_two_browsers_are_one_pass() {
    let shop = Shop::start().await;
    let mut laptop = shop.viewer_with_reported_pass("ada@example.com").await;
    let first = shop.stripe.state.lock().only_subscription();
    shop.send_events(&[shop.stripe.end_subscription(&first)]).await;
    shop.server.advance_clock(60);
    let mut phone = shop.new_browser();
    phone.submit("/gallery/sign-in", &[("key", &laptop.key.clone().unwrap())]).await;
    let checkouts = [laptop.begin_checkout("gallery").await, phone.begin_checkout("gallery").await];
    for checkout in &checkouts {
        shop.send_events(&shop.stripe.pay(checkout, "ada@example.com")).await;
    }
    shop.finish_jobs().await;
    assert_eq!(outcomes(&shop)[1..], one_kept_one_refunded());
    shop.send_events(&shop.stripe.take_caused_events()).await;
    assert_eq!((laptop.may_speak().await, count_viewers(&shop).await), (true, 1));
    let page = phone.return_from_checkout(&checkouts[1]).await;
    assert!(page.text().contains("You paid twice"), "{}", page.text());
}

#[tokio::test]
async fn upgrade_in_the_second_tab_is_kept() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let tabs = [person.begin_checkout("gallery").await, person.begin_checkout("patron").await];
    for tab in &tabs {
        shop.send_events(&shop.stripe.pay(tab, "ada@example.com")).await;
        person.return_from_checkout(tab).await;
    }
    shop.finish_jobs().await;
    assert_eq!(outcomes(&shop), vec![("active".to_owned(), 0); 2]);
    assert_eq!(person.me().await.body["viewer"]["tier"], json!("patron"));
}

#[tokio::test]
async fn later_purchase_in_the_same_browser_is_no_duplicate() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_reported_pass("ada@example.com").await;
    let first = person.me().await.body["viewer"]["id"].clone();
    person.submit("/gallery/sign-out", &[]).await;
    let id = person.begin_checkout("gallery").await;
    shop.send_events(&shop.stripe.pay(&id, "bob@example.com")).await;
    person.return_from_checkout(&id).await;
    let me = person.me().await.body;
    assert!(me["may_speak"] == json!(true) && me["viewer"]["id"] != first, "{me}");
    shop.finish_jobs().await;
    assert_eq!(outcomes(&shop), vec![("active".to_owned(), 0); 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_webhooks_on_two_instances_accept_one() {
    let shop = Shop::start().await;
    let second = shop.server.start_instance(&stripe_settings(&shop.stripe.url)).await;
    let mut person = shop.new_browser();
    let mut sent: Vec<Vec<Value>> = Vec::new();
    for _ in 0..3 {
        sent.push(shop.stripe.pay(&person.begin_checkout("gallery").await, "ada@example.com"));
    }
    let servers = [&shop.server, &second, &second];
    let send_all = async |events: &Vec<Value>, server| {
        for event in events {
            assert_eq!(shop.stripe.send_event(server, event).await.status, 200);
        }
    };
    join_all(sent.iter().zip(servers).map(|(events, server)| send_all(events, server))).await;
    shop.finish_jobs().await;
    let mut outcomes = outcomes(&shop);
    outcomes.sort();
    let refunded = ("canceled".to_owned(), 1);
    assert_eq!(outcomes, [("active".to_owned(), 0), refunded.clone(), refunded]);
    assert_eq!(count_viewers(&shop).await, 1);
}

#[tokio::test]
async fn repeated_job_refunds_once() {
    let mut shop = Shop::start().await;
    let mut person = shop.new_browser();
    let tabs = [person.begin_checkout("gallery").await, person.begin_checkout("gallery").await];
    drop(person);
    for tab in &tabs {
        shop.send_events(&shop.stripe.pay(tab, "ada@example.com")).await;
    }
    shop.finish_jobs().await;
    // As if the instance had stopped before it could save that the job was done.
    shop.server.execute("update gallery_stripe_job set done_at = null, due_at = '-infinity'").await;
    shop.server.restart().await;
    shop.finish_jobs().await;
    assert_eq!(outcomes(&shop), one_kept_one_refunded());
    let refunds = shop.stripe.state.lock().forms.iter().filter(|(path, _)| path == "/v1/refunds").count();
    assert_eq!(refunds, 1, "Stripe knows the idempotency key");
}
