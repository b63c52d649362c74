//! What benchmarks put into the database themselves.

use anyhow::Result;
use sqlx::{Connection as _, PgConnection};

/// Makes the table that one plain statement per request writes to.
pub async fn make_plain_table(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let table = "create table if not exists plain_placement (
        seq bigint generated always as identity primary key,
        x smallint not null, y smallint not null, color smallint not null, agent bigint not null,
        placed_at timestamptz not null)";
    sqlx::query(table).execute(&mut connection).await?;
    Ok(())
}
