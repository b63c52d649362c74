//! The SQL of system messages that are written outside a batch, and of the changes from which digests are made.

use chrono::{DateTime, Utc};
use rules::digest::ChatChange;
use rules::message::Message;
use sqlx::PgConnection;

use super::Result;
use super::messages::sides_of;

/// Writes the text of a system message.
pub async fn insert_announcement(connection: &mut PgConnection, message: &Message) -> Result<()> {
    sqlx::query!(
        r#"insert into chat_message (id, seq, sender_type, type, content, sent_at, regions)
           values ($1, $2, 'system', 'system', $3, $4, $5)"#,
        message.id,
        message.seq as _,
        message.content.as_deref().unwrap_or_default(),
        message.timestamp,
        message.region.as_ref().map(|region| sides_of(region).map(|side| side as i32).to_vec())
            as Option<Vec<i32>>
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Returns the newest changes of the visible chat and their times, oldest first. Their texts may have been
/// deleted.
pub async fn chat_changes(
    connection: &mut PgConnection,
    limit: i64,
) -> Result<Vec<(ChatChange, DateTime<Utc>)>> {
    let rows = sqlx::query!(
        r#"select kind, id, at from event where kind in ('chat', 'hidden', 'restored', 'season')
           order by seq desc limit $1"#,
        limit
    )
    .fetch_all(connection)
    .await?;
    let to_change = |kind: &str, id| match kind {
        "chat" => ChatChange::Posted(id),
        "hidden" => ChatChange::Hidden(id),
        "restored" => ChatChange::Restored(id),
        _ => ChatChange::Cleared,
    };
    Ok(rows.into_iter().rev().map(|row| (to_change(&row.kind, row.id), row.at)).collect())
}
