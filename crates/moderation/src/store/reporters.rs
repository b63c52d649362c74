//! The SQL of the facts that determine a report's weight: registration and earlier rejections of the
//! reporter.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// The maximum number of a reporter's rejections that are read, newest first. Older ones lower the weight
/// less, and operators reject fewer within the six weeks in which a rejection has an effect.
const MAX_REJECTIONS: i64 = 1_000;

/// Returns when cases reported by an account or its owner's other accounts were rejected, newest first. Cases
/// about a region that had another painter at the time of the report are left out.
pub async fn list_rejections(
    pool: &PgPool,
    agent: Option<AccountNo>,
    owner: &[u8],
    since: DateTime<Utc>,
) -> Result<Vec<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!(
        r#"select closed_at as "closed_at!" from report_case
           where outcome = 'rejected' and closed_at > $3
             and no in (select case_no from report where agent = $1 and is_evidence
                        union select case_no from report where owner = $2 and is_evidence)
           order by closed_at desc limit $4"#,
        agent as _,
        owner,
        since,
        MAX_REJECTIONS
    );
    statement.fetch_all(pool).await
}

/// Locks the reports about an account until the transaction ends, so that they are filed, evaluated and
/// decided one at a time. Call this after locking a case's row.
pub async fn lock_reports_about(connection: &mut PgConnection, author: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('reports about ' || $1::bigint, 0))",
        author as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns true if a report about an account by the same reporter, its owner or one of these networks was
/// rejected since a time, and no other report was upheld against the account afterwards.
///
/// A rejection counts against a network only for reporters without a key and for accounts created after it,
/// because older accounts did not send the report. A rejected report from the account's own address or
/// network counts against its sender only; otherwise an account could block all reports about itself by
/// reporting itself.
pub async fn has_recent_rejection(
    connection: &mut PgConnection,
    author: AccountNo,
    agent: Option<AccountNo>,
    owner: &[u8],
    networks: &[Vec<u8>],
    since: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists(
               select from report_case c join report r on r.case_no = c.no
                   left join agent sender on sender.no = r.agent
                   left join agent own on own.no = c.author
               where c.author = $1 and c.outcome = 'rejected' and c.closed_at > $2
                 and (c.counts or c.kind = 'name')
                 and r.is_evidence and (r.agent = $3
                      or not coalesce(r.owner = own.registered_from or r.network = own.registered_network
                                      or sender.registered_network = own.registered_network, false)
                         and (r.owner = $4
                              or (r.network = any($5) or sender.registered_network = any($5))
                                 and ($3 is null
                                      or exists (select from agent
                                                 where no = $3 and created_at > c.closed_at))))
                 and not exists (select from upheld_case later
                                 where later.account = $1 and later.closed_at > c.closed_at)
           ) as "held!""#,
        author as _,
        since,
        agent as _,
        owner,
        networks
    );
    statement.fetch_one(connection).await
}

/// Marks open reports about an account as held if their reporters, or their owners, also filed a report in
/// the case that was just rejected. Reporters at the account's own address or network hold no reports of
/// others there. A rejected report of a name holds no earlier reports about messages and regions. Returns the
/// numbers of the marked reports.
pub async fn cover_open_reports(
    connection: &mut PgConnection,
    case: i64,
    author: AccountNo,
) -> Result<Vec<i64>> {
    let statement = sqlx::query_scalar!(
        r#"with rejected as materialized (
               select r.agent, r.owner,
                      coalesce(r.owner = own.registered_from or r.network = own.registered_network
                               or sender.registered_network = own.registered_network, false) as is_own
               from report r join report_case c on c.no = r.case_no left join agent own on own.no = c.author
                   left join agent sender on sender.no = r.agent
               where c.no = $1 and c.counts and r.is_evidence
           )
           update report r set is_held = true from report_case c
           where c.no = r.case_no and c.author = $2 and c.closed_at is null and not r.is_held
             and (r.agent in (select agent from rejected)
                  or r.owner in (select owner from rejected where not is_own))
           returning r.no"#,
        case,
        author as _
    );
    statement.fetch_all(connection).await
}

/// Deletes the networks of reports filed before a time.
pub async fn delete_networks(pool: &PgPool, before: DateTime<Utc>) -> Result<u64> {
    let query =
        sqlx::query!("update report set network = null where network is not null and at < $1", before);
    Ok(query.execute(pool).await?.rows_affected())
}
