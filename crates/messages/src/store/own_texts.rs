//! The SQL of the texts of public messages that only their shadow-banned authors see.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::changes::TextChange;
use crate::shadow::view::OwnText;

/// Stores texts of public messages for their authors alone. The head must be locked.
pub(super) async fn record_own_texts(
    connection: &mut PgConnection,
    changes: &[&TextChange],
    now: DateTime<Utc>,
) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into shadow_text (message_id, agent, content, edited_at)
           select m.id, m.agent, c.content, $3
           from unnest($1::text[], $2::text[]) as c (id, content) join chat_message m on m.id = c.id
           on conflict (message_id) do update
               set content = excluded.content, edited_at = excluded.edited_at"#,
        &column(changes, |change| change.message_id.clone()),
        &column(changes, |change| change.content.clone().unwrap_or_default()),
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the texts of these public messages as their authors see them, as far as everyone else sees others;
/// only those of `author` if it is given.
pub async fn own_texts(
    connection: &mut PgConnection,
    ids: &[String],
    author: Option<AccountNo>,
) -> Result<HashMap<String, OwnText>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select message_id as "message_id!", content, edited_at from shadow_text
           where message_id = any($1) and ($2::bigint is null or agent = $2)"#,
        ids,
        author as _
    );
    let texts = statement.fetch_all(connection).await?.into_iter().map(|row| {
        let text = OwnText { content: row.content, edited_at: row.edited_at };
        (row.message_id, text)
    });
    Ok(texts.collect())
}
