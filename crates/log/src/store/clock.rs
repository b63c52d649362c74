//! The SQL of the database's clock.

use chrono::{DateTime, TimeDelta, Utc};
use platform::clock::course::ClockLead;
use rules::numbers::Seq;
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;

use super::Result;

/// Returns the stored lead of the database's clock.
pub async fn clock_lead(connection: &mut PgConnection) -> Result<Option<ClockLead>> {
    let row = sqlx::query!("select lead, since from clock_lead").fetch_optional(connection).await?;
    Ok(row.map(|row| ClockLead { lead: TimeDelta::microseconds(row.lead.microseconds), since: row.since }))
}

/// Stores the lead of the database's clock, or deletes it.
pub async fn store_clock_lead(connection: &mut PgConnection, lead: Option<ClockLead>) -> Result<()> {
    let Some(lead) = lead else {
        return sqlx::query!("delete from clock_lead").execute(connection).await.map(|_| ());
    };
    let microseconds = lead.lead.num_microseconds().unwrap_or(i64::MAX);
    let statement = sqlx::query!(
        r#"insert into clock_lead (lead, since) values ($1, $2)
           on conflict (is_present) do update set lead = excluded.lead, since = excluded.since"#,
        PgInterval { months: 0, days: 0, microseconds },
        lead.since
    );
    statement.execute(connection).await.map(|_| ())
}

/// Records that the events from a number on begin before the newest one so far.
pub async fn record_clock_step(
    connection: &mut PgConnection,
    seq: Seq,
    newest_at: DateTime<Utc>,
    next_at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into clock_step (seq, newest_at, next_at) values ($1, $2, $3)
           on conflict (seq) do update set next_at = excluded.next_at"#,
        seq as _,
        newest_at,
        next_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the numbers of the events at which the times of the log step back.
pub async fn clock_steps(connection: &mut PgConnection) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(r#"select seq as "seq: Seq" from clock_step order by seq"#);
    statement.fetch_all(connection).await
}
