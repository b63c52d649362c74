//! The SQL of listing and deleting a conversation.

use caraplace_accounts::visitor::ConversationOwner;
use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::guide::events::TurnState;
use crate::guide::message::GuideRole;

/// A question or an answer in a list.
pub(in crate::guide) struct GuideMessageRow {
    pub id: String,
    pub role: GuideRole,
    pub content: String,
    pub context: Option<Value>,
    pub state: Option<TurnState>,
    pub running_until: Option<DateTime<Utc>>,
    pub trace: Option<Value>,
    pub drafts: Vec<String>,
    pub model: Option<String>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub cost_micros: Option<i64>,
    pub created_at: DateTime<Utc>,
}

/// A deleted conversation.
pub(in crate::guide) struct DeletedConversation {
    /// The most that its running turn can cost.
    pub reserved_micros: i64,
    /// The name under which its cost counts for an address.
    pub payer: Option<String>,
    /// The ids of the questions that were being answered.
    pub running: Vec<String>,
}

/// Returns the newest messages of an owner's conversation, newest first. An answer comes after its question,
/// whatever was asked between them.
pub(in crate::guide) async fn list(
    pool: &PgPool,
    owner: &ConversationOwner,
    limit: i64,
) -> Result<Vec<GuideMessageRow>> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query_as!(
        GuideMessageRow,
        r#"select m.id, m.role as "role: GuideRole", m.content, m.context, m.state as "state: TurnState",
                  m.running_until, m.trace, m.drafts, m.model, m.input_tokens, m.output_tokens, m.cost_micros,
                  m.created_at
           from guide_message m join guide_conversation c on c.no = m.conversation
           where c.browser = $1 or c.account = $2
           order by coalesce(m.reply_to, m.no) desc, m.no desc limit $3"#,
        browser,
        account as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Deletes an owner's conversation with all its messages.
pub(in crate::guide) async fn delete_conversation(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
) -> Result<DeletedConversation> {
    let (browser, account) = owner.columns();
    let statement = sqlx::query_as!(
        DeletedConversation,
        r#"with deleted as (
               delete from guide_conversation where browser = $1 or account = $2 returning no
           )
           select coalesce(sum(m.reserved_micros), 0)::bigint as "reserved_micros!", max(m.payer) as payer,
                  coalesce(array_agg(m.id), '{}') as "running!"
           from guide_message m join deleted on deleted.no = m.conversation where m.state = 'running'"#,
        browser,
        account as _
    );
    statement.fetch_one(connection).await
}
