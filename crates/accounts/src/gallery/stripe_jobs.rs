//! Jobs at Stripe: cancellations and refunds that were decided in a transaction, and look-ups of charges.
//! They are repeated until Stripe has accepted them, whatever stops in between.

use std::time::Duration;

use caraplace_log::state::AppState;
use chrono::TimeDelta;
use platform::database;
use platform::refusal::Refusal;
use platform::telemetry::METRICS;
use tokio::time::timeout;

use super::event::{InvoicePayment, PaymentSource, PaymentUpdate};
use super::reconciler::PassReconciler;
use super::store::{self, JobKind, StripeJob};
use super::stripe::{StripeClient, StripeError};
use super::{Gallery, tiers::Tiers};

/// The time for which an instance claims a job. It is longer than `JOB_TIMEOUT`, so that no other instance
/// performs the job meanwhile.
const CLAIM_PERIOD: TimeDelta = TimeDelta::minutes(5);
const JOB_TIMEOUT: Duration = Duration::from_mins(1);
/// The delay before the second attempt. It doubles with each attempt, up to the maximum.
const FIRST_RETRY_DELAY: TimeDelta = TimeDelta::seconds(30);
const MAX_RETRY_DELAY: TimeDelta = TimeDelta::hours(6);
/// The number of attempts after which operators see a job as failed.
const MAX_PENDING_ATTEMPTS: i32 = 10;

/// The reason why a job is not done.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error("{0}")]
    Stripe(#[from] StripeError),
    #[error("the result cannot be saved: {0}")]
    Refusal(Refusal),
}

impl From<Refusal> for JobError {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

impl From<sqlx::Error> for JobError {
    fn from(error: sqlx::Error) -> Self {
        Self::Refusal(error.into())
    }
}

impl Gallery {
    /// Performs all jobs that are due. Without Stripe's key they stay.
    pub async fn run_stripe_jobs(&self, state: &AppState) -> Result<(), sqlx::Error> {
        let Some(stripe) = &self.stripe else { return Ok(()) };
        loop {
            let now = state.clock.now();
            let Some(job) = store::claim_job(&state.pool, now, now + CLAIM_PERIOD).await? else {
                return Ok(());
            };
            let performed = timeout(JOB_TIMEOUT, perform(state, &self.tiers, stripe, &job)).await;
            match performed.unwrap_or_else(|_| Err(StripeError::TimedOut.into())) {
                Ok(()) => finish(state, &job).await?,
                Err(error) => postpone(state, &job, &error).await?,
            }
        }
    }
}

async fn finish(state: &AppState, job: &StripeJob) -> Result<(), sqlx::Error> {
    store::finish_job(&state.pool, job, state.clock.now()).await?;
    METRICS.payments.jobs_done.inc();
    tracing::info!(kind = ?job.kind, subject = job.subject, attempts = job.attempts, "job at Stripe done");
    Ok(())
}

async fn postpone(state: &AppState, job: &StripeJob, error: &JobError) -> Result<(), sqlx::Error> {
    let needs_operator = matches!(error, JobError::Stripe(error) if error.needs_operator());
    let failed = needs_operator || job.attempts >= MAX_PENDING_ATTEMPTS;
    let delay = if failed { MAX_RETRY_DELAY } else { retry_delay(job.attempts) };
    let counter = if failed { &METRICS.payments.jobs_failed } else { &METRICS.payments.jobs_postponed };
    counter.inc();
    tracing::warn!(
        %error,
        kind = ?job.kind,
        subject = job.subject,
        attempts = job.attempts,
        failed,
        "job at Stripe failed"
    );
    store::postpone_job(&state.pool, job, &error.to_string(), failed, state.clock.now() + delay).await
}

/// Returns the delay after this many attempts.
fn retry_delay(attempts: i32) -> TimeDelta {
    let doublings = u32::try_from(attempts - 1).unwrap_or(0).min(16);
    (FIRST_RETRY_DELAY * 2_i32.pow(doublings)).min(MAX_RETRY_DELAY)
}

async fn perform(
    state: &AppState,
    tiers: &Tiers,
    stripe: &StripeClient,
    job: &StripeJob,
) -> Result<(), JobError> {
    match job.kind {
        JobKind::Cancel => stripe.cancel_subscription(&job.subject).await?,
        JobKind::CancelAndRefund => {
            stripe.cancel_subscription(&job.subject).await?;
            for invoice in stripe.list_paid_invoices(&job.subject).await? {
                // The money would stay, although the person was told otherwise.
                if invoice.payments.is_empty() && invoice.amount_paid > 0 {
                    return Err(StripeError::UnexpectedResponse.into());
                }
                for payment in &invoice.payments {
                    stripe.refund(&payment.source, job.attempts).await?;
                }
            }
        }
        JobKind::LookUp => look_up(state, tiers, stripe, &job.subject).await?,
    }
    Ok(())
}

/// Finds the subscription that a charge has paid, and reconciles its passes.
async fn look_up(
    state: &AppState,
    tiers: &Tiers,
    stripe: &StripeClient,
    charge_id: &str,
) -> Result<(), JobError> {
    let charge = match stripe.fetch_charge(charge_id).await {
        // A charge of another account tells nothing.
        Err(StripeError::Refused { status: 404, .. }) => return Ok(()),
        charge => charge?,
    };
    let invoice = match &charge.payment_intent {
        Some(payment_intent) => {
            stripe.find_paid_invoice(payment_intent).await?.map(|it| (it, payment_intent))
        }
        None => None,
    };
    let payment = invoice.as_ref().map(|(invoice, payment_intent)| InvoicePayment {
        invoice: invoice.id.clone(),
        source: PaymentSource::PaymentIntent((*payment_intent).clone()),
    });
    let mut transaction = state.pool.begin().await?;
    store::mark_looked_up(&mut transaction, charge_id).await?;
    let mut reconciler = PassReconciler { connection: &mut transaction, tiers, state };
    if let (Some((invoice, _)), Some(payment)) = (&invoice, &payment) {
        reconciler.save_payment(payment).await?;
        reconciler.save_invoice(invoice).await?;
    }
    reconciler.apply(PaymentUpdate::Charge(charge)).await?;
    database::commit(transaction).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_six_hours() {
        let delays = [1, 2, 3, 10, 1_000].map(|attempts| retry_delay(attempts).num_seconds());
        assert_eq!(delays, [30, 60, 120, 15_360, 21_600]);
    }
}
