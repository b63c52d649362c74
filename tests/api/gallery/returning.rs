//! Back from Checkout: once more when the answer was lost, weeks later when the payment took so long, and not too often.

use caraplace::gallery::Gallery;

use super::person::{find, key_on, text};
use super::{Person, Shop};
use crate::support::Reply;

const SESSION: &str = "caraplace_viewer";

#[tokio::test]
async fn lost_response_can_be_repeated_for_fifteen_minutes() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let id = person.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    for minutes in [0, 14, 1] {
        shop.server.wait(minutes * 60);
        person.come_back(&id).await;
        assert_eq!(person.cookies.remove(SESSION).is_some(), minutes != 1, "{minutes}");
    }
}

#[tokio::test]
async fn repeated_return_is_refused_after_a_key_change() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let id = person.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    person.come_back(&id).await;
    person.cookies.remove(SESSION);
    let again = person.come_back(&id).await;
    assert_eq!((again.status, again.header("location")), (303, "/gallery"));
    let session = person.session().unwrap().to_owned();
    person.come_back(&id).await;
    assert_eq!(person.session(), Some(session.as_str()), "who is in stays in");
    let key = key_on(&person.submit("/gallery/key", &[]).await).unwrap();
    let with_key = shop.server.get_request("/api/viewers/me").bearer_auth(&key);
    assert_eq!(Reply::of(with_key).await.status, 200);
    person.cookies.remove(SESSION);
    person.come_back(&id).await;
    assert_eq!(person.session(), None);
}

#[tokio::test]
async fn return_after_sign_out_is_refused() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let id = person.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    person.come_back(&id).await;
    person.submit("/gallery/sign-out", &[]).await;
    person.come_back(&id).await;
    assert_eq!(person.session(), None);
}

#[tokio::test]
async fn checkout_started_with_an_old_key_signs_nobody_in() {
    let shop = Shop::open().await;
    let mut owner = shop.holder("ada@example.com").await;
    // Nothing is sold to who has a pass.
    shop.server.wait(31 * 86_400);
    let mut thief = shop.person();
    thief.submit("/gallery/sign-in", &[("key", &owner.key.clone().unwrap())]).await;
    let id = thief.begin_checkout("gallery").await;
    shop.stripe.pay(&id, "ada@example.com");
    owner.submit("/gallery/key", &[]).await;
    thief.cookies.remove(SESSION);
    let back = thief.come_back(&id).await;
    assert_eq!((key_on(&back), thief.session()), (None, None), "{}", text(&back));
}

#[tokio::test]
async fn checkout_may_be_paid_weeks_later() {
    let shop = Shop::open().await;
    let mut person = shop.person();
    let begun = person.submit("/gallery/checkout", &[("tier", "gallery")]).await;
    let cookie = begun.header("set-cookie");
    assert!(cookie.starts_with("caraplace_form=") && cookie.contains("Max-Age=2592000"), "{cookie}");
    let id = begun.header("location").rsplit('/').next().unwrap().to_owned();
    let page = person.come_back(&id).await;
    assert!(text(&page).contains("Not paid yet"), "{}", text(&page));
    shop.server.wait(20 * 86_400);
    Gallery::sweep(&shop.server.running().state).await.unwrap();
    shop.stripe.pay(&id, "ada@example.com");
    assert!(key_on(&person.come_back(&id).await).is_some());
}

/// How somebody is answered: the status, and whether it is said how long to wait.
async fn answer(person: &Person<'_>, way: &str, token: &str) -> (u16, bool) {
    let request = match way {
        "begin" => person.form("/gallery/checkout", &[("token", token), ("tier", "gallery")]),
        _ => person.dress(person.server.get_request("/gallery/welcome?session_id=cs_1")),
    };
    let reply = Reply::of(request).await;
    let waits = find(reply.header("retry-after"), "^([0-9]+)$").is_some();
    (reply.status, waits)
}

#[tokio::test]
async fn requests_to_stripe_are_limited_per_address() {
    let shop = Shop::with(&[("CARAPLACE_TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let mut eve = shop.person();
    let token = eve.token().await;
    for (way, most, done) in [("begin", 10, 303), ("return", 20, 200)] {
        eve.from = Some("192.0.2.1".into());
        for _ in 0..most {
            assert_eq!(answer(&eve, way, &token).await, (done, false), "{way}");
        }
        assert_eq!(answer(&eve, way, &token).await, (429, true), "{way}");
        eve.from = Some("192.0.2.2".into());
        assert_eq!(answer(&eve, way, &token).await, (done, false), "{way}");
    }
    assert_eq!(shop.stripe.books.lock().forms.len(), 11, "Stripe has not heard of the others");
}
