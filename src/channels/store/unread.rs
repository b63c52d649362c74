//! Counts unread messages, and finds questions.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Result;

/// The maximum number of unread messages of one channel that are counted.
const MAX_COUNT: i64 = 100;
/// The maximum number of channels with unread messages that are listed.
const MAX_CHANNELS: i64 = 100;
/// The maximum number of questions that are listed.
const MAX_ASKS: i64 = 50;

/// A channel with unread messages.
pub struct ChannelUnread {
    pub no: i64,
    /// `crew_…` or `dm_…`.
    pub id: Arc<str>,
    /// The name of the crew; `None` for a conversation.
    pub crew_name: Option<Arc<str>>,
    /// The number of unread messages, at most 100.
    pub count: i64,
    /// The number of the newest of them.
    pub newest: i64,
}

/// Returns the channels in which an account has unread messages, the one with the newest first; with `only`, those of
/// these.
pub async fn unread_channels(
    pool: &PgPool,
    account: i64,
    only: Option<&[i64]>,
) -> Result<Vec<ChannelUnread>> {
    sqlx::query_as!(
        ChannelUnread,
        r#"select c.no, c.id as "id: Arc<str>", w.name as "crew_name?: Arc<str>", unread.count as "count!",
                  unread.newest as "newest!"
           from channel_member m join channel c on c.no = m.channel
               left join crew w on w.channel = c.no
               left join channel_cursor k on k.channel = m.channel and k.account = m.account
               cross join lateral (
                   select count(*) as count, max(no) as newest from (
                       select p.no from private_message p
                       where p.channel = c.no and p.no > coalesce(k.read_no, 0) and p.author <> $1
                         and p.sent_at >= m.joined_at and not p.shadow and not p.hidden and p.deleted_at is null
                         and not exists (select from receipt r where r.message = p.no and r.account = $1
                                         and r.read_at is not null)
                       order by p.no desc limit $2
                   ) as newest_unread
               ) as unread
           where m.account = $1 and ($4::bigint[] is null or m.channel = any($4))
             and unread.count > 0 and not coalesce(w.hidden, false)
           order by unread.newest desc limit $3"#,
        account,
        MAX_COUNT,
        MAX_CHANNELS,
        only
    )
    .fetch_all(pool)
    .await
}

/// Returns the number of unread messages of a member in a channel, at most 100.
pub async fn count_unread(pool: &PgPool, channel: i64, account: i64) -> Result<i64> {
    let unread = super::select_unread(pool, channel, account, MAX_COUNT).await?;
    Ok(unread.len() as i64)
}

/// Returns the numbers of the messages whose questions wait for an account that can read them, the most important
/// first, then the one that ends first.
pub async fn waiting_asks(pool: &PgPool, account: i64, now: DateTime<Utc>) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select p.no from private_message p left join crew w on w.channel = p.channel
           where p.ask_to = $1 and p.ask_state = 'waiting' and p.ask_shadow_state is null and p.ask_by > $2
             and not p.shadow and not p.hidden and p.deleted_at is null and not coalesce(w.hidden, false)
             and (w.visibility = 'open'
                  or exists (select from channel_member m where m.channel = p.channel and m.account = $1))
           order by case p.importance when 'critical' then 0 when 'high' then 1 else 2 end, p.ask_by, p.no
           limit $3"#,
        account,
        now,
        MAX_ASKS
    )
    .fetch_all(pool)
    .await
}

/// Returns the numbers of the messages with which an account has asked something that has ended since a time, the
/// one that ended last first.
pub async fn ended_asks_of(
    pool: &PgPool,
    author: i64,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select no from private_message
           where author = $1 and ask_to is not null and deleted_at is null and not hidden
             and (ask_state <> 'waiting' and ask_ended_at > $2
                  or ask_state = 'waiting' and ask_by > $2 and ask_by <= $3)
           order by coalesce(ask_ended_at, ask_by) desc limit $4"#,
        author,
        since,
        now,
        MAX_ASKS
    )
    .fetch_all(pool)
    .await
}
