//! What the fold at the start reads.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::Result;
use super::write::insert_event;
use crate::rules::grid::{Point, Size};
use crate::world::Season;

/// What digests are made from.
pub async fn secret(connection: &mut PgConnection) -> Result<[u8; 32]> {
    let secret = sqlx::query_scalar!("select digest_secret from log_head").fetch_one(connection).await?;
    secret.try_into().map_err(|_| sqlx::Error::Decode("the digest secret must have 32 bytes".into()))
}

/// The season that is played.
pub async fn newest_season(connection: &mut PgConnection) -> Result<Option<Season>> {
    let row =
        sqlx::query!("select id, title, width, height, seq, opened_at from season order by seq desc limit 1")
            .fetch_optional(connection)
            .await?;
    Ok(row.map(|row| Season {
        id: row.id,
        title: row.title,
        size: Size { width: row.width as u16, height: row.height as u16 },
        seq: row.seq,
        opened_at: row.opened_at,
    }))
}

/// Opens a season as the next event. The gate must be closed.
pub async fn insert_season(connection: &mut PgConnection, season: &Season) -> Result<()> {
    insert_event(connection, season.seq, "season", &season.id, season.opened_at).await?;
    sqlx::query!(
        "insert into season (id, title, width, height, seq, opened_at) values ($1, $2, $3, $4, $5, $6)",
        season.id,
        season.title,
        i32::from(season.size.width),
        i32::from(season.size.height),
        season.seq,
        season.opened_at
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("update log_head set seq = $1, version = $1, at = $2", season.seq, season.opened_at)
        .execute(connection)
        .await
        .map(|_| ())
}

/// A painted pixel as it is stored.
struct Painted {
    x: i16,
    y: i16,
    color: i16,
}

/// The last colour of every pixel painted in a season, up to the newest number: by the way that has less to read.
pub async fn canvas(connection: &mut PgConnection, season: &Season, head: i64) -> Result<Vec<(Point, u8)>> {
    // A large canvas takes its time; this transaction holds nobody up.
    sqlx::query!("set local statement_timeout = 0").execute(&mut *connection).await?;
    let history = head - season.seq;
    let rows = if history < SPOTS_LIKE_PLACEMENTS * season.size.area() as i64 {
        canvas_by_history(connection, season).await?
    } else {
        canvas_by_spot(connection, season).await?
    };
    let pixel = |row: Painted| (Point { x: row.x as u16, y: row.y as u16 }, row.color as u8);
    Ok(rows.into_iter().map(pixel).collect())
}

/// Looking one spot up takes about as long as sorting so many placements.
const SPOTS_LIKE_PLACEMENTS: i64 = 4;

/// Takes as long as the history is long.
async fn canvas_by_history(connection: &mut PgConnection, season: &Season) -> Result<Vec<Painted>> {
    sqlx::query_as!(
        Painted,
        "select distinct on (x, y) x, y, color from placement where seq > $1 order by x, y, seq desc",
        season.seq
    )
    .fetch_all(connection)
    .await
}

/// Takes as long as the canvas is large.
async fn canvas_by_spot(connection: &mut PgConnection, season: &Season) -> Result<Vec<Painted>> {
    sqlx::query_as!(
        Painted,
        r#"select spot.x as "x!", spot.y as "y!", newest.color
           from (select (n / $2::int)::smallint as x, (n % $2::int)::smallint as y
                 from generate_series(0, $1::int * $2::int - 1) as n) as spot,
                lateral (select color from placement p
                         where p.x = spot.x and p.y = spot.y and p.seq > $3
                         order by p.seq desc limit 1) as newest"#,
        i32::from(season.size.width),
        i32::from(season.size.height),
        season.seq
    )
    .fetch_all(connection)
    .await
}

/// Ids and times of the newest messages, oldest first; the texts may be gone.
pub async fn chat_events(connection: &mut PgConnection, limit: i64) -> Result<Vec<(String, DateTime<Utc>)>> {
    let rows = sqlx::query!("select id, at from event where kind = 'chat' order by seq desc limit $1", limit)
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().rev().map(|row| (row.id, row.at)).collect())
}
