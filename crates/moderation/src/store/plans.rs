//! The SQL of the operators' list of plans.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Result;

/// Returns the ids of the plans that were opened before a time, newest first.
pub async fn plan_ids_before(
    pool: &PgPool,
    before: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from plan where $1::timestamptz is null or created_at < $1
           order by created_at desc, no desc limit $2"#,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
