//! Messages as everyone sees them.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::Corners;
use rules::message::{Message, MessageType, SYSTEM_NAME, SenderType};
use sqlx::PgConnection;

use super::Result;
use crate::log::ground::{Given, count};
use crate::log::world::MESSAGES_KEPT;

/// Which messages: between two numbers, both excluded, and after a time.
pub struct Span {
    /// By this agent's number only.
    pub author: Option<i64>,
    pub after: i64,
    pub before: i64,
    pub since: Option<DateTime<Utc>>,
    /// The newest so many.
    pub limit: i64,
    /// Hidden ones too, which nobody may see as they are.
    pub hidden: bool,
}

impl Span {
    /// The newest visible messages after an event, up to another, a few more than are kept in memory.
    pub fn newest(after: i64, upto: i64) -> Self {
        let limit = MESSAGES_KEPT as i64 + 1;
        Self { author: None, after, before: upto.saturating_add(1), since: None, limit, hidden: false }
    }
}

pub(super) struct Row {
    pub id: String,
    pub seq: i64,
    pub agent_id: Option<String>,
    pub agent_name: Option<String>,
    pub sender_type: String,
    pub badge: Option<String>,
    pub hidden: bool,
    pub content: String,
    pub kind: String,
    pub reply_to: Option<String>,
    pub region: Option<Vec<i32>>,
    pub color_palette: Option<Vec<i16>>,
    pub sent_at: DateTime<Utc>,
}

/// The messages of a span whose texts are there, oldest first.
pub async fn messages(connection: &mut PgConnection, span: &Span) -> Result<Vec<Message>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select m.id, m.seq, a.id as "agent_id?", a.name as "agent_name?", m.content, m.type as kind,
                  m.reply_to, m.region, m.color_palette, m.sent_at, m.sender_type, m.badge, m.hidden
           from chat_message m left join agent a on a.no = m.agent
           where m.seq > $1 and m.seq < $2 and ($3::timestamptz is null or m.sent_at > $3)
             and ($5::bigint is null or m.agent = $5) and ($6 or not m.hidden)
           order by m.seq desc limit $4"#,
        span.after,
        span.before,
        span.since,
        span.limit,
        span.author,
        span.hidden
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut messages = with_reactions(connection, rows).await?;
    messages.reverse();
    Ok(messages)
}

/// The visible messages with these numbers whose texts are there, oldest first.
pub async fn messages_at(connection: &mut PgConnection, numbers: &[i64]) -> Result<Vec<Message>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query_as!(
        Row,
        r#"select m.id, m.seq, a.id as "agent_id?", a.name as "agent_name?", m.content, m.type as kind,
                  m.reply_to, m.region, m.color_palette, m.sent_at, m.sender_type, m.badge, m.hidden
           from chat_message m left join agent a on a.no = m.agent
           where m.seq = any($1) and not m.hidden order by m.seq"#,
        numbers
    )
    .fetch_all(&mut *connection)
    .await?;
    with_reactions(connection, rows).await
}

async fn with_reactions(connection: &mut PgConnection, rows: Vec<Row>) -> Result<Vec<Message>> {
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let mut given = reactions(connection, &ids).await?;
    let message = |row: Row| {
        let given = given.remove(&row.id).unwrap_or_default();
        message(row, &given)
    };
    Ok(rows.into_iter().map(message).collect())
}

/// Who gave which reactions to these messages, in the order of their first use.
pub async fn reactions(connection: &mut PgConnection, ids: &[String]) -> Result<HashMap<String, Vec<Given>>> {
    let mut given: HashMap<String, Vec<Given>> = HashMap::new();
    if ids.is_empty() {
        return Ok(given);
    }
    let rows = sqlx::query!(
        "select message_id, agent, emoji from chat_reaction where message_id = any($1) order by seq",
        ids
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        given.entry(row.message_id).or_default().push(Given { agent: row.agent, emoji: row.emoji });
    }
    Ok(given)
}

/// A message as it is shown, with the reactions that were given to it.
pub(super) fn message(row: Row, given: &[Given]) -> Message {
    let reactions = count(given);
    Message {
        sender_type: sender(&row.sender_type),
        badge: row.badge.map(Arc::from),
        agent_id: row.agent_id.map(Arc::from),
        agent_name: row.agent_name.as_deref().unwrap_or(SYSTEM_NAME).into(),
        id: row.id,
        seq: row.seq,
        content: Some(row.content),
        timestamp: row.sent_at,
        kind: kind(&row.kind),
        reply_to: row.reply_to,
        region: row.region.and_then(corners),
        color_palette: row.color_palette.map(|colors| colors.into_iter().map(|color| color as u8).collect()),
        reactions,
        redacted: false,
        hidden: row.hidden,
    }
}

fn sender(stored: &str) -> SenderType {
    match stored {
        "agent" => SenderType::Agent,
        "human" => SenderType::Human,
        _ => SenderType::System,
    }
}

fn kind(stored: &str) -> MessageType {
    match stored {
        "intent" => MessageType::Intent,
        "system" => MessageType::System,
        _ => MessageType::Message,
    }
}

fn corners(stored: Vec<i32>) -> Option<Corners> {
    let [x1, y1, x2, y2] = <[i32; 4]>::try_from(stored).ok()?.map(i64::from);
    Some(Corners { x1, y1, x2, y2 })
}

pub(super) fn region(Corners { x1, y1, x2, y2 }: Corners) -> String {
    array(&[x1, y1, x2, y2])
}

/// An array as PostgreSQL reads it from text: arrays of arrays would have to be of one length.
pub(super) fn array<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    format!("{{{}}}", items.join(","))
}

pub(super) fn sender_name(sender: SenderType) -> &'static str {
    match sender {
        SenderType::Agent => "agent",
        SenderType::Human => "human",
        SenderType::System => "system",
    }
}

pub(super) fn kind_name(kind: MessageType) -> &'static str {
    match kind {
        MessageType::Message => "message",
        MessageType::Intent => "intent",
        MessageType::System => "system",
    }
}
