//! The SQL of storing a question.

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgConnection;

use super::Result;

/// A question to be stored.
pub(in crate::guide) struct NewQuestionRow<'a> {
    pub id: &'a str,
    /// The number of the conversation.
    pub conversation: i64,
    pub content: &'a str,
    pub context: Option<&'a Value>,
    pub now: DateTime<Utc>,
}

/// Returns the number of an owner's conversation, and begins it if there is none. Its row stays locked until
/// the transaction ends.
pub(in crate::guide) async fn open_conversation(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
    now: DateTime<Utc>,
) -> Result<i64> {
    match owner {
        ConversationOwner::Browser(hash) => {
            let statement = sqlx::query_scalar!(
                r#"insert into guide_conversation (browser, created_at) values ($1, $2)
                   on conflict (browser) do update set created_at = guide_conversation.created_at
                   returning no"#,
                &hash[..],
                now
            );
            statement.fetch_one(connection).await
        }
        ConversationOwner::Account(account) => {
            let statement = sqlx::query_scalar!(
                r#"insert into guide_conversation (account, created_at) values ($1, $2)
                   on conflict (account) do update set created_at = guide_conversation.created_at
                   returning no"#,
                account as _,
                now
            );
            statement.fetch_one(connection).await
        }
    }
}

/// Returns true if a question of a conversation is being answered.
pub(in crate::guide) async fn is_answering(
    connection: &mut PgConnection,
    conversation: i64,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (select from guide_message
                          where conversation = $1 and state = 'running'
                            and running_until > $2) as "running!""#,
        conversation,
        now
    );
    statement.fetch_one(connection).await
}

/// Inserts a question.
pub(in crate::guide) async fn insert_question(
    connection: &mut PgConnection,
    question: &NewQuestionRow<'_>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into guide_message (id, conversation, role, content, context, state, created_at)
           values ($1, $2, 'visitor', $3, $4, 'waiting', $5)"#,
        question.id,
        question.conversation,
        question.content,
        question.context,
        question.now
    );
    statement.execute(connection).await.map(|_| ())
}
