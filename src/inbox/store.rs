//! The inbox's SQL: what was said to an agent, and what it has read of its inbox.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::item::InboxItemKind;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// How many single items beyond the pointer are remembered as read, the newest.
const MAX_READ_BEYOND: i64 = 1_000;

/// What an agent has read.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadProgress {
    pub up_to: i64,
    pub beyond: Vec<i64>,
}

/// Something that was said to an agent.
pub(super) struct InboxNotice {
    pub seq: i64,
    pub kind: InboxItemKind,
    /// The number of the message that it is about.
    pub message: i64,
    pub at: DateTime<Utc>,
    /// The number of messages that it stands for.
    pub count: i32,
}

/// What an agent has read.
pub(super) async fn find_progress(pool: &PgPool, agent: i64) -> Result<ReadProgress> {
    let row = sqlx::query_as!(ReadProgress, "select up_to, beyond from inbox_read where agent = $1", agent);
    Ok(row.fetch_optional(pool).await?.unwrap_or_default())
}

/// Marks everything up to a number and single items beyond it as read. What was read stays read.
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

/// The newest of what was said to an agent between two numbers, both excluded, newest first, without some.
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

/// How much was said to an agent after a number, without some; counting ends at `most`.
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

/// Returns those of these events that have an item of their own among what was said to an agent. A plan that is folded
/// into the item of another message is not among them.
pub(super) async fn noticed_among(pool: &PgPool, agent: i64, seqs: &[i64]) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select seq from notice where agent = $1 and seq = any($2) and count > 0",
        agent,
        seqs
    )
    .fetch_all(pool)
    .await
}
