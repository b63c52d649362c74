//! Passes: what was paid and what the operator gave, brought to where the gate asks for it.

use chrono::{DateTime, TimeDelta, Utc};
use rules::names::AgentName;
use rules::pass::{self, News, Pass};
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::event::{Bought, Meaning};
use super::store::{self, Viewer};
use super::tiers::Tiers;
use super::viewers;
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
    fn of(pass: Option<&Pass>, tiers: &Tiers) -> Self {
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
        match meaning {
            Meaning::Bought(bought) => self.take_in_bought(bought).await.map(|_| ()),
            Meaning::News { customer, subscription, news } => {
                self.hear(&customer, &subscription, news).await?;
                self.settle_customer(&customer).await.map(|_| ())
            }
            Meaning::Charge(charge) => {
                let payer = store::keep_charge(self.connection, &charge).await?;
                self.weigh_charges(payer).await
            }
            Meaning::Dispute(dispute) => {
                let payer = store::keep_dispute(self.connection, &dispute).await?;
                self.weigh_charges(payer).await
            }
        }
    }

    /// Brings a pass up to what is known of a charge that was given back or disputed, once it is known whose it is.
    async fn weigh_charges(&mut self, payer: Option<String>) -> Result<(), Refusal> {
        let Some(customer) = payer else { return Ok(()) };
        store::lock_customer(self.connection, &customer).await?;
        self.settle_customer(&customer).await.map(|_| ())
    }

    /// Takes in that somebody went through Checkout; returns the viewer's number.
    pub(super) async fn take_in_bought(&mut self, bought: Bought) -> Result<Option<i64>, Refusal> {
        let Bought { checkout, customer, email, subscription, news } = bought;
        self.hear(&customer, &subscription, news).await?;
        let is_new = store::keep_checkout(self.connection, &customer, &checkout, email.as_deref()).await?;
        let viewer = self.settle_customer(&customer).await?;
        if let (Some(viewer), Some(email), true) = (viewer, email, is_new) {
            store::set_email(self.connection, viewer, &email, &viewers::email_key(&email)).await?;
        }
        Ok(viewer)
    }

    async fn hear(&mut self, customer: &str, subscription: &str, news: Vec<News>) -> Result<(), sqlx::Error> {
        store::lock_customer(self.connection, customer).await?;
        let mut known = store::subscription(self.connection, subscription).await?;
        news.into_iter().for_each(|news| known.hear(news));
        store::keep_subscription(self.connection, customer, subscription, &known).await
    }

    /// Brings a customer's pass up to what is known. Who came through Checkout and bought one of our tiers is a viewer, in
    /// whatever order both became known.
    async fn settle_customer(&mut self, customer: &str) -> Result<Option<i64>, Refusal> {
        let completed = store::completed(self.connection, customer).await?;
        let viewer = match (store::by_customer(self.connection, customer).await?, &completed) {
            (Some(viewer), _) => Some(viewer),
            (None, Some((checkout, _))) => self.become_viewer(customer, checkout).await?,
            (None, None) => None,
        };
        let Some(viewer) = viewer else { return Ok(None) };
        if let Some((_, Some(email))) = &completed {
            store::fill_email(self.connection, viewer, email, &viewers::email_key(email)).await?;
        }
        self.settle(viewer).await?;
        Ok(Some(viewer))
    }

    /// Makes a customer a viewer: whoever was signed in when the Checkout was begun, else somebody new.
    async fn become_viewer(&mut self, customer: &str, checkout: &str) -> Result<Option<i64>, Refusal> {
        let (subscriptions, _) = store::subscriptions(self.connection, customer).await?;
        if subscriptions.iter().all(|subscription| subscription.tier.is_none()) {
            return Ok(None);
        }
        let buyer = match store::buyer(self.connection, checkout).await? {
            Some(buyer) => {
                store::lock(self.connection, buyer).await?.filter(|buyer| buyer.customer.is_none())
            }
            None => None,
        };
        let no = match buyer {
            Some(Viewer { no, .. }) => no,
            None => viewers::add(self.connection, None, self.offset).await?.no,
        };
        store::set_customer(self.connection, no, customer).await?;
        Ok(Some(no))
    }

    /// Tells the gate, and every instance, what a viewer's pass is now.
    pub(super) async fn settle(&mut self, no: i64) -> Result<(), sqlx::Error> {
        let Some(viewer) = store::lock(self.connection, no).await? else { return Ok(()) };
        let mut passes = match &viewer.customer {
            Some(customer) => {
                let (subscriptions, refunded) = store::subscriptions(self.connection, customer).await?;
                pass::given(&subscriptions, refunded)
            }
            None => Vec::new(),
        };
        let granted = viewer.granted_until.zip(viewer.granted_tier);
        passes.extend(granted.map(|(until, tier)| Pass { until, tier }));
        passes.retain(|_| !viewer.revoked);
        let now = store::time(self.connection, self.offset).await?;
        let (pass, turns_at) = pass::together(passes, |tier| self.tiers.rank(tier), now).unzip();
        store::set_turn(self.connection, no, turns_at.flatten()).await?;
        let held = Held::of(pass.as_ref(), self.tiers);
        if store::held(self.connection, no).await?.as_ref() != Some(&held) {
            control::close_gate(self.connection).await?;
            store::hold(self.connection, no, &held).await?;
            control::append(self.connection, Control::Standing(no), self.offset).await?;
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
    let (no, granted) = match grant.viewer {
        Some(id) => {
            let no = find(connection, &id).await?;
            (no, Granted { id, key: first_key(connection, no, offset).await? })
        }
        None => {
            let new = viewers::add(connection, grant.name.as_ref(), offset).await?;
            store::set_keyed(connection, new.no).await?;
            (new.no, Granted { id: new.id, key: Some(new.key) })
        }
    };
    if let Some(email) = &grant.email {
        store::set_email(connection, no, email, &viewers::email_key(email)).await?;
    }
    store::grant(connection, no, grant.until, &grant.tier).await?;
    PassWriter { connection, tiers, offset }.settle(no).await?;
    Ok(granted)
}

/// A key for a viewer who was never shown one.
async fn first_key(
    connection: &mut PgConnection,
    no: i64,
    offset: TimeDelta,
) -> Result<Option<String>, Refusal> {
    let keyed = store::lock(connection, no).await?.is_none_or(|viewer| viewer.keyed);
    if keyed { Ok(None) } else { viewers::new_key(connection, no, offset).await.map(Some) }
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
    let no = find(connection, viewer).await?;
    store::revoke(connection, no).await?;
    Ok(PassWriter { connection, tiers, offset }.settle(no).await?)
}

async fn find(connection: &mut PgConnection, viewer: &str) -> Result<i64, Refusal> {
    store::by_id(connection, viewer).await?.ok_or(Refusal::NoSuchViewer)
}
