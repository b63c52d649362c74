//! Purchase of a pass: to Checkout and back, the key shown once, and the portal for cancellation.

use serde_json::{Value, json};

use super::viewer_browser::find_shown_key;
use super::{Shop, ViewerBrowser};
use crate::support::actions::CONSOLE_SETTINGS;

impl Shop {
    /// Pays in a new browser, which does not return from Checkout yet. Returns it with the id of the Checkout
    /// Session and Stripe's events.
    pub(super) async fn pay_in_new_browser(&self, tier: &str) -> (ViewerBrowser<'_>, String, Vec<Value>) {
        let mut person = self.new_browser();
        let id = person.begin_checkout(tier).await;
        let events = self.stripe.pay(&id, "ada@example.com");
        (person, id, events)
    }
}

#[tokio::test]
async fn bought_pass_works_before_webhooks_arrive() {
    let shop = Shop::start().await;
    let (mut person, id, events) = shop.pay_in_new_browser("gallery").await;
    let form = shop.stripe.state.lock().forms[0].1.clone();
    assert_eq!(form["success_url"], shop.server.url("/gallery/welcome?session_id={CHECKOUT_SESSION_ID}"));
    assert_eq!(form["cancel_url"], shop.server.url("/gallery"));
    let page = person.return_from_checkout(&id).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"), "{}", page.text());
    let me = person.me().await.body;
    assert_eq!((&me["viewer"]["badge"], &me["viewer"]["tier"]), (&json!("Gallery Pass"), &json!("gallery")));
    assert_eq!((&me["may_speak"], &me["message_seconds"]), (&json!(true), &json!(300)));
    assert!(me["viewer"]["name"].as_str().unwrap().starts_with("Visitor "));
    person.post_message("hello machines").await.assert_status(201);
    shop.send_events(&events).await;
    assert_eq!(person.me().await.body["viewer"], me["viewer"], "later webhooks create no other viewer");
}

#[tokio::test]
async fn the_key_is_shown_once() {
    let shop = Shop::start().await;
    let (mut person, id, events) = shop.pay_in_new_browser("gallery").await;
    shop.send_events(&events).await;
    let key = find_shown_key(&person.return_from_checkout(&id).await).unwrap();
    let again = person.return_from_checkout(&id).await;
    assert_eq!((again.status, again.header("location")), (303, "/gallery"));
    let page = person.get("/gallery").await;
    assert!(!page.text().contains("gp_0") && find_shown_key(&page).is_none());
    assert_eq!(shop.server.client_with_key(&key).get("/api/viewers/me").await.status, 200);
}

#[tokio::test]
async fn only_the_paying_browser_is_signed_in() {
    let shop = Shop::start().await;
    let (mut person, id, events) = shop.pay_in_new_browser("gallery").await;
    shop.send_events(&events).await;
    let mut stranger = shop.new_browser();
    stranger.fetch_form_token().await;
    for mut other in [shop.new_browser(), stranger] {
        let page = other.return_from_checkout(&id).await;
        assert_eq!((page.status, other.session()), (200, None), "{}", page.text());
        assert!(find_shown_key(&page).is_none());
    }
    assert_eq!(person.return_from_checkout("cs_test_999999").await.status, 200);
    assert_eq!(person.session(), None);
    person.return_from_checkout(&id).await;
    assert!(person.session().is_some() && person.key.is_some());
}

#[tokio::test]
async fn unpaid_checkout_gives_no_pass() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let id = person.begin_checkout("gallery").await;
    let page = person.return_from_checkout(&id).await;
    assert!(page.text().contains("Not paid yet") && person.session().is_none());
    shop.stripe.pay(&id, "ada@example.com");
    person.return_from_checkout(&id).await;
    assert!(person.session().is_some(), "a later request is accepted");
}

#[tokio::test]
async fn second_purchase_extends_the_same_viewer() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let before = person.me().await.body;
    shop.server.advance_clock(40 * 86_400);
    assert!(!person.may_speak().await);
    let id = person.begin_checkout("patron").await;
    shop.send_events(&shop.stripe.pay(&id, "ada@example.com")).await;
    let (key, back) = (person.key.clone(), person.return_from_checkout(&id).await);
    assert_eq!((back.status, person.key.clone()), (303, key), "the key does not change");
    let me = person.me().await.body;
    assert_eq!((&me["viewer"]["id"], &me["viewer"]["tier"]), (&before["viewer"]["id"], &json!("patron")));
    assert_eq!((&me["message_seconds"], &me["may_speak"]), (&json!(120), &json!(true)));
}

#[tokio::test]
async fn billing_portal_is_for_paying_viewers() {
    let shop = Shop::start().await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let reply = person.submit("/gallery/portal", &[]).await;
    assert_eq!(reply.status, 303, "{}", reply.text());
    assert!(reply.header("location").starts_with(&format!("{}/portal/", shop.stripe.url)));
    let form = shop.stripe.state.lock().forms.last().unwrap().1.clone();
    assert_eq!(form["return_url"], shop.server.url("/gallery"));
    assert!(form["customer"].starts_with("cus_"));
    let mut nobody = shop.new_browser();
    assert_eq!(nobody.submit("/gallery/portal", &[]).await.status, 401);
}

#[tokio::test]
async fn purchase_survives_a_stripe_outage() {
    let shop = Shop::start().await;
    let (mut person, id, _) = shop.pay_in_new_browser("gallery").await;
    shop.stripe.state.lock().is_down = true;
    let page = person.return_from_checkout(&id).await;
    assert_eq!((page.status, person.session()), (503, None));
    assert_eq!(person.submit("/gallery/checkout", &[("tier", "gallery")]).await.status, 503);
    shop.stripe.state.lock().is_down = false;
    person.return_from_checkout(&id).await;
    assert!(person.session().is_some());
}

#[tokio::test]
async fn page_sells_nothing_without_stripe() {
    let server = crate::support::Server::start().await;
    let mut person = ViewerBrowser::new(&server);
    let page = person.get("/gallery").await.text().to_owned();
    assert!(page.contains("sells no passes") && !page.contains("/gallery/checkout"), "{page}");
    assert_eq!(person.submit("/gallery/checkout", &[("tier", "gallery")]).await.status, 404);
    server.post("/api/stripe/webhook", json!({"id": "evt_1"})).await.assert_refused(400, "signature_invalid");
}

#[tokio::test]
async fn refuses_purchases_that_would_have_no_effect() {
    let shop = Shop::start_with(&CONSOLE_SETTINGS).await;
    let mut person = shop.viewer_with_pass("ada@example.com").await;
    let viewer = person.viewer_id().await;
    let post_admin = async |path: &str| shop.server.sign_in_operator().await.post_with_reason(path).await;
    let apply_sanction = async |verb: &str| post_admin(&format!("/api/admin/agents/{viewer}/{verb}")).await;
    let count_checkouts = || shop.stripe.state.lock().forms.len();
    let before = count_checkouts();
    let mut assert_purchase_refused = async |words: &[&str]| {
        let page = person.get("/gallery").await.text().to_owned();
        assert!(words.iter().all(|word| page.contains(word)), "{words:?} {page}");
        assert!(!page.contains("/gallery/checkout") && !page.contains("Your pass ended"), "{page}");
        let reply = person.submit("/gallery/checkout", &[("tier", "gallery")]).await;
        assert_eq!(reply.status, 409, "{}", reply.text());
        assert!(reply.text().contains(words[0]), "{}", reply.text());
    };
    let words = ["You already have a pass", "Your pass lasts until", "has banned or muted you"];
    assert_purchase_refused(&words[..2]).await;
    apply_sanction("mute").await;
    assert_purchase_refused(&words).await;
    shop.server.advance_clock(34 * 86_400);
    let page = async || shop.server.get("/gallery").await;
    assert!(page().await.text().contains("/gallery/checkout"), "another viewer may");
    let lapsed = "An operator has banned or muted you";
    let mut assert_sanctioned_purchase_refused = async || {
        let reply = person.submit("/gallery/checkout", &[("tier", "gallery")]).await;
        assert_eq!(reply.status, 409, "{}", reply.text());
        assert!(reply.text().contains(lapsed), "{}", reply.text());
    };
    assert_sanctioned_purchase_refused().await;
    apply_sanction("unmute").await;
    apply_sanction("ban").await;
    assert_sanctioned_purchase_refused().await;
    apply_sanction("unban").await;
    post_admin(&format!("/api/admin/passes/{viewer}/revoke")).await;
    let reply = person.submit("/gallery/checkout", &[("tier", "gallery")]).await;
    assert!(reply.status == 409 && reply.text().contains("revoked your pass"), "{}", reply.text());
    assert_eq!(count_checkouts(), before, "no request reached Stripe");
}
