//! The Gallery Pass: people pay at Stripe, or are given one, and may speak while it lasts.

pub mod checkout;
pub mod eligibility;
pub mod event;
pub mod grants;
pub mod magic_links;
pub mod mail;
pub mod passes;
pub mod sessions;
pub mod signature;
mod store;
mod stripe;
mod tier_changes;
pub mod tiers;
pub mod viewers;
pub mod webhook;

use std::sync::Arc;

use chrono::TimeDelta;

use crate::config::{PaymentSettings, Secret};
use crate::state::AppState;
use magic_links::MagicLinkMailer;
use mail::MailError;
use stripe::Stripe;
use tiers::Tiers;

/// The desk that sells passes, as far as the operator has set it up.
pub struct Gallery {
    pub tiers: Tiers,
    stripe: Option<Stripe>,
    webhook_secret: Option<Secret>,
    link_mailer: Option<MagicLinkMailer>,
}

/// Who has a new key, and is signed in with it.
pub struct RecoveryResult {
    pub session: String,
    /// The only copy.
    pub key: String,
}

/// A Checkout that was not come back from within that time is forgotten. Some ways to pay take weeks.
pub const CHECKOUT_RETENTION: TimeDelta = TimeDelta::days(30);
/// Events are told again for some days at most.
const EVENT_RETENTION: TimeDelta = TimeDelta::days(90);

impl Gallery {
    /// Opens the desk of a server at this address. Must be called where there is a runtime to work in.
    ///
    /// # Errors
    /// That mail cannot be sent as the settings say.
    pub fn open(
        state: &Arc<AppState>,
        payments: &PaymentSettings,
        base_url: &str,
    ) -> Result<Self, MailError> {
        let tiers = Tiers::new(payments);
        warn_if_incomplete(payments, &tiers);
        let key = payments.secret_key.clone().filter(|_| tiers.for_sale().next().is_some());
        Ok(Self {
            stripe: key.and_then(|key| Stripe::new(&payments.api_base, key)),
            webhook_secret: payments.webhook_secret.clone(),
            link_mailer: MagicLinkMailer::start(state, payments, base_url)?,
            tiers,
        })
    }

    /// Whether passes can be bought.
    pub fn can_sell(&self) -> bool {
        self.stripe.is_some()
    }

    /// Where people pay, if that is without TLS, as on a machine of one's own.
    pub fn insecure_payment_origin(&self) -> Option<&str> {
        self.stripe.as_ref().map(Stripe::base_url).filter(|base| base.starts_with("http://"))
    }

    /// Whether a lost key can come back by mail.
    pub fn can_send_mail(&self) -> bool {
        self.link_mailer.is_some()
    }

    /// Forgets sessions, links, Checkouts and events that are over.
    ///
    /// # Errors
    /// That the database cannot be written.
    pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
        let mut connection = state.pool.acquire().await?;
        store::delete_expired(&mut connection, state.clock.now()).await
    }
}

/// Half a desk is told of, for it is likely to be a mistake.
fn warn_if_incomplete(payments: &PaymentSettings, tiers: &Tiers) {
    let (has_key, has_price) = (payments.secret_key.is_some(), tiers.for_sale().next().is_some());
    if has_key != has_price {
        tracing::warn!("no passes are sold: that takes STRIPE_SECRET_KEY and STRIPE_PRICE_ID");
    } else if has_key && payments.webhook_secret.is_none() {
        tracing::warn!("passes are neither renewed nor ended without STRIPE_WEBHOOK_SECRET");
    }
}
