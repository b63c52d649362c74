//! The SQL of reports and their cases.

use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::AccountNo;
use rules::reports;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::{Result, parse_json};
use crate::reports::case::{CaseFilter, Evidence, ReportCase, ReportSender};

/// The stored facts about a reporter.
pub struct ReporterFacts {
    pub pixels_placed: i64,
    pub created_at: DateTime<Utc>,
    pub registered_from: Option<Vec<u8>>,
    pub registered_network: Option<Vec<u8>>,
}

/// Returns the facts about an agent or a viewer as a reporter.
pub async fn find_reporter(pool: &PgPool, no: AccountNo) -> Result<Option<ReporterFacts>> {
    let statement = sqlx::query_as!(
        ReporterFacts,
        "select pixels_placed, created_at, registered_from, registered_network from agent where no = $1",
        no as _
    );
    statement.fetch_optional(pool).await
}

/// Returns true if the same sender has reported this target before. For a message this holds permanently, for
/// other targets until the case is decided.
pub async fn has_reported(pool: &PgPool, kind: &str, target: &str, sender: &ReportSender) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists(
               select from report r join report_case c on c.no = r.case_no
               where c.kind = $1 and c.target = $2 and (r.agent = $3 or r.address = $4)
                 and (c.closed_at is null or c.kind = 'message')
           ) as "known!""#,
        kind,
        target,
        sender.agent as _,
        sender.address
    );
    statement.fetch_one(pool).await
}

/// Returns the open case about a target.
pub async fn find_open_case(pool: &PgPool, kind: &str, target: &str) -> Result<Option<i64>> {
    let statement = sqlx::query_scalar!(
        "select no from report_case where kind = $1 and target = $2 and closed_at is null",
        kind,
        target
    );
    statement.fetch_optional(pool).await
}

/// Opens a case with its evidence, unless there is one already.
pub async fn insert_case(
    connection: &mut PgConnection,
    id: &str,
    kind: &str,
    target: &str,
    evidence: &Evidence,
    offset: TimeDelta,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into report_case (id, kind, target, author, counts, evidence, opened_at)
           values ($1, $2, $3, $4, $5, $6::text::jsonb, clock_timestamp() + $7::interval)
           on conflict (kind, target) where closed_at is null do nothing"#,
        id,
        kind,
        target,
        evidence.author as _,
        evidence.counts,
        evidence.json.to_string(),
        offset as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// An open case, with the facts that a new report needs.
pub struct OpenCase {
    pub no: i64,
    /// `report_…`.
    pub id: String,
    pub author: Option<AccountNo>,
    /// True if reports may count against the author before an operator has decided.
    pub counts: bool,
}

/// Returns the open case about a target, and keeps it from being closed for the rest of the transaction.
pub async fn lock_open_case(
    connection: &mut PgConnection,
    kind: &str,
    target: &str,
) -> Result<Option<OpenCase>> {
    let statement = sqlx::query_as!(
        OpenCase,
        r#"select no, id, author as "author: AccountNo", counts from report_case
           where kind = $1 and target = $2 and closed_at is null for share"#,
        kind,
        target
    );
    statement.fetch_optional(connection).await
}

/// The facts that can keep a report from counting, whatever its weight.
#[derive(Clone, Copy)]
pub struct ReportValidity {
    /// True if the evidence at the time of the report is about the author of the case.
    pub is_evidence: bool,
    /// True if the rejection of another report keeps this one from counting.
    pub is_held: bool,
}

/// Inserts a report. Returns false if the same sender has already reported the case.
pub async fn insert_report(
    connection: &mut PgConnection,
    case: i64,
    sender: &ReportSender,
    validity: ReportValidity,
    reason: &str,
    offset: TimeDelta,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"insert into report (case_no, agent, address, reason, weight, owner, trust, rejected, network,
                               is_evidence, is_held, at)
           values ($1, $2, $3, $4, $5, $6, $8, $9, $10, $11, $12, clock_timestamp() + $7::interval)
           on conflict do nothing"#,
        case,
        sender.agent as _,
        sender.address,
        reason,
        sender.weight as i32,
        sender.owner,
        offset as _,
        sender.trust as i32,
        sender.rejected as i32,
        sender.network,
        validity.is_evidence,
        validity.is_held
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// The maximum number of reports evaluated for one account: first those that count, then those with the most
/// weight.
const MAX_WEIGHTED_REPORTS: i64 = 2_000;

/// Returns the reports against an author between two times, in all undecided cases or in one, including those
/// that do not count.
pub async fn list_weighted(
    database: impl PgExecutor<'_>,
    author: AccountNo,
    case: Option<i64>,
    since: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<reports::WeightedReport>> {
    let statement = sqlx::query!(
        r#"select r.at, r.owner, coalesce(int8send(r.agent), r.address) as "reporter!", r.network,
                  sender.registered_network as "registered_network?", coalesce(r.trust, r.weight) as "trust!",
                  r.weight, c.counts and c.kind <> 'name' and r.is_evidence and not r.is_held as "counts!"
           from report_case c join report r on r.case_no = c.no join agent a on a.no = c.author
               left join agent sender on sender.no = r.agent
           where c.author = $1 and c.closed_at is null and ($5::bigint is null or c.no = $5)
             and r.at > greatest($2, coalesce(a.cleared_at, '-infinity')) and r.at <= $3
             and a.kind <> 'operator'
           order by 8 desc, r.weight desc, r.no limit $4"#,
        author as _,
        since,
        until,
        MAX_WEIGHTED_REPORTS,
        case
    );
    let weighted = statement.fetch_all(database).await?.into_iter().map(|row| reports::WeightedReport {
        at: row.at,
        owner: row.owner,
        reporter: row.reporter,
        networks: row.network.into_iter().chain(row.registered_network).collect(),
        trust: row.trust.into(),
        weight: row.weight.into(),
        is_counted: row.counts,
    });
    Ok(weighted.collect())
}

/// Returns the id of the account with this number.
pub async fn find_account_id(database: impl PgExecutor<'_>, no: AccountNo) -> Result<Option<String>> {
    sqlx::query_scalar!("select id from agent where no = $1", no as _).fetch_optional(database).await
}

/// The evidence of a case, with the numbers of the case and of its author.
pub struct CaseEvidenceRow {
    pub no: i64,
    pub author: Option<AccountNo>,
    pub evidence: Value,
}

/// Returns the cases before a given one that meet the conditions, newest first. The author is given by its
/// id, the age by a time.
pub async fn list_cases(
    pool: &PgPool,
    filter: &CaseFilter<'_>,
    opened_before: Option<DateTime<Utc>>,
    before: Option<&str>,
    limit: i64,
) -> Result<Vec<ReportCase>> {
    let statement = sqlx::query_as!(
        ReportCase,
        r#"select c.id, c.kind, c.target, a.id as "author_id?", a.name as "author_name?", c.counts,
                  c.opened_at, (select count(*) from report where case_no = c.no) as "reports!",
                  (select count(*) from upheld_case earlier
                   where earlier.account = c.author and earlier.case_no <> c.no) as "author_upheld!",
                  c.closed_at, c.closed_by, c.outcome, c.answer
           from report_case c left join agent a on a.no = c.author
           where (c.closed_at is null) = $1
             and ($2::text is null or c.no < (select no from report_case where id = $2))
             and ($4::text is null or c.kind = $4) and ($5::text is null or a.id = $5)
             and ($6::timestamptz is null or c.opened_at <= $6)
           order by c.no desc limit $3"#,
        filter.is_open,
        before,
        limit,
        filter.kind,
        filter.author,
        opened_before
    );
    statement.fetch_all(pool).await
}

/// Returns the case with this id, without its evidence.
pub async fn find_case(pool: &PgPool, id: &str) -> Result<Option<ReportCase>> {
    let statement = sqlx::query_as!(
        ReportCase,
        r#"select c.id, c.kind, c.target, a.id as "author_id?", a.name as "author_name?", c.counts,
                  c.opened_at, (select count(*) from report where case_no = c.no) as "reports!",
                  (select count(*) from upheld_case earlier
                   where earlier.account = c.author and earlier.case_no <> c.no) as "author_upheld!",
                  c.closed_at, c.closed_by, c.outcome, c.answer
           from report_case c left join agent a on a.no = c.author where c.id = $1"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns the evidence of the case with this id.
pub async fn find_case_evidence(pool: &PgPool, id: &str) -> Result<Option<CaseEvidenceRow>> {
    let statement = sqlx::query!(
        r#"select no, author as "author: AccountNo", evidence::text as "evidence!"
           from report_case where id = $1"#,
        id
    );
    let row = statement.fetch_optional(pool).await?;
    row.map(|row| {
        Ok(CaseEvidenceRow { no: row.no, author: row.author, evidence: parse_json(&row.evidence)? })
    })
    .transpose()
}

/// A report of a case, with the facts that determine its weight.
pub struct FiledReportRow {
    pub at: DateTime<Utc>,
    pub reason: String,
    pub trust: i32,
    pub weight: i32,
    pub rejected: i32,
    pub is_evidence: bool,
    pub is_held: bool,
    pub owner: Vec<u8>,
    pub network: Option<Vec<u8>>,
    pub registered_network: Option<Vec<u8>>,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
}

impl FiledReportRow {
    /// Returns the keys that identify the reporter: the owner and the networks.
    pub fn keys(&self) -> Vec<&[u8]> {
        let networks = [&self.network, &self.registered_network].into_iter().flatten();
        std::iter::once(&self.owner).chain(networks).map(Vec::as_slice).collect()
    }
}

/// Returns the reports of a case, oldest first.
pub async fn list_reports(pool: &PgPool, case: i64, limit: i64) -> Result<Vec<FiledReportRow>> {
    let statement = sqlx::query_as!(
        FiledReportRow,
        r#"select r.at, r.reason, coalesce(r.trust, r.weight) as "trust!", r.weight, r.rejected,
                  r.is_evidence, r.is_held, r.owner, r.network, a.registered_network as "registered_network?",
                  a.id as "agent_id?", a.name as "agent_name?"
           from report r left join agent a on a.no = r.agent where r.case_no = $1 order by r.no limit $2"#,
        case,
        limit
    );
    statement.fetch_all(pool).await
}

/// A case that was just closed.
pub struct ClosedCaseRow {
    pub no: i64,
    /// The id of the reported message, if it is about a message.
    pub message: Option<String>,
    /// The author's number, if it has an author.
    pub author_no: Option<AccountNo>,
    /// The author's id, if it has an author.
    pub author: Option<String>,
}

/// Closes an open case.
pub async fn close_case(
    connection: &mut PgConnection,
    id: &str,
    outcome: &str,
    operator: &str,
    reason: &str,
    offset: TimeDelta,
) -> Result<Option<ClosedCaseRow>> {
    let statement = sqlx::query_as!(
        ClosedCaseRow,
        r#"update report_case set outcome = $2, closed_by = $3, answer = $4,
               closed_at = clock_timestamp() + $5::interval
           where id = $1 and closed_at is null
           returning no, case kind when 'message' then target end as message,
                     author as "author_no: AccountNo",
                     (select id from agent where no = report_case.author) as author"#,
        id,
        outcome,
        operator,
        reason,
        offset as _
    );
    statement.fetch_optional(connection).await
}

/// Returns when an account was shadow-banned by this operator, or `None` if the newest change of
/// its shadow-ban was made by another operator.
pub async fn find_shadowed_at(
    connection: &mut PgConnection,
    subject: &str,
    operator: &str,
) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query!(
        r#"select operator as "operator!", at as "at!" from sanction_change
           where account = $1 and act in ('shadow', 'unshadow') order by no desc limit 1"#,
        subject
    );
    Ok(statement.fetch_optional(connection).await?.filter(|row| row.operator == operator).map(|row| row.at))
}

/// Returns true if a case that counts against an account was upheld since a time.
pub async fn has_upheld_since(
    database: impl PgExecutor<'_>,
    account: AccountNo,
    since: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists(select from upheld_case where account = $1 and closed_at > $2) as "right!""#,
        account as _,
        since
    );
    statement.fetch_one(database).await
}
