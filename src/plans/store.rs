//! The SQL of plans that needs no lock on the head.

use std::collections::HashMap;

use sqlx::PgPool;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns the ids and names of these agents, by their numbers.
pub(super) async fn agent_names(pool: &PgPool, numbers: &[i64]) -> Result<HashMap<i64, (String, String)>> {
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let rows =
        sqlx::query!("select no, id, name from agent where no = any($1)", numbers).fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| (row.no, (row.id, row.name))).collect())
}
