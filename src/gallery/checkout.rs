//! Buying a pass: off to Stripe's Checkout, and back from it; and off to the Billing Portal, where it is cancelled.

use chrono::TimeDelta;

use super::passes::PassWriter;
use super::stripe::{Purchase, Stripe};
use super::tiers::Tier;
use super::{Gallery, event, passes, sessions, store};
use crate::database;
use crate::log::roster::Agent;
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens;

/// How long a browser that came back from Checkout may come back again.
const AGAIN: TimeDelta = TimeDelta::minutes(15);

/// How a browser came back from Checkout.
#[derive(Debug)]
pub enum Arrival {
    /// It is signed in now. A viewer who has never had a key is shown one, this once.
    Welcome { session: String, key: Option<String> },
    /// It has come back before.
    Again,
    /// Nothing is paid yet.
    Unpaid,
    /// This browser has not begun that Checkout.
    Stranger,
}

impl Gallery {
    fn stripe(&self) -> Result<&Stripe, Refusal> {
        self.stripe.as_ref().ok_or(Refusal::PaymentsAway)
    }

    /// Begins a Checkout for the browser that holds this secret; returns where it must go.
    ///
    /// # Errors
    /// `PaymentsAway`; or that the database cannot be written.
    pub async fn begin_checkout(
        &self,
        state: &AppState,
        (tier, viewer): (&Tier, Option<&Agent>),
        secret: &str,
        base_url: &str,
    ) -> Result<String, Refusal> {
        let stripe = self.stripe()?;
        let price = tier.price.as_deref().ok_or(Refusal::PaymentsAway)?;
        let customer = match viewer {
            Some(viewer) => self.customer(state, viewer).await?,
            None => None,
        };
        let purchase = Purchase {
            price,
            tier: tier.id,
            customer: customer.as_deref(),
            success_url: &format!("{base_url}/gallery/welcome?session_id={{CHECKOUT_SESSION_ID}}"),
            cancel_url: &format!("{base_url}/gallery"),
        };
        let counter = stripe.open_checkout(&purchase).await?;
        let (secret, viewer) = (tokens::hash(secret), viewer.map(|viewer| viewer.no));
        store::begin_checkout(&state.pool, &counter.id, &secret, viewer, state.clock.now()).await?;
        Ok(counter.url)
    }

    /// Lets a browser come back from a Checkout that it has begun. Stripe itself is asked whether it was paid: the webhook may
    /// come later.
    ///
    /// # Errors
    /// `PaymentsAway`; or that the database cannot be written.
    pub async fn come_back(&self, state: &AppState, id: &str, secret: &str) -> Result<Arrival, Refusal> {
        let secret = tokens::hash(secret);
        match store::checkout(&state.pool, id, &secret).await? {
            None => return Ok(Arrival::Stranger),
            Some(true) => return Ok(Arrival::Again),
            Some(false) => {}
        }
        let session = self.stripe()?.checkout(id).await?;
        let paid = ["paid", "no_payment_required"].iter().any(|word| session["payment_status"] == *word);
        let bought = event::bought(&session, state.clock.now(), &self.tiers);
        let Some(bought) = bought.filter(|_| paid && session["status"] == "complete") else {
            return Ok(Arrival::Unpaid);
        };
        let mut transaction = state.pool.begin().await?;
        let (now, offset) = (state.clock.now(), state.clock.offset());
        let mut writer = PassWriter { connection: &mut transaction, tiers: &self.tiers, offset };
        let Some(mut viewer) = writer.take_in_bought(bought).await? else { return Ok(Arrival::Unpaid) };
        if !store::come_back(&mut transaction, id, &secret, viewer.no, now).await? {
            return Ok(Arrival::Again);
        }
        let key = passes::first_key(&mut transaction, &mut viewer, offset).await?;
        let session = sessions::open(&mut transaction, state, viewer.no).await?;
        database::commit(transaction).await?;
        state.roster.forget(&[viewer.no], state.roster.control());
        Ok(Arrival::Welcome { session, key })
    }

    /// Opens a session for a browser that has come back before, if that was a moment ago: the answer may have been lost,
    /// and with it the way in. The key is not shown again; a new one can be made.
    ///
    /// # Errors
    /// That the database cannot be written.
    pub async fn let_in_again(
        &self,
        state: &AppState,
        id: &str,
        secret: &str,
    ) -> Result<Option<String>, Refusal> {
        let (secret, since) = (tokens::hash(secret), state.clock.now() - AGAIN);
        let mut transaction = state.pool.begin().await?;
        let Some(viewer) = store::returned(&mut transaction, id, &secret, since).await? else {
            return Ok(None);
        };
        store::share(&mut transaction, viewer).await?;
        // A key that was made until now has closed this way.
        if store::returned(&mut transaction, id, &secret, since).await?.is_none() {
            return Ok(None);
        }
        let session = sessions::open(&mut transaction, state, viewer).await?;
        database::commit(transaction).await?;
        Ok(Some(session))
    }

    /// Where a viewer cancels; none for who pays nothing.
    ///
    /// # Errors
    /// `PaymentsAway`; or that the database cannot be read.
    pub async fn open_portal(
        &self,
        state: &AppState,
        viewer: &Agent,
        base_url: &str,
    ) -> Result<Option<String>, Refusal> {
        let Some(customer) = self.customer(state, viewer).await? else { return Ok(None) };
        Ok(Some(self.stripe()?.open_portal(&customer, &format!("{base_url}/gallery")).await?))
    }

    /// As whom a viewer pays.
    ///
    /// # Errors
    /// That the database cannot be read.
    pub async fn customer(&self, state: &AppState, viewer: &Agent) -> Result<Option<String>, Refusal> {
        Ok(store::viewer(&state.pool, viewer.no).await?.and_then(|viewer| viewer.customer))
    }
}
