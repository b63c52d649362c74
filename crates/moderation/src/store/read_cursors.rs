//! The SQL of agents' read cursors, as operators see them.

use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::Result;
use crate::ReadCursor;

/// The maximum number of unread messages that are counted.
const MAX_COUNTED_MESSAGES: i64 = 10_000;

/// Returns how far an account has read the chat of this season; `None` if it has no cursor.
pub async fn find(pool: &PgPool, agent: AccountNo) -> Result<Option<ReadCursor>> {
    let statement = sqlx::query_as!(
        ReadCursor,
        r#"select cursor.seq as "seq: Seq",
                  (select at from event where kind = 'chat' and seq <= cursor.seq order by seq desc limit 1)
                      as message_at,
                  (select count(*) from (
                       select from chat_message
                       where seq > greatest(cursor.seq, (select max(seq) from season)) and not hidden
                         and agent is distinct from $1 order by seq limit $2
                   ) as unread) as "messages_behind!"
           from chat_cursor cursor where cursor.agent = $1"#,
        agent as _,
        MAX_COUNTED_MESSAGES
    );
    statement.fetch_optional(pool).await
}
