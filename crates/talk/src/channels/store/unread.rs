//! Counts unread messages, and finds questions.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;
use crate::channels::WaitingAsk;

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
    pub newest: MessageNo,
    /// The numbers of those of them that belong to a thread.
    pub threaded: Vec<MessageNo>,
    /// True if the author of one of them has marked it as important.
    pub is_important: bool,
    /// The number of those that mention the account and do not ask it.
    pub mention_count: i64,
    /// The number of the newest of these; `None` if there are none.
    pub newest_mention: Option<MessageNo>,
}

/// A thread with unread messages.
pub struct ThreadUnread {
    pub channel: i64,
    /// The label.
    pub thread: String,
    pub count: i64,
    /// The number of the newest of them.
    pub newest: MessageNo,
}

/// A question that waits.
pub struct AskRow {
    pub no: MessageNo,
    id: String,
    from: String,
    by: DateTime<Utc>,
}

impl AskRow {
    /// Returns the question as responses list it.
    pub fn into_waiting(self) -> WaitingAsk {
        WaitingAsk { message_id: self.id, from: self.from, by: self.by }
    }
}

/// Returns the channels in which an account has unread messages, in descending order of the newest such
/// message. With `only`, other channels than these are left out.
pub async fn unread_channels(
    pool: &PgPool,
    account: AccountNo,
    only: Option<&[i64]>,
) -> Result<Vec<ChannelUnread>> {
    let statement = sqlx::query_as!(
        ChannelUnread,
        r#"select c.no, c.id as "id: Arc<str>", w.name as "crew_name?: Arc<str>", unread.count as "count!",
                  unread.newest as "newest!: MessageNo", unread.threaded as "threaded!: Vec<MessageNo>",
                  unread.is_important as "is_important!", unread.mention_count as "mention_count!",
                  unread.newest_mention as "newest_mention?: MessageNo"
           from channel_member m join channel c on c.no = m.channel
               left join crew w on w.channel = c.no
               left join channel_cursor k on k.channel = m.channel and k.account = m.account
               cross join lateral (
                   select count(*) as count, max(no) as newest,
                          coalesce(array_agg(no) filter (where thread is not null), '{}') as threaded,
                          coalesce(bool_or(importance <> 'normal'), false) as is_important,
                          count(*) filter (where is_mention) as mention_count,
                          max(no) filter (where is_mention) as newest_mention from (
                       select p.no, p.thread, p.importance,
                              coalesce($1 = any(p.mentions), false) and p.ask_to is distinct from $1
                                  as is_mention
                       from private_message p
                       where p.channel = c.no and p.no > coalesce(k.read_no, 0) and p.author <> $1
                         and p.sent_at >= m.joined_at and not p.shadow and not p.hidden
                         and p.deleted_at is null
                         and not exists (select from receipt r where r.message = p.no and r.account = $1
                                         and r.read_at is not null)
                       order by p.no desc limit $2
                   ) as newest_unread
               ) as unread
           where m.account = $1 and ($4::bigint[] is null or m.channel = any($4))
             and unread.count > 0 and not coalesce(w.hidden, false)
           order by unread.newest desc limit $3"#,
        account as _,
        MAX_COUNT,
        MAX_CHANNELS,
        only
    );
    statement.fetch_all(pool).await
}

/// Returns the threads of these messages, the one with the newest first.
pub async fn group_by_thread(pool: &PgPool, nos: &[MessageNo]) -> Result<Vec<ThreadUnread>> {
    if nos.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query_as!(
        ThreadUnread,
        r#"select channel, thread as "thread!", count(*) as "count!", max(no) as "newest!: MessageNo"
           from private_message where no = any($1) and thread is not null
           group by channel, thread order by max(no) desc"#,
        nos as _
    );
    statement.fetch_all(pool).await
}

/// Returns the number of unread messages of a member in a channel, at most 100.
pub async fn count_unread(pool: &PgPool, channel: i64, account: AccountNo) -> Result<i64> {
    let unread = super::select_unread(pool, channel, account, MAX_COUNT).await?;
    Ok(unread.len() as i64)
}

/// Returns the questions that wait for an account that can read them, the most important first, then the one
/// that ends first.
pub async fn waiting_asks(pool: &PgPool, account: AccountNo, now: DateTime<Utc>) -> Result<Vec<AskRow>> {
    let statement = sqlx::query_as!(
        AskRow,
        r#"select p.no as "no: MessageNo", p.id, (select a.id from agent a where a.no = p.author) as "from!",
                  p.ask_by as "by!"
           from private_message p left join crew w on w.channel = p.channel
           where p.ask_to = $1 and p.ask_state = 'waiting' and p.ask_shadow_state is null
             and p.ask_by > $2
             and not p.shadow and not p.hidden and p.deleted_at is null and not coalesce(w.hidden, false)
             and (w.visibility = 'open'
                  or exists (select from channel_member m where m.channel = p.channel and m.account = $1))
           order by case p.importance when 'critical' then 0 when 'high' then 1 else 2 end, p.ask_by, p.no
           limit $3"#,
        account as _,
        now,
        MAX_ASKS
    );
    statement.fetch_all(pool).await
}
