//! The SQL of the changes from which digests are made.

use chrono::{DateTime, Utc};
use rules::digest::ChatChange;
use sqlx::PgConnection;

use super::Result;

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
