//! Passes: what was paid and what the operator gave, brought to where the gate asks for it.

use chrono::{DateTime, TimeDelta, Utc};
use rules::gallery_pass::{self, GalleryPass, SubscriptionEvent};
use rules::names::AgentName;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::event::{Bought, Meaning};
use super::store::{self, Viewer};
use super::tiers::Tiers;
use super::viewers::{self, Added};
use crate::log;
use crate::log::control::{self, Control};
use crate::refusal::Refusal;

/// A pass as the gate knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub until: Option<DateTime<Utc>>,
    /// Seconds between messages; as long as the game's setting says where there are none.
    pub seconds: Option<i32>,
    pub badge: Option<String>,
}

/// What the operator gives.
pub struct Grant {
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
pub struct Granted {
    /// `viewer_…`.
    pub id: String,
    /// The only copy of the key of a viewer who had none: who is new, or has paid and never come back.
    pub key: Option<String>,
}

/// Someone who has or had a pass.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PassHolder)]
pub struct Holder {
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

impl Held {
    fn of(pass: Option<&GalleryPass>, tiers: &Tiers) -> Self {
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
    pub(super) async fn take_in(&mut self, meaning: Meaning) -> Result<(), Refusal> {
        let customer = match meaning {
            Meaning::Bought(bought) => return self.take_in_bought(bought).await.map(|_| ()),
            Meaning::News { customer, subscription, news } => {
                self.hear(&customer, &subscription, news).await?;
                return self.settle_customer(&customer, None).await.map(|_| ());
            }
            Meaning::Charge(charge) => store::keep_charge(self.connection, &charge).await?,
            Meaning::Dispute(dispute) => store::keep_dispute(self.connection, &dispute).await?,
        };
        // It may not be known yet whose a charge is, nor matter.
        let Some(customer) = customer else { return Ok(()) };
        store::lock_customer(self.connection, &customer).await?;
        self.settle_customer(&customer, None).await.map(|_| ())
    }

    /// Takes in that somebody went through Checkout; returns the viewer.
    pub(super) async fn take_in_bought(&mut self, bought: Bought) -> Result<Option<Viewer>, Refusal> {
        let Bought { checkout, customer, email, subscription, news } = bought;
        self.hear(&customer, &subscription, news).await?;
        let is_new = store::keep_checkout(self.connection, &customer, &checkout, email.as_deref()).await?;
        self.settle_customer(&customer, email.filter(|_| is_new)).await
    }

    async fn hear(
        &mut self,
        customer: &str,
        subscription: &str,
        news: Vec<SubscriptionEvent>,
    ) -> Result<(), sqlx::Error> {
        store::lock_customer(self.connection, customer).await?;
        let mut known = store::subscription(self.connection, subscription).await?;
        news.into_iter().for_each(|news| known.apply(news));
        store::keep_subscription(self.connection, customer, subscription, &known).await
    }

    /// Brings a customer's pass up to what is known. A customer who came through Checkout and bought one of our tiers becomes a
    /// viewer, in whatever order both became known. An address that was given at a new Checkout replaces any other.
    /// The customer must be locked.
    async fn settle_customer(
        &mut self,
        customer: &str,
        new_email: Option<String>,
    ) -> Result<Option<Viewer>, Refusal> {
        let known = store::customer(self.connection, customer).await?;
        let viewer = match known.viewer {
            Some(viewer) => store::lock(self.connection, viewer).await?,
            None if known.has_completed => self.become_viewer(customer, known.buyer).await?,
            None => None,
        };
        let Some(mut viewer) = viewer else { return Ok(None) };
        // An operator may have put another address in the place of the payer's.
        viewer.email = new_email.or(viewer.email).or(known.email);
        self.settle(&mut viewer).await?;
        Ok(Some(viewer))
    }

    /// Makes a customer a viewer: whoever was signed in when the Checkout was begun, else somebody new.
    async fn become_viewer(&mut self, customer: &str, buyer: Option<i64>) -> Result<Option<Viewer>, Refusal> {
        let (subscriptions, _) = store::subscriptions(self.connection, customer).await?;
        if subscriptions.iter().all(|subscription| subscription.tier.is_none()) {
            return Ok(None);
        }
        let buyer = match buyer {
            Some(buyer) => store::lock(self.connection, buyer).await?,
            None => None,
        };
        let viewer = match buyer.filter(|buyer| buyer.customer.is_none()) {
            Some(buyer) => buyer,
            None => Viewer::new(viewers::add(self.connection, None, self.offset).await?.no),
        };
        Ok(Some(Viewer { customer: Some(customer.to_owned()), ..viewer }))
    }

    /// Keeps a viewer, and tells the gate, and every instance, what its pass is now. The viewer must be locked, or be new.
    pub(super) async fn settle(&mut self, viewer: &mut Viewer) -> Result<(), sqlx::Error> {
        let mut passes = match &viewer.customer {
            Some(customer) => {
                let (subscriptions, refunded) = store::subscriptions(self.connection, customer).await?;
                gallery_pass::granted_passes(&subscriptions, refunded)
            }
            None => Vec::new(),
        };
        let granted = viewer.granted_until.zip(viewer.granted_tier.clone());
        passes.extend(granted.map(|(until, tier)| GalleryPass { until, tier }));
        passes.retain(|_| !viewer.revoked);
        let now = log::database_time(self.connection, self.offset).await?;
        let (pass, turns_at) =
            gallery_pass::combine_passes(passes, |tier| self.tiers.rank(tier), now).unzip();
        viewer.turns_at = turns_at.flatten();
        store::save(self.connection, viewer).await?;
        let held = Held::of(pass.as_ref(), self.tiers);
        if store::held(self.connection, viewer.no).await?.as_ref() != Some(&held) {
            control::close_gate(self.connection).await?;
            store::hold(self.connection, viewer.no, &held).await?;
            control::append(self.connection, Control::Standing(viewer.no), self.offset).await?;
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
    grant: Grant,
    offset: TimeDelta,
) -> Result<Granted, Refusal> {
    let Grant { viewer, name, email, until, tier } = grant;
    let (mut viewer, granted) = match viewer {
        Some(id) => {
            let mut viewer = find(connection, &id).await?;
            let key = first_key(connection, &mut viewer, offset).await?;
            (viewer, Granted { id, key })
        }
        None => {
            let Added { no, id, key } = viewers::add(connection, name.as_ref(), offset).await?;
            (Viewer::new(no), Granted { id, key: Some(key) })
        }
    };
    // A first key is shown with the answer.
    viewer.keyed = true;
    viewer.email = email.or(viewer.email);
    (viewer.granted_until, viewer.granted_tier, viewer.revoked) = (Some(until), Some(tier), false);
    PassWriter { connection, tiers, offset }.settle(&mut viewer).await?;
    Ok(granted)
}

/// A key for a viewer who was never shown one.
pub(super) async fn first_key(
    connection: &mut PgConnection,
    viewer: &mut Viewer,
    offset: TimeDelta,
) -> Result<Option<String>, Refusal> {
    if viewer.keyed {
        return Ok(None);
    }
    viewer.keyed = true;
    viewers::new_key(connection, viewer.no, offset).await.map(Some)
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
    let viewer = find(connection, viewer).await?;
    let mut viewer = Viewer { granted_until: None, granted_tier: None, revoked: true, ..viewer };
    Ok(PassWriter { connection, tiers, offset }.settle(&mut viewer).await?)
}

/// Returns the viewer with this id, locked for the rest of the transaction.
async fn find(connection: &mut PgConnection, id: &str) -> Result<Viewer, Refusal> {
    let no = store::by_id(connection, id).await?.ok_or(Refusal::NoSuchViewer)?;
    store::lock(connection, no).await?.ok_or(Refusal::NoSuchViewer)
}
