//! Buying a pass with Stripe Checkout, and cancelling it in Stripe's Billing Portal.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::database;
use platform::refusal::Refusal;
use platform::tokens;
use platform::tokens::Blake3Hash;
use sqlx::PgTransaction;

use super::reconciler::PassReconciler;
use super::store::{DuplicateRow, ViewerRow};
use super::stripe::{CheckoutRequest, StripeClient};
use super::tiers::Tier;
use super::{Gallery, event, passes, sessions, store};
use crate::key_cache::KeyCache;

/// The time within which a browser may open the return page of its Checkout again.
const RETURN_AGAIN_WINDOW: TimeDelta = TimeDelta::minutes(15);

/// The result of a browser's return from Checkout.
#[derive(Debug)]
pub enum CheckoutReturn {
    /// The browser is now signed in. A viewer without a key gets one, which is shown only once.
    SignedIn { session: String, key: Option<String>, is_duplicate: bool },
    /// The viewer has a pass from another Checkout that was open at the same time. This one will be refunded.
    Duplicate,
    /// The browser has already returned from this Checkout.
    AlreadyReturned,
    /// The Checkout is not paid yet.
    Unpaid,
    /// This browser did not begin the Checkout.
    UnknownBrowser,
}

impl Gallery {
    fn stripe(&self) -> Result<&StripeClient, Refusal> {
        self.stripe.as_deref().ok_or(Refusal::PaymentsUnavailable)
    }

    /// Begins a Checkout for the browser with this secret, and returns the URL to redirect it to.
    ///
    /// # Errors
    /// `PaymentsUnavailable`.
    pub async fn begin_checkout(
        &self,
        state: &AppState,
        tier: &Tier,
        viewer: Option<&Identity>,
        secret: &str,
        base_url: &str,
    ) -> Result<String, Refusal> {
        let stripe = self.stripe()?;
        let price = tier.price.as_deref().ok_or(Refusal::PaymentsUnavailable)?;
        let customer = match viewer {
            Some(viewer) => self.customer(state, viewer).await?,
            None => None,
        };
        let purchase = CheckoutRequest {
            price,
            tier: tier.id,
            customer: customer.as_deref(),
            success_url: &format!("{base_url}/gallery/welcome?session_id={{CHECKOUT_SESSION_ID}}"),
            cancel_url: &format!("{base_url}/gallery"),
        };
        let checkout = stripe.open_checkout(&purchase).await?;
        let secret = tokens::hash(secret);
        let viewer = viewer.map(|viewer| viewer.no);
        store::insert_checkout(&state.pool, &checkout.id, &secret, viewer, state.clock.now()).await?;
        Ok(checkout.url)
    }

    /// Completes a browser's return from a Checkout that it has begun. The payment is checked at Stripe,
    /// because the webhook may come later.
    ///
    /// # Errors
    /// `PaymentsUnavailable`.
    pub async fn complete_checkout(
        &self,
        state: &AppState,
        id: &str,
        secret: &str,
    ) -> Result<CheckoutReturn, Refusal> {
        let secret = tokens::hash(secret);
        match store::find_checkout_returned(&state.pool, id, &secret).await? {
            None => return Ok(CheckoutReturn::UnknownBrowser),
            Some(true) => return Ok(CheckoutReturn::AlreadyReturned),
            Some(false) => {}
        }
        let checkout = self.stripe()?.fetch_checkout(id).await?;
        let is_paid =
            ["paid", "no_payment_required"].iter().any(|status| checkout["payment_status"] == *status);
        let completed = event::parse_completed_checkout(&checkout, state.clock.now(), &self.tiers);
        let Some(completed) = completed.filter(|_| is_paid && checkout["status"] == "complete") else {
            return Ok(CheckoutReturn::Unpaid);
        };
        let mut transaction = state.pool.begin().await?;
        let tiers = &self.tiers;
        let subscription = completed.update.subscription.clone();
        let viewer =
            PassReconciler { connection: &mut transaction, tiers, state }.apply_checkout(completed).await?;
        if let Some(duplicate) = store::find_duplicate(&mut transaction, &subscription).await? {
            return return_from_duplicate(state, transaction, &duplicate, &secret).await;
        }
        match viewer {
            Some(viewer) => sign_in(state, transaction, id, &secret, viewer, false).await,
            None => Ok(CheckoutReturn::Unpaid),
        }
    }

    /// Opens a session for a browser that returned from this Checkout a short time ago, because the first
    /// response may have been lost. The key is not shown again; the viewer can create a new one.
    pub async fn reopen_session(
        &self,
        state: &AppState,
        id: &str,
        secret: &str,
    ) -> Result<Option<String>, Refusal> {
        let secret = tokens::hash(secret);
        let since = state.clock.now() - RETURN_AGAIN_WINDOW;
        let mut transaction = state.pool.begin().await?;
        let Some(viewer) = store::find_returned_viewer(&mut transaction, id, &secret, since).await? else {
            return Ok(None);
        };
        store::lock_viewer_for_share(&mut transaction, viewer).await?;
        // A key that was created meanwhile ends the possibility to return.
        if store::find_returned_viewer(&mut transaction, id, &secret, since).await?.is_none() {
            return Ok(None);
        }
        let session = sessions::open(&mut transaction, state, viewer).await?;
        database::commit(transaction).await?;
        Ok(Some(session))
    }

    /// Returns the URL of the Billing Portal, where a viewer can cancel. `None` if the viewer has no
    /// subscription.
    ///
    /// # Errors
    /// `PaymentsUnavailable`.
    pub async fn open_portal(
        &self,
        state: &AppState,
        viewer: &Identity,
        base_url: &str,
    ) -> Result<Option<String>, Refusal> {
        let Some(customer) = self.customer(state, viewer).await? else { return Ok(None) };
        Ok(Some(self.stripe()?.open_portal(&customer, &format!("{base_url}/gallery")).await?))
    }

    /// Returns the id of the viewer's customer at Stripe. `None` if the viewer has never paid.
    pub async fn customer(&self, state: &AppState, viewer: &Identity) -> Result<Option<String>, Refusal> {
        Ok(store::find_viewer(&state.pool, viewer.no).await?.and_then(|viewer| viewer.customer))
    }
}

/// Signs in the viewer of a Checkout that the browser with this secret has begun, once, and commits.
async fn sign_in(
    state: &AppState,
    mut transaction: PgTransaction<'_>,
    checkout: &str,
    secret: &Blake3Hash,
    mut viewer: ViewerRow,
    is_duplicate: bool,
) -> Result<CheckoutReturn, Refusal> {
    if !store::mark_returned(&mut transaction, checkout, secret, viewer.no, state.clock.now()).await? {
        return Ok(CheckoutReturn::AlreadyReturned);
    }
    let key = passes::issue_first_key(&mut transaction, &mut viewer, state.clock.offset()).await?;
    let session = sessions::open(&mut transaction, state, viewer.no).await?;
    database::commit(transaction).await?;
    let key_cache = KeyCache::of(state);
    key_cache.remove(&[viewer.no], key_cache.control_head());
    Ok(CheckoutReturn::SignedIn { session, key, is_duplicate })
}

/// Handles the return from a Checkout whose subscription was bought twice. If the browser has begun the other
/// Checkout, too, and has not returned from it, it returns from that one now.
async fn return_from_duplicate(
    state: &AppState,
    mut transaction: PgTransaction<'_>,
    duplicate: &DuplicateRow,
    secret: &Blake3Hash,
) -> Result<CheckoutReturn, Refusal> {
    let checkout = duplicate.original_checkout.as_str();
    let has_returned = store::find_checkout_returned(&mut *transaction, checkout, secret).await?;
    let viewer = match has_returned {
        Some(false) => store::lock_viewer(&mut transaction, duplicate.viewer).await?,
        _ => None,
    };
    match viewer {
        Some(viewer) => sign_in(state, transaction, checkout, secret, viewer, true).await,
        None => {
            database::commit(transaction).await?;
            Ok(CheckoutReturn::Duplicate)
        }
    }
}
