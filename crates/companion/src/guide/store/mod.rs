//! The SQL of the guide, by the steps of a turn.

pub(super) mod ask;
pub(super) mod claim;
pub(super) mod conversation;
pub(super) mod model_loop;
pub(super) mod retention;
pub(super) mod stream;
pub(super) mod turn_end;
pub(super) mod uses;

use chrono::NaiveDate;
use sqlx::{PgConnection, Result};

/// Locks what the server has taken on a day. All turns begin and end under this lock, so that no two of them
/// find the same money.
pub(super) async fn lock_turns(connection: &mut PgConnection, day: NaiveDate) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into guide_use (day, subject, turns) values ($1, $2, 0)
           on conflict (day, subject) do update set turns = guide_use.turns"#,
        day,
        uses::SERVER
    );
    statement.execute(connection).await.map(|_| ())
}
