//! The Gallery Pass: viewers buy it at Stripe or get it from an operator, and may post in the chat while it
//! is valid.

pub mod checkout;
mod duplicates;
pub mod eligibility;
mod event;
pub(crate) mod forget;
pub mod grants;
mod magic_links;
pub mod mail;
pub mod passes;
pub mod price;
mod price_cache;
mod reconciler;
pub mod sessions;
pub mod signature;
mod store;
mod stripe;
mod stripe_jobs;
mod tier_changes;
pub mod tiers;
pub mod viewers;
pub mod webhook;

use std::sync::Arc;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::config::{PaymentSettings, Secret};
use rules::gallery_pass::GalleryPass;
use rules::numbers::AccountNo;
use serde::Serialize;
use utoipa::ToSchema;

use magic_links::MagicLinkMailer;
use mail::MailError;
use price::Price;
use price_cache::PriceCache;
use stripe::StripeClient;
use tiers::{Tier, Tiers};

/// The sale of passes, as far as it is configured.
pub struct Gallery {
    pub tiers: Tiers,
    stripe: Option<Arc<StripeClient>>,
    prices: Arc<PriceCache>,
    webhook_secret: Option<Secret>,
    link_mailer: Option<MagicLinkMailer>,
}

/// A viewer with a new key and a new session.
pub struct NewKeyAndSession {
    pub session: String,
    /// The new key; the only copy.
    pub key: String,
}

/// The current pass of a viewer, as the writer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CurrentPass {
    pub until: Option<DateTime<Utc>>,
    /// Seconds between messages; `None` for the game's default.
    pub seconds: Option<i32>,
    pub badge: Option<String>,
}

/// A viewer who has or had a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassHolder {
    #[schema(value_type = i64)]
    pub no: AccountNo,
    /// `viewer_…`.
    pub id: String,
    pub name: String,
    pub badge: Option<String>,
    pub pass_until: Option<DateTime<Utc>>,
    /// True if the pass was bought, false if an operator granted it.
    pub pays: bool,
    /// True if an operator has revoked the pass.
    pub revoked: bool,
    pub created_at: DateTime<Utc>,
    /// The state of cancellations and refunds at Stripe; null if there are none.
    pub cancellation: Option<CancellationState>,
    /// The error of the last attempt to cancel or refund, if it is not done.
    pub cancellation_error: Option<String>,
}

/// The state of cancellations and refunds at Stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum CancellationState {
    /// They are not done yet, and are tried again.
    Pending,
    /// Stripe has refused them, or many attempts have failed. They are tried again every six hours.
    Failed,
    Done,
}

impl PassHolder {
    /// Returns true if the pass is revoked and something is still to be done at Stripe.
    pub fn is_cancelling(&self) -> bool {
        let is_open = |state| matches!(state, CancellationState::Pending | CancellationState::Failed);
        self.revoked && self.cancellation.is_some_and(is_open)
    }
}

impl CancellationState {
    /// Returns the state in words, for operators.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pending => "cancelling",
            Self::Failed => "cancelling failed",
            Self::Done => "cancelled",
        }
    }
}

impl CurrentPass {
    /// Returns the current pass from the combined one.
    fn from_pass(pass: Option<&GalleryPass>, tiers: &Tiers) -> Self {
        let tier = pass.and_then(|pass| tiers.find(&pass.tier));
        Self {
            until: pass.map(|pass| pass.until),
            seconds: tier.and_then(|tier| tier.interval),
            badge: tier.map(|tier| tier.name.to_owned()),
        }
    }
}

/// The time after which an unfinished Checkout is deleted. Some payment methods take weeks.
pub const CHECKOUT_RETENTION: TimeDelta = TimeDelta::days(30);
/// The time for which events are stored. Stripe repeats an event for some days at most.
const EVENT_RETENTION: TimeDelta = TimeDelta::days(90);

impl Gallery {
    /// Opens the gallery of a server at this address. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// If the mail settings are invalid.
    pub fn open(
        state: &Arc<AppState>,
        payments: &PaymentSettings,
        base_url: &str,
    ) -> Result<Self, MailError> {
        let tiers = Tiers::new(payments);
        warn_if_incomplete(payments, &tiers);
        let key = payments.secret_key.clone().filter(|_| tiers.for_sale().next().is_some());
        Ok(Self {
            stripe: key.and_then(|key| StripeClient::new(&payments.api_base, key)).map(Arc::new),
            prices: Arc::default(),
            webhook_secret: payments.webhook_secret.clone(),
            link_mailer: MagicLinkMailer::start(state, payments, base_url)?,
            tiers,
        })
    }

    /// Returns true if passes can be bought.
    pub fn can_sell(&self) -> bool {
        self.stripe.is_some()
    }

    /// Returns the address of the payment service if it has no TLS, as in a local test.
    pub fn insecure_payment_origin(&self) -> Option<&str> {
        self.stripe.as_ref().map(|stripe| stripe.base_url()).filter(|base| base.starts_with("http://"))
    }

    /// Returns the price of a tier at Stripe, at most an hour old while Stripe responds. `None` if it is not
    /// known.
    pub async fn price(&self, state: &AppState, tier: &Tier) -> Option<Price> {
        let stripe = self.stripe.as_ref()?;
        let id = tier.price.as_ref()?;
        self.prices.find(stripe, id, &state.clock).await
    }

    /// Returns true if mails can be sent.
    pub fn can_send_mail(&self) -> bool {
        self.link_mailer.is_some()
    }

    /// Deletes expired sessions, links, Checkouts and events.
    pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
        let mut connection = state.pool.acquire().await?;
        store::delete_expired(&mut connection, state.clock.now()).await
    }
}

/// Warns about an incomplete configuration, because it is probably a mistake.
fn warn_if_incomplete(payments: &PaymentSettings, tiers: &Tiers) {
    let has_key = payments.secret_key.is_some();
    let has_price = tiers.for_sale().next().is_some();
    if has_key != has_price {
        tracing::warn!("passes cannot be bought; set both STRIPE_SECRET_KEY and STRIPE_PRICE_ID");
    } else if has_key && payments.webhook_secret.is_none() {
        tracing::warn!("passes are neither renewed nor ended; set STRIPE_WEBHOOK_SECRET");
    }
}
