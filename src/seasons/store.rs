//! The seasons' SQL.

use chrono::{DateTime, Utc};
use rules::season::Course;
use sqlx::{PgConnection, PgPool};

use super::{Recorded, State};

type Result<T> = std::result::Result<T, sqlx::Error>;

struct Row {
    number: i64,
    id: String,
    title: String,
    width: i32,
    height: i32,
    seq: i64,
    next: Option<i64>,
    opened_at: DateTime<Utc>,
    frozen_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    archived_at: Option<DateTime<Utc>>,
}

impl From<Row> for Recorded {
    fn from(row: Row) -> Self {
        let state = match (row.next, row.frozen_at) {
            (Some(_), _) => State::Archived,
            (None, Some(_)) => State::Frozen,
            (None, None) => State::Played,
        };
        Self {
            number: row.number,
            id: row.id,
            title: row.title,
            width: row.width,
            height: row.height,
            first: row.seq,
            last: row.next.map(|next| next - 1),
            state,
            opened_at: row.opened_at,
            frozen_at: row.frozen_at,
            ends_at: row.ends_at,
            archived_at: row.archived_at,
        }
    }
}

/// All seasons, newest first.
pub(super) async fn all(pool: &PgPool) -> Result<Vec<Recorded>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select row_number() over (order by seq) as "number!", id, title, width, height, seq,
                  lead(seq) over (order by seq) as next, opened_at, frozen_at, ends_at, archived_at
           from season order by seq desc"#
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Recorded::from).collect())
}

/// The newest season.
pub(super) async fn newest(connection: &mut PgConnection) -> Result<Recorded> {
    let row = sqlx::query_as!(
        Row,
        r#"select (select count(*) from season) as "number!", id, title, width, height, seq,
                  null::bigint as next, opened_at, frozen_at, ends_at, archived_at
           from season order by seq desc limit 1"#
    )
    .fetch_one(connection)
    .await?;
    Ok(row.into())
}

/// Sets how far the season that opened there has come. The gate must be closed.
pub(super) async fn set_course(connection: &mut PgConnection, first: i64, course: &Course) -> Result<()> {
    sqlx::query!(
        "update season set frozen_at = $2, ends_at = $3 where seq = $1",
        first,
        course.frozen_at,
        course.ends_at
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// The next season has been opened. The gate must be closed.
pub(super) async fn archive(connection: &mut PgConnection, first: i64, at: DateTime<Utc>) -> Result<()> {
    sqlx::query!(
        "update season set archived_at = $2, frozen_at = coalesce(frozen_at, $2) where seq = $1",
        first,
        at
    )
    .execute(connection)
    .await
    .map(|_| ())
}
