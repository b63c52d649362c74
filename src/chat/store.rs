//! The chat's SQL: where a message stands in the log. Texts are read with the log's own events.

use sqlx::PgPool;

use crate::rules::ids::MessageId;

/// The number of a message, even when its text is gone.
pub(super) async fn seq_of(pool: &PgPool, id: &MessageId) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!("select seq from event where kind = 'chat' and id = $1", id.as_str())
        .fetch_optional(pool)
        .await
}
