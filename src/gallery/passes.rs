//! Passes: what was paid and what the operator gave, brought to where the gate asks for it.

use chrono::{DateTime, TimeDelta, Utc};
use rules::gallery_pass::{self, GalleryPass, SubscriptionEvent};
use rules::names::AgentName;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::event::{CompletedCheckout, PaymentUpdate};
use super::store::{self, ViewerRow};
use super::tiers::Tiers;
use super::viewers::{self, AddedViewer};
use crate::log;
use crate::log::control::{self, ControlEntry};
use crate::refusal::Refusal;

/// A pass as the gate knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentPass {
    pub until: Option<DateTime<Utc>>,
    /// Seconds between messages; as long as the game's setting says where there are none.
    pub seconds: Option<i32>,
    pub badge: Option<String>,
}

/// What the operator gives.
pub struct PassGrant {
    /// `viewer_…` of somebody who is there; a new viewer otherwise.
    pub viewer: Option<String>,
    /// For a new viewer, in place of `Visitor NNNN`.
    pub name: Option<AgentName>,
    /// Where a lost key is sent to.
    pub email: Option<String>,
    pub until: DateTime<Utc>,
    /// The tier's name.
    pub tier: String,
}

/// Who was given a pass.
#[derive(Debug)]
pub struct GrantedPass {
    /// `viewer_…`.
    pub id: String,
    /// The only copy of the key of a viewer who had none: who is new, or has paid and never come back.
    pub key: Option<String>,
}

/// Someone who has or had a pass.
#[derive(Debug, Serialize, ToSchema)]
pub struct PassHolder {
    pub no: i64,
    /// `viewer_…`.
    pub id: String,
    pub name: String,
    pub badge: Option<String>,
    pub pass_until: Option<DateTime<Utc>>,
    /// Whether it was bought; given by an operator otherwise.
    pub pays: bool,
    /// Taken back by an operator.
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

/// Brings passes up to what was paid and given, within a transaction that the caller commits.
pub(super) struct PassWriter<'a> {
    pub connection: &'a mut PgConnection,
    pub tiers: &'a Tiers,
    /// How far the server's clock is from the database's.
    pub offset: TimeDelta,
}

impl PassWriter<'_> {
    /// Does what an event means.
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
        // It may not be known yet whose a charge is, nor matter.
        let Some(customer) = customer else { return Ok(()) };
        store::lock_customer(self.connection, &customer).await?;
        self.reconcile_customer(&customer, None).await.map(|_| ())
    }

    /// Takes in that somebody went through Checkout; returns the viewer.
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
        events.into_iter().for_each(|news| record.apply(news));
        store::save_subscription(self.connection, customer, subscription, &record).await
    }

    /// Brings a customer's pass up to what is known. A customer who came through Checkout and bought one of our tiers becomes a
    /// viewer, in whatever order both became known. An address that was given at a new Checkout replaces any other.
    /// The customer must be locked.
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
        // An operator may have put another address in the place of the payer's.
        viewer.email = new_email.or(viewer.email).or(record.email);
        self.reconcile(&mut viewer).await?;
        Ok(Some(viewer))
    }

    /// Makes a customer a viewer: whoever was signed in when the Checkout was begun, else somebody new.
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

    /// Keeps a viewer, and tells the gate, and every instance, what its pass is now. The viewer must be locked, or be new.
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
            control::append(self.connection, ControlEntry::StatusChanged(viewer.no), self.offset).await?;
        }
        Ok(())
    }
}

/// Gives a pass, to a viewer who is there or to a new one. To be committed by the caller.
///
/// # Errors
/// `NameTaken`, `NoSuchViewer`; or that the database cannot be written.
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
            let AddedViewer { no, id, key } = viewers::add(connection, name.as_ref(), offset).await?;
            (ViewerRow::new(no), GrantedPass { id, key: Some(key) })
        }
    };
    // A first key is shown with the answer.
    viewer.keyed = true;
    viewer.email = email.or(viewer.email);
    (viewer.granted_until, viewer.granted_tier, viewer.revoked) = (Some(until), Some(tier), false);
    PassWriter { connection, tiers, offset }.reconcile(&mut viewer).await?;
    Ok(granted)
}

/// A key for a viewer who was never shown one.
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

/// Takes a viewer's pass away, whatever is paid; the subscription at Stripe is another matter. To be committed by the
/// caller.
///
/// # Errors
/// `NoSuchViewer`; or that the database cannot be written.
pub async fn revoke(
    connection: &mut PgConnection,
    tiers: &Tiers,
    viewer: &str,
    offset: TimeDelta,
) -> Result<(), Refusal> {
    let viewer = lock_viewer(connection, viewer).await?;
    let mut viewer = ViewerRow { granted_until: None, granted_tier: None, revoked: true, ..viewer };
    Ok(PassWriter { connection, tiers, offset }.reconcile(&mut viewer).await?)
}

/// Returns the viewer with this id, locked for the rest of the transaction.
async fn lock_viewer(connection: &mut PgConnection, id: &str) -> Result<ViewerRow, Refusal> {
    let no = store::find_viewer_no(connection, id).await?.ok_or(Refusal::ViewerNotFound)?;
    store::lock_viewer(connection, no).await?.ok_or(Refusal::ViewerNotFound)
}
