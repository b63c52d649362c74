//! The SQL of webhooks.

mod claims;
mod cleanup;
mod deliveries;
mod outcomes;
mod scan;

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool, Result};

use super::{DisabledReason, DisabledWebhook, Webhook, WebhookState};

pub(super) use claims::{ClaimBounds, DeliveryClaim, claim, has_due, lock_claims};
pub(super) use cleanup::{
    count_without_key, delete_deliveries_before, delete_deliveries_without_webhook, delete_previous_secrets,
    disable_without_key, fail_deliveries_before, fail_ended_deliveries,
};
pub(super) use deliveries::{
    count_pending, find_position, insert_test, is_mention_withdrawn, list_deliveries, lock_allowance, resend,
    retry_now, set_allowance,
};
pub(super) use outcomes::{
    Failures, disable, end_claim, fail_delivery, mark_delivered, mark_failing, postpone, release,
};
pub(super) use scan::{
    EventPage, Position, insert_charges, insert_damage, insert_notices, insert_overwritten, insert_plans,
    insert_seasons, position, save_position, try_lock,
};

/// A webhook to be stored.
pub(super) struct NewWebhookRow<'a> {
    pub id: &'a str,
    /// The number of the agent.
    pub agent: AccountNo,
    pub url: &'a str,
    pub host: &'a str,
    pub events: &'a [String],
    /// Encrypted.
    pub secret: &'a [u8],
    pub now: DateTime<Utc>,
}

/// Inserts a webhook unless its agent has `limit` already, or is erased. Returns `None` then. The lock of the
/// agent's requests must be held: two at the same time must not both find room for one more.
pub(super) async fn insert(
    connection: &mut PgConnection,
    webhook: &NewWebhookRow<'_>,
    limit: i64,
) -> Result<Option<Webhook>> {
    let statement = sqlx::query_as!(
        Webhook,
        r#"insert into webhook (id, agent, url, host, events, secret, after_seq, charges_reported_at,
                                retry_at, created_at)
           select $1, $2, $3, $4, $5, $6, log_head.seq, $7, $7, $7 from log_head
           where (select count(*) from webhook where agent = $2) < $8
             and not exists (select from erasure where account = $2)
           returning no, id, url, events, state as "state: WebhookState", created_at"#,
        webhook.id,
        webhook.agent as _,
        webhook.url,
        webhook.host,
        webhook.events,
        webhook.secret,
        webhook.now,
        limit
    );
    statement.fetch_optional(connection).await
}

/// Returns the webhooks of an agent, newest first.
pub(super) async fn list(pool: &PgPool, agent: AccountNo) -> Result<Vec<Webhook>> {
    let statement = sqlx::query_as!(
        Webhook,
        r#"select no, id, url, events, state as "state: WebhookState", created_at from webhook
           where agent = $1 order by no desc"#,
        agent as _
    );
    statement.fetch_all(pool).await
}

/// Returns a webhook of an agent. The row is locked.
pub(super) async fn lock(
    connection: &mut PgConnection,
    agent: AccountNo,
    id: &str,
) -> Result<Option<Webhook>> {
    let statement = sqlx::query_as!(
        Webhook,
        r#"select no, id, url, events, state as "state: WebhookState", created_at from webhook
           where agent = $1 and id = $2 for no key update"#,
        agent as _,
        id
    );
    statement.fetch_optional(connection).await
}

/// Saves another address. The failures at the old one no longer count, so deliveries do not wait for its next
/// attempt. Deliveries that are being sent to the old address go on.
pub(super) async fn set_url(
    connection: &mut PgConnection,
    webhook: i64,
    url: &str,
    host: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"update webhook set url = $2, host = $3, failing_since = null, failed_attempts = 0, retry_at = $4
           where no = $1"#,
        webhook,
        url,
        host,
        now
    )
    .execute(&mut *connection)
    .await?;
    // Only those that have failed have a later time; a webhook that fails sends one at a time, so they are
    // few.
    let statement = sqlx::query!(
        r#"update delivery set next_at = $2
           where webhook = $1 and state = 'pending' and next_at > $2 and claimed_at is null"#,
        webhook,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves other events. Charges that were full before are not reported if `charges_full` is added.
pub(super) async fn set_events(
    connection: &mut PgConnection,
    webhook: i64,
    events: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update webhook set events = $2,
               charges_reported_at = case when 'charges_full' = any($2) and 'charges_full' <> all(events)
                                          then $3 else charges_reported_at end
           where no = $1"#,
        webhook,
        events,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Enables a webhook. Events from before are not reported, also if their deliveries were stored while it was
/// disabled.
pub(super) async fn enable(connection: &mut PgConnection, webhook: i64, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"update webhook set state = 'active', after_seq = log_head.seq, charges_reported_at = $2,
               failing_since = null, failed_attempts = 0, retry_at = $2, disabled_at = null,
               disabled_reason = null, disabled_reported_at = null,
               ended_before = nextval(pg_get_serial_sequence('delivery', 'no'))
           from log_head where no = $1"#,
        webhook,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Saves a new secret; the one before signs, too, from now on for a while. Returns false if the agent has no
/// such webhook.
pub(super) async fn replace_secret(
    pool: &PgPool,
    agent: AccountNo,
    id: &str,
    secret: &[u8],
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update webhook set previous_secret = secret, secret = $3, rotated_at = $4
           where agent = $1 and id = $2"#,
        agent as _,
        id,
        secret,
        now
    );
    Ok(statement.execute(pool).await?.rows_affected() > 0)
}

/// Deletes a webhook, but not its deliveries. Returns false if the agent has no such webhook.
pub(super) async fn delete(pool: &PgPool, agent: AccountNo, id: &str) -> Result<bool> {
    let statement = sqlx::query!("delete from webhook where agent = $1 and id = $2", agent as _, id);
    Ok(statement.execute(pool).await?.rows_affected() > 0)
}

/// Deletes the webhooks of an agent, but not their deliveries.
pub(super) async fn delete_all(pool: &PgPool, agent: AccountNo) -> Result<()> {
    sqlx::query!("delete from webhook where agent = $1", agent as _).execute(pool).await.map(|_| ())
}

/// Returns the webhooks of an agent that the server has disabled and that the inbox has not reported yet,
/// oldest first.
pub(super) async fn list_unreported(pool: &PgPool, agent: AccountNo) -> Result<Vec<DisabledWebhook>> {
    let statement = sqlx::query_as!(
        DisabledWebhook,
        r#"select no, id, url, disabled_at as "disabled_at!", disabled_reason as "reason!: DisabledReason"
           from webhook where agent = $1 and disabled_at is not null and disabled_reported_at is null
           order by disabled_at, no"#,
        agent as _
    );
    statement.fetch_all(pool).await
}

/// Saves that the inbox has reported these disabled webhooks to their agent.
pub(super) async fn mark_reported(
    pool: &PgPool,
    agent: AccountNo,
    webhooks: &[i64],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update webhook set disabled_reported_at = $3
           where agent = $1 and no = any($2) and disabled_at is not null and disabled_reported_at is null"#,
        agent as _,
        webhooks,
        now
    );
    statement.execute(pool).await.map(|_| ())
}
