//! The SQL of finding questions and their answers.

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;

use super::Result;
use crate::guide::events::{TurnFailure, TurnState};

/// The state of a question.
pub(in crate::guide) struct QuestionRow {
    pub no: i64,
    pub state: TurnState,
    pub running_until: Option<DateTime<Utc>>,
    /// The reason why its last turn has failed.
    pub failure: Option<TurnFailure>,
}

/// An answer.
pub(in crate::guide) struct AnswerRow {
    pub id: String,
    pub content: String,
    pub trace: Value,
    pub drafts: Vec<String>,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cost_micros: i64,
}

/// Returns a question; `None` if its owner has not asked it.
pub(in crate::guide) async fn find_question(
    pool: &PgPool,
    owner: &ConversationOwner,
    id: &str,
) -> Result<Option<QuestionRow>> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query_as!(
        QuestionRow,
        r#"select m.no, m.state as "state!: TurnState", m.running_until, m.failure as "failure: TurnFailure"
           from guide_message m join guide_conversation c on c.no = m.conversation
           where m.id = $1 and m.role = 'visitor' and (c.browser = $2 or c.account = $3)"#,
        id,
        browser,
        account as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the answer to a question; `None` if there is none.
pub(in crate::guide) async fn find_answer(pool: &PgPool, question: i64) -> Result<Option<AnswerRow>> {
    let statement = sqlx::query_as!(
        AnswerRow,
        r#"select id, content, trace as "trace!", drafts, input_tokens as "input_tokens!",
                  output_tokens as "output_tokens!", cost_micros as "cost_micros!"
           from guide_message where reply_to = $1"#,
        question
    );
    statement.fetch_optional(pool).await
}
