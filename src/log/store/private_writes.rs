//! Writes private messages and the conversations that begin with them. The head must be locked, so that their
//! numbers ascend in the order of commits.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::numbers::AccountNo;
use rules::private_message::Importance;
use sqlx::PgConnection;

use super::private_lookups::participants_key;
use super::webhook_deliveries::insert_deliveries_for_private;
use super::{Result, column};
use crate::log::batch_private::{NewPrivateMessage, PrivateEffects};

/// Writes the private part of a batch.
pub(super) async fn record_private_effects(
    connection: &mut PgConnection,
    effects: &PrivateEffects,
    now: DateTime<Utc>,
) -> Result<()> {
    insert_conversations(connection, &effects.conversations, now).await?;
    if !effects.messages.is_empty() {
        insert_messages(connection, &effects.messages, now).await?;
        insert_importance_uses(connection, &effects.messages, now).await?;
        insert_deliveries_for_private(connection, &effects.messages, now).await?;
    }
    end_asks(connection, effects, now).await?;
    update_texts(connection, effects, now).await?;
    insert_acquaintances(connection, effects).await
}

async fn insert_conversations(
    connection: &mut PgConnection,
    conversations: &[(Arc<str>, Vec<AccountNo>)],
    now: DateTime<Utc>,
) -> Result<()> {
    if conversations.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"with new as (
               insert into channel (id, kind, participants, created_at)
               select c.id, 'direct', c.participants, $3
               from unnest($1::text[], $2::text[]) as c (id, participants)
               returning no, participants
           )
           insert into channel_member (channel, account, role, joined_at)
           select new.no, account::bigint, 'participant', $3
           from new, unnest(string_to_array(new.participants, ',')) as account"#,
        &column(conversations, |(id, _)| id.to_string()),
        &column(conversations, |(_, participants)| participants_key(participants)),
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_messages(
    connection: &mut PgConnection,
    messages: &[NewPrivateMessage],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"insert into private_message (id, channel, author, badge, content, reply_to, thread, importance,
                                        sent_at, shadow, ask_to, ask_by, ask_state)
           select m.id, c.no, m.author, m.badge, m.content, m.reply_to, m.thread, m.importance, $9,
                  m.shadow, m.ask_to, m.ask_by, case when m.ask_to is not null then 'waiting' end
           from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $10::boolean[], $11::bigint[], $12::timestamptz[]) with ordinality
                as m (id, channel_id, author, badge, content, reply_to, thread, importance, shadow, ask_to,
                      ask_by, place)
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
        &column(messages, |message| message.is_shadow),
        &column(messages, |message| message.ask.map(|(to, _)| to)) as _,
        &column(messages, |message| message.ask.map(|(_, by)| by)) as &[Option<DateTime<Utc>>]
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_importance_uses(
    connection: &mut PgConnection,
    messages: &[NewPrivateMessage],
    now: DateTime<Utc>,
) -> Result<()> {
    let important: Vec<&NewPrivateMessage> =
        messages.iter().filter(|message| message.importance != Importance::Normal).collect();
    if important.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into importance_use (account, importance, at)
           select u.account, u.importance, $3
           from unnest($1::bigint[], $2::text[]) as u (account, importance)"#,
        &column(&important, |message| message.author) as _,
        &column(&important, |message| message.importance.name().to_owned()),
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn end_asks(connection: &mut PgConnection, effects: &PrivateEffects, now: DateTime<Utc>) -> Result<()> {
    let ended = &effects.ended_asks;
    if ended.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"update private_message p
           set ask_state = case when e.is_shadow then p.ask_state else e.state end,
               ask_ended_at = case when e.is_shadow then p.ask_ended_at else $3 end,
               ask_shadow_state = case when e.is_shadow then e.state else p.ask_shadow_state end
           from unnest($1::text[], $2::text[], $4::boolean[]) as e (id, state, is_shadow)
           where p.id = e.id and p.ask_state = 'waiting'"#,
        &column(ended, |ask| ask.message_id.clone()),
        &column(ended, |ask| ask.state.stored_name().to_owned()),
        now,
        &column(ended, |ask| ask.is_shadow)
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn update_texts(
    connection: &mut PgConnection,
    effects: &PrivateEffects,
    now: DateTime<Utc>,
) -> Result<()> {
    if effects.texts.is_empty() {
        return Ok(());
    }
    let (ids, texts): (Vec<String>, Vec<Option<String>>) =
        effects.texts.iter().map(|(id, text)| (id.clone(), text.clone())).unzip();
    // The label of a thread is a text of the author, too.
    sqlx::query!(
        r#"update private_message p set content = coalesce(t.content, ''),
               thread = case when t.content is null then null else p.thread end,
               edited_at = case when t.content is null then p.edited_at else $3 end,
               deleted_at = case when t.content is null then $3 end
           from unnest($1::text[], $2::text[]) as t (id, content)
           where p.id = t.id and p.deleted_at is null"#,
        &ids,
        &texts as &[Option<String>],
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_acquaintances(connection: &mut PgConnection, effects: &PrivateEffects) -> Result<()> {
    if effects.acquaintances.is_empty() {
        return Ok(());
    }
    let (accounts, others): (Vec<AccountNo>, Vec<AccountNo>) = effects.acquaintances.iter().copied().unzip();
    sqlx::query!(
        r#"insert into acquaintance (account, knows)
           select k.account, k.knows from unnest($1::bigint[], $2::bigint[]) as k (account, knows)
           on conflict do nothing"#,
        &accounts as _,
        &others as _
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns true if the private part of a batch is stored. All its rows are written in one transaction, so the
/// existence of one of them proves that of the others.
pub async fn has_private_effects(connection: &mut PgConnection, effects: &PrivateEffects) -> Result<bool> {
    let message = effects.messages.first().map(|message| message.id.as_str());
    let ask = effects.ended_asks.first();
    let text = effects.texts.iter().next();
    sqlx::query_scalar!(
        r#"select exists (
               select from private_message
               where case when $1::text is not null then id = $1
                          when $2::text is not null then id = $2 and $3 in (ask_state, ask_shadow_state)
                          else id = $4 and (content = $5 or $5 is null and deleted_at is not null) end
           ) as "stored!""#,
        message,
        ask.map(|ask| ask.message_id.as_str()),
        ask.map(|ask| ask.state.stored_name()),
        text.map(|(id, _)| id.as_str()),
        text.and_then(|(_, content)| content.as_deref())
    )
    .fetch_one(connection)
    .await
}
