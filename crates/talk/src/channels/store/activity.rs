//! The SQL of the newest messages of crews.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::PgPool;

use super::Result;

/// Returns the times of the newest messages that a reader can see in crews, by the ids of these.
pub async fn newest_times(
    pool: &PgPool,
    crews: &[String],
    reader: Option<AccountNo>,
) -> Result<HashMap<String, DateTime<Utc>>> {
    let statement = sqlx::query!(
        r#"select c.id, newest.sent_at from channel c
               cross join lateral (
                   select p.sent_at from private_message p
                   where p.channel = c.no and not p.hidden and p.deleted_at is null
                     and seen_by(p.shadow, p.author, $2)
                   order by p.no desc limit 1) as newest
           where c.id = any($1)"#,
        crews,
        reader as _
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| (row.id, row.sent_at)).collect())
}
