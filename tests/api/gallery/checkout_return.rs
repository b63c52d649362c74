//! Return from Checkout: repeated after a lost response, weeks later after a slow payment, and rate-limited.

use caraplace_accounts::gallery::Gallery;
use reqwest::Method;

use super::viewer_browser::{find_match, find_shown_key};
use super::{Shop, ViewerBrowser};
use crate::support::Reply;

const SESSION_COOKIE: &str = "caraplace_viewer";

#[tokio::test]
async fn lost_response_can_be_repeated_for_fifteen_minutes() {
    let shop = Shop::start().await;
    let (mut person, id, _) = shop.pay_in_new_browser("gallery").await;
    for minutes in [0, 14, 1] {
        shop.server.advance_clock(minutes * 60);
        person.return_from_checkout(&id).await;
        assert_eq!(person.cookies.remove(SESSION_COOKIE).is_some(), minutes != 1, "{minutes}");
    }
}

#[tokio::test]
async fn repeated_return_is_refused_after_a_key_change() {
    let shop = Shop::start().await;
    let (mut person, id, _) = shop.pay_in_new_browser("gallery").await;
    person.return_from_checkout(&id).await;
    person.cookies.remove(SESSION_COOKIE);
    let again = person.return_from_checkout(&id).await;
    assert_eq!((again.status, again.header("location")), (303, "/gallery"));
    let session = person.session().unwrap().to_owned();
    person.return_from_checkout(&id).await;
    assert_eq!(person.session(), Some(session.as_str()), "the viewer stays signed in");
    let key = find_shown_key(&person.submit("/gallery/key", &[]).await).unwrap();
    assert_eq!(shop.server.client_with_key(&key).get("/api/viewers/me").await.status, 200);
    person.cookies.remove(SESSION_COOKIE);
    person.return_from_checkout(&id).await;
    assert_eq!(person.session(), None);
}

#[tokio::test]
async fn return_after_sign_out_is_refused() {
    let shop = Shop::start().await;
    let (mut person, id, _) = shop.pay_in_new_browser("gallery").await;
    person.return_from_checkout(&id).await;
    person.submit("/gallery/sign-out", &[]).await;
    person.return_from_checkout(&id).await;
    assert_eq!(person.session(), None);
}

#[tokio::test]
async fn checkout_started_with_an_old_key_signs_nobody_in() {
    let shop = Shop::start().await;
    let mut owner = shop.viewer_with_pass("ada@example.com").await;
    // A viewer with a pass cannot buy another.
    shop.server.advance_clock(34 * 86_400);
    let mut thief = shop.new_browser();
    thief.submit("/gallery/sign-in", &[("key", &owner.key.clone().unwrap())]).await;
    let id = thief.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    owner.submit("/gallery/key", &[]).await;
    thief.cookies.remove(SESSION_COOKIE);
    let back = thief.return_from_checkout(&id).await;
    assert_eq!((find_shown_key(&back), thief.session()), (None, None), "{}", back.text());
}

#[tokio::test]
async fn checkout_may_be_paid_weeks_later() {
    let shop = Shop::start().await;
    let mut person = shop.new_browser();
    let checkout = person.submit("/gallery/checkout", &[("tier", "gallery")]).await;
    let cookie = checkout.header("set-cookie");
    assert!(cookie.starts_with("caraplace_form=") && cookie.contains("Max-Age=2592000"), "{cookie}");
    let id = checkout.header("location").rsplit('/').next().unwrap().to_owned();
    let page = person.return_from_checkout(&id).await;
    assert!(page.text().contains("Not paid yet"), "{}", page.text());
    shop.server.advance_clock(20 * 86_400);
    Gallery::sweep(&shop.server.running().state).await.unwrap();
    shop.stripe.pay(&id, "ada@example.com");
    assert!(find_shown_key(&person.return_from_checkout(&id).await).is_some());
}

/// Returns the status of a response, and true if it has a Retry-After header.
async fn status_and_retry_after(person: &ViewerBrowser<'_>, action: &str, token: &str) -> (u16, bool) {
    let request = match action {
        "begin" => person.form_request("/gallery/checkout", &[("token", token), ("tier", "gallery")]),
        _ => person.request(Method::GET, "/gallery/welcome?session_id=cs_1"),
    };
    let reply = Reply::fetch(request).await;
    let waits = find_match(reply.header("retry-after"), "^([0-9]+)$").is_some();
    (reply.status, waits)
}

#[tokio::test]
async fn requests_to_stripe_are_limited_per_address() {
    let shop = Shop::start_with(&[("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let mut eve = shop.new_browser();
    let token = eve.fetch_form_token().await;
    for (action, max_requests, done) in [("begin", 10, 303), ("return", 20, 200)] {
        eve.forwarded_for = Some("192.0.2.1".into());
        for _ in 0..max_requests {
            assert_eq!(status_and_retry_after(&eve, action, &token).await, (done, false), "{action}");
        }
        assert_eq!(status_and_retry_after(&eve, action, &token).await, (429, true), "{action}");
        eve.forwarded_for = Some("192.0.2.2".into());
        assert_eq!(status_and_retry_after(&eve, action, &token).await, (done, false), "{action}");
    }
    assert_eq!(shop.stripe.state.lock().forms.len(), 11, "the other requests did not reach Stripe");
}
