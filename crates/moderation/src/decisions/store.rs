//! The SQL of decisions.

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use rules::sanctions::Sanctions;
use serde_json::{from_str, json};
use sqlx::{PgConnection, PgExecutor, PgPool, Result};

use super::{CaseDecision, ChangeKind, DecidedSanctions, DecisionRecord, RecordedSanction, UNDO_TIME};

/// Returns the ids of the open ones of these cases: the one with this id, and those about these messages.
/// Other transactions that decide them wait until this one ends.
pub(super) async fn lock_open_cases(
    connection: &mut PgConnection,
    id: &str,
    messages: &[String],
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from report_case
           where closed_at is null and (id = $1 or kind = 'message' and target = any($2))
           order by no for update"#,
        id,
        messages
    );
    statement.fetch_all(connection).await
}

/// Returns the first of these messages that is by another account than the author of the case with this id.
/// `None` if all are by the author, or do not exist.
pub(super) async fn find_foreign_message(
    pool: &PgPool,
    case: &str,
    messages: &[String],
) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"select m.id as "id!"
           from (select id, agent as author from chat_message
                 union all select id, author from private_message
                 union all select target, author from report_case
                           where kind = 'message' and closed_at is null) m
               join report_case c on c.id = $1
           where m.id = any($2) and m.author is distinct from c.author
           order by m.id limit 1"#,
        case,
        messages
    );
    statement.fetch_optional(pool).await
}

/// Returns the ids of the folded messages that these cases are about.
pub(super) async fn list_folded(connection: &mut PgConnection, cases: &[String]) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select m.id from report_case c join chat_message m on m.id = c.target
           where c.id = any($1) and c.kind = 'message' and m.folded order by c.no"#,
        cases
    );
    statement.fetch_all(connection).await
}

/// Stores a text that the reporters of these cases can read.
pub(super) async fn save_reply(connection: &mut PgConnection, cases: &[i64], reply: &str) -> Result<()> {
    let statement = sqlx::query!("update report_case set reply = $2 where no = any($1)", cases, reply);
    statement.execute(connection).await.map(|_| ())
}

/// Inserts a decision.
pub(super) async fn insert(connection: &mut PgConnection, record: &DecisionRecord) -> Result<()> {
    let DecisionRecord { decision, sanction, .. } = record;
    let sanctions = decision.sanctions.as_ref();
    let statement = sqlx::query!(
        r#"insert into decision (id, case_no, cases, operator, outcome, reply, decided_at, hidden, held,
                                 account, sanction, sanctions_before, sanctions_after, cleared_before,
                                 rollback_id, folded)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::jsonb, $13::text::jsonb, $14,
                   $15, $16)"#,
        decision.id,
        record.case_no,
        &record.cases,
        record.operator,
        decision.outcome,
        decision.reply,
        decision.decided_at,
        &decision.hidden,
        &record.held,
        sanction.as_ref().map(|sanction| sanction.account) as _,
        sanction.as_ref().map(|sanction| sanction.kind) as _,
        sanctions.map(|sanctions| json!(sanctions.before).to_string()),
        sanctions.map(|sanctions| json!(sanctions.after).to_string()),
        sanction.as_ref().and_then(|sanction| sanction.cleared_before),
        decision.rollback,
        &record.folded
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the decision with this id.
pub(super) async fn find(database: impl PgExecutor<'_>, id: &str) -> Result<Option<DecisionRecord>> {
    let statement = sqlx::query!(
        r#"select d.id, c.id as case_id, d.case_no, d.cases, d.operator, d.outcome, d.reply, d.decided_at,
                  d.hidden, d.held, d.account as "account: AccountNo", a.id as "account_id?",
                  d.sanction as "sanction: ChangeKind", d.sanctions_before::text, d.sanctions_after::text,
                  d.cleared_before, d.rollback_id, d.undone_at, d.kept, d.folded,
                  array(select other.id from report_case other
                        where other.no = any(d.cases) and other.no <> d.case_no order by other.no)
                      as "also_closed!"
           from decision d join report_case c on c.no = d.case_no left join agent a on a.no = d.account
           where d.id = $1"#,
        id
    );
    let Some(row) = statement.fetch_optional(database).await? else { return Ok(None) };
    let sanctions = match (row.account_id, row.sanctions_before, row.sanctions_after) {
        (Some(agent_id), Some(before), Some(after)) => Some(DecidedSanctions {
            agent_id,
            before: parse_sanctions(&before)?,
            after: parse_sanctions(&after)?,
        }),
        _ => None,
    };
    let sanction = row.account.zip(row.sanction).map(|(account, kind)| RecordedSanction {
        account,
        kind,
        cleared_before: row.cleared_before,
    });
    let decision = CaseDecision {
        id: row.id,
        case: row.case_id,
        outcome: row.outcome,
        also_closed: row.also_closed,
        hidden: row.hidden,
        sanctions,
        rollback: row.rollback_id,
        reply: row.reply,
        decided_at: row.decided_at,
        undo_until: row.decided_at + UNDO_TIME,
        undone_at: row.undone_at,
        kept: row.kept,
    };
    Ok(Some(DecisionRecord {
        decision,
        operator: row.operator,
        case_no: row.case_no,
        cases: row.cases,
        folded: row.folded,
        held: row.held,
        sanction,
    }))
}

/// Returns the id of the latest decision that has closed the case with this id and was not undone. `None` if
/// there is none.
pub(super) async fn find_latest_id(pool: &PgPool, case: &str) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"select d.id from decision d join report_case c on c.no = any(d.cases)
           where c.id = $1 and d.undone_at is null
           order by d.decided_at desc limit 1"#,
        case
    );
    statement.fetch_optional(pool).await
}

fn parse_sanctions(stored: &str) -> Result<Sanctions> {
    from_str(stored).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// Returns the ids of those of these messages that an action of its own has hidden or restored since a time.
pub(super) async fn list_changed_messages(
    connection: &mut PgConnection,
    messages: &[String],
    since: DateTime<Utc>,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select distinct subject from audit
           where subject = any($1) and act in ('hide', 'restore') and at > $2"#,
        messages,
        since
    );
    statement.fetch_all(connection).await
}

/// A case that is open again.
pub(super) struct ReopenedCase {
    pub no: i64,
    /// `report_…`.
    pub id: String,
    pub kind: String,
    pub target: String,
    pub author: Option<AccountNo>,
}

/// Opens those of these cases again about whose targets there is no newer open case.
pub(super) async fn reopen_cases(connection: &mut PgConnection, cases: &[i64]) -> Result<Vec<ReopenedCase>> {
    let statement = sqlx::query_as!(
        ReopenedCase,
        r#"update report_case c
           set closed_at = null, closed_by = null, outcome = null, answer = null, reply = null
           where c.no = any($1)
             and not exists (select from report_case other
                             where other.kind = c.kind and other.target = c.target
                               and other.closed_at is null)
           returning c.no, c.id, c.kind, c.target, c.author as "author: AccountNo""#,
        cases
    );
    statement.fetch_all(connection).await
}

/// A report that does not count, because the rejection of another one covers it.
pub(super) struct HeldReport {
    pub no: i64,
    /// The number of the account that it is about.
    pub author: AccountNo,
    /// The number of the reporter; `None` without an account.
    pub agent: Option<AccountNo>,
    pub owner: Vec<u8>,
    /// The networks that the report and its reporter come from.
    pub networks: Vec<Vec<u8>>,
}

/// Returns those of these reports that do not count, with those about the authors of these cases that were
/// filed since a time.
pub(super) async fn list_held_reports(
    connection: &mut PgConnection,
    cases: &[i64],
    reports: &[i64],
    since: DateTime<Utc>,
) -> Result<Vec<HeldReport>> {
    let statement = sqlx::query_as!(
        HeldReport,
        r#"select r.no, c.author as "author!: AccountNo", r.agent as "agent: AccountNo", r.owner,
                  array_remove(array[r.network, sender.registered_network], null) as "networks!"
           from report r join report_case c on c.no = r.case_no left join agent sender on sender.no = r.agent
           where r.is_held and c.author in (select author from report_case where no = any($1))
             and (r.no = any($2) or r.at >= $3)
           order by r.no"#,
        cases,
        reports,
        since
    );
    statement.fetch_all(connection).await
}

/// Lets reports count again.
pub(super) async fn release_reports(connection: &mut PgConnection, reports: &[i64]) -> Result<()> {
    let statement = sqlx::query!("update report set is_held = false where no = any($1)", reports);
    statement.execute(connection).await.map(|_| ())
}

/// Returns the time up to which reports about the account with this id have no weight; `None` if there is
/// none.
pub(super) async fn find_cleared_at(
    connection: &mut PgConnection,
    account_id: &str,
) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!("select cleared_at from agent where id = $1", account_id);
    Ok(statement.fetch_optional(connection).await?.flatten())
}

/// Sets the time up to which reports about an account have no weight.
pub(super) async fn set_cleared_at(
    connection: &mut PgConnection,
    account: AccountNo,
    cleared_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let statement = sqlx::query!("update agent set cleared_at = $2 where no = $1", account as _, cleared_at);
    statement.execute(connection).await.map(|_| ())
}

/// Marks a decision as undone, with what stays.
pub(super) async fn mark_undone(
    connection: &mut PgConnection,
    id: &str,
    operator: &str,
    undone_at: DateTime<Utc>,
    kept: &[String],
) -> Result<()> {
    let statement = sqlx::query!(
        "update decision set undone_by = $2, undone_at = $3, kept = $4 where id = $1",
        id,
        operator,
        undone_at,
        kept
    );
    statement.execute(connection).await.map(|_| ())
}
