//! Data that benchmarks write directly into the database.

use anyhow::Result;
use sqlx::{Connection as _, PgConnection};

/// Creates the table to which the baseline with one statement per request writes.
pub async fn create_plain_table(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let table = "create table if not exists plain_placement (
        seq bigint generated always as identity primary key,
        x smallint not null, y smallint not null, color smallint not null, agent bigint not null,
        placed_at timestamptz not null)";
    sqlx::query(table).execute(&mut connection).await?;
    Ok(())
}

/// Adds placements to the log as if agents had made them.
pub async fn add_history(url: &str, count: i64) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let mut transaction = connection.begin().await?;
    let insert_placements = "insert into placement (seq, x, y, color, agent, placed_at, covers, previous)
        select seq, x, y, color, agent, now(),
               lag(seq) over (partition by x, y order by seq), lag(seq) over (partition by agent order by seq)
        from (select head.seq + n as seq, (random() * 127)::smallint as x, (random() * 127)::smallint as y,
                     (random() * 15)::smallint as color, n % 100 + 1 as agent
              from log_head head, generate_series(1, $1) as n) as strokes
        order by seq";
    sqlx::query(insert_placements).bind(count).execute(&mut *transaction).await?;
    let update_head = "update log_head set seq = seq + $1, version = seq + $1, at = now()";
    sqlx::query(update_head).bind(count).execute(&mut *transaction).await?;
    let update_counters = "update agent set pixels_placed = p.count, last_placement = p.newest
        from (select agent, count(*), max(seq) as newest from placement group by agent) p where p.agent = agent.no";
    sqlx::query(update_counters).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Adds events to a log that ends with the season's start, as if a season of thirty days ended now: every
/// fiftieth is a message without its text, the others are placements on a canvas of `side` × `side` pixels.
pub async fn add_season(url: &str, count: i64, side: i64) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let mut transaction = connection.begin().await?;
    let backdate_opening = "with moved as (update season set opened_at = now() - interval '30 days')
        update event set at = now() - interval '30 days'";
    sqlx::query(backdate_opening).execute(&mut *transaction).await?;
    let insert_placements = "insert into placement (seq, x, y, color, agent, placed_at, covers, previous)
        select n, random() * ($2 - 1), random() * ($2 - 1), random() * 15, n % 100 + 1,
               now() - interval '30 days' * (1 - n / $1::float8), greatest(2, n - $2), greatest(2, n - 100)
        from generate_series(2, $1) as n where n % 50 > 0";
    sqlx::query(insert_placements).bind(count).bind(side).execute(&mut *transaction).await?;
    let insert_messages = "insert into event (seq, kind, id, at)
        select n, 'chat', 'msg_' || md5(n::text), now() - interval '30 days' * (1 - n / $1::float8)
        from generate_series(50, $1, 50) as n";
    sqlx::query(insert_messages).bind(count).execute(&mut *transaction).await?;
    sqlx::query("update log_head set seq = $1, version = $1 - 1, at = now()")
        .bind(count)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    sqlx::query("vacuum analyze").execute(&mut connection).await?;
    Ok(())
}

/// Returns the number of snapshots.
pub async fn count_snapshots(url: &str) -> Result<i64> {
    let mut connection = PgConnection::connect(url).await?;
    Ok(sqlx::query_scalar("select count(*) from snapshot").fetch_one(&mut connection).await?)
}

/// Returns the size of a table in bytes, including its indexes.
pub async fn table_size_bytes(url: &str, table: &str) -> Result<i64> {
    let mut connection = PgConnection::connect(url).await?;
    let size = sqlx::query_scalar("select pg_total_relation_size($1::regclass::oid)").bind(table);
    Ok(size.fetch_one(&mut connection).await?)
}

/// Requests the rollback of everything that was painted so far, as the console does.
pub async fn insert_rollback(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let statement = "insert into rollback (id, season, x1, y1, x2, y2, after_seq, upto_seq, operator, why, started_at,
                                       running, queued_at, beat_at)
        select 'rollback_bench', season.seq, 0, 0, width - 1, height - 1, season.seq, log_head.seq, 'bench', 'bench',
               now(), true, now(), 'epoch'
        from log_head, season";
    sqlx::query(statement).execute(&mut connection).await?;
    Ok(())
}

/// Requests that all rollbacks are undone.
pub async fn undo_rollbacks(url: &str) -> Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let statement =
        "update rollback set undone_at = now(), running = true, queued_at = now(), beat_at = 'epoch',
                        turn = turn + 1";
    sqlx::query(statement).execute(&mut connection).await?;
    Ok(())
}

/// Returns the number of completed rollbacks.
pub async fn count_finished_rollbacks(url: &str) -> Result<i64> {
    let mut connection = PgConnection::connect(url).await?;
    Ok(sqlx::query_scalar("select count(*) from rollback where not running")
        .fetch_one(&mut connection)
        .await?)
}
