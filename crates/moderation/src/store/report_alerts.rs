//! The SQL of report alerts.

use chrono::TimeDelta;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::reports::alerts::ReportAlert;

/// The maximum number of alerts in a response.
const MAX_LISTED_ALERTS: i64 = 50;

/// Raises an alert, or renews the open one. Returns true if it is new or the last report is more than an hour
/// old. There is no alert for an account without open reports. The caller must have locked the reports about
/// the account.
pub async fn raise_or_renew(
    connection: &mut PgConnection,
    author: AccountNo,
    cause: &str,
    reports: i32,
    networks: i32,
    offset: TimeDelta,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"insert into report_alert as alert (author, cause, reports, networks, raised_at, newest_at)
           select $1, $2, $3, $4, now, now from (select clock_timestamp() + $5::interval as now) as clock
           where exists (select from report_case c where c.author = $1 and c.closed_at is null)
           on conflict (author) where ended_at is null do update
           set cause = excluded.cause, reports = excluded.reports, networks = excluded.networks,
               raised_at = case when alert.newest_at < excluded.newest_at - interval '1 hour'
                           then excluded.newest_at else alert.raised_at end,
               newest_at = greatest(alert.newest_at, excluded.newest_at)
           returning raised_at = newest_at as "is_new!""#,
        author as _,
        cause,
        reports,
        networks,
        offset as _
    )
    .fetch_optional(connection)
    .await
    .map(Option::unwrap_or_default)
}

/// Returns the open alerts, newest first, of all accounts or of one.
pub async fn list_open(pool: &PgPool, author: Option<AccountNo>) -> Result<Vec<ReportAlert>> {
    let statement = sqlx::query_as!(
        ReportAlert,
        r#"select a.id as agent_id, a.name as agent_name, alert.cause, alert.reports::bigint as "reports!",
                  alert.networks::bigint as "networks!", alert.raised_at, alert.newest_at
           from report_alert alert join agent a on a.no = alert.author
           where alert.ended_at is null and ($1::bigint is null or alert.author = $1)
           order by alert.newest_at desc limit $2"#,
        author as _,
        MAX_LISTED_ALERTS
    );
    statement.fetch_all(pool).await
}

/// Ends the alert about an account if no report about it is open.
pub async fn end_if_decided(
    connection: &mut PgConnection,
    author: AccountNo,
    offset: TimeDelta,
) -> Result<()> {
    end_alert(connection, author, false, offset).await
}

/// Ends the alert about an account because its reports caused a shadow-ban.
pub async fn end_now(connection: &mut PgConnection, author: AccountNo, offset: TimeDelta) -> Result<()> {
    end_alert(connection, author, true, offset).await
}

async fn end_alert(
    connection: &mut PgConnection,
    author: AccountNo,
    even_if_undecided: bool,
    offset: TimeDelta,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update report_alert set ended_at = clock_timestamp() + $2::interval
           where ended_at is null and author = $1
             and ($3 or not exists (select from report_case c where c.author = $1 and c.closed_at is null))"#,
        author as _,
        offset as _,
        even_if_undecided
    );
    statement.execute(connection).await.map(|_| ())
}

/// The cases and appeals that no operator has decided.
pub struct WaitingCounts {
    pub cases: i64,
    /// The time since the first report of the oldest case, in seconds; 0 if there is none.
    pub oldest_case_seconds: f64,
    pub appeals: i64,
}

/// Counts the cases and appeals that no operator has decided.
pub async fn count_waiting(pool: &PgPool, offset: TimeDelta) -> Result<WaitingCounts> {
    let statement = sqlx::query_as!(
        WaitingCounts,
        r#"select count(*) as "cases!",
                  coalesce(extract(epoch from clock_timestamp() + $1::interval - min(opened_at)), 0)::float8
                      as "oldest_case_seconds!",
                  (select count(*) from appeal where outcome = 'open') as "appeals!"
           from report_case where closed_at is null"#,
        offset as _
    );
    statement.fetch_one(pool).await
}
