//! Keeps prices for an hour. A page waits for Stripe only for a moment, and shows the last known price if
//! Stripe does not respond.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use platform::cache::Cache;
use platform::clock::Clock;
use tokio::time::timeout;

use super::price::Price;
use super::stripe::StripeClient;

/// The time for which a price is current.
const PRICE_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// The time after a failed request before the next one.
const RETRY_DELAY: TimeDelta = TimeDelta::minutes(1);
/// The time for which a page waits. The request goes on for the next page.
const PAGE_WAIT: Duration = Duration::from_secs(1);
/// The maximum size in bytes: more than the prices of all tiers.
const MAX_BYTES: u32 = 1 << 16;

/// A price, as far as it is known.
#[derive(Clone)]
struct CachedPrice {
    price: Option<Price>,
    current_until: DateTime<Utc>,
}

/// The prices by their ids.
pub(super) struct PriceCache(Cache<String, CachedPrice>);

impl Default for PriceCache {
    fn default() -> Self {
        Self(Cache::new("prices", MAX_BYTES, None, |_| size_of::<CachedPrice>()))
    }
}

impl PriceCache {
    /// Returns the price with this id, or the last known one if Stripe does not respond in time. `None` if it
    /// was never known, or if one figure cannot state it.
    pub(super) async fn find(
        self: &Arc<Self>,
        stripe: &Arc<StripeClient>,
        id: &str,
        clock: &Clock,
    ) -> Option<Price> {
        let now = clock.now();
        if let Some(current) = self.0.get_if(&id.to_owned(), |cached| cached.current_until > now) {
            return current.price;
        }
        let cache = self.clone();
        let stripe = stripe.clone();
        let own_id = id.to_owned();
        // The task outlives a page that has stopped waiting.
        let refreshed = tokio::spawn(async move { cache.refresh(&stripe, own_id, now).await });
        match timeout(PAGE_WAIT, refreshed).await {
            Ok(Ok(price)) => price,
            _ => self.0.peek(&id.to_owned()).and_then(|cached| cached.price),
        }
    }

    /// Asks Stripe for the price, unless another task is asking.
    async fn refresh(&self, stripe: &StripeClient, id: String, now: DateTime<Utc>) -> Option<Price> {
        let known = self.0.peek(&id).and_then(|cached| cached.price);
        let compute = async {
            Ok(match stripe.fetch_price(&id).await {
                Ok(object) => {
                    CachedPrice { price: Price::parse(&object), current_until: now + PRICE_LIFETIME }
                }
                Err(_) => CachedPrice { price: known, current_until: now + RETRY_DELAY },
            })
        };
        let refreshed = self.0.get_or_compute(id.clone(), |cached| cached.current_until > now, compute).await;
        refreshed.ok().and_then(|cached| cached.price)
    }
}
