//! Stores what accounts have received and read.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;

/// The maximum number of receipts that one mark writes. Older messages count as read without one.
const MAX_RECEIPTS: i64 = 1_000;

/// A message that an account has just marked as read.
pub struct NewlyRead {
    /// The time at which it was sent.
    pub sent_at: DateTime<Utc>,
}

/// Records that messages were served to an account that is a member of their channels, or is asked by them in
/// an open crew. Its own ones and those served before stay as they are.
pub async fn mark_delivered(
    pool: &PgPool,
    account: AccountNo,
    ids: &[String],
    now: DateTime<Utc>,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into receipt (message, account, delivered_at)
           select p.no, $1, $3 from private_message p
           where p.id = any($2) and p.author <> $1 and not p.shadow
             and (exists (select from channel_member m where m.channel = p.channel and m.account = $1)
                  or p.ask_to = $1
                     and exists (select from crew w where w.channel = p.channel and w.visibility = 'open'))
             and not exists (select from receipt r where r.message = p.no and r.account = $1)
           -- A message that is being deleted needs no receipt.
           order by p.no for key share of p skip locked
           on conflict do nothing"#,
        account as _,
        ids,
        now
    );
    statement.execute(pool).await.map(|_| ())
}

/// Marks all messages of a channel up to a number as read by a member. Messages from before it joined have
/// never been unread.
pub async fn mark_read_up_to(
    pool: &PgPool,
    channel: i64,
    account: AccountNo,
    up_to: MessageNo,
    now: DateTime<Utc>,
) -> Result<Vec<NewlyRead>> {
    let statement = sqlx::query_as!(
        NewlyRead,
        r#"with before as (
               select coalesce(max(read_no), 0) as read_no from channel_cursor
               where channel = $1 and account = $2
           ), moved as (
               insert into channel_cursor (channel, account, read_no) values ($1, $2, $3)
               on conflict (channel, account) do update
                   set read_no = greatest(channel_cursor.read_no, excluded.read_no)
           ), newest as (
               select p.no from private_message p
                   join channel_member m on m.channel = p.channel and m.account = $2
               where p.channel = $1 and p.no > (select read_no from before) and p.no <= $3 and p.author <> $2
                 and p.sent_at >= m.joined_at and not p.shadow and not p.hidden and p.deleted_at is null
               order by p.no desc limit $5
           ), passed as (
               -- Before any receipt is touched. A message that is being deleted needs none.
               select p.no from private_message p where p.no in (select no from newest)
               order by p.no for key share of p skip locked
           ), newly as (
               insert into receipt (message, account, delivered_at, read_at)
               select no, $2, $4, $4 from passed order by no
               on conflict (message, account) do update set read_at = excluded.read_at
                   where receipt.read_at is null
               returning message
           )
           select p.sent_at from newly join private_message p on p.no = newly.message"#,
        channel,
        account as _,
        up_to as _,
        now,
        MAX_RECEIPTS
    );
    statement.fetch_all(pool).await
}

/// Marks the messages as read that were served to an account: those with these ids and those of the channels
/// with these ids or, with `None`, all.
pub async fn mark_delivered_as_read(
    pool: &PgPool,
    subjects: Option<&[String]>,
    account: AccountNo,
    now: DateTime<Utc>,
) -> Result<Vec<NewlyRead>> {
    let read = sqlx::query!(
        r#"with mine as (
               select r.message, p.channel, p.sent_at
               from receipt r join private_message p on p.no = r.message join channel c on c.no = p.channel
               where r.account = $2 and r.read_at is null
                 and ($1::text[] is null or p.id = any($1) or c.id = any($1))
               -- A receipt that is being deleted with its message needs no mark.
               order by r.message for update of r skip locked
           ), newly as (
               update receipt r set read_at = $3 from mine
               where r.message = mine.message and r.account = $2 and r.read_at is null
               returning mine.channel, mine.sent_at
           )
           select channel, sent_at from newly"#,
        subjects,
        account as _,
        now
    )
    .fetch_all(pool)
    .await?;
    let mut channels: Vec<i64> = read.iter().map(|row| row.channel).collect();
    channels.sort_unstable();
    channels.dedup();
    advance_cursors(pool, &channels, account).await?;
    Ok(read.into_iter().map(|row| NewlyRead { sent_at: row.sent_at }).collect())
}

/// Moves an account's cursors in channels to just before the oldest message that it has not read, so that
/// counting what is unread never looks at the whole history.
async fn advance_cursors(pool: &PgPool, channels: &[i64], account: AccountNo) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into channel_cursor (channel, account, read_no)
           select m.channel, m.account, coalesce(unread.oldest - 1, newest.no)
           from channel_member m
               left join channel_cursor k on k.channel = m.channel and k.account = m.account
               cross join lateral (
                   select min(p.no) as oldest from private_message p
                   where p.channel = m.channel and p.no > coalesce(k.read_no, 0) and p.author <> m.account
                     and p.sent_at >= m.joined_at and not p.shadow and p.deleted_at is null
                     and not exists (select from receipt r where r.message = p.no and r.account = m.account
                                     and r.read_at is not null)
               ) as unread
               cross join lateral (
                   select coalesce(max(p.no), 0) as no from private_message p where p.channel = m.channel
               ) as newest
           where m.channel = any($1) and m.account = $2 order by m.channel
           on conflict (channel, account) do update
               set read_no = greatest(channel_cursor.read_no, excluded.read_no)"#,
        channels,
        account as _
    );
    statement.execute(pool).await.map(|_| ())
}
