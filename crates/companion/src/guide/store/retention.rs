//! The SQL of deleting old conversations.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::PgPool;

use super::Result;

/// Deletes questions that were asked before a time, with their answers.
pub(in crate::guide) async fn delete_messages(
    pool: &PgPool,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from guide_message where no in (
               select no from guide_message where created_at < $1 and role = 'visitor'
               order by created_at limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes conversations that were begun before a time and have no messages left.
pub(in crate::guide) async fn delete_conversations(
    pool: &PgPool,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from guide_conversation where no in (
               select no from guide_conversation c where created_at < $1
               and not exists (select from guide_message m where m.conversation = c.no)
               order by no limit $2
           )"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}

/// Deletes what was taken before a day.
pub(in crate::guide) async fn delete_uses(pool: &PgPool, before: NaiveDate, limit: i64) -> Result<u64> {
    let statement = sqlx::query!(
        r#"delete from guide_use
           where ctid = any(array(select ctid from guide_use where day < $1 limit $2))"#,
        before,
        limit
    );
    Ok(statement.execute(pool).await?.rows_affected())
}
