//! The SQL of deleting old rows.

use chrono::{DateTime, Utc};
use rules::numbers::{MessageNo, Seq};
use rules::private_message::IMPORTANCE_PERIOD;
use sqlx::{PgPool, Result};

/// Returns the number of the oldest of the `count` newest public messages; [`Seq::ZERO`] if there are fewer.
pub(super) async fn oldest_kept_message(pool: &PgPool, count: i64) -> Result<Seq> {
    let statement = sqlx::query_scalar!(
        r#"select seq as "seq: Seq" from chat_message order by seq desc offset $1::bigint - 1 limit 1"#,
        count
    );
    Ok(statement.fetch_optional(pool).await?.unwrap_or(Seq::ZERO))
}

/// Deletes public messages that were sent before a time and have a lower number. Live intents stay.
pub(super) async fn delete_chat_texts(
    pool: &PgPool,
    before: DateTime<Utc>,
    kept_from: Seq,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from chat_message where id in (
               select id from chat_message
               where sent_at < $1 and seq < $2
                 and not coalesce(intent_state = 'open' and intent_expires_at > $3, false)
               order by sent_at limit $4
           )"#,
        before,
        kept_from as _,
        now,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes messages that only their authors can see, and those of them that have become public since.
pub(super) async fn delete_shadow_texts(
    pool: &PgPool,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from shadow_message where no in (
               select no from shadow_message
               where sent_at < $1 and not coalesce(intent_state = 'open' and intent_expires_at > $2, false)
               order by no limit $3
           )"#,
        before,
        now,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes crew and direct messages that were sent before a time. Questions that still wait are kept.
pub(super) async fn delete_private_messages(
    pool: &PgPool,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from private_message where no in (
               select no from private_message
               where sent_at < $1 and not coalesce(ask_state = 'waiting' and ask_by > $2, false)
               order by sent_at limit $3
           )"#,
        before,
        now,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Returns the channels with more than `limit` messages, each with the number up to which messages are too
/// many.
pub(super) async fn channels_beyond(pool: &PgPool, limit: i64) -> Result<Vec<(i64, MessageNo)>> {
    let statement = sqlx::query!(
        r#"select c.no, surplus.no as "newest_deleted!: MessageNo" from channel c
               cross join lateral (select p.no from private_message p where p.channel = c.no
                                   order by p.no desc offset $1 limit 1) as surplus"#,
        limit
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| (row.no, row.newest_deleted)).collect())
}

/// Deletes the messages of a channel up to a number. Questions that still wait are kept.
pub(super) async fn delete_channel_messages(
    pool: &PgPool,
    channel: i64,
    up_to: MessageNo,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from private_message where no in (
               select no from private_message
               where channel = $1 and no <= $2 and not coalesce(ask_state = 'waiting' and ask_by > $3, false)
               order by no limit $4
           )"#,
        channel,
        up_to as _,
        now,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes the uses of importance that are no longer counted.
pub(super) async fn delete_importance_uses(pool: &PgPool, now: DateTime<Utc>, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from importance_use where ctid = any(array(
               select ctid from importance_use where at <= $1 limit $2
           ))"#,
        now - IMPORTANCE_PERIOD,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes invitations to crews that were made before a time.
pub(super) async fn delete_invitations(pool: &PgPool, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    let statement = sqlx::query_scalar!(
        r#"with shadow as (
               delete from shadow_crew_invite where ctid = any(array(
                   select ctid from shadow_crew_invite where invited_at < $1 limit $2))
               returning 1
           ), visible as (
               delete from crew_invite where ctid = any(array(
                   select ctid from crew_invite where invited_at < $1 limit $2))
               returning 1
           )
           select (select count(*) from shadow) + (select count(*) from visible) as "count!""#,
        before,
        limit
    );
    Ok(statement.fetch_one(pool).await?.unsigned_abs())
}

/// Deletes notices that were last delivered before a time.
pub(super) async fn delete_notices(pool: &PgPool, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from private_notice where ctid = any(array(
               select ctid from private_notice where delivered_at < $1 limit $2
           ))"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Empties the evidence of cases that were closed before a time. The cases and their outcomes stay.
pub(super) async fn delete_evidence(pool: &PgPool, before: DateTime<Utc>, limit: i64) -> Result<u64> {
    // The size tells what is left without reading it.
    let statement = sqlx::query!(
        r#"update report_case set evidence = '{}' where no in (
               select no from report_case
               where closed_at < $1 and pg_column_size(evidence) > pg_column_size('{}'::jsonb)
               order by no limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes the mail addresses of customers whose viewers are erased, or had their last pass before a time. A
/// viewer without a pass, as after a revocation, is judged by its last action.
pub(super) async fn delete_customer_mail(
    pool: &PgPool,
    before: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update gallery_customer set email = null where id in (
               select c.id
               from gallery_customer c join gallery_viewer v on v.customer = c.id
                   join agent a on a.no = v.viewer
               where c.email is not null
                 and (coalesce(a.pass_until, a.last_seen_at) < $1
                      or exists (select from erasure e where e.account = v.viewer))
               limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes the mail addresses of these viewers.
pub(super) async fn delete_viewer_mail(
    pool: &PgPool,
    before: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update gallery_viewer set email = null, email_key = null where viewer in (
               select v.viewer from gallery_viewer v join agent a on a.no = v.viewer
               where v.email is not null
                 and (coalesce(a.pass_until, a.last_seen_at) < $1
                      or exists (select from erasure e where e.account = v.viewer))
               limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}
