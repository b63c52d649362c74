//! The SQL of operators' decisions on appeals.

use caraplace_accounts::agents::{Appeal, AppealOutcome};
use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::AppealRecord;

/// Closes the open appeal of an agent, if there is one.
pub async fn close_open(
    connection: &mut PgConnection,
    agent: AccountNo,
    granted: bool,
    answer: &str,
    operator: &str,
    offset: TimeDelta,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update appeal set outcome = $2, answer = $3, decided_by = $4,
               decided_at = clock_timestamp() + $5::interval
           where agent = $1 and outcome = 'open'"#,
        agent as _,
        if granted { "granted" } else { "denied" },
        answer,
        operator,
        offset as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Opens the newest appeal of a banned or muted agent again that was denied with this answer since a time,
/// unless one is open.
pub async fn reopen(
    connection: &mut PgConnection,
    agent: AccountNo,
    answer: &str,
    since: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update appeal set outcome = 'open', answer = null, decided_by = null, decided_at = null
           where no = (select p.no from appeal p join agent a on a.no = p.agent
                       where p.agent = $1 and p.outcome = 'denied' and p.answer = $2 and p.decided_at >= $3
                         and (a.banned_until > p.decided_at or a.muted_until > p.decided_at)
                       order by p.no desc limit 1)
             and not exists (select from appeal where agent = $1 and outcome = 'open')"#,
        agent as _,
        answer,
        since
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns whether an account was banned, and whether it was muted, after a time.
pub async fn sanctioned_since(
    connection: &mut PgConnection,
    subject: &str,
    at: DateTime<Utc>,
) -> Result<(bool, bool)> {
    let statement = sqlx::query!(
        r#"select coalesce(bool_or(act = 'ban'), false) as "banned!",
                  coalesce(bool_or(act = 'mute'), false) as "muted!"
           from sanction_change where account = $1 and act in ('ban', 'mute') and at > $2"#,
        subject,
        at
    );
    statement.fetch_one(connection).await.map(|row| (row.banned, row.muted))
}

/// Returns the appeal with this id.
pub async fn find(connection: &mut PgConnection, id: &str) -> Result<Option<Appeal>> {
    let statement = sqlx::query_as!(
        Appeal,
        r#"select id, text, created_at, outcome as "outcome: AppealOutcome", answer, decided_at from appeal
           where id = $1"#,
        id
    );
    statement.fetch_optional(connection).await
}

/// Returns open appeals, oldest first, or decided ones, newest decision first.
pub async fn list(pool: &PgPool, open: bool, limit: i64) -> Result<Vec<AppealRecord>> {
    let statement = sqlx::query!(
        r#"select p.id, p.text, p.created_at, p.outcome as "outcome: AppealOutcome", p.answer, p.decided_at,
                  p.decided_by, a.id as agent_id, a.name as agent_name, a.banned_until, a.ban_reason,
                  a.muted_until, a.mute_reason
           from appeal p join agent a on a.no = p.agent where (p.outcome = 'open') = $1
           order by p.decided_at desc, p.no limit $2"#,
        open,
        limit
    );
    let records = statement.fetch_all(pool).await?.into_iter().map(|row| AppealRecord {
        appeal: Appeal {
            id: row.id,
            text: row.text,
            created_at: row.created_at,
            outcome: row.outcome,
            answer: row.answer,
            decided_at: row.decided_at,
        },
        agent_id: row.agent_id,
        agent_name: row.agent_name,
        banned_until: row.banned_until,
        ban_reason: row.ban_reason,
        muted_until: row.muted_until,
        mute_reason: row.mute_reason,
        decided_by: row.decided_by,
    });
    Ok(records.collect())
}

/// Decides an open appeal and returns its author's id.
pub async fn decide(
    connection: &mut PgConnection,
    id: &str,
    granted: bool,
    answer: &str,
    operator: &str,
    offset: TimeDelta,
) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"update appeal set outcome = $2, answer = $3, decided_by = $4,
               decided_at = clock_timestamp() + $5::interval
           from agent where agent.no = appeal.agent and appeal.id = $1 and appeal.outcome = 'open'
           returning agent.id"#,
        id,
        if granted { "granted" } else { "denied" },
        answer,
        operator,
        offset as _
    );
    statement.fetch_optional(connection).await
}
