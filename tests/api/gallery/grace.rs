//! A pass goes on for three days after a paid period while the renewal is not known, but not after a
//! cancellation or a refund.

use super::{Shop, passes::MONTH_SECONDS};

const DAY_SECONDS: i64 = 86_400;

#[tokio::test]
async fn pass_goes_on_for_three_days_without_news() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    shop.server.advance_clock(MONTH_SECONDS + 3 * DAY_SECONDS - 60);
    assert_eq!(person.post_message("still here").await.status, 201);
    shop.server.advance_clock(400);
    person.post_message("and now").await.assert_refused(402, "gallery_pass_required");
}

#[tokio::test]
async fn failed_renewal_leaves_three_days() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&shop.stripe.renew(&subscription, false)).await;
    shop.server.advance_clock(3 * DAY_SECONDS - 60);
    assert!(person.may_speak().await);
    shop.server.advance_clock(60);
    assert!(!person.may_speak().await);
    // Another failure starts no other grace.
    shop.send_events(&shop.stripe.renew(&subscription, false)).await;
    assert!(!person.may_speak().await);
    shop.server.advance_clock(60);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    assert!(person.may_speak().await);
}

#[tokio::test]
async fn paused_payments_give_no_free_pass() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&[shop.stripe.renew_without_collection(&subscription)]).await;
    assert!(person.may_speak().await, "the grace goes on");
    shop.server.advance_clock(3 * DAY_SECONDS);
    assert!(!person.may_speak().await);
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&[shop.stripe.renew_without_collection(&subscription)]).await;
    assert!(!person.may_speak().await);
    shop.send_events(&shop.stripe.renew(&subscription, true)).await;
    assert!(person.may_speak().await, "collected again");
}

#[tokio::test]
async fn cancelled_pass_ends_with_its_period() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(60);
    let cancelled = shop.stripe.set_cancel_at_period_end(&subscription, true);
    shop.server.advance_clock(60);
    let withdrawn = shop.stripe.set_cancel_at_period_end(&subscription, false);
    shop.send_events(&[withdrawn, cancelled]).await;
    shop.server.advance_clock(MONTH_SECONDS);
    assert!(person.may_speak().await, "the cancellation was withdrawn");
    shop.send_events(&[shop.stripe.set_cancel_at_period_end(&subscription, true)]).await;
    assert!(!person.may_speak().await);
}

#[tokio::test]
async fn refund_ends_the_grace() {
    let shop = Shop::start().await;
    let person = shop.viewer_with_reported_pass("ada@example.com").await;
    let subscription = shop.stripe.state.lock().only_subscription();
    shop.server.advance_clock(MONTH_SECONDS);
    shop.send_events(&shop.stripe.renew(&subscription, false)).await;
    assert!(person.may_speak().await);
    let customer = shop.stripe.state.lock().payments[0].customer.clone();
    shop.send_events(&[shop.stripe.refund(&customer)]).await;
    assert!(!person.may_speak().await);
}
