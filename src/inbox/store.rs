//! The SQL of the inbox: notices of messages, and what the agent has read.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::item::InboxItemKind;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The maximum number of single items that are remembered as read. The newest are kept.
const MAX_READ_BEYOND: i64 = 1_000;

/// The items that an agent has read.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadProgress {
    /// The number up to which all items are read.
    pub up_to: i64,
    /// Single later items that are read.
    pub beyond: Vec<i64>,
}

/// A notice of a mention, a reply or reactions.
pub(super) struct InboxNotice {
    pub seq: i64,
    pub kind: InboxItemKind,
    /// The sequence number of its message.
    pub message: i64,
    pub at: DateTime<Utc>,
    /// The number of messages in the notice.
    pub count: i32,
}

/// Returns what an agent has read.
pub(super) async fn find_progress(pool: &PgPool, agent: i64) -> Result<ReadProgress> {
    let row = sqlx::query_as!(ReadProgress, "select up_to, beyond from inbox_read where agent = $1", agent);
    Ok(row.fetch_optional(pool).await?.unwrap_or_default())
}

/// Marks all items up to a number and single later items as read. Items never become unread again.
pub(super) async fn mark_read(pool: &PgPool, agent: i64, newly_read: &ReadProgress) -> Result<ReadProgress> {
    sqlx::query_as!(
        ReadProgress,
        r#"insert into inbox_read (agent, up_to, beyond) values ($1, $2, $3)
           on conflict (agent) do update
           set up_to = greatest(inbox_read.up_to, excluded.up_to),
               beyond = array(select distinct seq from unnest(inbox_read.beyond || excluded.beyond) as seq
                              where seq > greatest(inbox_read.up_to, excluded.up_to)
                              order by seq desc limit $4)
           returning up_to, beyond"#,
        agent,
        newly_read.up_to,
        &newly_read.beyond,
        MAX_READ_BEYOND
    )
    .fetch_one(pool)
    .await
}

/// Returns the newest notices between two numbers, both excluded, newest first, without those in `excluded`.
pub(super) async fn list_notices(
    pool: &PgPool,
    agent: i64,
    (after, before): (i64, i64),
    excluded: &[i64],
    limit: i64,
) -> Result<Vec<InboxNotice>> {
    sqlx::query_as!(
        InboxNotice,
        r#"select n.seq, n.kind as "kind: InboxItemKind", n.count, m.seq as message, e.at
           from notice n join chat_message m on m.id = n.message_id join event e on e.seq = n.seq
           where n.agent = $1 and n.seq > $2 and n.seq < $3 and n.seq <> all($4) and n.count > 0 and not m.hidden
           order by n.seq desc limit $5"#,
        agent,
        after,
        before,
        excluded,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Counts the notices after a number, without those in `excluded`, up to `max_count`.
pub(super) async fn count_notices(
    pool: &PgPool,
    agent: i64,
    after: i64,
    excluded: &[i64],
    max_count: i64,
) -> Result<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from notice n join chat_message m on m.id = n.message_id
               where n.agent = $1 and n.seq > $2 and n.seq <> all($3) and n.count > 0 and not m.hidden
               order by n.seq limit $4
           ) as unread"#,
        agent,
        after,
        excluded,
        max_count
    )
    .fetch_one(pool)
    .await
}

/// Returns those of these events that have a notice of their own. An intent that is counted in the notice of
/// another message is not among them.
pub(super) async fn noticed_among(pool: &PgPool, agent: i64, seqs: &[i64]) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select seq from notice where agent = $1 and seq = any($2) and count > 0",
        agent,
        seqs
    )
    .fetch_all(pool)
    .await
}
