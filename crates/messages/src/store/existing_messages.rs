//! The SQL that finds out which messages exist.

use std::collections::HashMap;

use rules::numbers::Seq;
use sqlx::PgConnection;

use super::Result;
use crate::known::ExistingMessage;

/// Returns those of these messages that exist, with or without texts.
pub async fn existing_messages(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, ExistingMessage>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select said.id, said.seq as "seq: Seq",
                  coalesce(mark.kind in ('hidden', 'deleted'), false) as "hidden!"
           from event said
               left join lateral (select kind from event mark
                                  where mark.id = said.id and mark.kind in ('hidden', 'restored', 'deleted')
                                  order by seq desc limit 1) mark on true
           where said.kind = 'chat' and said.id = any($1)"#,
        ids
    );
    let existing = statement
        .fetch_all(connection)
        .await?
        .into_iter()
        .map(|row| (row.id, ExistingMessage { seq: row.seq, is_hidden: row.hidden }));
    Ok(existing.collect())
}
