//! The price on `/gallery`: read from Stripe, kept for an hour, and left out if it is not known.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::Shop;
use crate::support::Server;

const HOUR_SECONDS: i64 = 3_600;

async fn load_page(shop: &Shop) -> String {
    let page = shop.server.get("/gallery").await;
    assert_eq!(page.status, 200);
    page.text().to_owned()
}

fn count_price_requests(shop: &Shop) -> usize {
    let books = shop.stripe.state.lock();
    books.requests.iter().filter(|line| line.starts_with("GET /v1/prices/")).count()
}

fn price(amount: i64, currency: &str) -> Value {
    json!({"id": "price_gallery", "currency": currency, "unit_amount": amount,
        "recurring": {"interval": "month", "interval_count": 1}})
}

fn set_price(shop: &Shop, amount: i64, currency: &str) {
    shop.stripe.state.lock().prices.insert("price_gallery".into(), price(amount, currency));
}

#[tokio::test]
async fn price_of_each_tier_is_read_once_an_hour() {
    let shop = Shop::start().await;
    let pages = join_all((0..20).map(|_| load_page(&shop))).await;
    for page in pages {
        assert!(page.contains("$5 a month") && page.contains("$15 a month"), "{page}");
    }
    assert_eq!(count_price_requests(&shop), 2, "one for each tier");
    set_price(&shop, 500, "jpy");
    shop.server.advance_clock(HOUR_SECONDS - 60);
    assert!(load_page(&shop).await.contains("$5 a month"));
    assert_eq!(count_price_requests(&shop), 2);
    shop.server.advance_clock(60);
    let page = load_page(&shop).await;
    assert!(page.contains("¥500 a month") && !page.contains("$5 a month"), "{page}");
    assert_eq!(count_price_requests(&shop), 4);
}

#[tokio::test]
async fn page_without_stripe_shows_the_last_price_or_none() {
    let shop = Shop::start().await;
    shop.stripe.state.lock().is_down = true;
    let page = load_page(&shop).await;
    assert!(page.contains("Get the Gallery Pass") && !page.contains(" a month"), "{page}");
    shop.stripe.state.lock().is_down = false;
    assert!(!load_page(&shop).await.contains(" a month"), "Stripe is not asked on every page view");
    shop.server.advance_clock(60);
    assert!(load_page(&shop).await.contains("$5 a month"));
    shop.stripe.state.lock().is_down = true;
    set_price(&shop, 700, "usd");
    shop.server.advance_clock(2 * HOUR_SECONDS);
    assert!(load_page(&shop).await.contains("$5 a month"), "the last known price");
}

#[tokio::test]
async fn page_does_not_wait_for_stripe() {
    let shop = Shop::start().await;
    shop.stripe.state.lock().hangs = true;
    let page = load_page(&shop).await;
    assert!(page.contains("Get the Gallery Pass") && !page.contains(" a month"), "{page}");
}

#[tokio::test]
async fn price_that_is_not_one_figure_is_left_out() {
    let shop = Shop::start().await;
    let mut tiered = price(0, "usd");
    tiered["unit_amount"] = Value::Null;
    shop.stripe.state.lock().prices.insert("price_gallery".into(), tiered);
    let page = load_page(&shop).await;
    assert!(page.contains("Get the Gallery Pass") && !page.contains("$0"), "{page}");
    assert!(page.contains("$15 a month"), "{page}");
}

#[tokio::test]
async fn no_price_is_shown_where_stripe_is_not_set_up() {
    let server = Server::start().await;
    let page = server.get("/gallery").await.text().to_owned();
    assert!(page.contains("sells no passes") && !page.contains('$'), "{page}");
}
