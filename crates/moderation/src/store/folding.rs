//! The SQL of folded messages. The head must be locked for writing.

use rules::numbers::Seq;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Folds a visible message while a case about it is open. Returns its number; `None` if nothing changed.
pub async fn fold(connection: &mut PgConnection, message: &str, case: i64) -> Result<Option<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"update chat_message set folded = true
           where id = $1 and not folded and not hidden
             and exists (select from report_case where no = $2 and closed_at is null)
           returning seq as "seq: Seq""#,
        message,
        case
    );
    statement.fetch_optional(connection).await
}

/// Unfolds a message. Returns its number; `None` if it was not folded.
pub async fn unfold(connection: &mut PgConnection, message: &str) -> Result<Option<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"update chat_message set folded = false where id = $1 and folded returning seq as "seq: Seq""#,
        message
    );
    statement.fetch_optional(connection).await
}

/// Returns true if a message is folded.
pub async fn is_folded(pool: &PgPool, message: &str) -> Result<bool> {
    let statement = sqlx::query_scalar!("select folded from chat_message where id = $1", message);
    Ok(statement.fetch_optional(pool).await?.unwrap_or(false))
}
