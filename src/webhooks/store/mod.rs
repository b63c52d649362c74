//! The SQL of webhooks.

mod claims;
mod deliveries;
mod outcomes;
mod scan;

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::disabled::{DisabledReason, DisabledWebhook};
use super::{Webhook, WebhookState};

pub(super) use claims::{DeliveryClaim, HostLimits, claim};
pub(super) use deliveries::{
    count_pending, delete_deliveries_before, delete_deliveries_of, delete_deliveries_without_webhook,
    find_position, insert_test, list_deliveries, resend, update_allowance,
};
pub(super) use outcomes::{disable, fail_delivery, mark_delivered, mark_failing, postpone, release};
pub(super) use scan::{
    Position, insert_charges, insert_notices, insert_overwritten, insert_plans, insert_seasons, position,
    save_position, try_lock,
};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A webhook to be stored.
pub(super) struct NewWebhookRow<'a> {
    pub id: &'a str,
    /// The number of the agent.
    pub agent: i64,
    pub url: &'a str,
    pub host: &'a str,
    pub events: &'a [String],
    /// Encrypted.
    pub secret: &'a [u8],
    pub now: DateTime<Utc>,
}

/// Inserts a webhook unless its agent has `limit` already. Returns `None` then.
pub(super) async fn insert(
    connection: &mut PgConnection,
    webhook: &NewWebhookRow<'_>,
    limit: i64,
) -> Result<Option<Webhook>> {
    // Two requests at the same time must not both find room for one more.
    sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1::bigint, 0))",
        webhook.agent
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_as!(
        Webhook,
        r#"insert into webhook (id, agent, url, host, events, secret, after_seq, charges_told_at, retry_at,
                                requests_full_at, created_at)
           select $1, $2, $3, $4, $5, $6, log_head.seq, $7, $7, $7, $7 from log_head
           where (select count(*) from webhook where agent = $2) < $8
           returning no, id, url, events, state as "state: WebhookState", created_at"#,
        webhook.id,
        webhook.agent,
        webhook.url,
        webhook.host,
        webhook.events,
        webhook.secret,
        webhook.now,
        limit
    )
    .fetch_optional(connection)
    .await
}

/// Returns the webhooks of an agent, newest first.
pub(super) async fn list(pool: &PgPool, agent: i64) -> Result<Vec<Webhook>> {
    sqlx::query_as!(
        Webhook,
        r#"select no, id, url, events, state as "state: WebhookState", created_at from webhook
           where agent = $1 order by no desc"#,
        agent
    )
    .fetch_all(pool)
    .await
}

/// Returns a webhook of an agent, and the time of its allowance of tests and repetitions. The row is locked.
pub(super) async fn lock(
    connection: &mut PgConnection,
    agent: i64,
    id: &str,
) -> Result<Option<(Webhook, DateTime<Utc>)>> {
    let row = sqlx::query!(
        r#"select no, id, url, events, state as "state: WebhookState", created_at, requests_full_at from webhook
           where agent = $1 and id = $2 for no key update"#,
        agent,
        id
    );
    let row = row.fetch_optional(connection).await?;
    Ok(row.map(|row| {
        let (no, id, url, events) = (row.no, row.id, row.url, row.events);
        let webhook = Webhook { no, id, url, events, state: row.state, created_at: row.created_at };
        (webhook, row.requests_full_at)
    }))
}

/// Saves another address, and takes back that the last attempts have failed.
pub(super) async fn set_url(
    connection: &mut PgConnection,
    webhook: i64,
    (url, host): (&str, &str),
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        "update webhook set url = $2, host = $3, failing_since = null, retry_at = $4 where no = $1",
        webhook,
        url,
        host,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Saves other events.
pub(super) async fn set_events(connection: &mut PgConnection, webhook: i64, events: &[String]) -> Result<()> {
    sqlx::query!("update webhook set events = $2 where no = $1", webhook, events)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Enables a webhook. Events from before are not told, also if their deliveries were stored while it was disabled.
pub(super) async fn enable(connection: &mut PgConnection, webhook: i64, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        r#"update webhook set state = 'active', after_seq = log_head.seq, charges_told_at = $2, failing_since = null,
               retry_at = $2, disabled_at = null, disabled_reason = null, disabled_told_at = null
           from log_head where no = $1"#,
        webhook,
        now
    )
    .execute(&mut *connection)
    .await?;
    outcomes::fail_pending_deliveries(connection, webhook).await
}

/// Saves a new secret; the one before signs, too, from now on for a while. Returns false if the agent has no such webhook.
pub(super) async fn replace_secret(
    pool: &PgPool,
    agent: i64,
    id: &str,
    secret: &[u8],
    now: DateTime<Utc>,
) -> Result<bool> {
    let replaced = sqlx::query!(
        r#"update webhook set previous_secret = secret, secret = $3, rotated_at = $4
           where agent = $1 and id = $2"#,
        agent,
        id,
        secret,
        now
    )
    .execute(pool)
    .await?;
    Ok(replaced.rows_affected() > 0)
}

/// Deletes secrets that were replaced before a time.
pub(super) async fn delete_previous_secrets(pool: &PgPool, before: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update webhook set previous_secret = null where rotated_at < $1 and previous_secret is not null",
        before
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Deletes a webhook, but not its deliveries. Returns its number; `None` if the agent has no such webhook.
pub(super) async fn delete(pool: &PgPool, agent: i64, id: &str) -> Result<Option<i64>> {
    sqlx::query_scalar!("delete from webhook where agent = $1 and id = $2 returning no", agent, id)
        .fetch_optional(pool)
        .await
}

/// Returns the webhooks of an agent that the server has disabled and that it was not told of, oldest first.
pub(super) async fn list_disabled(pool: &PgPool, agent: i64) -> Result<Vec<DisabledWebhook>> {
    sqlx::query_as!(
        DisabledWebhook,
        r#"select no, id, url, disabled_at as "disabled_at!", disabled_reason as "reason!: DisabledReason"
           from webhook where agent = $1 and disabled_at is not null and disabled_told_at is null
           order by disabled_at, no"#,
        agent
    )
    .fetch_all(pool)
    .await
}

/// Saves that an agent was told of these disabled webhooks.
pub(super) async fn mark_told(pool: &PgPool, agent: i64, webhooks: &[i64], now: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        r#"update webhook set disabled_told_at = $3
           where agent = $1 and no = any($2) and disabled_at is not null and disabled_told_at is null"#,
        agent,
        webhooks,
        now
    )
    .execute(pool)
    .await
    .map(|_| ())
}
