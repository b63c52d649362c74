//! The SQL of history: events by time and by range, and snapshots of the canvas.

pub(super) mod period;

use caraplace_log::season::Season;
use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Rect, Size};
use rules::numbers::Seq;
use sqlx::{PgConnection, PgPool};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A stored canvas.
pub(super) struct CanvasSnapshot {
    pub seq: Seq,
    /// The newest event that changed a pixel.
    pub version: Seq,
    /// The number of placements since the season's opening.
    pub placements: i64,
    /// The pixels packed two per byte.
    pub pixels: Vec<u8>,
}

/// The metadata of a snapshot.
#[derive(Clone, Copy)]
pub(super) struct SnapshotMetadata {
    pub seq: Seq,
    pub at: DateTime<Utc>,
    pub placements: i64,
}

/// The placements of a range, in order.
pub(super) struct PlacementBatch {
    packed: Option<Vec<u8>>,
    newest: Option<Seq>,
}

/// The index of a pixel, row by row, and its new colour.
pub(super) struct PixelChange {
    pub index: usize,
    pub color: u8,
}

impl PlacementBatch {
    /// Returns the changes of pixels, in order.
    pub(super) fn changes(&self) -> impl Iterator<Item = PixelChange> {
        let (words, _) = self.packed.as_deref().unwrap_or_default().as_chunks::<4>();
        words.iter().map(|word| {
            let number = u32::from_be_bytes(*word);
            PixelChange { index: (number >> 4) as usize, color: (number & 15) as u8 }
        })
    }

    /// Returns the number of placements.
    pub(super) fn count(&self) -> i64 {
        (self.packed.as_ref().map_or(0, Vec::len) / 4) as i64
    }

    /// Returns the sequence number of the newest placement, or [`Seq::ZERO`] if there is none.
    pub(super) fn newest_seq(&self) -> Seq {
        self.newest.unwrap_or(Seq::ZERO)
    }
}

/// Returns the season during which an event happened, or the first season.
pub(super) async fn season_at(pool: &PgPool, seq: Seq) -> Result<Season> {
    let row = sqlx::query!(
        r#"select id, title, width, height, seq as "seq: Seq", opened_at from season
           where seq <= greatest($1, (select min(seq) from season)) order by seq desc limit 1"#,
        seq as _
    )
    .fetch_one(pool)
    .await?;
    Ok(Season {
        id: row.id,
        title: row.title,
        size: Size { width: row.width as u16, height: row.height as u16 },
        seq: row.seq,
        opened_at: row.opened_at,
    })
}

/// Returns the opening event of the next season, or `None` if there is none.
pub(super) async fn next_season_seq(pool: &PgPool, opening: Seq) -> Result<Option<Seq>> {
    sqlx::query_scalar!(r#"select min(seq) as "seq: Seq" from season where seq > $1"#, opening as _)
        .fetch_one(pool)
        .await
}

/// Returns the time of an event, or `None` if there is no such event.
pub(super) async fn event_time(connection: &mut PgConnection, seq: Seq) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!(
        "select coalesce((select placed_at from placement where seq = $1),
                         (select at from event where seq = $1))",
        seq as _
    );
    statement.fetch_one(connection).await
}

/// Returns the newest event up to each time, by binary search, because times never decrease along the log.
/// Each search is limited to a range of sequence numbers, of which the first must not be after the time.
pub(super) async fn last_events_until(
    pool: &PgPool,
    times: &[DateTime<Utc>],
    low: &[Seq],
    high: &[Seq],
) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"with recursive search (step, time, low, high) as (
               select step, time, low, high
               from unnest($1::timestamptz[], $2::bigint[], $3::bigint[]) with ordinality
                        as asked (time, low, high, step)
               union all
               select step, time, case when early then middle else low end,
                      case when early then high else middle - 1 end
               from (select *, (low + high + 1) / 2 as middle from search where low < high) as half, lateral (
                   select coalesce((select placed_at from placement where seq = middle),
                                   (select at from event where seq = middle)) <= time as early
                   offset 0 -- or it would be looked up for each use
               ) as probe
           )
           select low as "seq!: Seq" from search where low >= high order by step"#,
        times,
        low as _,
        high as _
    );
    statement.fetch_all(pool).await
}

/// Returns the number of events that are not placements, for each range after one number up to another.
pub(super) async fn count_other_events(pool: &PgPool, after: &[Seq], up_to: &[Seq]) -> Result<Vec<i64>> {
    let statement = sqlx::query_scalar!(
        r#"select (select count(*) from event where seq > stretch.after and seq <= stretch.upto) as "count!"
           from unnest($1::bigint[], $2::bigint[]) with ordinality as stretch (after, upto, step)
           order by step"#,
        after as _,
        up_to as _
    );
    statement.fetch_all(pool).await
}

/// Returns the placements after one event up to another, on a canvas of this width.
pub(super) async fn placement_batch(
    connection: &mut PgConnection,
    after: Seq,
    up_to: Seq,
    width: u16,
) -> Result<PlacementBatch> {
    let statement = sqlx::query_as!(
        PlacementBatch,
        r#"select string_agg(int4send((y::int * $3::int + x) * 16 + color), ''::bytea order by seq) as packed,
                  max(seq) as "newest: Seq"
           from placement where seq > $1 and seq <= $2"#,
        after as _,
        up_to as _,
        i32::from(width)
    );
    statement.fetch_one(connection).await
}

/// Returns the newest placement on a point after one event up to another, or `None` if there is none.
pub(super) async fn newest_placement_on(
    pool: &PgPool,
    point: Point,
    after: Seq,
    up_to: Seq,
) -> Result<Option<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select max(seq) as "seq: Seq" from placement where seq > $1 and seq <= $2 and x = $3 and y = $4"#,
        after as _,
        up_to as _,
        point.x as i16,
        point.y as i16
    );
    statement.fetch_one(pool).await
}

/// Returns the newest snapshot after one event up to another, or `None` if there is none.
pub(super) async fn newest_snapshot(
    connection: &mut PgConnection,
    after: Seq,
    up_to: Seq,
) -> Result<Option<CanvasSnapshot>> {
    let statement = sqlx::query_as!(
        CanvasSnapshot,
        r#"select seq as "seq: Seq", version as "version: Seq", placements, pixels from snapshot
           where seq > $1 and seq <= $2 order by seq desc limit 1"#,
        after as _,
        up_to as _
    );
    statement.fetch_optional(connection).await
}

/// Returns true if there is a snapshot of this event.
pub(super) async fn has_snapshot(pool: &PgPool, seq: Seq) -> Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from snapshot where seq = $1) as "is!""#, seq as _)
        .fetch_one(pool)
        .await
}

/// Stores a snapshot, unless it exists, or the log ends before it, as after a restore.
pub(super) async fn store_snapshot(
    connection: &mut PgConnection,
    snapshot: &CanvasSnapshot,
    at: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into snapshot (seq, at, version, placements, pixels)
           select $1, $2, $3, $4, $5 from log_head where log_head.seq >= $1 on conflict do nothing"#,
        snapshot.seq as _,
        at,
        snapshot.version as _,
        snapshot.placements,
        snapshot.pixels
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the metadata of the snapshots after one event up to another, in order.
pub(super) async fn list_snapshot_metadata(
    pool: &PgPool,
    after: Seq,
    up_to: Seq,
) -> Result<Vec<SnapshotMetadata>> {
    let statement = sqlx::query_as!(
        SnapshotMetadata,
        r#"select seq as "seq: Seq", at, placements from snapshot
           where seq > $1 and seq <= $2 order by seq"#,
        after as _,
        up_to as _
    );
    statement.fetch_all(pool).await
}

/// A placement with its agent and time.
#[derive(Debug)]
pub struct PlacementEventRow {
    pub seq: Seq,
    pub x: i16,
    pub y: i16,
    pub color: i16,
    pub agent: String,
    pub placed_at: DateTime<Utc>,
}

/// Returns the placements from one sequence number to another, both included, in order.
pub(super) async fn list_placements(pool: &PgPool, first: Seq, last: Seq) -> Result<Vec<PlacementEventRow>> {
    let statement = sqlx::query_as!(
        PlacementEventRow,
        r#"select p.seq as "seq: Seq", p.x, p.y, p.color, a.id as agent, p.placed_at
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq >= $1 and p.seq <= $2 order by p.seq"#,
        first as _,
        last as _
    );
    statement.fetch_all(pool).await
}

/// A placement on an area, with its time.
#[derive(Debug)]
pub struct AreaPlacementRow {
    pub seq: Seq,
    pub x: i16,
    pub y: i16,
    pub color: i16,
    pub placed_at: DateTime<Utc>,
}

/// Returns the first placements on an area after one event up to another, oldest first. All placements of
/// that range may be read, since no index has the points.
pub(super) async fn area_placements(
    pool: &PgPool,
    area: Rect,
    after: Seq,
    up_to: Seq,
    limit: i64,
) -> Result<Vec<AreaPlacementRow>> {
    let Corners { x1, y1, x2, y2 } = area.corners();
    let statement = sqlx::query_as!(
        AreaPlacementRow,
        r#"select seq as "seq: Seq", x, y, color, placed_at from placement
           where seq > $5 and seq <= $6 and x between $1 and $3 and y between $2 and $4
           order by seq limit $7"#,
        x1 as i16,
        y1 as i16,
        x2 as i16,
        y2 as i16,
        after as _,
        up_to as _,
        limit
    );
    statement.fetch_all(pool).await
}
