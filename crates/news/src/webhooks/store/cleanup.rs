//! The SQL that ends and deletes deliveries, a batch at a time, and disables webhooks without a key.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Result;

/// Marks at most `limit` pending deliveries of disabled webhooks as failed, and those from before a webhook
/// was enabled again. Returns their number.
pub(in crate::webhooks) async fn fail_ended_deliveries(pool: &PgPool, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"with recursive waiting as (
               (select webhook from delivery where state = 'pending' order by webhook limit 1)
               union all
               select (select d.webhook from delivery d
                       where d.state = 'pending' and d.webhook > waiting.webhook
                       order by d.webhook limit 1)
               from waiting where waiting.webhook is not null
           )
           update delivery set state = 'failed', claimed_at = null where state = 'pending' and no in (
               select d.no from waiting join webhook w on w.no = waiting.webhook
               cross join lateral (
                   select no from delivery
                   where webhook = w.no and state = 'pending'
                     and (w.state = 'disabled' or greatest(no, repeated_after) < w.ended_before) limit $1
               ) as d limit $1
           )"#,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Marks at most `limit` pending deliveries from before a time as failed. Returns their number.
pub(in crate::webhooks) async fn fail_deliveries_before(
    pool: &PgPool,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update delivery set state = 'failed', claimed_at = null where state = 'pending' and no in (
               select no from delivery where created_at < $1 and state = 'pending'
               order by created_at limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes at most `limit` deliveries from before a time that wait for no attempt. Returns their number.
pub(in crate::webhooks) async fn delete_deliveries_before(
    pool: &PgPool,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from delivery where state <> 'pending' and no in (
               select no from delivery where created_at < $1 and state <> 'pending'
               order by created_at limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes at most `limit` deliveries whose webhook was deleted. Returns their number.
pub(in crate::webhooks) async fn delete_deliveries_without_webhook(pool: &PgPool, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"with recursive stored as (
               (select webhook from delivery order by webhook limit 1)
               union all
               select (select d.webhook from delivery d where d.webhook > stored.webhook
                       order by d.webhook limit 1)
               from stored where stored.webhook is not null
           )
           delete from delivery where no in (
               select d.no from stored
               cross join lateral (select no from delivery where webhook = stored.webhook limit $1) as d
               where not exists (select from webhook w where w.no = stored.webhook) limit $1
           )"#,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes secrets that were replaced before a time.
pub(in crate::webhooks) async fn delete_previous_secrets(pool: &PgPool, before: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        "update webhook set previous_secret = null where rotated_at < $1 and previous_secret is not null",
        before
    );
    statement.execute(pool).await.map(|_| ())
}

/// Returns the number of active webhooks whose secrets keys with other names have encrypted.
pub(in crate::webhooks) async fn count_without_key(pool: &PgPool, key_names: &[Vec<u8>]) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from webhook
           where state = 'active' and substring(secret from 1 for 8) <> all($1)"#,
        key_names
    );
    statement.fetch_one(pool).await
}

/// Disables active webhooks whose secrets keys with other names have encrypted, if a delivery is due since a
/// time. Returns their ids.
pub(in crate::webhooks) async fn disable_without_key(
    pool: &PgPool,
    key_names: &[Vec<u8>],
    due_since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"update webhook w set state = 'disabled', disabled_reason = 'secret_lost', disabled_at = $3,
               disabled_reported_at = null
           from agent a
           where a.no = w.agent and (a.banned_until is null or a.banned_until <= $2) and w.state = 'active'
             and w.retry_at <= $2 and substring(w.secret from 1 for 8) <> all($1)
             and exists (select from delivery d
                         where d.webhook = w.no and d.state = 'pending' and d.next_at <= $2)
           returning w.id"#,
        key_names,
        due_since,
        now
    );
    statement.fetch_all(pool).await
}
