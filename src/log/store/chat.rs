//! Writes messages and reactions, each table with one statement. The head must be locked.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rules::message::Message;
use sqlx::PgConnection;

use super::intents::update_intents;
use super::messages::{message_type_name, regions_to_array, sender_type_name, sides_of, to_array_literal};
use super::shadow_events::record_shadow_effects;
use super::{Result, acquaintances, agreements, column, edits, notices};
use crate::log::batch_context::Account;
use crate::log::batch_effects::{BatchEffects, ReactionChange};
use crate::log::live::event::{Event, ReactionUpdate, VisibilityChange};

/// Writes the events of a batch other than placements, with their rows: messages, inbox items,
/// reactions and intents, and the columns of accounts that these change. What any batch may have, such as
/// audit entries, is written by the caller.
pub(super) async fn record_chat(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    accounts: &[&Account],
    now: DateTime<Utc>,
) -> Result<()> {
    insert_events(connection, effects, now).await?;
    record_shadow_effects(connection, &effects.shadow, now).await?;
    if !effects.messages.is_empty() {
        insert_messages(connection, effects).await?;
        agreements::insert_for_replies(connection, effects).await?;
    }
    notices::insert_for_messages(connection, effects, now).await?;
    if !effects.reactions.is_empty() {
        let last = last_changes(&effects.reactions);
        delete_reactions(connection, &last).await?;
        insert_reactions(connection, &last).await?;
        notices::replace_for_reactions(connection, effects).await?;
        agreements::update_for_reactions(connection, effects).await?;
    }
    acquaintances::insert_for_chat(connection, effects).await?;
    update_visibility(connection, effects).await?;
    edits::record_text_changes(connection, &effects.text_changes, now).await?;
    update_intents(connection, &effects.intent_changes).await?;
    update_accounts(connection, accounts).await
}

/// Returns an event's change of visibility and its kind in the database, or `None` for other events.
fn visibility_change(event: &Event) -> Option<(&VisibilityChange, &'static str)> {
    match event {
        Event::Hidden(change) => Some((change, "hidden")),
        Event::Restored(change) => Some((change, "restored")),
        _ => None,
    }
}

/// Sets the visibility of each message by its newest change. An operator has decided, so it is no longer
/// folded.
async fn update_visibility(connection: &mut PgConnection, effects: &BatchEffects) -> Result<()> {
    let visibility: HashMap<&str, bool> = effects
        .events
        .iter()
        .filter_map(visibility_change)
        .map(|(change, kind)| (change.message_id.as_str(), kind == "hidden"))
        .collect();
    if visibility.is_empty() {
        return Ok(());
    }
    let (ids, hidden): (Vec<String>, Vec<bool>) =
        visibility.into_iter().map(|(id, hidden)| (id.to_owned(), hidden)).unzip();
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

async fn insert_events(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    now: DateTime<Utc>,
) -> Result<()> {
    let is_other = |event: &&Event| !matches!(event, Event::Pixel(_));
    let events: Vec<&Event> = effects.events.iter().filter(is_other).collect();
    sqlx::query!(
        r#"insert into event (seq, kind, id, at, agent)
           select e.seq, e.kind, e.id, $4, e.agent
           from unnest($1::bigint[], $2::text[], $3::text[], $5::bigint[]) as e (seq, kind, id, agent)"#,
        &column(&events, |event| event.seq()) as _,
        &column(&events, |event| event.kind().to_owned()),
        &column(&events, |event| event.subject_id().to_owned()),
        now,
        &column(&events, |event| effects.event_authors.get(&event.seq()).copied()) as _
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_messages(connection: &mut PgConnection, effects: &BatchEffects) -> Result<()> {
    let rows = &effects.messages;
    let texts = |text: fn(&Message) -> String| column(rows, |(_, message)| text(message));
    let optional = |text: fn(&Message) -> Option<String>| column(rows, |(_, message)| text(message));
    sqlx::query!(
        r#"insert into chat_message
               (id, seq, sender_type, agent, type, content, reply_to, regions, color_palette, sent_at, badge,
                intent_state, intent_expires_at, plan)
           select m.id, m.seq, m.sender_type, m.agent, m.type, m.content, m.reply_to,
                  m.regions::integer[], m.color_palette::smallint[], m.sent_at, m.badge, m.intent_state,
                  m.intent_expires_at, p.no
           from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                       $8::text[], $9::text[], $10::timestamptz[], $11::text[], $12::text[],
                       $13::timestamptz[], $14::text[])
                as m (id, seq, sender_type, agent, type, content, reply_to, regions, color_palette, sent_at,
                      badge, intent_state, intent_expires_at, plan_id)
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
        &optional(|message| message.plan_id.as_deref().map(str::to_owned)) as &[Option<String>]
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns the regions of an intent, or the region of a system message, as an array literal.
fn stored_regions(message: &Message) -> Option<String> {
    let of_system = message.region.as_ref().map(|region| to_array_literal(&sides_of(region)));
    message.intent.as_ref().and_then(regions_to_array).or(of_system)
}

/// Returns the last change of each reaction, because an agent may add and remove the same emoji several times
/// in one batch.
fn last_changes(reactions: &[(ReactionChange, ReactionUpdate)]) -> Vec<&(ReactionChange, ReactionUpdate)> {
    let mut last = HashMap::new();
    for change in reactions {
        last.insert((change.0.agent, &change.0.emoji, &change.1.message_id), change);
    }
    last.into_values().collect()
}

async fn delete_reactions(
    connection: &mut PgConnection,
    changes: &[&(ReactionChange, ReactionUpdate)],
) -> Result<()> {
    sqlx::query!(
        r#"delete from chat_reaction r
           using unnest($1::text[], $2::bigint[], $3::text[]) as d (message_id, agent, emoji)
           where r.message_id = d.message_id and r.agent = d.agent and r.emoji = d.emoji"#,
        &column(changes, |(_, reaction)| reaction.message_id.clone()),
        &column(changes, |(change, _)| change.agent) as _,
        &column(changes, |(change, _)| change.emoji.clone())
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn insert_reactions(
    connection: &mut PgConnection,
    changes: &[&(ReactionChange, ReactionUpdate)],
) -> Result<()> {
    let added: Vec<_> = changes.iter().filter(|(change, _)| change.added).collect();
    sqlx::query!(
        r#"insert into chat_reaction (message_id, agent, emoji, seq)
           select * from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[])"#,
        &column(&added, |(_, reaction)| reaction.message_id.clone()),
        &column(&added, |(change, _)| change.agent) as _,
        &column(&added, |(change, _)| change.emoji.clone()),
        &column(&added, |(_, reaction)| reaction.seq) as _
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Updates the columns that only messages and reactions change.
async fn update_accounts(connection: &mut PgConnection, accounts: &[&Account]) -> Result<()> {
    sqlx::query!(
        r#"update agent set reactions_full_at = s.reactions_full_at, messages_sent = s.messages_sent,
               next_message_at = s.next_message_at, last_message = s.last_message,
               free_intents = s.free_intents, private_messages_sent = s.private_messages_sent,
               next_whisper_at = s.next_whisper_at
           from unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::timestamptz[], $5::bytea[],
                       $6::integer[], $7::bigint[], $8::timestamptz[])
                as s (no, reactions_full_at, messages_sent, next_message_at, last_message, free_intents,
                      private_messages_sent, next_whisper_at)
           where agent.no = s.no"#,
        &column(accounts, |account| account.no) as _,
        &column(accounts, |account| account.reactions_full_at),
        &column(accounts, |account| account.messages_sent),
        &column(accounts, |account| account.next_message_at),
        &column(accounts, |account| account.last_message.clone()) as &[Option<Vec<u8>>],
        &column(accounts, |account| account.free_intents),
        &column(accounts, |account| account.private_messages_sent),
        &column(accounts, |account| account.next_whisper_at)
    )
    .execute(connection)
    .await
    .map(|_| ())
}
