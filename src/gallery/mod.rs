//! The Gallery Pass: people pay at Stripe, or are given one, and may speak while it lasts.

pub mod checkout;
pub mod event;
pub mod gifts;
pub mod links;
pub mod mail;
pub mod passes;
pub mod sale;
pub mod sessions;
pub mod signature;
mod store;
mod stripe;
pub mod tiers;
mod turns;
pub mod viewers;
pub mod webhook;

use std::sync::Arc;

use chrono::TimeDelta;

use crate::config::{Payments, Secret};
use crate::state::AppState;
use links::Letters;
use mail::MailError;
use stripe::Stripe;
use tiers::Tiers;

/// The desk that sells passes, as far as the operator has set it up.
pub struct Gallery {
    pub tiers: Tiers,
    stripe: Option<Stripe>,
    webhook_secret: Option<Secret>,
    letters: Option<Letters>,
}

/// Who has a new key, and is signed in with it.
pub struct Returned {
    pub session: String,
    /// The only copy.
    pub key: String,
}

/// A Checkout that was not come back from within that time is forgotten. Some ways to pay take weeks.
pub const CHECKOUT: TimeDelta = TimeDelta::days(30);
/// Events are told again for some days at most.
const EVENTS: TimeDelta = TimeDelta::days(90);

impl Gallery {
    /// Opens the desk of a server at this address. Must be called where there is a runtime to work in.
    ///
    /// # Errors
    /// That mail cannot be sent as the settings say.
    pub fn open(state: &Arc<AppState>, payments: &Payments, base_url: &str) -> Result<Self, MailError> {
        let tiers = Tiers::new(payments);
        warn(payments, &tiers);
        let key = payments.secret_key.clone().filter(|_| tiers.sold().next().is_some());
        Ok(Self {
            stripe: key.and_then(|key| Stripe::new(&payments.api_base, key)),
            webhook_secret: payments.webhook_secret.clone(),
            letters: Letters::open(state, payments, base_url)?,
            tiers,
        })
    }

    /// Whether passes can be bought.
    pub fn sells(&self) -> bool {
        self.stripe.is_some()
    }

    /// Where people pay, if that is without TLS, as on a machine of one's own.
    pub fn pays_at(&self) -> Option<&str> {
        self.stripe.as_ref().map(Stripe::base).filter(|base| base.starts_with("http://"))
    }

    /// Whether a lost key can come back by mail.
    pub fn sends_mail(&self) -> bool {
        self.letters.is_some()
    }

    /// Forgets sessions, links, Checkouts and events that are over.
    ///
    /// # Errors
    /// That the database cannot be written.
    pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
        let mut connection = state.pool.acquire().await?;
        store::sweep(&mut connection, state.clock.now()).await
    }
}

/// Half a desk is told of, for it is likely to be a mistake.
fn warn(payments: &Payments, tiers: &Tiers) {
    let (key, sold) = (payments.secret_key.is_some(), tiers.sold().next().is_some());
    if key != sold {
        tracing::warn!("no passes are sold: that takes STRIPE_SECRET_KEY and STRIPE_PRICE_ID");
    } else if key && payments.webhook_secret.is_none() {
        tracing::warn!("passes are neither renewed nor ended without STRIPE_WEBHOOK_SECRET");
    }
}
