//! The SQL of the public messages of one author.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use serde::Serialize;
use sqlx::PgPool;

use super::Result;
use crate::shadow::message::ChatPosition;

/// A public message or intent as its author takes it away.
#[derive(Debug, Serialize)]
pub struct OwnPublicMessage {
    /// Where it stands among the author's messages.
    #[serde(skip)]
    pub position: ChatPosition,
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub content: String,
    pub reply_to: Option<String>,
    /// The regions of an intent: x1, y1, x2 and y2 of each, one after the other.
    pub regions: Option<Vec<i32>>,
    pub importance: String,
    pub timestamp: DateTime<Utc>,
    pub edited_at: Option<DateTime<Utc>>,
}

/// Returns the next messages of an author after a position that it has not deleted, oldest first: public ones
/// by their numbers, and shadow messages right after the event before them.
pub async fn own_message_page(
    pool: &PgPool,
    author: AccountNo,
    after: ChatPosition,
    limit: i64,
) -> Result<Vec<OwnPublicMessage>> {
    let (after_seq, after_no) = after;
    let rows = sqlx::query!(
        r#"select seq as "seq!: Seq", no as "no!", id as "id!", kind as "kind!", content as "content!",
                  reply_to, regions, importance as "importance!", sent_at as "sent_at!", edited_at
           from (
               (select m.seq, 0::bigint as no, m.id, m.type as kind,
                       coalesce(t.content, m.content) as content, m.reply_to, m.regions, m.importance,
                       m.sent_at, coalesce(t.edited_at, m.edited_at) as edited_at
                from chat_message m left join shadow_text t on t.message_id = m.id
                where m.agent = $1 and m.deleted_at is null and m.seq > $2
                order by m.seq limit $4)
               union all
               (select s.after_seq, s.no, s.id, s.type, s.content, s.reply_to, s.regions, s.importance,
                       s.sent_at, s.edited_at
                from shadow_message s
                where s.agent = $1 and s.released is null and s.deleted_at is null
                  and (s.after_seq, s.no) > ($2, $3)
                order by s.after_seq, s.no limit $4)
           ) as own
           order by seq, no limit $4"#,
        author as _,
        after_seq as _,
        after_no,
        limit
    )
    .fetch_all(pool)
    .await?;
    let messages = rows.into_iter().map(|row| OwnPublicMessage {
        position: (row.seq, row.no),
        id: row.id,
        kind: row.kind,
        content: row.content,
        reply_to: row.reply_to,
        regions: row.regions,
        importance: row.importance,
        timestamp: row.sent_at,
        edited_at: row.edited_at,
    });
    Ok(messages.collect())
}
