//! The SQL of jobs at Stripe.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// A job that this instance has claimed.
#[derive(Debug)]
pub struct StripeJob {
    pub no: i64,
    pub kind: JobKind,
    /// `sub_…`, or `ch_…` for a charge to look up.
    pub subject: String,
    /// The number of attempts, with this one.
    pub attempts: i32,
}

/// The kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum JobKind {
    /// Cancels a subscription.
    Cancel,
    /// Cancels a subscription and refunds its payments.
    CancelAndRefund,
    /// Finds the subscription that a charge has paid.
    LookUp,
}

/// Adds the cancellation of all subscriptions of a customer to a tier that have not ended. Other products of
/// the same Stripe account are left alone. A job that is known stays.
pub async fn add_cancellations(
    connection: &mut PgConnection,
    customer: &str,
    kind: JobKind,
    viewer: AccountNo,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into gallery_stripe_job (kind, subject, viewer, due_at, created_at)
           select $2, id, $3, $4, $4 from gallery_subscription
           where customer = $1 and tier is not null and ended_at is null and duplicate_of is null
           on conflict (subject) do nothing"#,
        customer,
        kind as JobKind,
        viewer as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Adds a job for one subscription. A job that is known stays.
pub async fn add_job(
    connection: &mut PgConnection,
    kind: JobKind,
    subject: &str,
    viewer: Option<AccountNo>,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into gallery_stripe_job (kind, subject, viewer, due_at, created_at)
           values ($1, $2, $3, $4, $4) on conflict (subject) do nothing"#,
        kind as JobKind,
        subject,
        viewer as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Adds the look-up of a charge that was refunded or disputed, if its subscription is not known.
pub async fn add_look_up(connection: &mut PgConnection, charge: &str, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into gallery_stripe_job (kind, subject, due_at, created_at)
           select 'look_up', c.id, $2, $2 from gallery_charge c
           left join gallery_payment p on p.payment_intent = c.payment_intent
           where c.id = $1 and (c.returned or c.disputed_at is not null) and not c.looked_up
               and (c.customer is null or c.made_at is null
                    or not exists (select from gallery_invoice i where i.id = coalesce(c.invoice, p.invoice)))
           on conflict (subject) do nothing"#,
        charge,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Makes a viewer's unfinished jobs due now.
pub async fn retry_jobs(connection: &mut PgConnection, viewer: AccountNo, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        "update gallery_stripe_job set due_at = $2 where viewer = $1 and done_at is null and due_at > $2",
        viewer as _,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Repeats the refund of a subscription for which a payment has arrived, also if it is just being refunded.
pub async fn repeat_refund(
    connection: &mut PgConnection,
    subscription: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update gallery_stripe_job set done_at = null, due_at = $2, attempts = attempts + 1
           where subject = $1 and kind = 'cancel_and_refund'"#,
        subscription,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Claims the job that has been due for the longest time, until `claimed_until`: then another instance may
/// claim it, should this one have stopped.
pub async fn claim_job(
    pool: &PgPool,
    now: DateTime<Utc>,
    claimed_until: DateTime<Utc>,
) -> Result<Option<StripeJob>> {
    let statement = sqlx::query_as!(
        StripeJob,
        r#"update gallery_stripe_job set due_at = $2, attempts = attempts + 1
           where no = (select no from gallery_stripe_job where done_at is null and due_at <= $1
                       order by due_at, no limit 1 for update skip locked)
           returning no, kind as "kind: JobKind", subject, attempts"#,
        now,
        claimed_until
    );
    statement.fetch_optional(pool).await
}

/// Marks a job as done.
pub async fn finish_job(pool: &PgPool, job: &StripeJob, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"update gallery_stripe_job set done_at = $3, error = null, failed = false
           where no = $1 and attempts = $2"#,
        job.no,
        job.attempts,
        now
    );
    statement.execute(pool).await.map(|_| ())
}

/// Saves the error of a job, and the time of the next attempt.
pub async fn postpone_job(
    pool: &PgPool,
    job: &StripeJob,
    error: &str,
    failed: bool,
    due_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update gallery_stripe_job set error = $3, failed = $4, due_at = $5
           where no = $1 and attempts = $2 and done_at is null"#,
        job.no,
        job.attempts,
        error,
        failed,
        due_at
    );
    statement.execute(pool).await.map(|_| ())
}
