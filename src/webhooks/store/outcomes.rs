//! The SQL that stores the outcomes of attempts. Where a transaction changes a webhook and its deliveries, the webhook
//! comes first, so that no two wait for each other. An outcome counts only while its delivery is pending and, unless it
//! was accepted, no later attempt has begun.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::{DeliveryClaim, Result};
use crate::webhooks::disabled::DisabledReason;

/// Saves that a delivery was accepted. Returns false if the delivery has ended or was deleted meanwhile.
pub(in crate::webhooks) async fn mark_delivered(
    pool: &PgPool,
    claim: &DeliveryClaim,
    status: u16,
    now: DateTime<Utc>,
) -> Result<bool> {
    let mut transaction = pool.begin().await?;
    sqlx::query!(
        "update webhook set failing_since = null, retry_at = $2 where no = $1 and failing_since is not null",
        claim.webhook,
        now
    )
    .execute(&mut *transaction)
    .await?;
    let delivered = sqlx::query!(
        "update delivery set state = 'delivered', last_status = $2 where no = $1 and state = 'pending'",
        claim.no,
        i32::from(status)
    );
    let delivered = delivered.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(delivered.rows_affected() > 0)
}

/// Saves that an attempt has failed. Returns since when all attempts of the webhook fail, and since when those of this
/// delivery do; `None` if the outcome does not count, so that the transaction must be rolled back.
pub(in crate::webhooks) async fn mark_failing(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    status: Option<u16>,
    now: DateTime<Utc>,
) -> Result<Option<(DateTime<Utc>, DateTime<Utc>)>> {
    let webhook = sqlx::query_scalar!(
        r#"update webhook set failing_since = coalesce(failing_since, $2) where no = $1
           returning failing_since as "since!""#,
        claim.webhook,
        now
    );
    let Some(webhook_since) = webhook.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let delivery = sqlx::query_scalar!(
        r#"update delivery set first_failed_at = coalesce(first_failed_at, $2), last_status = $3
           where no = $1 and state = 'pending' and attempts = $4 returning first_failed_at as "since!""#,
        claim.no,
        now,
        status.map(i32::from),
        claim.attempts
    );
    let delivery_since = delivery.fetch_optional(connection).await?;
    Ok(delivery_since.map(|delivery_since| (webhook_since, delivery_since)))
}

/// Saves the times of the next attempts: of any delivery of the webhook, and of this one, which the transaction has
/// marked as failing.
pub(in crate::webhooks) async fn postpone(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
    webhook_retry_at: DateTime<Utc>,
    next_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update webhook set retry_at = $2 where no = $1", claim.webhook, webhook_retry_at)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "update delivery set next_at = $2 where no = $1 and state = 'pending' and attempts = $3",
        claim.no,
        next_at,
        claim.attempts
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Gives a delivery up.
pub(in crate::webhooks) async fn fail_delivery(
    connection: &mut PgConnection,
    claim: &DeliveryClaim,
) -> Result<()> {
    sqlx::query!(
        "update delivery set state = 'failed' where no = $1 and state = 'pending' and attempts = $2",
        claim.no,
        claim.attempts
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Disables a webhook: for a reason if the server does so, so that its agent is told, or `None` if its agent does. Its
/// deliveries are given up.
pub(in crate::webhooks) async fn disable(
    connection: &mut PgConnection,
    webhook: i64,
    reason: Option<DisabledReason>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"update webhook set state = 'disabled', disabled_reason = $2, disabled_told_at = null,
               disabled_at = case when $2::text is not null then $3::timestamptz end
           where no = $1 and state = 'active'"#,
        webhook,
        reason.map(DisabledReason::name),
        now
    )
    .execute(&mut *connection)
    .await?;
    fail_pending_deliveries(connection, webhook).await
}

/// Gives all pending deliveries of a webhook up.
pub(super) async fn fail_pending_deliveries(connection: &mut PgConnection, webhook: i64) -> Result<()> {
    sqlx::query!("update delivery set state = 'failed' where webhook = $1 and state = 'pending'", webhook)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Ends a claim without an attempt.
pub(in crate::webhooks) async fn release(
    pool: &PgPool,
    claim: &DeliveryClaim,
    next_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"update delivery set next_at = $2, attempts = attempts - 1
           where no = $1 and state = 'pending' and attempts = $3"#,
        claim.no,
        next_at,
        claim.attempts
    )
    .execute(pool)
    .await
    .map(|_| ())
}
