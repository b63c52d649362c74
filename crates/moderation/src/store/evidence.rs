//! The SQL that collects evidence.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::Result;

/// The current placement of a pixel in a region.
pub struct EvidencePlacementRow {
    pub seq: Seq,
    pub x: i16,
    pub y: i16,
    pub color: i16,
    pub agent: AccountNo,
    pub id: String,
    pub name: String,
    pub placed_at: DateTime<Utc>,
}

/// The event of a message. Its text and its author may have been deleted.
pub struct MessageEventRow {
    pub seq: Seq,
    pub at: DateTime<Utc>,
    pub author: Option<AccountNo>,
}

/// Returns the event of a message that is not hidden.
pub async fn find_visible_message(pool: &PgPool, id: &str) -> Result<Option<MessageEventRow>> {
    let statement = sqlx::query_as!(
        MessageEventRow,
        r#"select said.seq as "seq: Seq", said.at, m.agent as "author?: AccountNo"
           from event said
               left join chat_message m on m.id = said.id
               left join lateral (select kind from event mark where mark.id = said.id
                                  and mark.kind in ('hidden', 'restored', 'deleted')
                                  order by seq desc limit 1) mark on true
           where said.kind = 'chat' and said.id = $1 and coalesce(mark.kind = 'restored', true)"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns the numbers of the next visible messages after an event.
pub async fn list_seqs_after(pool: &PgPool, seq: Seq, limit: i64) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select seq as "seq: Seq" from chat_message
           where seq > $1 and not hidden order by seq limit $2"#,
        seq as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the placements with these numbers, row by row.
pub async fn list_placements(pool: &PgPool, seqs: &[Seq]) -> Result<Vec<EvidencePlacementRow>> {
    let statement = sqlx::query_as!(
        EvidencePlacementRow,
        r#"select p.seq as "seq: Seq", p.x, p.y, p.color, a.no as "agent: AccountNo", a.id, a.name,
                  p.placed_at
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq = any($1) order by p.y, p.x"#,
        seqs as _
    );
    statement.fetch_all(pool).await
}
