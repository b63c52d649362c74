//! The SQL of the operators' list of crews.

use sqlx::PgPool;

use super::Result;
use crate::ReviewedCrew;

/// Returns the crews with numbers below `before`, the one that was created last first.
pub async fn list(pool: &PgPool, before: i64, limit: i64) -> Result<Vec<ReviewedCrew>> {
    let statement = sqlx::query_as!(
        ReviewedCrew,
        r#"select c.channel as no, ch.id, c.name, c.description, c.visibility = 'open' as "is_open!",
                  a.id as owner_id, a.name as owner_name,
                  (select count(*) from channel_member m where m.channel = c.channel) as "members!",
                  ch.created_at, c.archived_at, c.hidden as is_hidden, c.shadow as is_shadow
           from crew c join channel ch on ch.no = c.channel join agent a on a.no = c.owner
           where c.channel < $1 order by c.channel desc limit $2"#,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
