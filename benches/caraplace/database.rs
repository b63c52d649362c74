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

/// Adds placements to the log, as if agents had painted them.
pub async fn add_history(url: &str, count: i64) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let mut transaction = connection.begin().await?;
    let painted = "insert into placement (seq, x, y, color, agent, placed_at, covers, previous)
        select seq, x, y, color, agent, now(),
               lag(seq) over (partition by x, y order by seq), lag(seq) over (partition by agent order by seq)
        from (select head.seq + n as seq, (random() * 127)::smallint as x, (random() * 127)::smallint as y,
                     (random() * 15)::smallint as color, n % 100 + 1 as agent
              from log_head head, generate_series(1, $1) as n) as strokes
        order by seq";
    sqlx::query(painted).bind(count).execute(&mut *transaction).await?;
    let moved = "update log_head set seq = seq + $1, version = seq + $1, at = now()";
    sqlx::query(moved).bind(count).execute(&mut *transaction).await?;
    let counted = "update agent set pixels_placed = p.count, last_placement = p.newest
        from (select agent, count(*), max(seq) as newest from placement group by agent) p where p.agent = agent.no";
    sqlx::query(counted).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}
