//! The SQL of the plans of erased accounts.

use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Returns the ids of the plans of an author that have not ended.
pub(in crate::plans) async fn unended_plan_ids(pool: &PgPool, author: AccountNo) -> Result<Vec<String>> {
    let statement =
        sqlx::query_scalar!("select id from plan where author = $1 and ended_at is null", author as _);
    statement.fetch_all(pool).await
}

/// Deletes the notes of an author's ended plans, the titles of those that were never finished, and how the
/// author saw plans otherwise than everyone else. The head must be locked.
pub(in crate::plans) async fn clear_texts(connection: &mut PgConnection, author: AccountNo) -> Result<()> {
    let statement = sqlx::query!(
        r#"with changes as (delete from shadow_plan_change where account = $1)
           update plan
           set title = case when finished_at is null then 'Removed plan' else title end, note = null,
               shadow_change = null
           where author = $1 and ended_at is not null"#,
        author as _
    );
    statement.execute(connection).await.map(|_| ())
}
