//! The SQL that stores the outcomes of attempts. Where a transaction changes a webhook and its deliveries,
//! the webhook comes first, so that no two wait for each other. An outcome counts only while its delivery is
//! pending and, unless it was accepted, no later attempt has begun; for its webhook, only while that has the
//! address of the attempt.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::{DeliveryClaim, Result};
use crate::webhooks::DisabledReason;

/// The failures of a webhook and of one of its deliveries.
#[derive(Clone, Copy, Debug)]
pub(in crate::webhooks) struct Failures {
    /// The time since which all attempts of the webhook fail.
    pub webhook_since: DateTime<Utc>,
    /// The number of these attempts.
    pub webhook_attempts: i32,
    /// The time since which all attempts of the delivery fail.
    pub delivery_since: DateTime<Utc>,
}

/// Saves that a delivery was accepted. Returns false if the delivery has ended or was deleted meanwhile.
pub(in crate::webhooks) async fn mark_delivered(
    pool: &PgPool,
    claim: &DeliveryClaim,
    status: u16,
    now: DateTime<Utc>,
) -> Result<bool> {
    let mut transaction = pool.begin().await?;
    sqlx::query!(
        r#"update webhook set failing_since = null, failed_attempts = 0, retry_at = $2
           where no = $1 and url = $3 and failing_since is not null"#,
        claim.webhook,
        now,
        claim.url
    )
    .execute(&mut *transaction)
    .await?;
    let statement = sqlx::query!(
        r#"update delivery set state = 'delivered', last_status = $2, claimed_at = null
           where no = $1 and state = 'pending'"#,
        claim.no,
        i32::from(status)
    );
    let delivered = statement.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(delivered.rows_affected() > 0)
}

/// Saves that an attempt has failed. `None` if the outcome does not count, so that the transaction must be
/// rolled back.
pub(in crate::webhooks) async fn mark_failing(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    status: Option<u16>,
    now: DateTime<Utc>,
) -> Result<Option<Failures>> {
    let statement = sqlx::query!(
        r#"update webhook set failing_since = coalesce(failing_since, $2),
               failed_attempts = failed_attempts + 1
           where no = $1 and url = $3 returning failing_since as "since!", failed_attempts"#,
        claim.webhook,
        now,
        claim.url
    );
    let Some(webhook) = statement.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let statement = sqlx::query_scalar!(
        r#"update delivery set first_failed_at = coalesce(first_failed_at, $2), last_status = $3
           where no = $1 and state = 'pending' and attempts = $4 returning first_failed_at as "since!""#,
        claim.no,
        now,
        status.map(i32::from),
        claim.attempts
    );
    let delivery_since = statement.fetch_optional(connection).await?;
    Ok(delivery_since.map(|delivery_since| Failures {
        webhook_since: webhook.since,
        webhook_attempts: webhook.failed_attempts,
        delivery_since,
    }))
}

/// Saves the times of the next attempts: of any delivery of the webhook, and of this one, which the
/// transaction has marked as failing.
pub(in crate::webhooks) async fn postpone(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    webhook_retry_at: DateTime<Utc>,
    next_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update webhook set retry_at = $2 where no = $1", claim.webhook, webhook_retry_at)
        .execute(&mut *connection)
        .await?;
    end_claim(connection, claim, next_at).await
}

/// Ends a claim: the next attempt follows at this time.
pub(in crate::webhooks) async fn end_claim(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    next_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update delivery set next_at = $2, claimed_at = null
           where no = $1 and state = 'pending' and attempts = $3"#,
        claim.no,
        next_at,
        claim.attempts
    );
    statement.execute(connection).await.map(|_| ())
}

/// Ends a claim without an attempt.
pub(in crate::webhooks) async fn release(
    pool: &PgPool,
    claim: &DeliveryClaim,
    next_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update delivery set next_at = $2, attempts = attempts - 1, claimed_at = null
           where no = $1 and state = 'pending' and attempts = $3"#,
        claim.no,
        next_at,
        claim.attempts
    );
    statement.execute(pool).await.map(|_| ())
}

/// Gives a delivery up. A webhook is failing only while a delivery that has failed waits for its next
/// attempt.
pub(in crate::webhooks) async fn fail_delivery(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"update webhook set failing_since = null, failed_attempts = 0, retry_at = $3
           where no = $1 and failing_since is not null
             and not exists (select from delivery where webhook = $1 and state = 'pending'
                                                    and first_failed_at is not null and no <> $2)"#,
        claim.webhook,
        claim.no,
        now
    )
    .execute(&mut *connection)
    .await?;
    let statement = sqlx::query!(
        r#"update delivery set state = 'failed', claimed_at = null
           where no = $1 and state = 'pending' and attempts = $2"#,
        claim.no,
        claim.attempts
    );
    statement.execute(connection).await.map(|_| ())
}

/// Disables a webhook. The reason is that of the server, which the inbox reports to the agent, or `None` if
/// the agent itself disables it. Its deliveries are not sent any more; the clean-up marks them as failed.
pub(in crate::webhooks) async fn disable(
    connection: &mut PgConnection,
    webhook: i64,
    reason: Option<DisabledReason>,
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update webhook set state = 'disabled', disabled_reason = $2, disabled_reported_at = null,
               disabled_at = case when $2::text is not null then $3::timestamptz end
           where no = $1 and state = 'active'"#,
        webhook,
        reason.map(DisabledReason::name),
        now
    );
    statement.execute(connection).await.map(|_| ())
}
