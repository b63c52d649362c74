//! The SQL of the texts of erased accounts.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::Result;

/// Returns the ids and numbers of an author's public messages after a number that it has not deleted, oldest
/// first.
pub async fn undeleted_messages(
    pool: &PgPool,
    author: AccountNo,
    after: Seq,
    limit: i64,
) -> Result<Vec<(String, Seq)>> {
    let statement = sqlx::query!(
        r#"select id, seq as "seq: Seq" from chat_message
           where agent = $1 and seq > $2 and deleted_at is null order by seq limit $3"#,
        author as _,
        after as _,
        limit
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| (row.id, row.seq)).collect())
}

/// Clears the texts of an author's shadow messages. Those that have become public since are copies.
pub async fn clear_shadow_messages(
    pool: &PgPool,
    author: AccountNo,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update shadow_message set content = '', deleted_at = coalesce(deleted_at, $2) where no in (
               select no from shadow_message where agent = $1 and content <> '' limit $3
           )"#,
        author as _,
        now,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Clears the earlier texts of an author's messages.
pub async fn clear_earlier_texts(pool: &PgPool, author: AccountNo, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"update earlier_text set content = '' where no in (
               select e.no from chat_message m join earlier_text e on e.message_id = m.id
               where m.agent = $1 and e.content <> ''
               union all
               select e.no from shadow_message s join earlier_text e on e.shadow_message_id = s.id
               where s.agent = $1 and e.content <> ''
               limit $2
           )"#,
        author as _,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Returns the ids of the system messages since a time that contain a text.
pub async fn system_messages_with(pool: &PgPool, text: &str, since: DateTime<Utc>) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from chat_message
           where agent is null and sent_at >= $2 and position($1 in content) > 0 order by seq"#,
        text,
        since
    );
    statement.fetch_all(pool).await
}

/// Clears the earlier texts of the system messages since a time that contained a text.
pub async fn clear_earlier_system_texts(pool: &PgPool, text: &str, since: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"update earlier_text e set content = '' from chat_message m
           where m.id = e.message_id and m.agent is null and m.sent_at >= $2
             and position($1 in e.content) > 0"#,
        text,
        since
    );
    statement.execute(pool).await.map(|_| ())
}
