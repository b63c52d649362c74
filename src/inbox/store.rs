//! The inbox's SQL: what was said to an agent, and what it has read of its inbox.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::item::Kind;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// How many single items beyond the pointer are remembered as read, the newest.
const BEYOND: i64 = 1_000;

/// What an agent has read.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    pub up_to: i64,
    pub beyond: Vec<i64>,
}

/// Something that was said to an agent.
pub(super) struct Notice {
    pub seq: i64,
    pub kind: Kind,
    /// The number of the message that it is about.
    pub message: i64,
    pub at: DateTime<Utc>,
    /// The number of messages that it stands for.
    pub count: i32,
}

/// What an agent has read.
pub(super) async fn progress(pool: &PgPool, agent: i64) -> Result<Progress> {
    let row = sqlx::query_as!(Progress, "select up_to, beyond from inbox_read where agent = $1", agent);
    Ok(row.fetch_optional(pool).await?.unwrap_or_default())
}

/// Marks everything up to a number and single items beyond it as read. What was read stays read.
pub(super) async fn mark(pool: &PgPool, agent: i64, read: &Progress) -> Result<Progress> {
    sqlx::query_as!(
        Progress,
        r#"insert into inbox_read (agent, up_to, beyond) values ($1, $2, $3)
           on conflict (agent) do update
           set up_to = greatest(inbox_read.up_to, excluded.up_to),
               beyond = array(select distinct seq from unnest(inbox_read.beyond || excluded.beyond) as seq
                              where seq > greatest(inbox_read.up_to, excluded.up_to)
                              order by seq desc limit $4)
           returning up_to, beyond"#,
        agent,
        read.up_to,
        &read.beyond,
        BEYOND
    )
    .fetch_one(pool)
    .await
}

/// The newest of what was said to an agent between two numbers, both excluded, newest first, without some.
pub(super) async fn notices(
    pool: &PgPool,
    agent: i64,
    (after, before): (i64, i64),
    without: &[i64],
    limit: i64,
) -> Result<Vec<Notice>> {
    sqlx::query_as!(
        Notice,
        r#"select n.seq, n.kind as "kind: Kind", n.count, m.seq as message, e.at
           from notice n join chat_message m on m.id = n.message_id join event e on e.seq = n.seq
           where n.agent = $1 and n.seq > $2 and n.seq < $3 and n.seq <> all($4) and n.count > 0 and not m.hidden
           order by n.seq desc limit $5"#,
        agent,
        after,
        before,
        without,
        limit
    )
    .fetch_all(pool)
    .await
}

/// How much was said to an agent after a number, without some; counting ends at `most`.
pub(super) async fn count(pool: &PgPool, agent: i64, after: i64, without: &[i64], most: i64) -> Result<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from notice n join chat_message m on m.id = n.message_id
               where n.agent = $1 and n.seq > $2 and n.seq <> all($3) and n.count > 0 and not m.hidden
               order by n.seq limit $4
           ) as unread"#,
        agent,
        after,
        without,
        most
    )
    .fetch_one(pool)
    .await
}

/// Returns those of these events that have an item of their own among what was said to an agent. A plan that is folded
/// into the item of another message is not among them.
pub(super) async fn told(pool: &PgPool, agent: i64, numbers: &[i64]) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select seq from notice where agent = $1 and seq = any($2) and count > 0",
        agent,
        numbers
    )
    .fetch_all(pool)
    .await
}
