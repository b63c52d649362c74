//! Groups the messages of a crew's channel by the labels of their threads.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use sqlx::PgPool;

use super::Result;

/// The maximum number of threads of a crew that are listed: those with the newest messages.
const MAX_THREADS: i64 = 1_000;

/// A thread as a reader sees it: messages that were hidden or deleted are not counted.
pub struct ThreadRow {
    pub label: String,
    /// The number of its messages.
    pub count: i64,
    /// The time of the oldest.
    pub created_at: DateTime<Utc>,
    /// The number of the newest.
    pub newest: MessageNo,
    /// The number of the message whose id is the label; `None` if the reader sees none.
    pub root: Option<MessageNo>,
}

/// Returns the labels of all threads of a crew's channel, whoever sees their messages.
pub async fn list_labels(pool: &PgPool, channel: i64) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select distinct thread as "thread!" from private_message
           where channel = $1 and thread is not null"#,
        channel
    );
    statement.fetch_all(pool).await
}

/// Returns the threads of a crew's channel in which a reader sees a message, the one with the newest first;
/// with a label only that one.
pub async fn list_threads(
    pool: &PgPool,
    channel: i64,
    reader: Option<AccountNo>,
    label: Option<&str>,
) -> Result<Vec<ThreadRow>> {
    let statement = sqlx::query_as!(
        ThreadRow,
        r#"select t.thread as "label!", t.count as "count!", t.oldest_at as "created_at!",
                  t.newest as "newest!: MessageNo", root.no as "root?: MessageNo"
           from (select p.thread, count(*) as count, min(p.sent_at) as oldest_at, max(p.no) as newest
                 from private_message p
                 where p.channel = $1 and p.thread is not null and not p.hidden and p.deleted_at is null
                   and seen_by(p.shadow, p.author, $2) and ($4::text is null or p.thread = $4)
                 group by p.thread order by max(p.no) desc limit $3) as t
               left join private_message root on root.channel = $1 and root.id = t.thread
                   and not root.hidden and root.deleted_at is null
                   and seen_by(root.shadow, root.author, $2)
           order by t.newest desc"#,
        channel,
        reader as _,
        MAX_THREADS,
        label
    );
    statement.fetch_all(pool).await
}
