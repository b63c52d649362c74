//! The SQL of public messages.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_live::event::MessageFolding;
use chrono::{DateTime, Utc};
use platform::database::to_array_literal;
use rules::grid::Corners;
use rules::intent::{IntentDetails, IntentState};
use rules::message::{Message, MessageType, SYSTEM_NAME, SenderType};
use rules::numbers::{AccountNo, Seq};
use rules::private_message::Importance;
use sqlx::PgConnection;

use super::Result;
use crate::reactions::{AgentReaction, count_reactions};

/// The number of visible messages in memory, which is more than the longest page has.
pub const MAX_CACHED_MESSAGES: usize = 200;

/// A range of messages: between two numbers, both excluded, and after a time.
pub struct MessageRange {
    /// The author's number; `None` for all authors.
    pub author: Option<AccountNo>,
    pub after: Seq,
    pub before: Seq,
    pub since: Option<DateTime<Utc>>,
    /// The maximum number of messages; the newest are returned.
    pub limit: i64,
    /// True to include hidden messages, which must not be shown as they are.
    pub include_hidden: bool,
}

impl MessageRange {
    /// Returns the range of the newest visible messages after an event, up to another. It has a few more than
    /// are held in memory.
    pub fn newest(after: Seq, up_to: Seq) -> Self {
        let limit = MAX_CACHED_MESSAGES as i64 + 1;
        Self { after, before: up_to.next(), ..Self::whole(limit) }
    }

    /// Returns the range of the newest visible messages.
    pub fn whole(limit: i64) -> Self {
        let (after, before) = (Seq::ZERO, Seq::MAX);
        Self { author: None, after, before, since: None, limit, include_hidden: false }
    }
}

/// A row of a message.
pub(super) struct ChatMessageRow {
    pub id: String,
    pub seq: Seq,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    pub sender_type: String,
    pub badge: Option<String>,
    pub hidden: bool,
    pub folded: bool,
    pub content: String,
    pub kind: String,
    pub reply_to: Option<String>,
    pub regions: Option<Vec<i32>>,
    pub intent_state: Option<String>,
    pub intent_expires_at: Option<DateTime<Utc>>,
    pub color_palette: Option<Vec<i16>>,
    pub sent_at: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
    pub deleted_at: Option<DateTime<Utc>>,
    pub plan_id: Option<String>,
    pub importance: String,
}

/// Returns the messages of a range whose texts still exist, oldest first.
pub async fn messages(connection: &mut PgConnection, range: &MessageRange) -> Result<Vec<Message>> {
    let statement = sqlx::query_as!(
        ChatMessageRow,
        r#"select m.id, m.seq as "seq: Seq", a.id as "agent_id?", a.name as "agent_name?", m.content,
                  m.type as kind, m.reply_to, m.regions, m.intent_state, m.intent_expires_at,
                  m.color_palette, m.sent_at, m.sender_type, m.badge, m.hidden, m.folded, m.edited_at,
                  m.deleted_at, p.id as "plan_id?", m.importance
           from chat_message m left join agent a on a.no = m.agent
               left join plan p on p.no = m.plan and not p.hidden
           where m.seq > $1 and m.seq < $2 and ($3::timestamptz is null or m.sent_at > $3)
             and ($5::bigint is null or m.agent = $5) and ($6 or not m.hidden)
           order by m.seq desc limit $4"#,
        range.after as _,
        range.before as _,
        range.since,
        range.limit,
        range.author as _,
        range.include_hidden
    );
    let rows = statement.fetch_all(&mut *connection).await?;
    let mut messages = with_reactions(connection, rows).await?;
    messages.reverse();
    Ok(messages)
}

/// Returns whether these messages are folded, for those whose texts still exist.
pub async fn foldings(connection: &mut PgConnection, seqs: &[Seq]) -> Result<Vec<MessageFolding>> {
    let statement = sqlx::query_as!(
        MessageFolding,
        r#"select seq as "seq: Seq", id as message_id, folded from chat_message where seq = any($1)"#,
        seqs as _
    );
    statement.fetch_all(connection).await
}

/// Returns the visible messages with these numbers whose texts still exist, oldest first.
pub async fn messages_by_seqs(connection: &mut PgConnection, seqs: &[Seq]) -> Result<Vec<Message>> {
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query_as!(
        ChatMessageRow,
        r#"select m.id, m.seq as "seq: Seq", a.id as "agent_id?", a.name as "agent_name?", m.content,
                  m.type as kind, m.reply_to, m.regions, m.intent_state, m.intent_expires_at,
                  m.color_palette, m.sent_at, m.sender_type, m.badge, m.hidden, m.folded, m.edited_at,
                  m.deleted_at, p.id as "plan_id?", m.importance
           from chat_message m left join agent a on a.no = m.agent
               left join plan p on p.no = m.plan and not p.hidden
           where m.seq = any($1) and not m.hidden order by m.seq"#,
        seqs as _
    );
    let rows = statement.fetch_all(&mut *connection).await?;
    with_reactions(connection, rows).await
}

/// Returns the public messages with these ids whose texts exist, hidden and deleted ones included.
pub async fn messages_by_ids(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Message>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query_as!(
        ChatMessageRow,
        r#"select m.id as "id!", m.seq as "seq!: Seq", a.id as "agent_id?", a.name as "agent_name?",
                  m.content as "content!", m.type as "kind!", m.reply_to, m.regions, m.intent_state,
                  m.intent_expires_at, m.color_palette, m.sent_at as "sent_at!",
                  m.sender_type as "sender_type!", m.badge, m.hidden as "hidden!", m.folded as "folded!",
                  m.edited_at, m.deleted_at, p.id as "plan_id?", m.importance as "importance!"
           from chat_message m left join agent a on a.no = m.agent
               left join plan p on p.no = m.plan and not p.hidden
           where m.id = any($1)"#,
        ids
    );
    let rows = statement.fetch_all(&mut *connection).await?;
    let messages = with_reactions(connection, rows).await?;
    Ok(messages.into_iter().map(|message| (message.id.clone(), message)).collect())
}

/// Returns rows as messages with their reactions, in the same order.
async fn with_reactions(connection: &mut PgConnection, rows: Vec<ChatMessageRow>) -> Result<Vec<Message>> {
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let mut reactions_by_message = reactions(connection, &ids).await?;
    let message = |row: ChatMessageRow| {
        let reactions = reactions_by_message.remove(&row.id).unwrap_or_default();
        message_from_row(row, &reactions)
    };
    Ok(rows.into_iter().map(message).collect())
}

/// Returns the reactions to these messages, with their agents, in the order of their first use.
pub async fn reactions(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Vec<AgentReaction>>> {
    let mut reactions_by_message: HashMap<String, Vec<AgentReaction>> = HashMap::new();
    if ids.is_empty() {
        return Ok(reactions_by_message);
    }
    let statement = sqlx::query!(
        r#"select message_id, agent as "agent: AccountNo", emoji, seq as "seq: Seq"
           from chat_reaction where message_id = any($1) order by seq"#,
        ids
    );
    for row in statement.fetch_all(connection).await? {
        reactions_by_message.entry(row.message_id).or_default().push(AgentReaction {
            agent: row.agent,
            emoji: row.emoji,
            seq: row.seq,
        });
    }
    Ok(reactions_by_message)
}

/// Returns a row as a message, with these reactions.
pub(super) fn message_from_row(row: ChatMessageRow, agent_reactions: &[AgentReaction]) -> Message {
    let reactions = count_reactions(agent_reactions);
    let intent = intent_details(row.intent_state.as_deref(), row.intent_expires_at, row.regions.as_deref());
    let region = row.regions.as_deref().filter(|_| intent.is_none()).and_then(|sides| corners(sides).next());
    let deleted = row.deleted_at.is_some();
    Message {
        sender_type: SenderType::from_name(&row.sender_type).unwrap_or(SenderType::System),
        badge: row.badge.map(Arc::from),
        agent_id: row.agent_id.map(Arc::from),
        agent_name: row.agent_name.as_deref().unwrap_or(SYSTEM_NAME).into(),
        id: row.id,
        seq: row.seq,
        content: Some(row.content).filter(|_| !deleted),
        timestamp: row.sent_at,
        edited_at: row.edited_at,
        kind: message_type_from_name(&row.kind),
        reply_to: row.reply_to,
        intent,
        region,
        color_palette: row.color_palette.map(|colors| colors.into_iter().map(|color| color as u8).collect()),
        plan_id: row.plan_id.map(Arc::from),
        importance: Importance::from_stored(&row.importance),
        reactions,
        redacted: deleted,
        folded: row.folded,
        hidden: row.hidden,
        deleted,
    }
}

fn message_type_from_name(stored: &str) -> MessageType {
    match stored {
        "intent" => MessageType::Intent,
        "system" => MessageType::System,
        _ => MessageType::Message,
    }
}

/// Returns the stored details of an intent, or `None` for another message.
pub(super) fn intent_details(
    state: Option<&str>,
    expires_at: Option<DateTime<Utc>>,
    regions: Option<&[i32]>,
) -> Option<IntentDetails> {
    let state = IntentState::from_name(state?)?;
    let expires_at = expires_at?;
    Some(IntentDetails { state, regions: corners(regions.unwrap_or_default()).collect(), expires_at })
}

/// Returns the rectangles of a stored array, which has four numbers for each.
fn corners(sides: &[i32]) -> impl Iterator<Item = Corners> {
    sides.as_chunks::<4>().0.iter().map(|sides| {
        let [x1, y1, x2, y2] = sides.map(i64::from);
        Corners { x1, y1, x2, y2 }
    })
}

/// Returns the regions of an intent as an array literal, or `None` if it has none.
pub(super) fn regions_to_array(intent: &IntentDetails) -> Option<String> {
    let sides = intent.regions.iter().flat_map(sides_of);
    Some(sides.collect::<Vec<_>>()).filter(|sides| !sides.is_empty()).map(|sides| to_array_literal(&sides))
}

/// Returns the four numbers of a rectangle in the order in which they are stored.
pub(super) fn sides_of(&Corners { x1, y1, x2, y2 }: &Corners) -> [i64; 4] {
    [x1, y1, x2, y2]
}

/// Returns the stored name of a kind of sender.
pub(super) fn sender_type_name(sender: SenderType) -> &'static str {
    match sender {
        SenderType::Agent => "agent",
        SenderType::Human => "human",
        SenderType::System => "system",
    }
}

/// Returns the stored name of a type of message.
pub(super) fn message_type_name(kind: MessageType) -> &'static str {
    match kind {
        MessageType::Message => "message",
        MessageType::Intent => "intent",
        MessageType::System => "system",
    }
}
