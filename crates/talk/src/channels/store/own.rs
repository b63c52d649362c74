//! The SQL of the messages that an account has written.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, MessageNo};
use serde::Serialize;
use sqlx::PgPool;

use super::Result;

/// Some consecutive messages, of which those of one author are named.
pub struct OwnMessageWindow {
    /// The number of the last message in the window, by any author.
    pub last: MessageNo,
    /// The ids of the author's messages that are not deleted, oldest first.
    pub ids: Vec<String>,
}

/// A crew or direct message as its author takes it away.
#[derive(Debug, Serialize)]
pub struct OwnPrivateMessage {
    pub id: String,
    /// The place: `crew_…` or `dm_…`.
    pub channel_id: String,
    pub content: String,
    pub reply_to: Option<String>,
    /// The label of its thread in a crew.
    pub thread: Option<String>,
    pub importance: String,
    pub timestamp: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
}

/// Returns the next messages after a number with the ids of an author's undeleted ones; `None` if there are
/// no more.
pub async fn own_message_window(
    pool: &PgPool,
    author: AccountNo,
    after: MessageNo,
    limit: i64,
) -> Result<Option<OwnMessageWindow>> {
    let statement = sqlx::query!(
        r#"with passed as (
               select no, id, author, deleted_at from private_message where no > $2 order by no limit $3
           )
           select max(no) as "last: MessageNo",
                  coalesce(array_agg(id order by no) filter (where author = $1 and deleted_at is null), '{}')
                      as "ids!"
           from passed"#,
        author as _,
        after as _,
        limit
    );
    let row = statement.fetch_one(pool).await?;
    let ids = row.ids;
    Ok(row.last.map(|last| OwnMessageWindow { last, ids }))
}

/// Returns these messages of an author with the texts that it sees, oldest first.
pub async fn own_messages(
    pool: &PgPool,
    author: AccountNo,
    ids: &[String],
) -> Result<Vec<OwnPrivateMessage>> {
    let statement = sqlx::query_as!(
        OwnPrivateMessage,
        r#"select p.id as "id!", c.id as "channel_id!", coalesce(t.content, p.content) as "content!",
                  p.reply_to, p.thread, p.importance as "importance!", p.sent_at as "timestamp!",
                  coalesce(t.edited_at, p.edited_at) as edited_at
           from private_message p join channel c on c.no = p.channel
               left join shadow_text t on t.private_message_id = p.id
           where p.id = any($2) and p.author = $1 order by p.no"#,
        author as _,
        ids
    );
    statement.fetch_all(pool).await
}
