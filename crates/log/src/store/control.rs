//! The SQL of the control log.

use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::{Result, column};
use crate::control_entry::ControlEntry;

/// Returns the entries of the control log after a number, oldest first; `None` if some of them have been
/// deleted. There must be at least one.
pub async fn control_entries_after(
    connection: &mut PgConnection,
    after: i64,
) -> Result<Option<Vec<ControlEntry>>> {
    let rows = sqlx::query!("select no, kind, subject from control where no > $1 order by no", after)
        .fetch_all(connection)
        .await?;
    // Only the oldest entries are deleted.
    if rows.first().is_none_or(|oldest| oldest.no != after + 1) {
        return Ok(None);
    }
    let entries = rows.into_iter().filter_map(|row| ControlEntry::from_stored(&row.kind, row.subject));
    Ok(Some(entries.collect()))
}

/// Returns true if the oldest entry was made before a time.
pub async fn has_control_entry_before(pool: &PgPool, before: DateTime<Utc>) -> Result<bool> {
    let oldest = sqlx::query_scalar!("select at from control order by no limit 1").fetch_optional(pool);
    Ok(oldest.await?.is_some_and(|at| at < before))
}

/// Deletes the oldest entries that were made before a time, up to this many, and returns their number. The
/// head must be locked.
pub async fn delete_control_entries(
    connection: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64> {
    let statement = sqlx::query_scalar!(
        r#"with oldest as materialized (
               select no, at from control order by no limit $2
           ), gone as (
               delete from control where no in (
                   select o.no from oldest o
                   where not exists (select from oldest kept where kept.no <= o.no and kept.at >= $1))
               returning no, kind, subject
           ), head as (
               update log_head set control_deleted = (select max(no) from gone)
               where exists (select from gone)
           ), counted as (
               update agent set deleted_key_changes = deleted_key_changes + changes.count
               from (select subject, count(*)::integer as count from gone where kind = 'key_changed'
                     group by subject) as changes
               where agent.no = changes.subject
           )
           select count(*) as "count!" from gone"#,
        before,
        limit
    );
    Ok(statement.fetch_one(connection).await?.unsigned_abs())
}

/// Returns the numbers of the accounts with these ids.
pub async fn account_numbers(connection: &mut PgConnection, ids: &[String]) -> Result<Vec<AccountNo>> {
    let statement = sqlx::query_scalar!(r#"select no as "no: AccountNo" from agent where id = any($1)"#, ids);
    statement.fetch_all(connection).await
}

/// Appends an entry to the control log and notifies every instance. The head must be locked.
pub async fn append_control_entry(
    connection: &mut PgConnection,
    entry: ControlEntry,
    offset: TimeDelta,
) -> Result<()> {
    append_control_entries(connection, &[entry], offset).await
}

/// Appends entries to the control log and notifies every instance once. The head must be locked.
pub async fn append_control_entries(
    connection: &mut PgConnection,
    entries: &[ControlEntry],
    offset: TimeDelta,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"with head as (
               update log_head set control = control + cardinality($2::bigint[]) returning seq, control
           ), entry as (
               insert into control (no, kind, subject, at)
               select head.control - cardinality($2::bigint[]) + e.place, e.kind, e.subject,
                      clock_timestamp() + $3::interval
               from head, unnest($1::text[], $2::bigint[]) with ordinality as e (kind, subject, place)
           )
           select pg_notify('caraplace', concat(seq, ' ', control))::text from head"#,
        &column(entries, |entry| entry.to_stored().0.to_owned()),
        &column(entries, |entry| entry.to_stored().1),
        offset as _
    );
    statement.fetch_one(connection).await.map(|_| ())
}
