//! What operators chose over the environment.

use serde_json::Value;
use sqlx::PgConnection;

use super::Result;

/// Every setting that was chosen.
pub async fn settings(connection: &mut PgConnection) -> Result<Vec<(String, Value)>> {
    let rows = sqlx::query!("select name, value from setting order by name").fetch_all(connection).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.value)).collect())
}
