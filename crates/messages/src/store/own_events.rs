//! The SQL of the events that only their authors see, in the order of their streams.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use caraplace_live::event::{Event, IntentChange, ReactionUpdate, TextEdit, VisibilityChange};
use caraplace_live::hub::Hub;
use caraplace_live::own_event::OwnEvent;
use chrono::{DateTime, Utc};
use platform::database::column;
use rules::intent::IntentDetails;
use rules::message::ReactionCount;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgConnection;

use super::Result;
use super::edits::current_texts;
use super::messages::reactions;
use super::own_texts::own_texts;
use super::shadow_messages::{record_shadow_messages, shadow_messages_among, shadow_messages_by_ids};
use super::shadow_views::{record_shadow_views, shadow_intents, shadow_reactions};
use crate::reactions::AgentReaction;
use crate::shadow::changes::ShadowChanges;
use crate::shadow::message::ShadowMessage;
use crate::shadow::view::{OwnText, ShadowReaction, count_reactions_seen};

/// A row of an event that only its author sees.
struct OwnEventRow {
    no: i64,
    author: AccountNo,
    after_seq: Seq,
    kind: String,
    message_id: String,
    at: DateTime<Utc>,
}

/// The number and the time of a stored event that only its author sees. No other batch writes an event with
/// both.
#[derive(Clone, Copy, Debug)]
pub struct OwnEventKey {
    no: i64,
    // A database that has crashed can give the number of a lost row again.
    at: DateTime<Utc>,
}

/// Writes what only its authors see. Returns the key of the first event; `None` if there is none. The head
/// must be locked.
pub(super) async fn record_shadow_changes(
    connection: &mut PgConnection,
    changes: &ShadowChanges,
    now: DateTime<Utc>,
) -> Result<Option<OwnEventKey>> {
    record_shadow_messages(connection, changes).await?;
    record_shadow_views(connection, changes).await?;
    if changes.events.is_empty() {
        return Ok(None);
    }
    let events = &changes.events;
    let statement = sqlx::query_scalar!(
        r#"insert into shadow_event (agent, after_seq, kind, message_id, at)
           select e.agent, e.after_seq, e.kind, e.message_id, $5
           from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality
                as e (agent, after_seq, kind, message_id, place)
           order by e.place returning no"#,
        &column(events, |own| own.author) as _,
        &column(events, |own| own.event.seq()) as _,
        &column(events, |own| stored_kind(&own.event).to_owned()),
        &column(events, |own| own.event.subject_id().to_owned()),
        now
    );
    Ok(statement.fetch_all(connection).await?.first().map(|no| OwnEventKey { no: *no, at: now }))
}

/// Returns the name under which the kind of an event is stored. Only its author hides what nobody else sees.
fn stored_kind(event: &Event) -> &'static str {
    match event {
        Event::Deleted(_) => "hidden",
        other => other.kind(),
    }
}

/// Returns true if the event with this key is stored.
pub async fn has_own_event(connection: &mut PgConnection, key: OwnEventKey) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select exists(select from shadow_event where no = $1 and at = $2) as "exists!""#,
        key.no,
        key.at
    );
    statement.fetch_one(connection).await
}

/// Sends new own events to the streams of their authors. This must come before the public events after
/// them are published, so that the streams have the same order everywhere.
pub async fn publish_own(connection: &mut PgConnection, hub: &Hub) -> Result<()> {
    let events = own_events_after(connection, hub.newest_own()).await?;
    hub.publish_own(events);
    Ok(())
}

/// Returns the number of the newest event that only its author sees; 0 if there is none.
pub async fn newest_own_event(connection: &mut PgConnection) -> Result<i64> {
    let statement = sqlx::query_scalar!(r#"select coalesce(max(no), 0) as "no!" from shadow_event"#);
    statement.fetch_one(connection).await
}

/// Returns the events of all authors after a number, in order, as their authors see them now.
async fn own_events_after(connection: &mut PgConnection, no: i64) -> Result<Vec<OwnEvent>> {
    let statement = sqlx::query_as!(
        OwnEventRow,
        r#"select no, agent as "author: AccountNo", after_seq as "after_seq: Seq", kind, message_id, at
           from shadow_event where no > $1 order by no"#,
        no
    );
    let rows = statement.fetch_all(&mut *connection).await?;
    to_events(connection, rows).await
}

/// Returns the newest of an author's events with the numbers of two public events or between them, up to the
/// one with this own number, oldest first, as it sees them now. Messages that are public now are left out.
pub async fn own_events_of(
    connection: &mut PgConnection,
    author: AccountNo,
    seqs: RangeInclusive<Seq>,
    up_to: i64,
    limit: i64,
) -> Result<Vec<OwnEvent>> {
    let (from, to) = seqs.into_inner();
    let mut rows = sqlx::query_as!(
        OwnEventRow,
        r#"select no, agent as "author: AccountNo", after_seq as "after_seq: Seq", kind, message_id, at
           from shadow_event where agent = $1 and after_seq >= $2 and after_seq <= $3 and no <= $4
           order by after_seq desc, no desc limit $5"#,
        author as _,
        from as _,
        to as _,
        up_to,
        limit
    )
    .fetch_all(&mut *connection)
    .await?;
    rows.reverse();
    to_events(connection, rows).await
}

/// The subjects of some events, as they are stored now.
struct EventSubjects {
    messages: HashMap<String, ShadowMessage>,
    reactions: HashMap<String, Vec<AgentReaction>>,
    shadow_reactions: HashMap<String, Vec<ShadowReaction>>,
    intents: HashMap<String, IntentDetails>,
    own_texts: HashMap<String, OwnText>,
    /// The texts of the edited messages that everyone sees, and whether they are hidden.
    public_texts: HashMap<String, (Option<String>, bool)>,
    /// Those of the edited messages that were posted as shadow messages.
    edited_shadow_messages: Vec<String>,
}

async fn to_events(connection: &mut PgConnection, rows: Vec<OwnEventRow>) -> Result<Vec<OwnEvent>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids = column(&rows, |row| row.message_id.clone());
    let edited = rows.iter().filter(|row| row.kind == "edited").map(|row| row.message_id.clone());
    let edited: Vec<String> = edited.collect();
    let messages = shadow_messages_by_ids(connection, &ids).await?.into_iter();
    let subjects = EventSubjects {
        messages: messages.map(|shadow| (shadow.message.id.clone(), shadow)).collect(),
        reactions: reactions(connection, &ids).await?,
        shadow_reactions: shadow_reactions(connection, &ids).await?,
        intents: shadow_intents(connection, &ids, None).await?,
        own_texts: own_texts(connection, &edited, None).await?,
        public_texts: current_texts(connection, &edited).await?,
        edited_shadow_messages: shadow_messages_among(connection, &edited).await?,
    };
    Ok(rows.into_iter().filter_map(|row| subjects.to_event(row)).collect())
}

impl EventSubjects {
    /// Returns the event of a row, or `None` if there is nothing to show any more.
    fn to_event(&self, row: OwnEventRow) -> Option<OwnEvent> {
        let OwnEventRow { no, author, after_seq: seq, kind, message_id, at } = row;
        let event = match kind.as_str() {
            "chat" => {
                let mut message = self.messages.get(&message_id)?.message.clone();
                Arc::make_mut(&mut message).reactions = self.reactions_seen(author, &message_id);
                Event::Chat(message)
            }
            "reaction" => {
                let reactions = self.reactions_seen(author, &message_id);
                Event::Reaction(ReactionUpdate { seq, message_id, reactions })
            }
            "intent" => {
                let shadow = self.messages.get(&message_id);
                let own = shadow.and_then(|shadow| shadow.message.intent.clone());
                let details = own.or_else(|| self.intents.get(&message_id).cloned())?;
                let is_deleted = shadow.is_some_and(|shadow| shadow.message.deleted);
                let details = if is_deleted { IntentDetails::withdrawn(at) } else { details };
                Event::Intent(IntentChange { seq, message_id, details })
            }
            "edited" => {
                let (content, hidden) = self.edited_text(&message_id)?;
                Event::Edited(TextEdit { seq, message_id, content, at, hidden })
            }
            "hidden" => {
                self.messages.get(&message_id)?;
                Event::Deleted(VisibilityChange { seq, message_id, at })
            }
            _ => return None,
        };
        Some(OwnEvent { no, author, at, event })
    }

    /// Returns the text of an edited message as its author sees it, and whether it is hidden; `None` for a
    /// shadow message that is public now and that its author sees like everyone else.
    fn edited_text(&self, message_id: &str) -> Option<(Option<String>, bool)> {
        if let Some(ShadowMessage { message, .. }) = self.messages.get(message_id) {
            return Some((message.content.clone(), message.deleted));
        }
        let public = self.public_texts.get(message_id);
        // A deleted message has no text, neither a public nor an own one.
        if let Some(((_, hidden), own)) = public.zip(self.own_texts.get(message_id)) {
            return Some((Some(own.content.clone()), *hidden));
        }
        let is_released = self.edited_shadow_messages.iter().any(|id| id == message_id);
        (!is_released).then(|| public.cloned().unwrap_or_default())
    }

    fn reactions_seen(&self, author: AccountNo, message_id: &str) -> Vec<ReactionCount> {
        count_reactions_seen(author, &self.reactions, &self.shadow_reactions, message_id)
    }
}
