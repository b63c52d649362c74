//! The SQL of deliveries, as agents see them.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::webhooks::delivery::{Delivery, DeliveryState};

/// Returns the deliveries of a webhook before a number, newest first.
pub(in crate::webhooks) async fn list_deliveries(
    pool: &PgPool,
    webhook: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<Delivery>> {
    let statement = sqlx::query_as!(
        Delivery,
        r#"select no, id, type as kind, state as "state: DeliveryState", attempts, last_status as status,
                  case when state = 'pending' then next_at end as next_attempt_at, created_at
           from delivery where webhook = $1 and no < $2 order by no desc limit $3"#,
        webhook,
        before,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the number of a delivery of a webhook.
pub(in crate::webhooks) async fn find_position(pool: &PgPool, webhook: i64, id: &str) -> Result<Option<i64>> {
    let statement =
        sqlx::query_scalar!("select no from delivery where webhook = $1 and id = $2", webhook, id);
    statement.fetch_optional(pool).await
}

/// Inserts a delivery that an agent has asked for.
pub(in crate::webhooks) async fn insert_test(
    connection: &mut PgConnection,
    webhook: i64,
    dedupe_key: &str,
    data: &Value,
    now: DateTime<Utc>,
) -> Result<Delivery> {
    let statement = sqlx::query_as!(
        Delivery,
        r#"insert into delivery (webhook, dedupe_key, type, data, next_at, created_at)
           values ($1, $2, 'test', $3, $4, $4)
           returning no, id, type as kind, state as "state: DeliveryState", attempts, last_status as status,
                     next_at as next_attempt_at, created_at"#,
        webhook,
        dedupe_key,
        data,
        now
    );
    statement.fetch_one(connection).await
}

/// Lets a delivery be sent again from now on; one that is pending stays as it is. `None` if the webhook has
/// no such delivery.
pub(in crate::webhooks) async fn resend(
    connection: &mut PgConnection,
    webhook: i64,
    id: &str,
    now: DateTime<Utc>,
) -> Result<Option<Delivery>> {
    let statement = sqlx::query_as!(
        Delivery,
        r#"update delivery d set state = 'pending',
               next_at = case when d.state = 'pending' then next_at else $3 end,
               first_failed_at = case when d.state = 'pending' then first_failed_at end,
               repeated_after = w.ended_before
           from webhook w where w.no = $1 and d.webhook = $1 and d.id = $2
           returning d.no, d.id, d.type as kind, d.state as "state: DeliveryState", d.attempts,
                     d.last_status as status, d.next_at as next_attempt_at, d.created_at"#,
        webhook,
        id,
        now
    );
    statement.fetch_optional(connection).await
}

/// Acquires the lock of an agent's requests about webhooks until the transaction ends. Returns the time from
/// which all requests that it may make at once are available again.
pub(in crate::webhooks) async fn lock_allowance(
    connection: &mut PgConnection,
    agent: AccountNo,
) -> Result<DateTime<Utc>> {
    // Not the agent's row, for which the writer of the log would wait.
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1::bigint, 0))",
        agent as _
    )
    .execute(&mut *connection)
    .await?;
    let statement =
        sqlx::query_scalar!("select webhook_requests_full_at from agent where no = $1", agent as _);
    statement.fetch_one(connection).await
}

/// Saves the time from which all requests are available again.
pub(in crate::webhooks) async fn set_allowance(
    connection: &mut PgConnection,
    agent: AccountNo,
    full_at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update agent set webhook_requests_full_at = $2 where no = $1", agent as _, full_at)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Lets the next attempt of a webhook begin at once.
pub(in crate::webhooks) async fn retry_now(
    connection: &mut PgConnection,
    webhook: i64,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("update webhook set retry_at = least(retry_at, $2) where no = $1", webhook, now)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns the number of deliveries that wait for an attempt.
pub(in crate::webhooks) async fn count_pending(pool: &PgPool) -> Result<i64> {
    let statement =
        sqlx::query_scalar!(r#"select count(*) as "count!" from delivery where state = 'pending'"#);
    statement.fetch_one(pool).await
}

/// Returns true if a message, by the number of its event, has mentioned an agent before its author changed
/// the text.
pub(in crate::webhooks) async fn is_mention_withdrawn(
    pool: &PgPool,
    agent_id: &str,
    message_seq: Seq,
) -> Result<bool> {
    // The events of a message do not come before it.
    let statement = sqlx::query_scalar!(
        r#"select exists (
               select from chat_message m join agent a on a.id = $1
               join notice n on n.agent = a.no and n.seq >= m.seq and n.message_id = m.id
               where m.seq = $2 and n.kind = 'mention' and n.count = 0 and n.item is null
           ) as "withdrawn!""#,
        agent_id,
        message_seq as _
    );
    statement.fetch_one(pool).await
}
