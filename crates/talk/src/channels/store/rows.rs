//! Reads messages by their numbers.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::ids::ThreadId;
use rules::message::{MessageType, SenderType};
use rules::numbers::{AccountNo, MessageNo};
use rules::private_message::{AskState, Importance};
use sqlx::PgPool;

use super::Result;
use crate::channels::{Ask, PrivateMessage, Receipt};

/// A message with its number and that of its author.
pub struct StoredMessage {
    pub no: MessageNo,
    pub author: AccountNo,
    /// The time at which the question was answered; `None` if it was not.
    pub answered_at: Option<DateTime<Utc>>,
    pub message: PrivateMessage,
}

struct MessageRow {
    no: MessageNo,
    id: String,
    channel_id: Arc<str>,
    is_crew: bool,
    author: AccountNo,
    agent_id: Arc<str>,
    agent_name: Arc<str>,
    is_viewer: bool,
    badge: Option<Arc<str>>,
    content: String,
    is_gone: bool,
    sent_at: DateTime<Utc>,
    edited_at: Option<DateTime<Utc>>,
    reply_to: Option<String>,
    thread: Option<String>,
    importance: String,
    ask_to: Option<Arc<str>>,
    ask_by: Option<DateTime<Utc>>,
    ask_state: Option<String>,
    ask_ended_at: Option<DateTime<Utc>>,
}

impl MessageRow {
    fn into_stored(self, now: DateTime<Utc>) -> StoredMessage {
        let ask = self.ask_to.zip(self.ask_by).map(|(to, by)| {
            let state = AskState::from_stored(self.ask_state.as_deref().unwrap_or_default(), by, now);
            Ask { to, by, state }
        });
        let is_answered = ask.as_ref().is_some_and(|ask| ask.state == AskState::Answered);
        let thread = self.thread.filter(|_| !self.is_gone);
        let thread_id = |label| ThreadId::from_label(&self.channel_id, label).into();
        let message = PrivateMessage {
            thread_id: thread.as_deref().map(thread_id),
            thread,
            id: self.id,
            crew_id: self.is_crew.then(|| self.channel_id.clone()),
            conversation_id: (!self.is_crew).then_some(self.channel_id),
            agent_id: self.agent_id,
            agent_name: self.agent_name,
            sender_type: if self.is_viewer { SenderType::Human } else { SenderType::Agent },
            badge: self.badge,
            content: Some(self.content).filter(|_| !self.is_gone),
            timestamp: self.sent_at,
            edited_at: self.edited_at.filter(|_| !self.is_gone),
            kind: MessageType::Message,
            reply_to: self.reply_to,
            importance: Importance::from_stored(&self.importance),
            ask: ask.filter(|_| !self.is_gone),
            receipts: None,
            reactions: Vec::new(),
            redacted: self.is_gone,
        };
        let answered_at = self.ask_ended_at.filter(|_| is_answered);
        StoredMessage { no: self.no, author: self.author, answered_at, message }
    }
}

/// Returns the messages with these numbers, in this order. Their texts and questions are as the reader sees
/// them at `now`.
pub async fn messages_by_no(
    pool: &PgPool,
    nos: &[MessageNo],
    reader: Option<AccountNo>,
    now: DateTime<Utc>,
) -> Result<Vec<StoredMessage>> {
    if nos.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query_as!(
        MessageRow,
        r#"select p.no as "no: MessageNo", p.id, c.id as "channel_id: Arc<str>",
                  c.kind = 'crew' as "is_crew!", p.author as "author: AccountNo",
                  a.id as "agent_id: Arc<str>", a.name as "agent_name: Arc<str>",
                  a.kind = 'viewer' as "is_viewer!",
                  p.badge as "badge: Arc<str>", coalesce(own.content, p.content) as "content!",
                  p.hidden or p.deleted_at is not null as "is_gone!", p.sent_at,
                  coalesce(own.edited_at, p.edited_at) as edited_at, p.reply_to, p.thread, p.importance,
                  asked.id as "ask_to?: Arc<str>", p.ask_by, p.ask_ended_at,
                  case when p.ask_to = $2 then coalesce(p.ask_shadow_state, p.ask_state) else p.ask_state end
                      as ask_state
           from private_message p join channel c on c.no = p.channel join agent a on a.no = p.author
               left join agent asked on asked.no = p.ask_to
               left join shadow_text own on own.private_message_id = p.id and own.agent = $2
           where p.no = any($1) order by array_position($1, p.no)"#,
        nos as _,
        reader as _
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| row.into_stored(now)).collect())
}

/// Returns the receipts of messages, by the numbers of these.
pub async fn receipts(pool: &PgPool, nos: &[MessageNo]) -> Result<HashMap<MessageNo, Vec<Receipt>>> {
    let mut receipts: HashMap<MessageNo, Vec<Receipt>> = HashMap::new();
    if nos.is_empty() {
        return Ok(receipts);
    }
    let statement = sqlx::query!(
        r#"select r.message as "message: MessageNo", a.id as "agent_id: Arc<str>", r.delivered_at, r.read_at
           from receipt r join agent a on a.no = r.account where r.message = any($1) order by r.account"#,
        nos as _
    );
    for row in statement.fetch_all(pool).await? {
        receipts.entry(row.message).or_default().push(Receipt {
            agent_id: row.agent_id,
            delivered_at: Some(row.delivered_at),
            read_at: row.read_at,
            answered_at: None,
        });
    }
    Ok(receipts)
}
