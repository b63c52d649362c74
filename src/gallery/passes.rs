//! Passes: combines payments and grants into the pass that the writer checks.

use chrono::{DateTime, TimeDelta, Utc};
use rules::gallery_pass::{self, GalleryPass, SubscriptionEvent};
use rules::names::AgentName;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::event::{CompletedCheckout, PaymentUpdate};
use super::store::{self, ViewerRow};
use super::tiers::Tiers;
use super::viewers::{self, NewViewer};
use crate::log;
use crate::log::control::{self, ControlEntry};
use crate::refusal::Refusal;

/// The current pass of a viewer, as the writer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentPass {
    pub until: Option<DateTime<Utc>>,
    /// Seconds between messages; `None` for the game's default.
    pub seconds: Option<i32>,
    pub badge: Option<String>,
}

/// A pass to grant.
pub struct PassGrant {
    /// `viewer_…` of an existing viewer; `None` for a new one.
    pub viewer: Option<String>,
    /// The name of a new viewer; `Visitor NNNN` by default.
    pub name: Option<AgentName>,
    /// The address for links to a new key.
    pub email: Option<String>,
    pub until: DateTime<Utc>,
    /// The id of the tier.
    pub tier: String,
}

/// A viewer with a newly granted pass.
#[derive(Debug)]
pub struct GrantedPass {
    /// `viewer_…`.
    pub id: String,
    /// The only copy of a new key. `None` if the viewer already had one.
    pub key: Option<String>,
}

/// A viewer who has or had a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassHolder {
    pub no: i64,
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
}

impl CurrentPass {
    fn from_pass(pass: Option<&GalleryPass>, tiers: &Tiers) -> Self {
        let tier = pass.and_then(|pass| tiers.find(&pass.tier));
        Self {
            until: pass.map(|pass| pass.until),
            seconds: tier.and_then(|tier| tier.interval),
            badge: tier.map(|tier| tier.name.to_owned()),
        }
    }
}

/// Reconciles passes with payments and grants, within a transaction that the caller commits.
pub(super) struct PassReconciler<'a> {
    pub connection: &'a mut PgConnection,
    pub tiers: &'a Tiers,
    /// The difference between the server's clock and the database's.
    pub offset: TimeDelta,
}

impl PassReconciler<'_> {
    /// Applies an update from an event.
    pub(super) async fn apply(&mut self, update: PaymentUpdate) -> Result<(), Refusal> {
        let customer = match update {
            PaymentUpdate::CheckoutCompleted(checkout) => {
                return self.apply_checkout(checkout).await.map(|_| ());
            }
            PaymentUpdate::Subscription { customer, subscription, events } => {
                self.apply_subscription_events(&customer, &subscription, events).await?;
                return self.reconcile_customer(&customer, None).await.map(|_| ());
            }
            PaymentUpdate::Charge(charge) => store::save_charge(self.connection, &charge).await?,
            PaymentUpdate::Dispute(dispute) => store::save_dispute(self.connection, &dispute).await?,
        };
        // The customer may be unknown yet, or the charge may have no effect.
        let Some(customer) = customer else { return Ok(()) };
        store::lock_customer(self.connection, &customer).await?;
        self.reconcile_customer(&customer, None).await.map(|_| ())
    }

    /// Applies a completed Checkout and returns its viewer.
    pub(super) async fn apply_checkout(
        &mut self,
        completed: CompletedCheckout,
    ) -> Result<Option<ViewerRow>, Refusal> {
        let CompletedCheckout { checkout, customer, email, subscription, events } = completed;
        self.apply_subscription_events(&customer, &subscription, events).await?;
        let is_new = store::save_checkout(self.connection, &customer, &checkout, email.as_deref()).await?;
        self.reconcile_customer(&customer, email.filter(|_| is_new)).await
    }

    async fn apply_subscription_events(
        &mut self,
        customer: &str,
        subscription: &str,
        events: Vec<SubscriptionEvent>,
    ) -> Result<(), sqlx::Error> {
        store::lock_customer(self.connection, customer).await?;
        let mut record = store::find_subscription(self.connection, subscription).await?;
        events.into_iter().for_each(|event| record.apply(event));
        store::save_subscription(self.connection, customer, subscription, &record).await
    }

    /// Reconciles a customer's pass with the known payments. A customer who completed a Checkout for one of
    /// the tiers becomes a viewer, in whatever order these facts arrive. The address of a new Checkout
    /// replaces the stored one. The caller must have locked the customer.
    async fn reconcile_customer(
        &mut self,
        customer: &str,
        new_email: Option<String>,
    ) -> Result<Option<ViewerRow>, Refusal> {
        let record = store::find_customer(self.connection, customer).await?;
        let viewer = match record.viewer {
            Some(viewer) => store::lock_viewer(self.connection, viewer).await?,
            None if record.has_completed => self.create_or_link_viewer(customer, record.buyer).await?,
            None => None,
        };
        let Some(mut viewer) = viewer else { return Ok(None) };
        // An operator may have replaced the payer's address.
        viewer.email = new_email.or(viewer.email).or(record.email);
        self.reconcile(&mut viewer).await?;
        Ok(Some(viewer))
    }

    /// Links a customer to the viewer who was signed in when the Checkout began, or to a new viewer.
    async fn create_or_link_viewer(
        &mut self,
        customer: &str,
        buyer: Option<i64>,
    ) -> Result<Option<ViewerRow>, Refusal> {
        let (subscriptions, _) = store::list_subscriptions(self.connection, customer).await?;
        if subscriptions.iter().all(|subscription| subscription.tier.is_none()) {
            return Ok(None);
        }
        let buyer = match buyer {
            Some(buyer) => store::lock_viewer(self.connection, buyer).await?,
            None => None,
        };
        let viewer = match buyer.filter(|buyer| buyer.customer.is_none()) {
            Some(buyer) => buyer,
            None => ViewerRow::new(viewers::add(self.connection, None, self.offset).await?.no),
        };
        Ok(Some(ViewerRow { customer: Some(customer.to_owned()), ..viewer }))
    }

    /// Saves a viewer and its current pass, and informs all instances if the pass has changed. The viewer
    /// must be locked or new.
    pub(super) async fn reconcile(&mut self, viewer: &mut ViewerRow) -> Result<(), sqlx::Error> {
        let mut passes = match &viewer.customer {
            Some(customer) => {
                let (subscriptions, refunded) = store::list_subscriptions(self.connection, customer).await?;
                gallery_pass::granted_passes(&subscriptions, refunded)
            }
            None => Vec::new(),
        };
        let grant = viewer.granted_until.zip(viewer.granted_tier.clone());
        passes.extend(grant.map(|(until, tier)| GalleryPass { until, tier }));
        passes.retain(|_| !viewer.revoked);
        let now = log::database_time(self.connection, self.offset).await?;
        let (pass, changes_at) =
            gallery_pass::combine_passes(passes, |tier| self.tiers.rank(tier), now).unzip();
        viewer.turns_at = changes_at.flatten();
        store::save_viewer(self.connection, viewer).await?;
        let current = CurrentPass::from_pass(pass.as_ref(), self.tiers);
        if store::find_pass(self.connection, viewer.no).await?.as_ref() != Some(&current) {
            control::lock_head(self.connection).await?;
            store::save_pass(self.connection, viewer.no, &current).await?;
            control::append(self.connection, ControlEntry::AccountChanged(viewer.no), self.offset).await?;
        }
        Ok(())
    }
}

/// Grants a pass to an existing or a new viewer. The caller commits.
///
/// # Errors
/// `NameTaken`, `ViewerNotFound`, or a database error.
pub async fn grant(
    connection: &mut PgConnection,
    tiers: &Tiers,
    grant: PassGrant,
    offset: TimeDelta,
) -> Result<GrantedPass, Refusal> {
    let PassGrant { viewer, name, email, until, tier } = grant;
    let (mut viewer, granted) = match viewer {
        Some(id) => {
            let mut viewer = lock_viewer(connection, &id).await?;
            let key = issue_first_key(connection, &mut viewer, offset).await?;
            (viewer, GrantedPass { id, key })
        }
        None => {
            let NewViewer { no, id, key } = viewers::add(connection, name.as_ref(), offset).await?;
            (ViewerRow::new(no), GrantedPass { id, key: Some(key) })
        }
    };
    // The response shows the first key.
    viewer.keyed = true;
    viewer.email = email.or(viewer.email);
    (viewer.granted_until, viewer.granted_tier, viewer.revoked) = (Some(until), Some(tier), false);
    PassReconciler { connection, tiers, offset }.reconcile(&mut viewer).await?;
    Ok(granted)
}

/// Creates a key for a viewer who has never been shown one, or returns `None` for other viewers.
pub(super) async fn issue_first_key(
    connection: &mut PgConnection,
    viewer: &mut ViewerRow,
    offset: TimeDelta,
) -> Result<Option<String>, Refusal> {
    if viewer.keyed {
        return Ok(None);
    }
    viewer.keyed = true;
    viewers::issue_key(connection, viewer.no, offset).await.map(Some)
}

/// Revokes a viewer's pass, even if it is paid. The subscription at Stripe is not changed. The caller
/// commits.
///
/// # Errors
/// `ViewerNotFound`, or a database error.
pub async fn revoke(
    connection: &mut PgConnection,
    tiers: &Tiers,
    viewer: &str,
    offset: TimeDelta,
) -> Result<(), Refusal> {
    let viewer = lock_viewer(connection, viewer).await?;
    let mut viewer = ViewerRow { granted_until: None, granted_tier: None, revoked: true, ..viewer };
    Ok(PassReconciler { connection, tiers, offset }.reconcile(&mut viewer).await?)
}

/// Returns the viewer with this id, locked for the rest of the transaction.
async fn lock_viewer(connection: &mut PgConnection, id: &str) -> Result<ViewerRow, Refusal> {
    let no = store::find_viewer_no(connection, id).await?.ok_or(Refusal::ViewerNotFound)?;
    store::lock_viewer(connection, no).await?.ok_or(Refusal::ViewerNotFound)
}
