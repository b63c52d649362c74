//! Reads what private messages are decided on, and writes them. The head must be locked, so that their
//! numbers ascend in the order of commits.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::database::{column, to_array_literal};
use rules::audience::Audience;
use rules::numbers::AccountNo;
use rules::private_message::AskState;
use sqlx::PgConnection;

use super::Result;
use super::webhook_deliveries::{ToldMessages, insert_deliveries};
use crate::channels::batch_message::{
    EndedAsk, NewPrivateMessage, NewPrivateText, StoredAsk, StoredPrivateMessage,
};

/// Returns those of these messages that exist, by their ids.
pub async fn messages(
    connection: &mut PgConnection,
    ids: &[String],
    now: DateTime<Utc>,
) -> Result<HashMap<String, StoredPrivateMessage>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select p.id, c.id as "channel_id: Arc<str>", p.author as "author: AccountNo", p.shadow,
                  p.hidden, p.deleted_at is not null as "is_deleted!", p.ask_to as "ask_to: AccountNo",
                  p.ask_by, p.ask_state, p.ask_shadow_state, p.sent_at, p.thread
           from private_message p join channel c on c.no = p.channel where p.id = any($1)"#,
        ids
    );
    let messages = statement.fetch_all(connection).await?.into_iter().map(|row| {
        let ask = row.ask_to.zip(row.ask_by).map(|(to, by)| {
            let state = AskState::from_stored(row.ask_state.as_deref().unwrap_or_default(), by, now);
            let shadow_state =
                row.ask_shadow_state.as_deref().map(|state| AskState::from_stored(state, by, now));
            StoredAsk { to, by, asked_at: row.sent_at, state, shadow_state }
        });
        let message = StoredPrivateMessage {
            channel_id: row.channel_id,
            author: row.author,
            thread: row.thread,
            sent_at: row.sent_at,
            is_gone: row.hidden || row.is_deleted,
            is_hidden: row.hidden,
            is_deleted: row.is_deleted,
            audience: Audience::from_stored(row.shadow, row.author),
            ask,
        };
        (row.id, message)
    });
    Ok(messages.collect())
}

/// Inserts messages in this order, with the deliveries to webhooks.
pub async fn insert_messages(
    connection: &mut PgConnection,
    messages: &[NewPrivateMessage],
    now: DateTime<Utc>,
) -> Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    insert_rows(connection, messages, now).await?;
    let ids = column(messages, |message| message.id.clone());
    insert_deliveries(connection, &ids, ToldMessages::New, now).await
}

async fn insert_rows(
    connection: &mut PgConnection,
    messages: &[NewPrivateMessage],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into private_message (id, channel, author, badge, content, reply_to, thread, importance,
                                        sent_at, shadow, ask_to, ask_by, ask_state, mentions)
           select m.id, c.no, m.author, m.badge, m.content, m.reply_to, m.thread, m.importance, $9,
                  m.shadow, m.ask_to, m.ask_by, case when m.ask_to is not null then 'waiting' end,
                  m.mentions::bigint[]
           from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $10::boolean[], $11::bigint[], $12::timestamptz[],
                       $13::text[]) with ordinality
                as m (id, channel_id, author, badge, content, reply_to, thread, importance, shadow, ask_to,
                      ask_by, mentions, place)
                join channel c on c.id = m.channel_id
           order by m.place"#,
        &column(messages, |message| message.id.clone()),
        &column(messages, |message| message.channel_id.to_string()),
        &column(messages, |message| message.author) as _,
        &column(messages, |message| message.badge.as_deref().map(str::to_owned)) as &[Option<String>],
        &column(messages, |message| message.content.clone()),
        &column(messages, |message| message.reply_to.clone()) as &[Option<String>],
        &column(messages, |message| message.thread.clone()) as &[Option<String>],
        &column(messages, |message| message.importance.name().to_owned()),
        now,
        &column(messages, |message| !message.audience.is_everyone()),
        &column(messages, |message| message.ask.map(|(to, _)| to)) as _,
        &column(messages, |message| message.ask.map(|(_, by)| by)) as &[Option<DateTime<Utc>>],
        &column(messages, |message| stored_mentions(&message.mentions)) as &[Option<String>]
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the mentioned accounts as an array literal; `None` if there are none.
fn stored_mentions(mentions: &[AccountNo]) -> Option<String> {
    Some(mentions).filter(|mentions| !mentions.is_empty()).map(to_array_literal)
}

/// Ends questions that wait.
pub async fn end_asks(connection: &mut PgConnection, ended: &[EndedAsk], now: DateTime<Utc>) -> Result<()> {
    if ended.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"update private_message p
           set ask_state = case when e.is_shadow then p.ask_state else e.state end,
               ask_ended_at = case when e.is_shadow then p.ask_ended_at else $3 end,
               ask_shadow_state = case when e.is_shadow then e.state else p.ask_shadow_state end
           from unnest($1::text[], $2::text[], $4::boolean[]) as e (id, state, is_shadow)
           where p.id = e.id and p.ask_state = 'waiting'"#,
        &column(ended, |ask| ask.message_id.clone()),
        &column(ended, |ask| ask.state.stored_name().to_owned()),
        now,
        &column(ended, |ask| !ask.audience.is_everyone())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Changes the texts of messages, or deletes them, with the deliveries to webhooks of accounts that the new
/// texts mention. The authors see them like everyone else again: a trigger ends the texts that only they see.
pub async fn update_texts(
    connection: &mut PgConnection,
    texts: &HashMap<String, NewPrivateText>,
    now: DateTime<Utc>,
) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let changes: Vec<(&String, &NewPrivateText)> = texts.iter().collect();
    // The label of a thread is a text of the author, too.
    sqlx::query!(
        r#"update private_message p set content = coalesce(t.content, ''),
               thread = case when t.content is null then null else p.thread end,
               edited_at = case when t.content is null then p.edited_at else $3 end,
               deleted_at = case when t.content is null then $3 end,
               mentions = t.mentions::bigint[]
           from unnest($1::text[], $2::text[], $4::text[]) as t (id, content, mentions)
           where p.id = t.id and p.deleted_at is null"#,
        &column(&changes, |(id, _)| (*id).clone()),
        &column(&changes, |(_, text)| text.content.clone()) as &[Option<String>],
        now,
        &column(&changes, |(_, text)| stored_mentions(&text.mentions)) as &[Option<String>]
    )
    .execute(&mut *connection)
    .await?;
    let mentioning = changes.iter().filter(|(_, text)| !text.mentions.is_empty());
    let ids: Vec<String> = mentioning.map(|(id, _)| (*id).clone()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    insert_deliveries(connection, &ids, ToldMessages::Edited, now).await
}

/// Changes the texts of messages for their authors alone.
pub async fn upsert_own_texts(
    connection: &mut PgConnection,
    texts: &HashMap<String, String>,
    now: DateTime<Utc>,
) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let (ids, texts): (Vec<String>, Vec<String>) =
        texts.iter().map(|(id, text)| (id.clone(), text.clone())).unzip();
    let statement = sqlx::query!(
        r#"insert into shadow_text (private_message_id, agent, content, edited_at)
           select p.id, p.author, t.content, $3
           from unnest($1::text[], $2::text[]) as t (id, content) join private_message p on p.id = t.id
           on conflict (private_message_id) do update
               set content = excluded.content, edited_at = excluded.edited_at"#,
        &ids,
        &texts,
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Takes a message down, or restores it.
pub async fn set_hidden(connection: &mut PgConnection, id: &str, hidden: bool) -> Result<()> {
    let statement = sqlx::query!("update private_message set hidden = $2 where id = $1", id, hidden);
    statement.execute(connection).await.map(|_| ())
}

/// Returns true if the author of a message sees this text of it since a time, and nobody else does.
pub async fn has_own_text(
    connection: &mut PgConnection,
    id: &str,
    content: &str,
    changed_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (
               select from shadow_text where private_message_id = $1 and content = $2 and edited_at = $3
           ) as "stored!""#,
        id,
        content,
        changed_at
    );
    statement.fetch_one(connection).await
}

/// Returns true if a change of a batch is stored: the message, else the ended question, else the text that
/// was changed at a time.
pub async fn has_changes(
    connection: &mut PgConnection,
    message: Option<&NewPrivateMessage>,
    ask: Option<&EndedAsk>,
    text: Option<(&String, &Option<String>)>,
    changed_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists (
               select from private_message
               where case when $1::text is not null then id = $1
                          when $2::text is not null then id = $2 and $3 in (ask_state, ask_shadow_state)
                          else id = $4 and (content = $5 and edited_at = $6
                                            or $5 is null and deleted_at = $6) end
           ) as "stored!""#,
        message.map(|message| message.id.as_str()),
        ask.map(|ask| ask.message_id.as_str()),
        ask.map(|ask| ask.state.stored_name()),
        text.map(|(id, _)| id.as_str()),
        text.and_then(|(_, content)| content.as_deref()),
        changed_at
    );
    statement.fetch_one(connection).await
}
