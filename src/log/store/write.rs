//! Writes a batch's effects. The gate must be closed.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Result;
use crate::live::event::Event;
use crate::log::effects::Effects;
use crate::log::ground::Account;
use crate::rules::grid::Corners;
use crate::rules::message::{Message, MessageType, SenderType};

/// Writes everything, moves the head and wakes every instance.
pub async fn record(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    if effects.strokes.len() < effects.events.len() {
        record_events(connection, effects, now).await?;
    }
    record_answers(connection, effects, now).await?;
    record_strokes(connection, effects, now).await
}

/// One statement: placements, accounts, head and wake-up.
async fn record_strokes(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    let strokes = Strokes::of(effects);
    let accounts = Accounts::of(effects.accounts.values());
    let head = effects.events.last().map(Event::seq);
    sqlx::query!(
        r#"with painted as (
               insert into placement (seq, x, y, color, agent, placed_at)
               select s.seq, s.x, s.y, s.color, s.agent, $6
               from unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::smallint[], $5::bigint[])
                    as s (seq, x, y, color, agent)
           ), settled as (
               update agent set charges_full_at = s.charges_full_at, reactions_full_at = s.reactions_full_at,
                   chat_credits = s.chat_credits, pixels_placed = s.pixels_placed,
                   messages_sent = s.messages_sent, next_message_at = s.next_message_at,
                   last_message = s.last_message, last_seen_at = $6
               from unnest($7::bigint[], $8::timestamptz[], $9::timestamptz[], $10::bigint[], $11::bigint[],
                           $12::bigint[], $13::timestamptz[], $14::bytea[])
                    as s (no, charges_full_at, reactions_full_at, chat_credits, pixels_placed,
                          messages_sent, next_message_at, last_message)
               where agent.no = s.no
           )
           update log_head set seq = coalesce($15, seq), version = coalesce($16, version), at = $6
           returning pg_notify('caraplace', concat(seq, ' ', control))::text"#,
        &strokes.seq,
        &strokes.x,
        &strokes.y,
        &strokes.color,
        &strokes.agent,
        now,
        &accounts.no,
        &accounts.charges_full_at,
        &accounts.reactions_full_at,
        &accounts.chat_credits,
        &accounts.pixels_placed,
        &accounts.messages_sent,
        &accounts.next_message_at,
        &accounts.last_message as &[Option<Vec<u8>>],
        head,
        strokes.seq.last().copied(),
    )
    .fetch_one(connection)
    .await
    .map(|_| ())
}

/// Everything but the placements: events, texts and reactions.
async fn record_events(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    for (author, message) in &effects.messages {
        insert_event(connection, message.seq, "chat", &message.id, now).await?;
        insert_message(connection, *author, message).await?;
    }
    for (change, reaction) in &effects.reactions {
        insert_event(connection, reaction.seq, "reaction", &reaction.message_id, now).await?;
        if change.added {
            insert_reaction(connection, &reaction.message_id, change.agent, &change.emoji, reaction.seq)
                .await?;
        } else {
            delete_reaction(connection, &reaction.message_id, change.agent, &change.emoji).await?;
        }
    }
    Ok(())
}

pub(super) async fn insert_event(
    connection: &mut PgConnection,
    seq: i64,
    kind: &str,
    id: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!("insert into event (seq, kind, id, at) values ($1, $2, $3, $4)", seq, kind, id, at)
        .execute(connection)
        .await
        .map(|_| ())
}

async fn insert_message(connection: &mut PgConnection, author: Option<i64>, message: &Message) -> Result<()> {
    let region = message.region.map(|Corners { x1, y1, x2, y2 }| [x1, y1, x2, y2].map(|side| side as i32));
    let colors = message.color_palette.as_ref();
    let colors = colors.map(|colors| colors.iter().copied().map(i16::from).collect::<Vec<_>>());
    sqlx::query!(
        r#"insert into chat_message
               (id, seq, sender_type, agent, type, content, reply_to, region, color_palette, sent_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"#,
        message.id,
        message.seq,
        sender_name(message.sender_type),
        author,
        kind_name(message.kind),
        message.content.as_deref().unwrap_or_default(),
        message.reply_to,
        region.as_ref().map(|region| &region[..]),
        colors.as_deref(),
        message.timestamp
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_reaction(
    connection: &mut PgConnection,
    message_id: &str,
    agent: i64,
    emoji: &str,
    seq: i64,
) -> Result<()> {
    sqlx::query!(
        "insert into chat_reaction (message_id, agent, emoji, seq) values ($1, $2, $3, $4)",
        message_id,
        agent,
        emoji,
        seq
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn delete_reaction(
    connection: &mut PgConnection,
    message_id: &str,
    agent: i64,
    emoji: &str,
) -> Result<()> {
    sqlx::query!(
        "delete from chat_reaction where message_id = $1 and agent = $2 and emoji = $3",
        message_id,
        agent,
        emoji
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn record_answers(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    if effects.answers.is_empty() {
        return Ok(());
    }
    let keys = || effects.answers.iter().map(|(key, _)| key);
    let answers = || effects.answers.iter().map(|(_, answer)| answer);
    sqlx::query!(
        r#"insert into idempotency (agent, route, key, body_hash, answer, created_at)
           select a.agent, a.route, a.key, a.body_hash, a.answer, $6
           from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
                as a (agent, route, key, body_hash, answer)
           on conflict (agent, route, key) do update
               set body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at"#,
        &keys().map(|key| key.agent).collect::<Vec<_>>(),
        &keys().map(|key| key.route.to_owned()).collect::<Vec<_>>(),
        &keys().map(|key| key.key.clone()).collect::<Vec<_>>(),
        &answers().map(|answer| answer.body_hash.to_vec()).collect::<Vec<_>>(),
        &answers().map(|answer| answer.json.to_vec()).collect::<Vec<_>>(),
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// The placements, column by column.
#[derive(Default)]
struct Strokes {
    seq: Vec<i64>,
    x: Vec<i16>,
    y: Vec<i16>,
    color: Vec<i16>,
    agent: Vec<i64>,
}

impl Strokes {
    fn of(effects: &Effects) -> Self {
        let mut columns = Self::default();
        for (agent, stroke) in &effects.strokes {
            columns.seq.push(stroke.seq);
            columns.x.push(stroke.point.x as i16);
            columns.y.push(stroke.point.y as i16);
            columns.color.push(stroke.color.into());
            columns.agent.push(*agent);
        }
        columns
    }
}

/// The accounts, column by column.
#[derive(Default)]
struct Accounts {
    no: Vec<i64>,
    charges_full_at: Vec<DateTime<Utc>>,
    reactions_full_at: Vec<DateTime<Utc>>,
    chat_credits: Vec<i64>,
    pixels_placed: Vec<i64>,
    messages_sent: Vec<i64>,
    next_message_at: Vec<DateTime<Utc>>,
    last_message: Vec<Option<Vec<u8>>>,
}

impl Accounts {
    fn of<'a>(accounts: impl Iterator<Item = &'a Account>) -> Self {
        let mut columns = Self::default();
        for account in accounts {
            columns.no.push(account.no);
            columns.charges_full_at.push(account.charges_full_at);
            columns.reactions_full_at.push(account.reactions_full_at);
            columns.chat_credits.push(account.chat_credits);
            columns.pixels_placed.push(account.pixels_placed);
            columns.messages_sent.push(account.messages_sent);
            columns.next_message_at.push(account.next_message_at);
            columns.last_message.push(account.last_message.clone());
        }
        columns
    }
}

fn sender_name(sender: SenderType) -> &'static str {
    match sender {
        SenderType::Agent => "agent",
        SenderType::System => "system",
    }
}

fn kind_name(kind: MessageType) -> &'static str {
    match kind {
        MessageType::Message => "message",
        MessageType::Intent => "intent",
        MessageType::System => "system",
    }
}
