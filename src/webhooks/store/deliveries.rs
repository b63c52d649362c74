//! The SQL of deliveries, as agents see them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::webhooks::deliveries::{Delivery, DeliveryState};

/// Returns the deliveries of a webhook before a number, newest first.
pub(in crate::webhooks) async fn list_deliveries(
    pool: &PgPool,
    webhook: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<Delivery>> {
    sqlx::query_as!(
        Delivery,
        r#"select no, id, type as kind, state as "state: DeliveryState", attempts, last_status as status,
                  case when state = 'pending' then next_at end as next_attempt_at, created_at
           from delivery where webhook = $1 and no < $2 order by no desc limit $3"#,
        webhook,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Returns the number of a delivery of a webhook.
pub(in crate::webhooks) async fn find_position(pool: &PgPool, webhook: i64, id: &str) -> Result<Option<i64>> {
    sqlx::query_scalar!("select no from delivery where webhook = $1 and id = $2", webhook, id)
        .fetch_optional(pool)
        .await
}

/// Inserts a delivery that an agent has asked for.
pub(in crate::webhooks) async fn insert_test(
    connection: &mut PgConnection,
    webhook: i64,
    dedupe_key: &str,
    data: &Value,
    now: DateTime<Utc>,
) -> Result<Delivery> {
    sqlx::query_as!(
        Delivery,
        r#"insert into delivery (webhook, dedupe_key, type, data, next_at, created_at)
           values ($1, $2, 'test', $3, $4, $4)
           returning no, id, type as kind, state as "state: DeliveryState", attempts, last_status as status,
                     next_at as next_attempt_at, created_at"#,
        webhook,
        dedupe_key,
        data,
        now
    )
    .fetch_one(connection)
    .await
}

/// Lets a delivery be sent again from now on; one that is pending stays as it is. `None` if the webhook has no such delivery.
pub(in crate::webhooks) async fn resend(
    connection: &mut PgConnection,
    webhook: i64,
    id: &str,
    now: DateTime<Utc>,
) -> Result<Option<Delivery>> {
    sqlx::query_as!(
        Delivery,
        r#"update delivery set state = 'pending', next_at = case when state = 'pending' then next_at else $3 end,
               first_failed_at = case when state = 'pending' then first_failed_at end
           where webhook = $1 and id = $2
           returning no, id, type as kind, state as "state: DeliveryState", attempts, last_status as status,
                     next_at as next_attempt_at, created_at"#,
        webhook,
        id,
        now
    )
    .fetch_optional(connection)
    .await
}

/// Saves the allowance of tests and repetitions, and lets the next attempt begin at once.
pub(in crate::webhooks) async fn update_allowance(
    connection: &mut PgConnection,
    webhook: i64,
    requests_full_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update webhook set requests_full_at = $2, retry_at = least(retry_at, $3) where no = $1",
        webhook,
        requests_full_at,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns the number of deliveries that wait for an attempt.
pub(in crate::webhooks) async fn count_pending(pool: &PgPool) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from delivery where state = 'pending'"#)
        .fetch_one(pool)
        .await
}

/// Deletes at most `limit` deliveries from before a time. Returns their number.
pub(in crate::webhooks) async fn delete_deliveries_before(
    pool: &PgPool,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let deleted = sqlx::query!(
        r#"delete from delivery where no in (
               select no from delivery where created_at < $1 order by created_at limit $2
           )"#,
        before,
        limit
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}

/// Deletes at most `limit` deliveries of a webhook. Returns their number.
pub(in crate::webhooks) async fn delete_deliveries_of(
    pool: &PgPool,
    webhook: i64,
    limit: i64,
) -> Result<u64> {
    let deleted = sqlx::query!(
        "delete from delivery where no in (select no from delivery where webhook = $1 order by no limit $2)",
        webhook,
        limit
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}

/// Deletes at most `limit` deliveries whose webhook was deleted. Returns their number.
pub(in crate::webhooks) async fn delete_deliveries_without_webhook(pool: &PgPool, limit: i64) -> Result<u64> {
    let deleted = sqlx::query!(
        r#"delete from delivery where no in (
               select d.no from delivery d
               where not exists (select from webhook w where w.no = d.webhook) limit $1
           )"#,
        limit
    );
    Ok(deleted.execute(pool).await?.rows_affected())
}
