//! Off to Checkout and back from it, not too often.

use super::person::find;
use super::{Person, Shop};
use crate::support::Reply;

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
async fn nobody_sends_us_to_stripe_without_end() {
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
