//! The SQL of seasons.

use chrono::{DateTime, Utc};
use rules::numbers::Seq;
use rules::season::SeasonState;
use sqlx::{PgConnection, PgExecutor};

use super::{SeasonRecord, SeasonStatus};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns the newest seasons, newest first; all of them without a limit.
pub(super) async fn list_newest_first(
    executor: impl PgExecutor<'_>,
    limit: Option<i64>,
) -> Result<Vec<SeasonRecord>> {
    let statement = sqlx::query_as!(
        SeasonRecord,
        r#"select row_number() over by_seq as "number!", id, title, width, height, seq as "first: Seq",
                  lead(seq) over by_seq - 1 as "last: Seq",
                  case when lead(seq) over by_seq is not null then 'archived'
                       when frozen_at is not null then 'frozen'
                       else 'played' end as "state!: SeasonStatus",
                  opened_at, frozen_at, ends_at, archived_at
           from season window by_seq as (order by seq) order by seq desc limit $1"#,
        limit
    );
    statement.fetch_all(executor).await
}

/// Returns the newest season.
pub(super) async fn find_newest(connection: &mut PgConnection) -> Result<SeasonRecord> {
    list_newest_first(connection, Some(1)).await?.pop().ok_or(sqlx::Error::RowNotFound)
}

/// Saves the state of the season that begins at `opening_seq`. The caller must hold the head lock.
pub(super) async fn save_season_state(
    connection: &mut PgConnection,
    opening_seq: Seq,
    season_state: &SeasonState,
) -> Result<()> {
    let statement = sqlx::query!(
        "update season set frozen_at = $2, ends_at = $3 where seq = $1",
        opening_seq as _,
        season_state.frozen_at,
        season_state.ends_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Archives a season. The caller must hold the head lock.
pub(super) async fn archive(
    connection: &mut PgConnection,
    opening_seq: Seq,
    at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        "update season set archived_at = $2, frozen_at = coalesce(frozen_at, $2) where seq = $1",
        opening_seq as _,
        at
    );
    statement.execute(connection).await.map(|_| ())
}
