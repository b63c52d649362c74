//! The SQL of a turn that runs: its claim, and the turns before it.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Result;
use crate::drafts::TurnRun;

/// An earlier turn.
pub(in crate::guide) struct PastTurn {
    pub question: String,
    pub answer: String,
}

/// Moves the end of a claim. Returns false if the question was deleted or another instance has claimed it.
pub(in crate::guide) async fn renew(pool: &PgPool, run: TurnRun, until: DateTime<Utc>) -> Result<bool> {
    let statement = sqlx::query!(
        "update guide_message set running_until = $3 where no = $1 and runs = $2 and state = 'running'",
        run.question,
        run.number,
        until
    );
    Ok(statement.execute(pool).await?.rows_affected() > 0)
}

/// Returns the newest answered turns of a conversation before a question, newest first.
pub(in crate::guide) async fn list_past_turns(
    pool: &PgPool,
    conversation: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<PastTurn>> {
    let statement = sqlx::query_as!(
        PastTurn,
        r#"select q.content as question, a.content as answer
           from guide_message q join guide_message a on a.reply_to = q.no
           where q.conversation = $1 and q.no < $2 order by q.no desc limit $3"#,
        conversation,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
