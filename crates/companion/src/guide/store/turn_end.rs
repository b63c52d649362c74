//! The SQL of the end of a turn, and of turns whose instances have died.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::drafts::TurnRun;
use crate::guide::events::{TurnFailure, TurnUsage};

/// An answer to store.
pub(in crate::guide) struct AnswerToStore<'a> {
    /// The run that has answered.
    pub run: TurnRun,
    pub conversation: i64,
    pub id: &'a str,
    pub content: &'a str,
    pub trace: &'a Value,
    pub drafts: &'a [String],
    pub model: &'a str,
    pub usage: TurnUsage,
    pub now: DateTime<Utc>,
}

/// A turn whose instance has died.
pub(in crate::guide) struct DeadTurn {
    /// The number of the question.
    pub no: i64,
    /// The most that it can have cost.
    pub reserved_micros: i64,
    /// The name under which its cost counts for an address.
    pub payer: Option<String>,
}

/// Stores an answer. Returns false if the question was deleted or another instance has claimed it. The
/// conversation is locked before the question, as its deletion does.
pub(in crate::guide) async fn insert_answer(
    connection: &mut PgConnection,
    answer: &AnswerToStore<'_>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"with kept as (
               select no from guide_conversation where no = $3 for key share
           ), answered as (
               update guide_message m set state = 'answered', running_until = null, reserved_micros = 0,
                                          payer = null
               from kept where m.conversation = kept.no and m.no = $1 and m.runs = $2 and m.state = 'running'
               returning m.no
           )
           insert into guide_message (id, conversation, role, content, reply_to, trace, drafts, model,
                                      input_tokens, output_tokens, cost_micros, created_at)
           select $4, $3, 'guide', $5, no, $6, $7, $8, $9, $10, $11, $12 from answered"#,
        answer.run.question,
        answer.run.number,
        answer.conversation,
        answer.id,
        answer.content,
        answer.trace,
        answer.drafts,
        answer.model,
        answer.usage.input_tokens as i64,
        answer.usage.output_tokens as i64,
        answer.usage.cost_micros as i64,
        answer.now
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Stores the failure of a turn. Returns false if the question was deleted or another instance has claimed
/// it.
pub(in crate::guide) async fn fail(
    connection: &mut PgConnection,
    run: TurnRun,
    failure: TurnFailure,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update guide_message set state = 'failed', running_until = null, reserved_micros = 0, payer = null,
                                    failure = $3
           where no = $1 and runs = $2 and state = 'running'"#,
        run.question,
        run.number,
        failure as TurnFailure
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns true if a question has this run as its last one, whether it has ended or not.
pub(in crate::guide) async fn is_last_run(connection: &mut PgConnection, run: TurnRun) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from guide_message where no = $1 and runs = $2) as "is!""#,
        run.question,
        run.number
    );
    statement.fetch_one(connection).await
}

/// Returns true if a question exists whose last run is this one or a later one.
pub(in crate::guide) async fn has_run_since(connection: &mut PgConnection, run: TurnRun) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from guide_message where no = $1 and runs >= $2) as "has!""#,
        run.question,
        run.number
    );
    statement.fetch_one(connection).await
}

/// Returns true if an answer with this id is stored.
pub(in crate::guide) async fn has_answer(connection: &mut PgConnection, id: &str) -> Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from guide_message where id = $1) as "has!""#, id)
        .fetch_one(connection)
        .await
}

/// Returns true if a turn runs whose claim ended before a time.
pub(in crate::guide) async fn has_dead(pool: &PgPool, before: DateTime<Utc>) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from guide_message
                          where state = 'running' and running_until <= $1) as "has!""#,
        before
    );
    statement.fetch_one(pool).await
}

/// Stores the failure of all turns whose claims ended before a time.
pub(in crate::guide) async fn fail_dead(
    connection: &mut PgConnection,
    before: DateTime<Utc>,
) -> Result<Vec<DeadTurn>> {
    let statement = sqlx::query_as!(
        DeadTurn,
        r#"with dead as (
               select no, reserved_micros, payer from guide_message
               where state = 'running' and running_until <= $1 for update
           ), failed as (
               update guide_message m set state = 'failed', running_until = null, reserved_micros = 0,
                                          payer = null, failure = 'internal_error'
               from dead where m.no = dead.no returning m.no, dead.reserved_micros, dead.payer
           )
           select no, reserved_micros, payer from failed"#,
        before
    );
    statement.fetch_all(connection).await
}
