//! Writes messages and reactions, each table with one statement. The head must be locked.

use chrono::{DateTime, Utc};
use platform::database::{column, to_array_literal};
use rules::message::Message;
use sqlx::PgConnection;

use super::intents::update_intents;
use super::messages::{message_type_name, regions_to_array, sender_type_name, sides_of};
use super::own_events::{OwnEventKey, record_shadow_changes};
use super::{Result, acquaintances, agreements, edits, notices};
use crate::changes::{MessageChanges, ReactionChange, last_of_each};

/// Writes the changes of messages, reactions and intents, with what inboxes and agreements follow from them.
/// Their public events were written before. Returns the key of the first event that only its author sees;
/// `None` if there is none.
pub async fn write_changes(
    connection: &mut PgConnection,
    changes: &MessageChanges,
    now: DateTime<Utc>,
) -> Result<Option<OwnEventKey>> {
    let own_event = record_shadow_changes(connection, &changes.shadow, now).await?;
    if !changes.messages.is_empty() {
        insert_messages(connection, changes).await?;
        agreements::insert_for_replies(connection, changes).await?;
    }
    notices::insert_for_messages(connection, changes, now).await?;
    notices::update_for_changed_texts(connection, changes).await?;
    if !changes.reactions.is_empty() {
        // An agent may add and remove the same emoji several times in one batch.
        let last =
            last_of_each(&changes.reactions, |change| (change.agent, &change.emoji, &change.message_id));
        delete_reactions(connection, &last).await?;
        insert_reactions(connection, &last).await?;
        notices::replace_for_reactions(connection, changes).await?;
        agreements::update_for_reactions(connection, changes).await?;
    }
    acquaintances::insert_for_chat(connection, changes).await?;
    update_visibility(connection, &changes.hidden).await?;
    edits::record_text_changes(connection, &changes.texts, now).await?;
    update_intents(connection, &changes.intents).await?;
    Ok(own_event)
}

/// Sets the visibility of each message by its newest change. An operator has decided, so it is no longer
/// folded.
async fn update_visibility(connection: &mut PgConnection, changes: &[(String, bool)]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (ids, hidden): (Vec<String>, Vec<bool>) =
        last_of_each(changes, |(id, _)| id).into_iter().cloned().unzip();
    sqlx::query!(
        r#"update chat_message set hidden = m.hidden, folded = false
           from unnest($1::text[], $2::boolean[]) as m (id, hidden) where chat_message.id = m.id"#,
        &ids,
        &hidden
    )
    .execute(&mut *connection)
    .await?;
    notices::recount_for_messages(connection, &ids).await
}

async fn insert_messages(connection: &mut PgConnection, changes: &MessageChanges) -> Result<()> {
    let rows = &changes.messages;
    let texts = |text: fn(&Message) -> String| column(rows, |(_, message)| text(message));
    let optional = |text: fn(&Message) -> Option<String>| column(rows, |(_, message)| text(message));
    let statement = sqlx::query!(
        r#"insert into chat_message
               (id, seq, sender_type, agent, type, content, reply_to, regions, color_palette, sent_at, badge,
                intent_state, intent_expires_at, plan, importance)
           select m.id, m.seq, m.sender_type, m.agent, m.type, m.content, m.reply_to,
                  m.regions::integer[], m.color_palette::smallint[], m.sent_at, m.badge, m.intent_state,
                  m.intent_expires_at, p.no, m.importance
           from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $9::text[], $10::timestamptz[], $11::text[], $12::text[],
                       $13::timestamptz[], $14::text[], $15::text[])
                as m (id, seq, sender_type, agent, type, content, reply_to, regions, color_palette, sent_at,
                      badge, intent_state, intent_expires_at, plan_id, importance)
                left join plan p on p.id = m.plan_id"#,
        &texts(|message| message.id.clone()),
        &column(rows, |(_, message)| message.seq) as _,
        &texts(|message| sender_type_name(message.sender_type).to_owned()),
        &column(rows, |(author, _)| *author) as _,
        &texts(|message| message_type_name(message.kind).to_owned()),
        &texts(|message| message.content.clone().unwrap_or_default()),
        &optional(|message| message.reply_to.clone()) as &[Option<String>],
        &optional(stored_regions) as &[Option<String>],
        &optional(|message| message.color_palette.as_deref().map(to_array_literal)) as &[Option<String>],
        &column(rows, |(_, message)| message.timestamp),
        &optional(|message| message.badge.as_deref().map(str::to_owned)) as &[Option<String>],
        &optional(|message| message.intent.as_ref().map(|intent| intent.state.name().to_owned()))
            as &[Option<String>],
        &column(rows, |(_, message)| message.intent.as_ref().map(|intent| intent.expires_at))
            as &[Option<DateTime<Utc>>],
        &optional(|message| message.plan_id.as_deref().map(str::to_owned)) as &[Option<String>],
        &texts(|message| message.importance.name().to_owned())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the regions of an intent, or the region of a system message, as an array literal.
fn stored_regions(message: &Message) -> Option<String> {
    let of_system = message.region.as_ref().map(|region| to_array_literal(&sides_of(region)));
    message.intent.as_ref().and_then(regions_to_array).or(of_system)
}

async fn delete_reactions(connection: &mut PgConnection, changes: &[&ReactionChange]) -> Result<()> {
    let statement = sqlx::query!(
        r#"delete from chat_reaction r
           using unnest($1::text[], $2::bigint[], $3::text[]) as d (message_id, agent, emoji)
           where r.message_id = d.message_id and r.agent = d.agent and r.emoji = d.emoji"#,
        &column(changes, |change| change.message_id.clone()),
        &column(changes, |change| change.agent) as _,
        &column(changes, |change| change.emoji.clone())
    );
    statement.execute(connection).await.map(|_| ())
}

async fn insert_reactions(connection: &mut PgConnection, changes: &[&ReactionChange]) -> Result<()> {
    let added: Vec<_> = changes.iter().filter(|change| change.added).collect();
    let statement = sqlx::query!(
        r#"insert into chat_reaction (message_id, agent, emoji, seq)
           select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[])"#,
        &column(&added, |change| change.message_id.clone()),
        &column(&added, |change| change.agent) as _,
        &column(&added, |change| change.emoji.clone()),
        &column(&added, |change| change.seq) as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Writes the text of a system message that is posted outside a batch.
pub async fn insert_system_message(connection: &mut PgConnection, message: &Message) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into chat_message (id, seq, sender_type, type, content, sent_at, regions)
           values ($1, $2, 'system', 'system', $3, $4, $5)"#,
        message.id,
        message.seq as _,
        message.content.as_deref().unwrap_or_default(),
        message.timestamp,
        message.region.as_ref().map(|region| sides_of(region).map(|side| side as i32).to_vec())
            as Option<Vec<i32>>
    );
    statement.execute(connection).await.map(|_| ())
}
