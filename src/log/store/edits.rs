//! The SQL of texts that their authors have changed or deleted.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use rules::micros;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::{Result, notices};
use crate::log::batch_effects::TextChange;

/// A text that a message had before its author changed or deleted it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EarlierText {
    pub content: String,
    /// The time from which the message had this text.
    #[serde(serialize_with = "micros::serialize")]
    pub since: DateTime<Utc>,
    /// The time at which its author changed or deleted it.
    #[serde(serialize_with = "micros::serialize")]
    pub until: DateTime<Utc>,
}

/// Returns the stored kind of the event of a change.
pub(super) fn event_kind(change: &TextChange) -> &'static str {
    if change.content.is_some() { "edited" } else { "deleted" }
}

/// Returns the current texts of messages, by their ids, and whether they are hidden. Those without a text are
/// missing.
pub(super) async fn current_texts(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, (Option<String>, bool)>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query!(
        "select id, content, hidden from chat_message where id = any($1) and deleted_at is null",
        ids
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, (Some(row.content), row.hidden))).collect())
}

/// Returns those of these messages that their authors have deleted.
pub async fn deleted_messages(connection: &mut PgConnection, ids: &[String]) -> Result<HashSet<String>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let deleted = sqlx::query_scalar!("select id from event where kind = 'deleted' and id = any($1)", ids);
    Ok(deleted.fetch_all(connection).await?.into_iter().collect())
}

/// Returns the earlier texts of these messages, by their ids, oldest first.
pub async fn earlier_texts(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Vec<EarlierText>>> {
    let rows = sqlx::query!(
        r#"select coalesce(message_id, shadow_message_id) as "id!", content, since, until from earlier_text
           where message_id = any($1) or shadow_message_id = any($1) order by no"#,
        ids
    )
    .fetch_all(connection)
    .await?;
    let mut texts_by_id: HashMap<String, Vec<EarlierText>> = HashMap::new();
    for row in rows {
        let (content, since, until) = (row.content, row.since, row.until);
        texts_by_id.entry(row.id).or_default().push(EarlierText { content, since, until });
    }
    Ok(texts_by_id)
}

/// Stores changed texts, and keeps the earlier ones for operators. A deleted message keeps its row. The head must
/// be locked.
pub(super) async fn record_text_changes(
    connection: &mut PgConnection,
    changes: &[TextChange],
    now: DateTime<Utc>,
) -> Result<()> {
    // There are few, and several may be about the same message, so each is a statement of its own.
    for change in changes {
        if change.is_shadow_message {
            update_shadow_message(connection, change, now).await?;
        } else {
            update_message(connection, change, now).await?;
        }
    }
    let deleted = changes.iter().filter(|change| change.content.is_none() && !change.is_shadow_message);
    let deleted: Vec<String> = deleted.map(|change| change.message_id.clone()).collect();
    if deleted.is_empty() { Ok(()) } else { notices::recount_for_messages(connection, &deleted).await }
}

async fn update_message(
    connection: &mut PgConnection,
    change: &TextChange,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"with earlier as (
               insert into earlier_text (message_id, content, since, until)
               select id, content, coalesce(edited_at, sent_at), $3 from chat_message where id = $1
           )
           update chat_message set content = coalesce($2, ''),
               edited_at = case when $2::text is null then edited_at else $3 end,
               deleted_at = case when $2::text is null then $3 end,
               hidden = hidden or $2::text is null, folded = folded and $2::text is not null
           where id = $1"#,
        change.message_id,
        change.content.as_deref() as Option<&str>,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

async fn update_shadow_message(
    connection: &mut PgConnection,
    change: &TextChange,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query!(
        r#"with earlier as (
               insert into earlier_text (shadow_message_id, content, since, until)
               select id, content, coalesce(edited_at, sent_at), $3 from shadow_message where id = $1
           )
           update shadow_message set content = coalesce($2, ''),
               edited_at = case when $2::text is null then edited_at else $3 end,
               deleted_at = case when $2::text is null then $3 end
           where id = $1"#,
        change.message_id,
        change.content.as_deref() as Option<&str>,
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}
