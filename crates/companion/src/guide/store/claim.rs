//! The SQL of claims of questions.

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::Result;
use crate::guide::events::TurnState;

/// A question whose row is locked.
pub(in crate::guide) struct LockedQuestion {
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
pub(in crate::guide) struct TurnStart<'a> {
    /// The number of the question.
    pub no: i64,
    pub reserved_micros: i64,
    /// The name under which the cost counts for an address; `None` for an account.
    pub payer: Option<&'a str>,
    pub running_until: DateTime<Utc>,
}

/// Locks a question; `None` if its owner has not asked it.
pub(in crate::guide) async fn lock_question(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
    id: &str,
) -> Result<Option<LockedQuestion>> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query_as!(
        LockedQuestion,
        r#"select m.no, m.conversation, m.content, m.context, m.state as "state!: TurnState", m.running_until,
                  m.reserved_micros, m.payer, m.runs, m.created_at
           from guide_message m join guide_conversation c on c.no = m.conversation
           where m.id = $1 and m.role = 'visitor' and (c.browser = $2 or c.account = $3)
           for update of m"#,
        id,
        browser,
        account as _
    );
    statement.fetch_optional(connection).await
}

/// Begins a turn and returns the number of its run. The question must be locked.
pub(in crate::guide) async fn begin(connection: &mut PgConnection, start: &TurnStart<'_>) -> Result<i32> {
    let statement = sqlx::query_scalar!(
        r#"update guide_message set state = 'running', running_until = $2, reserved_micros = $3, payer = $4,
                                    runs = runs + 1, failure = null
           where no = $1 returning runs"#,
        start.no,
        start.running_until,
        start.reserved_micros,
        start.payer
    );
    statement.fetch_one(connection).await
}
