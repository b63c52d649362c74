//! Reads what the weight of a report stands on: where its reporter registered, and which of its reports were rejected.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Rejections that are read of one reporter, the newest ones: those left out are older, and each lowers the weight less
/// than any of these. An operator decides fewer within the six weeks in which a rejection has an effect.
const MAX_REJECTIONS: i64 = 1_000;

/// Returns when cases that an account, or another one of its owner, had reported were rejected, newest first; without
/// those whose rectangle had another painter by the time of the report, as the rejection says nothing about that one.
pub async fn list_rejections(
    pool: &PgPool,
    agent: Option<i64>,
    owner: &[u8],
    since: DateTime<Utc>,
) -> Result<Vec<DateTime<Utc>>> {
    sqlx::query_scalar!(
        r#"select closed_at as "closed_at!" from report_case
           where outcome = 'rejected' and closed_at > $3
             and no in (select case_no from report where agent = $1 and is_evidence
                        union select case_no from report where owner = $2 and is_evidence)
           order by closed_at desc limit $4"#,
        agent,
        owner,
        since,
        MAX_REJECTIONS
    )
    .fetch_all(pool)
    .await
}

/// Locks the reports about an account until the transaction ends: of filing, weighing and deciding them, one waits for the
/// other. To be called after the lock of a case's row.
pub async fn lock_reports_about(connection: &mut PgConnection, author: i64) -> Result<()> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('reports about ' || $1::bigint, 0))", author)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Returns whether a report about an account by the same reporter, its owner or one of these networks was rejected since
/// a time, with no other report about the account found right after that.
///
/// The rejection holds against a network for reporters without a key and for accounts created after it: accounts that were
/// there before did not report. A rejected report from the account's own address or network holds against its sender
/// only, as nobody could otherwise report an account that reports itself.
pub async fn has_recent_rejection(
    connection: &mut PgConnection,
    author: i64,
    agent: Option<i64>,
    owner: &[u8],
    networks: &[Vec<u8>],
    since: DateTime<Utc>,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists(
               select from report_case c join report r on r.case_no = c.no left join agent sender on sender.no = r.agent
                   left join agent own on own.no = c.author
               where c.author = $1 and c.outcome = 'rejected' and c.closed_at > $2 and (c.counts or c.kind = 'name')
                 and r.is_evidence and (r.agent = $3
                      or not coalesce(r.owner = own.registered_from or r.network = own.registered_network
                                      or sender.registered_network = own.registered_network, false)
                         and (r.owner = $4
                              or (r.network = any($5) or sender.registered_network = any($5))
                                 and ($3 is null
                                      or exists (select from agent where no = $3 and created_at > c.closed_at))))
                 and not exists (select from report_case later
                                 where later.author = $1 and later.outcome = 'upheld' and later.closed_at > c.closed_at)
           ) as "held!""#,
        author,
        since,
        agent,
        owner,
        networks
    )
    .fetch_one(connection)
    .await
}

/// Marks the open reports about an account as held that the reporters of a case just rejected, or their owners, filed
/// before. Reporters that share the account's own address or network hold nothing against others at their address. A
/// rejected report of a name says nothing about what was reported of messages and pixels before.
pub async fn mark_open_reports_held(connection: &mut PgConnection, case: i64, author: i64) -> Result<()> {
    sqlx::query!(
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
             and (r.agent in (select agent from rejected) or r.owner in (select owner from rejected where not is_own))"#,
        case,
        author
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Forgets the networks that reports from before a time were sent from.
pub async fn delete_networks(pool: &PgPool, before: DateTime<Utc>) -> Result<u64> {
    let query =
        sqlx::query!("update report set network = null where network is not null and at < $1", before);
    Ok(query.execute(pool).await?.rows_affected())
}
