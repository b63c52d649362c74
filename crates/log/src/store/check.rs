//! The SQL of the log check, which reads page by page.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;

/// A row of the log: a placement or another event.
pub struct LogRow {
    pub seq: Seq,
    pub at: DateTime<Utc>,
    /// `None` for placements.
    pub kind: Option<String>,
    pub id: Option<String>,
    pub x: Option<i16>,
    pub y: Option<i16>,
    pub color: Option<i16>,
    pub agent: Option<AccountNo>,
    /// The agent that a correction shows as the painter.
    pub restored_agent: Option<AccountNo>,
    pub covers: Option<Seq>,
    pub previous: Option<Seq>,
}

/// A stored response, with the agent it belongs to.
pub struct StoredResponseRow {
    pub agent: AccountNo,
    pub agent_id: Option<String>,
    pub route: String,
    pub key: String,
    pub answer: Vec<u8>,
}

/// Returns the newest event under the old rule, by which repainting one's own pixel in the same colour earned
/// a credit.
pub async fn old_credit_rule_until(connection: &mut PgConnection) -> Result<Seq> {
    let statement = sqlx::query_scalar!(
        r#"select after_seq as "after_seq: Seq" from rule_start where rule = 'own_repaint_earns_nothing'"#
    );
    statement.fetch_one(connection).await
}

/// Returns the seasons with a stored snapshot, by the numbers of their openings.
pub async fn snapshot_seasons(connection: &mut PgConnection) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(r#"select season as "season: Seq" from fold order by season"#);
    statement.fetch_all(connection).await
}

/// Returns the next rows after a number. Rows with the same number are never separated.
pub async fn log_rows(connection: &mut PgConnection, after: Seq, limit: i64) -> Result<Vec<LogRow>> {
    let statement = sqlx::query_as!(
        LogRow,
        r#"select seq as "seq!: Seq", at as "at!", kind, id, x, y, color, agent as "agent: AccountNo",
                  restored_agent as "restored_agent: AccountNo", covers as "covers: Seq",
                  previous as "previous: Seq" from (
               (select seq, placed_at as at, null::text as kind, null::text as id, x, y, color, agent,
                       restored_agent, covers, previous
                from placement where seq > $1 order by seq limit $2)
               union all
               (select seq, at, kind, id, null, null, null, null, null, null, null
                from event where seq > $1 order by seq limit $2)
           ) as line
           order by seq fetch first $2 rows with ties"#,
        after as _,
        limit
    );
    statement.fetch_all(connection).await
}

/// Returns the rows with these numbers.
pub async fn log_rows_by_seqs(connection: &mut PgConnection, seqs: &[Seq]) -> Result<Vec<LogRow>> {
    let statement = sqlx::query_as!(
        LogRow,
        r#"select seq as "seq!: Seq", placed_at as "at!", null::text as kind, null::text as id, x, y, color,
                  agent as "agent: AccountNo", restored_agent as "restored_agent: AccountNo",
                  covers as "covers: Seq", previous as "previous: Seq"
           from placement where seq = any($1)
           union all
           select seq, at, kind, id, null, null, null, null, null, null, null
           from event where seq = any($1)"#,
        seqs as _
    );
    statement.fetch_all(connection).await
}

/// Returns the entries of the control log whose number does not follow the previous one, or the newest
/// deleted one, or whose subject is unknown.
pub async fn invalid_control_entries(connection: &mut PgConnection) -> Result<Vec<i64>> {
    let statement = sqlx::query_scalar!(
        r#"select c.no as "no!"
           from (select no, kind, subject, lag(no, 1, control_deleted) over (order by no) as before
                 from control cross join log_head) as c
               left join agent a on a.no = c.subject
           where c.no <> c.before + 1
              or a.no is null and c.kind in ('key_changed', 'standing', 'shadow', 'shadow_ban')
           order by c.no"#
    );
    statement.fetch_all(connection).await
}

/// Returns the newest number of the control log, also if its entry was deleted.
pub async fn newest_control_entry(connection: &mut PgConnection) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select greatest((select max(no) from control), control_deleted) as "no!" from log_head"#
    );
    statement.fetch_one(connection).await
}

/// Returns the next stored responses after this agent, route and key.
pub async fn stored_answers(
    connection: &mut PgConnection,
    agent: AccountNo,
    route: &str,
    key: &str,
    limit: i64,
) -> Result<Vec<StoredResponseRow>> {
    let statement = sqlx::query_as!(
        StoredResponseRow,
        r#"select i.agent as "agent: AccountNo", a.id as "agent_id?", i.route, i.key, i.answer
           from idempotency i left join agent a on a.no = i.agent
           where (i.agent, i.route, i.key) > ($1, $2, $3) order by i.agent, i.route, i.key limit $4"#,
        agent as _,
        route,
        key,
        limit
    );
    statement.fetch_all(connection).await
}
