//! Reports and their cases, as they are stored.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, PgPool};

use super::{Result, json};
use crate::moderation::reports::Voice;
use crate::moderation::reports::evidence::Evidence;
use crate::moderation::reports::review::{Case, Told};
use crate::rules::reports;

/// What is known of who reports.
pub struct Known {
    pub pixels_placed: i64,
    pub created_at: DateTime<Utc>,
    pub registered_from: Option<Vec<u8>>,
}

/// An agent or a viewer, as one who reports.
pub async fn reporter(pool: &PgPool, no: i64) -> Result<Option<Known>> {
    sqlx::query_as!(Known, "select pixels_placed, created_at, registered_from from agent where no = $1", no)
        .fetch_optional(pool)
        .await
}

/// Whether the same sender has reported the same before: a message for ever, what can change until it was decided.
pub async fn is_known(pool: &PgPool, kind: &str, target: &str, voice: &Voice) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists(
               select from report r join report_case c on c.no = r.case_no
               where c.kind = $1 and c.target = $2 and (r.agent = $3 or r.address = $4)
                 and (c.closed_at is null or c.kind = 'message')
           ) as "known!""#,
        kind,
        target,
        voice.agent,
        voice.address
    )
    .fetch_one(pool)
    .await
}

/// The case of a target that nobody has decided yet.
pub async fn open_case(pool: &PgPool, kind: &str, target: &str) -> Result<Option<i64>> {
    sqlx::query_scalar!(
        "select no from report_case where kind = $1 and target = $2 and closed_at is null",
        kind,
        target
    )
    .fetch_optional(pool)
    .await
}

/// Opens a case, unless somebody was faster: the evidence is that of the first.
pub async fn open(
    connection: &mut PgConnection,
    id: &str,
    kind: &str,
    target: &str,
    evidence: &Evidence,
    offset: TimeDelta,
) -> Result<()> {
    sqlx::query!(
        r#"insert into report_case (id, kind, target, author, counts, evidence, opened_at)
           values ($1, $2, $3, $4, $5, $6::text::jsonb, clock_timestamp() + $7::interval)
           on conflict (kind, target) where closed_at is null do nothing"#,
        id,
        kind,
        target,
        evidence.author,
        evidence.counts,
        evidence.json.to_string(),
        offset as _
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// The open case of a target, which cannot be closed for the rest of the transaction, and its author.
pub async fn hold(
    connection: &mut PgConnection,
    kind: &str,
    target: &str,
) -> Result<Option<(i64, Option<i64>)>> {
    let row = sqlx::query!(
        r#"select no, author from report_case where kind = $1 and target = $2 and closed_at is null
           for share"#,
        kind,
        target
    );
    Ok(row.fetch_optional(connection).await?.map(|row| (row.no, row.author)))
}

/// Adds a report to its case; false when the same sender was there before.
pub async fn insert(
    connection: &mut PgConnection,
    case: i64,
    voice: &Voice,
    reason: &str,
    offset: TimeDelta,
) -> Result<bool> {
    let inserted = sqlx::query!(
        r#"insert into report (case_no, agent, address, reason, weight, owner, at)
           values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7::interval) on conflict do nothing"#,
        case,
        voice.agent,
        voice.address,
        reason,
        voice.weight as i32,
        voice.owner,
        offset as _
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// What speaks against an author: reports between two times, of cases that nobody has decided.
pub async fn voices(
    database: impl PgExecutor<'_>,
    author: i64,
    (since, until): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Vec<reports::Voice>> {
    let rows = sqlx::query!(
        r#"select r.at, r.owner, r.weight, r.address is not null as "unknown!"
           from report_case c join report r on r.case_no = c.no join agent a on a.no = c.author
           where c.author = $1 and c.counts and c.closed_at is null
             and r.at > greatest($2, coalesce(a.cleared_at, '-infinity')) and r.at <= $3 and a.kind <> 'operator'"#,
        author,
        since,
        until
    );
    let voices = rows.fetch_all(database).await?.into_iter().map(|row| reports::Voice {
        at: row.at,
        owner: row.owner,
        weight: row.weight.into(),
        unknown: row.unknown,
    });
    Ok(voices.collect())
}

/// The id of whoever has a number.
pub async fn id_of(pool: &PgPool, no: i64) -> Result<Option<String>> {
    sqlx::query_scalar!("select id from agent where no = $1", no).fetch_optional(pool).await
}

/// A case with its evidence and its author's number.
pub struct Full {
    pub no: i64,
    pub author: Option<i64>,
    pub evidence: Value,
}

/// The cases before one, newest first, open ones or closed ones.
pub async fn cases(pool: &PgPool, open: bool, before: Option<&str>, limit: i64) -> Result<Vec<Case>> {
    sqlx::query_as!(
        Case,
        r#"select c.id, c.kind, c.target, a.id as "author_id?", a.name as "author_name?", c.counts, c.opened_at,
                  (select count(*) from report where case_no = c.no) as "reports!",
                  c.closed_at, c.closed_by, c.outcome, c.answer
           from report_case c left join agent a on a.no = c.author
           where (c.closed_at is null) = $1
             and ($2::text is null or c.no < (select no from report_case where id = $2))
           order by c.no desc limit $3"#,
        open,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A case by its id, but for the evidence.
pub async fn case(pool: &PgPool, id: &str) -> Result<Option<Case>> {
    sqlx::query_as!(
        Case,
        r#"select c.id, c.kind, c.target, a.id as "author_id?", a.name as "author_name?", c.counts, c.opened_at,
                  (select count(*) from report where case_no = c.no) as "reports!",
                  c.closed_at, c.closed_by, c.outcome, c.answer
           from report_case c left join agent a on a.no = c.author where c.id = $1"#,
        id
    )
    .fetch_optional(pool)
    .await
}

/// What goes with it.
pub async fn full(pool: &PgPool, id: &str) -> Result<Option<Full>> {
    let row = sqlx::query!(
        r#"select no, author, evidence::text as "evidence!" from report_case where id = $1"#,
        id
    );
    let row = row.fetch_optional(pool).await?;
    Ok(row.map(|row| Full { no: row.no, author: row.author, evidence: json(&row.evidence) }))
}

/// The reports of a case, oldest first.
pub async fn told(pool: &PgPool, case: i64, limit: i64) -> Result<Vec<Told>> {
    let rows = sqlx::query!(
        r#"select r.at, r.reason, r.weight, a.id as "agent_id?", a.name as "agent_name?"
           from report r left join agent a on a.no = r.agent where r.case_no = $1 order by r.no limit $2"#,
        case,
        limit
    );
    let told = rows.fetch_all(pool).await?.into_iter().map(|row| Told {
        at: row.at,
        reason: row.reason,
        weight: f64::from(row.weight) / reports::FULL as f64,
        agent_id: row.agent_id,
        agent_name: row.agent_name,
    });
    Ok(told.collect())
}

/// A case that was just closed.
pub struct Closed {
    /// The author's id, if it has an author.
    pub author: Option<String>,
    pub counts: bool,
}

/// Closes a case that is open.
pub async fn close(
    connection: &mut PgConnection,
    id: &str,
    outcome: &str,
    operator: &str,
    why: &str,
    offset: TimeDelta,
) -> Result<Option<Closed>> {
    sqlx::query_as!(
        Closed,
        r#"update report_case set outcome = $2, closed_by = $3, answer = $4,
               closed_at = clock_timestamp() + $5::interval
           where id = $1 and closed_at is null
           returning (select id from agent where no = report_case.author) as author, counts"#,
        id,
        outcome,
        operator,
        why,
        offset as _
    )
    .fetch_optional(connection)
    .await
}

/// When somebody was put in the shadow, if the newest word on that is by this operator.
pub async fn shadowed_at(
    connection: &mut PgConnection,
    subject: &str,
    operator: &str,
) -> Result<Option<DateTime<Utc>>> {
    let newest = sqlx::query!(
        "select operator, at from audit where subject = $1 and act in ('shadow', 'unshadow') order by no desc limit 1",
        subject
    );
    Ok(newest
        .fetch_optional(connection)
        .await?
        .filter(|newest| newest.operator == operator)
        .map(|newest| newest.at))
}

/// Whether reports against somebody were found right after a moment.
pub async fn were_right(connection: &mut PgConnection, author: i64, since: DateTime<Utc>) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists(select from report_case
               where author = $1 and outcome = 'upheld' and closed_at > $2) as "right!""#,
        author,
        since
    )
    .fetch_one(connection)
    .await
}
