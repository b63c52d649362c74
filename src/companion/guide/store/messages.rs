//! The SQL of conversations and their messages.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::accounts::visitor::ConversationOwner;
use crate::companion::guide::events::{TurnFailure, TurnState};
use crate::companion::guide::message::GuideRole;

/// A question to be stored.
pub(in crate::companion::guide) struct NewQuestionRow<'a> {
    pub id: &'a str,
    /// The number of the conversation.
    pub conversation: i64,
    pub content: &'a str,
    pub context: Option<&'a Value>,
    pub now: DateTime<Utc>,
}

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

/// A question or an answer in a list.
pub(in crate::companion::guide) struct GuideMessageRow {
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
pub(in crate::companion::guide) struct DeletedConversation {
    /// The most that its running turn can cost.
    pub reserved_micros: i64,
    /// The name under which its cost counts for an address.
    pub payer: Option<String>,
    /// The ids of the questions that were being answered.
    pub running: Vec<String>,
}

/// An earlier turn.
pub(in crate::companion::guide) struct PastTurn {
    pub question: String,
    pub answer: String,
}

/// Returns the number of an owner's conversation, and begins it if there is none. Its row stays locked until
/// the transaction ends.
pub(in crate::companion::guide) async fn open_conversation(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
    now: DateTime<Utc>,
) -> Result<i64> {
    match owner {
        ConversationOwner::Browser(hash) => {
            let opened = sqlx::query_scalar!(
                r#"insert into guide_conversation (browser, created_at) values ($1, $2)
                   on conflict (browser) do update set created_at = guide_conversation.created_at
                   returning no"#,
                &hash[..],
                now
            );
            opened.fetch_one(connection).await
        }
        ConversationOwner::Account(account) => {
            let opened = sqlx::query_scalar!(
                r#"insert into guide_conversation (account, created_at) values ($1, $2)
                   on conflict (account) do update set created_at = guide_conversation.created_at
                   returning no"#,
                account as _,
                now
            );
            opened.fetch_one(connection).await
        }
    }
}

/// Returns true if a question of a conversation is being answered.
pub(in crate::companion::guide) async fn is_answering(
    connection: &mut PgConnection,
    conversation: i64,
    now: DateTime<Utc>,
) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists (select from guide_message
                          where conversation = $1 and state = 'running'
                            and running_until > $2) as "running!""#,
        conversation,
        now
    )
    .fetch_one(connection)
    .await
}

/// Inserts a question.
pub(in crate::companion::guide) async fn insert_question(
    connection: &mut PgConnection,
    question: &NewQuestionRow<'_>,
) -> Result<()> {
    sqlx::query!(
        r#"insert into guide_message (id, conversation, role, content, context, state, created_at)
           values ($1, $2, 'visitor', $3, $4, 'waiting', $5)"#,
        question.id,
        question.conversation,
        question.content,
        question.context,
        question.now
    )
    .execute(connection)
    .await
    .map(|_| ())
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

/// Returns the newest messages of an owner's conversation, newest first. An answer comes after its question,
/// whatever was asked between them.
pub(in crate::companion::guide) async fn list(
    pool: &PgPool,
    owner: &ConversationOwner,
    limit: i64,
) -> Result<Vec<GuideMessageRow>> {
    let (browser, account) = owner.columns();
    sqlx::query_as!(
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
    )
    .fetch_all(pool)
    .await
}

/// Returns the newest answered turns of a conversation before a question, newest first.
pub(in crate::companion::guide) async fn list_past_turns(
    pool: &PgPool,
    conversation: i64,
    before: i64,
    limit: i64,
) -> Result<Vec<PastTurn>> {
    sqlx::query_as!(
        PastTurn,
        r#"select q.content as question, a.content as answer
           from guide_message q join guide_message a on a.reply_to = q.no
           where q.conversation = $1 and q.no < $2 order by q.no desc limit $3"#,
        conversation,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Deletes an owner's conversation with all its messages.
pub(in crate::companion::guide) async fn delete_conversation(
    connection: &mut PgConnection,
    owner: &ConversationOwner,
) -> Result<DeletedConversation> {
    let (browser, account) = owner.columns();
    sqlx::query_as!(
        DeletedConversation,
        r#"with deleted as (
               delete from guide_conversation where browser = $1 or account = $2 returning no
           )
           select coalesce(sum(m.reserved_micros), 0)::bigint as "reserved_micros!", max(m.payer) as payer,
                  coalesce(array_agg(m.id), '{}') as "running!"
           from guide_message m join deleted on deleted.no = m.conversation where m.state = 'running'"#,
        browser,
        account as _
    )
    .fetch_one(connection)
    .await
}
