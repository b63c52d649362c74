//! Combines payments and grants into the pass that the writer checks.

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use rules::gallery_pass::{self, GalleryPass};
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::CurrentPass;
use super::event::{CompletedCheckout, InvoicePayment, PaymentUpdate, StripeInvoice, SubscriptionUpdate};
use super::store::{self, Customer, JobKind, ViewerRow};
use super::tiers::Tiers;
use super::viewers;

/// Reconciles passes with payments and grants, within a transaction that the caller commits.
pub(super) struct PassReconciler<'a> {
    pub connection: &'a mut PgConnection,
    pub tiers: &'a Tiers,
    pub state: &'a AppState,
}

/// The effect of a customer's mail address on the viewer's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmailRule {
    /// The viewer keeps its address, if it has one.
    Keep,
    /// The viewer's address follows the customer's, unless an operator has set it.
    Follow,
    /// The customer's address replaces the viewer's.
    Replace,
}

impl PassReconciler<'_> {
    /// Applies an update from an event.
    pub(super) async fn apply(&mut self, update: PaymentUpdate) -> Result<(), Refusal> {
        let (customer, email) = match update {
            PaymentUpdate::CheckoutCompleted(checkout) => {
                return self.apply_checkout(checkout).await.map(|_| ());
            }
            PaymentUpdate::Subscription(update) => {
                self.apply_subscription_events(&update).await?;
                (Some(update.customer), EmailRule::Keep)
            }
            PaymentUpdate::Invoice(invoice, update) => {
                self.save_invoice(&invoice).await?;
                self.apply_subscription_events(&update).await?;
                self.repeat_refund(&invoice.subscription).await?;
                (Some(update.customer), EmailRule::Keep)
            }
            PaymentUpdate::InvoicePayment(payment) => (self.save_payment(&payment).await?, EmailRule::Keep),
            PaymentUpdate::Charge(charge) => {
                let customer = store::save_charge(self.connection, &charge).await?;
                self.look_up_charge(&charge.id).await?;
                (customer, EmailRule::Keep)
            }
            PaymentUpdate::Dispute(dispute) => {
                let customer = store::save_dispute(self.connection, &dispute).await?;
                self.look_up_charge(&dispute.charge).await?;
                (customer, EmailRule::Keep)
            }
            PaymentUpdate::CustomerEmail { customer, email, at } => {
                let is_newer = store::save_customer_email(self.connection, &customer, &email, at).await?;
                (is_newer.then_some(customer), EmailRule::Follow)
            }
        };
        // The customer may be unknown yet, or the charge may have no effect.
        let Some(customer) = customer else { return Ok(()) };
        store::lock_customer(self.connection, &customer).await?;
        self.reconcile_customer(&customer, email).await.map(|_| ())
    }

    /// Applies a completed Checkout and returns its viewer. `None` if it has none, because it bought nothing
    /// of ours, or the same as another one.
    pub(super) async fn apply_checkout(
        &mut self,
        completed: CompletedCheckout,
    ) -> Result<Option<ViewerRow>, Refusal> {
        self.apply_subscription_events(&completed.update).await?;
        let is_new = store::save_checkout(self.connection, &completed).await?;
        let email = if is_new && completed.email.is_some() { EmailRule::Replace } else { EmailRule::Keep };
        self.reconcile_customer(&completed.update.customer, email).await
    }

    /// Saves an invoice and its payments.
    pub(super) async fn save_invoice(&mut self, invoice: &StripeInvoice) -> Result<(), sqlx::Error> {
        for payment in &invoice.payments {
            store::save_invoice_payment(self.connection, payment).await?;
        }
        store::save_invoice(self.connection, invoice).await
    }

    /// Saves a payment for an invoice. Returns the customer if the payment was refunded or disputed.
    pub(super) async fn save_payment(
        &mut self,
        payment: &InvoicePayment,
    ) -> Result<Option<String>, sqlx::Error> {
        store::save_invoice_payment(self.connection, payment).await
    }

    async fn look_up_charge(&mut self, charge: &str) -> Result<(), sqlx::Error> {
        let now = caraplace_log::database_time(self.connection, self.state.clock.offset()).await?;
        store::add_look_up(self.connection, charge, now).await
    }

    async fn repeat_refund(&mut self, subscription: &str) -> Result<(), sqlx::Error> {
        let now = caraplace_log::database_time(self.connection, self.state.clock.offset()).await?;
        store::repeat_refund(self.connection, subscription, now).await
    }

    async fn apply_subscription_events(&mut self, update: &SubscriptionUpdate) -> Result<(), sqlx::Error> {
        let SubscriptionUpdate { customer, subscription, events } = update;
        store::lock_customer(self.connection, customer).await?;
        let mut record = store::find_subscription(self.connection, subscription).await?;
        events.iter().for_each(|event| record.apply(event.clone()));
        store::save_subscription(self.connection, customer, subscription, &record).await
    }

    /// Reconciles a customer's pass with the known payments. A customer who completed a Checkout for one of
    /// the tiers becomes a viewer, in whatever order these facts arrive. The caller must have locked the
    /// customer.
    async fn reconcile_customer(
        &mut self,
        customer: &str,
        email: EmailRule,
    ) -> Result<Option<ViewerRow>, Refusal> {
        self.decide_duplicates(customer).await?;
        let record = store::find_customer(self.connection, customer).await?;
        let viewer = match record.viewer {
            Some(viewer) => store::lock_viewer(self.connection, viewer).await?,
            None if record.has_completed => self.create_or_link_viewer(customer, record.buyer).await?,
            None => None,
        };
        let Some(mut viewer) = viewer else { return Ok(None) };
        viewer.set_email(record, email);
        if viewer.revoked {
            self.refund_new_subscriptions(customer, viewer.no).await?;
        }
        self.reconcile(&mut viewer).await?;
        Ok(Some(viewer))
    }

    /// Cancels and refunds what was bought after an operator has revoked the viewer's pass.
    async fn refund_new_subscriptions(
        &mut self,
        customer: &str,
        viewer: AccountNo,
    ) -> Result<(), sqlx::Error> {
        let now = caraplace_log::database_time(self.connection, self.state.clock.offset()).await?;
        store::add_cancellations(self.connection, customer, JobKind::CancelAndRefund, viewer, now).await
    }

    /// Links a customer to the viewer who was signed in when the Checkout began, or to a new viewer.
    async fn create_or_link_viewer(
        &mut self,
        customer: &str,
        buyer: Option<AccountNo>,
    ) -> Result<Option<ViewerRow>, Refusal> {
        let subscriptions = store::list_subscriptions(self.connection, customer).await?;
        if subscriptions.iter().all(|subscription| subscription.tier.is_none()) {
            return Ok(None);
        }
        let buyer = match buyer {
            Some(buyer) => store::lock_viewer(self.connection, buyer).await?,
            None => None,
        };
        let viewer = match buyer.filter(|buyer| buyer.customer.is_none()) {
            Some(buyer) => buyer,
            None => ViewerRow::new(viewers::add(self.state, self.connection, None).await?.no),
        };
        Ok(Some(ViewerRow { customer: Some(customer.to_owned()), ..viewer }))
    }

    /// Saves a viewer and its current pass, and informs all instances if the pass has changed. The viewer
    /// must be locked or new.
    pub(super) async fn reconcile(&mut self, viewer: &mut ViewerRow) -> Result<(), sqlx::Error> {
        let subscriptions = match &viewer.customer {
            Some(customer) => store::list_subscriptions(self.connection, customer).await?,
            None => Vec::new(),
        };
        let grant = viewer.granted_until.zip(viewer.granted_tier.clone());
        let grant = grant.map(|(until, tier)| GalleryPass { until, tier });
        let mut passes: Vec<GalleryPass> =
            subscriptions.iter().filter_map(|subscription| subscription.pass()).chain(grant).collect();
        passes.retain(|_| !viewer.revoked);
        let now = caraplace_log::database_time(self.connection, self.state.clock.offset()).await?;
        let (pass, changes_at) =
            gallery_pass::combine_passes(passes, |tier| self.tiers.rank(tier), now).unzip();
        viewer.turns_at = changes_at.flatten();
        store::save_viewer(self.connection, viewer).await?;
        let current = CurrentPass::from_pass(pass.as_ref(), self.tiers);
        if store::find_pass(self.connection, viewer.no).await?.as_ref() != Some(&current) {
            control::lock_head(self.connection).await?;
            store::save_pass(self.connection, viewer.no, &current).await?;
            control::append(
                self.connection,
                ControlEntry::AccountChanged(viewer.no),
                self.state.clock.offset(),
            )
            .await?;
        }
        Ok(())
    }
}

impl ViewerRow {
    /// Sets the mail address from the customer's.
    fn set_email(&mut self, customer: Customer, rule: EmailRule) {
        let replaces = match rule {
            EmailRule::Keep => self.email.is_none(),
            EmailRule::Follow => !self.email_fixed,
            EmailRule::Replace => true,
        };
        if replaces {
            self.email = customer.email.or(self.email.take());
            self.email_fixed &= rule != EmailRule::Replace;
        }
    }
}
