//! The SQL of the replay at the start.

use caraplace_live::event::compact_painter;
use rules::grid::{Point, Size};
use rules::numbers::{AccountNo, Seq};
use serde_json::Value;
use sqlx::PgConnection;

use super::Result;
use crate::canvas::NewestPlacement;
use crate::season::Season;

/// Returns the secret from which digests are computed.
pub async fn digest_secret(connection: &mut PgConnection) -> Result<Vec<u8>> {
    sqlx::query_scalar!("select digest_secret from log_head").fetch_one(connection).await
}

/// Returns every setting that operators have set.
pub async fn settings(connection: &mut PgConnection) -> Result<Vec<(String, Value)>> {
    let rows = sqlx::query!("select name, value from setting order by name").fetch_all(connection).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.value)).collect())
}

/// Returns the newest seasons, newest first; all of them without a limit.
pub async fn seasons(connection: &mut PgConnection, limit: Option<i64>) -> Result<Vec<Season>> {
    let statement = sqlx::query!(
        r#"select id, title, width, height, seq as "seq: Seq", opened_at
           from season order by seq desc limit $1"#,
        limit
    );
    let seasons = statement.fetch_all(connection).await?.into_iter().map(|row| Season {
        id: row.id,
        title: row.title,
        size: Size { width: row.width as u16, height: row.height as u16 },
        seq: row.seq,
        opened_at: row.opened_at,
    });
    Ok(seasons.collect())
}

/// Returns the current season.
pub async fn newest_season(connection: &mut PgConnection) -> Result<Option<Season>> {
    Ok(seasons(connection, Some(1)).await?.pop())
}

/// The newest placement on a point.
pub struct PointPlacement {
    pub point: Point,
    pub placement: NewestPlacement,
}

/// Returns the newest placement on each point that was painted after an event.
pub async fn newest_placements(connection: &mut PgConnection, after: Seq) -> Result<Vec<PointPlacement>> {
    // A long history takes its time, and this transaction blocks no other.
    sqlx::query!("set local statement_timeout = 0").execute(&mut *connection).await?;
    let statement = sqlx::query!(
        r#"select p.x, p.y, p.color, p.seq as "seq: Seq",
                  coalesce(p.restored_agent, p.agent) as "agent!: AccountNo"
           from (select max(seq) as seq from placement where seq > $1 group by x, y) as newest
           join placement p using (seq)"#,
        after as _
    );
    let newest = statement.fetch_all(connection).await?.into_iter().map(|row| PointPlacement {
        point: Point { x: row.x as u16, y: row.y as u16 },
        placement: NewestPlacement {
            color: row.color as u8,
            painter: compact_painter(row.agent),
            seq: row.seq,
        },
    });
    Ok(newest.collect())
}
