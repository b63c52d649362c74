//! The SQL of finding questions, and of claims of them.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::accounts::visitor::ConversationOwner;
use crate::companion::guide::events::{TurnFailure, TurnState};

/// The state of a question.
pub(in crate::companion::guide) struct QuestionRow {
    pub no: i64,
    pub state: TurnState,
    pub running_until: Option<DateTime<Utc>>,
    /// The reason why its last turn has failed.
    pub failure: Option<TurnFailure>,
}

/// An answer.
pub(in crate::companion::guide) struct AnswerRow {
    pub id: String,
    pub content: String,
    pub trace: Value,
    pub drafts: Vec<String>,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cost_micros: i64,
}

/// A question whose row is locked.
pub(in crate::companion::guide) struct LockedQuestion {
    pub no: i64,
    pub conversation: i64,
    pub content: String,
    pub context: Option<Value>,
    pub state: TurnState,
    pub running_until: Option<DateTime<Utc>>,
    /// The most that its running turn can cost; 0 if none runs.
    pub reserved_micros: i64,
    /// The name under which the cost of its running turn counts for an address.
    pub payer: Option<String>,
    /// The number of turns that were begun.
    pub runs: i32,
    pub created_at: DateTime<Utc>,
}

/// A turn to begin.
pub(in crate::companion::guide) struct TurnStart<'a> {
    /// The number of the question.
    pub no: i64,
    pub reserved_micros: i64,
    /// The name under which the cost counts for an address; `None` for an account.
    pub payer: Option<&'a str>,
    pub running_until: DateTime<Utc>,
}

/// Returns a question; `None` if its owner has not asked it.
pub(in crate::companion::guide) async fn find_question(
    pool: &PgPool,
    owner: &ConversationOwner,
    id: &str,
) -> Result<Option<QuestionRow>> {
    let (browser, account) = owner.columns();
    sqlx::query_as!(
        QuestionRow,
        r#"select m.no, m.state as "state!: TurnState", m.running_until, m.failure as "failure: TurnFailure"
           from guide_message m join guide_conversation c on c.no = m.conversation
           where m.id = $1 and m.role = 'visitor' and (c.browser = $2 or c.account = $3)"#,
        id,
        browser,
        account as _
    )
    .fetch_optional(pool)
    .await
}

/// Returns the answer to a question; `None` if there is none.
pub(in crate::companion::guide) async fn find_answer(
    pool: &PgPool,
    question: i64,
) -> Result<Option<AnswerRow>> {
    sqlx::query_as!(
        AnswerRow,
        r#"select id, content, trace as "trace!", drafts, input_tokens as "input_tokens!",
                  output_tokens as "output_tokens!", cost_micros as "cost_micros!"
           from guide_message where reply_to = $1"#,
        question
    )
    .fetch_optional(pool)
    .await
}

/// Locks a question; `None` if its owner has not asked it.
pub(in crate::companion::guide) async fn lock_question(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
    id: &str,
) -> Result<Option<LockedQuestion>> {
    let (browser, account) = owner.columns();
    sqlx::query_as!(
        LockedQuestion,
        r#"select m.no, m.conversation, m.content, m.context, m.state as "state!: TurnState", m.running_until,
                  m.reserved_micros, m.payer, m.runs, m.created_at
           from guide_message m join guide_conversation c on c.no = m.conversation
           where m.id = $1 and m.role = 'visitor' and (c.browser = $2 or c.account = $3)
           for update of m"#,
        id,
        browser,
        account as _
    )
    .fetch_optional(connection)
    .await
}

/// Begins a turn and returns the number of its run. The question must be locked.
pub(in crate::companion::guide) async fn begin(
    connection: &mut PgConnection,
    start: &TurnStart<'_>,
) -> Result<i32> {
    sqlx::query_scalar!(
        r#"update guide_message set state = 'running', running_until = $2, reserved_micros = $3, payer = $4,
                                    runs = runs + 1, failure = null
           where no = $1 returning runs"#,
        start.no,
        start.running_until,
        start.reserved_micros,
        start.payer
    )
    .fetch_one(connection)
    .await
}
