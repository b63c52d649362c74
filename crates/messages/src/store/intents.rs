//! The SQL of intents: their changes, and those that are live.

use std::collections::HashMap;

use caraplace_live::event::IntentChange;
use chrono::{DateTime, Utc};
use platform::database::column;
use rules::audience::Audience;
use rules::intent::IntentDetails;
use rules::message::Message;
use rules::numbers::Seq;
use sqlx::PgConnection;

use super::Result;
use super::messages::{
    MessageRange, intent_details, messages, messages_by_ids, messages_by_seqs, regions_to_array,
};
use super::shadow_messages::shadow_messages_by_ids;
use super::shadow_views::shadow_intents;
use crate::changes::last_of_each;
use crate::known::StoredIntent;
use crate::live_intents::MAX_LIVE_INTENTS;

/// The newest messages and the live intents of a season, oldest first.
#[derive(Debug, Default)]
pub struct NewestMessages {
    pub messages: Vec<Message>,
    pub live_intents: Vec<Message>,
}

/// Returns the newest messages and the live intents of the season that opened at event `season`, up to an
/// event.
pub async fn newest_messages(
    connection: &mut PgConnection,
    season: Seq,
    up_to: Seq,
    now: DateTime<Utc>,
) -> Result<NewestMessages> {
    let messages = messages(connection, &MessageRange::newest(season, up_to)).await?;
    let live_intents = live_intents(connection, season, up_to, now).await?;
    Ok(NewestMessages { messages, live_intents })
}

/// Returns the newest live intents of a season up to an event, oldest first.
async fn live_intents(
    connection: &mut PgConnection,
    season: Seq,
    up_to: Seq,
    now: DateTime<Utc>,
) -> Result<Vec<Message>> {
    let statement = sqlx::query_scalar!(
        r#"select seq as "seq: Seq" from chat_message
           where type = 'intent' and seq > $1 and seq <= $2 and intent_state = 'open'
             and intent_expires_at > $3 and not hidden
           order by seq desc limit $4"#,
        season as _,
        up_to as _,
        now,
        MAX_LIVE_INTENTS as i64
    );
    let seqs = statement.fetch_all(&mut *connection).await?;
    messages_by_seqs(connection, &seqs).await
}

/// Returns the intents with these ids that are not hidden, shadow messages included.
pub async fn intents_by_ids(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, StoredIntent>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let public = messages_by_ids(connection, ids).await?;
    let mut own_details = shadow_intents(connection, ids, None).await?;
    let shadows = shadow_messages_by_ids(connection, ids).await?;
    let is_visible_intent = |message: &Message| message.intent.is_some() && !message.hidden;
    let public = public.into_values().filter(is_visible_intent).map(|message| StoredIntent {
        own_details: own_details.remove(&message.id),
        message,
        audience: Audience::Everyone,
    });
    let shadows = shadows.into_iter().filter(|shadow| is_visible_intent(&shadow.message));
    let shadows = shadows.map(|shadow| StoredIntent {
        message: Message::clone(&shadow.message),
        own_details: None,
        audience: Audience::Author(shadow.author),
    });
    Ok(public.chain(shadows).map(|stored| (stored.message.id.clone(), stored)).collect())
}

/// Returns the current details of the intents with these ids that are visible and whose texts still exist.
pub(super) async fn details_by_ids(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, IntentDetails>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select id, regions, intent_state, intent_expires_at from chat_message
           where id = any($1) and not hidden"#,
        ids
    );
    let details = statement.fetch_all(connection).await?.into_iter().filter_map(|row| {
        let details =
            intent_details(row.intent_state.as_deref(), row.intent_expires_at, row.regions.as_deref())?;
        Some((row.id, details))
    });
    Ok(details.collect())
}

/// Stores the details of changed intents: those of the last change of each. The head must be locked.
pub(super) async fn update_intents(connection: &mut PgConnection, changes: &[IntentChange]) -> Result<()> {
    let rows = last_of_each(changes, |change| &change.message_id);
    if rows.is_empty() {
        return Ok(());
    }
    let ids = column(&rows, |change| change.message_id.clone());
    let states = column(&rows, |change| change.details.state.name().to_owned());
    let regions = column(&rows, |change| regions_to_array(&change.details));
    let expiries = column(&rows, |change| change.details.expires_at);
    let statement = sqlx::query!(
        r#"with changes as (
               select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
                   as c (id, state, regions, expires_at)
           )
           update chat_message set intent_state = c.state, regions = c.regions::integer[],
               intent_expires_at = c.expires_at
           from changes c where chat_message.id = c.id"#,
        &ids,
        &states,
        &regions as &[Option<String>],
        &expiries
    );
    statement.execute(connection).await.map(|_| ())
}
