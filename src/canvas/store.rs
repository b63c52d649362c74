//! The canvas' SQL: placements as people ask for them.

use std::collections::HashMap;

use sqlx::PgPool;

use super::heat::{Holder, Kept, Strokes};
use super::look::Placement;
use super::own::Put;
use crate::rules::grid::Point;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A placement as it is stored.
struct Row {
    x: i16,
    y: i16,
    color: i16,
    agent_id: String,
    agent_name: String,
    placed_at: chrono::DateTime<chrono::Utc>,
    seq: i64,
}

impl From<Row> for Placement {
    fn from(row: Row) -> Self {
        Self {
            x: row.x as u16,
            y: row.y as u16,
            color: row.color as u8,
            agent_id: row.agent_id.into(),
            agent_name: row.agent_name.into(),
            placed_at: row.placed_at,
            seq: row.seq,
        }
    }
}

fn placements(rows: Vec<Row>) -> Vec<Placement> {
    rows.into_iter().map(Placement::from).collect()
}

/// A placement and those that it covers, newest first.
pub(super) async fn history(pool: &PgPool, newest: i64, limit: i32) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"with recursive chain as (
               select placement.*, 1 as step from placement where seq = $1
               union all
               select older.*, chain.step + 1
               from chain join placement older on older.seq = chain.covers where chain.step < $2
           )
           select p.x as "x!", p.y as "y!", p.color as "color!", a.id as agent_id, a.name as agent_name,
                  p.placed_at as "placed_at!", p.seq as "seq!"
           from chain p join agent a on a.no = p.agent order by p.seq desc"#,
        newest,
        limit
    );
    Ok(placements(rows.fetch_all(pool).await?))
}

/// The newest placements after an event, newest first.
pub(super) async fn recent(pool: &PgPool, after: i64, limit: i64) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at, p.seq
           from placement p join agent a on a.no = p.agent
           where p.seq > $1 order by p.seq desc limit $2"#,
        after,
        limit
    );
    Ok(placements(rows.fetch_all(pool).await?))
}

/// An agent's newest placements, newest first.
pub(super) async fn placements_of(pool: &PgPool, agent: i64, limit: i32) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"with recursive chain as (
               select placement.*, 1 as step
               from agent join placement on placement.seq = agent.last_placement where agent.no = $1
               union all
               select older.*, chain.step + 1
               from chain join placement older on older.seq = chain.previous where chain.step < $2
           )
           select p.x as "x!", p.y as "y!", p.color as "color!", a.id as agent_id, a.name as agent_name,
                  p.placed_at as "placed_at!", p.seq as "seq!"
           from chain p join agent a on a.no = p.agent order by p.seq desc"#,
        agent,
        limit
    );
    Ok(placements(rows.fetch_all(pool).await?))
}

/// The placements of a part of the log, in order.
pub(super) struct Page {
    pub x: Vec<i16>,
    pub y: Vec<i16>,
    pub agent: Vec<i64>,
    /// In seconds since 1970.
    pub painted_at: Vec<i64>,
    /// The number of the newest.
    pub version: Option<i64>,
}

/// The placements after an event, up to another.
pub(super) async fn strokes(pool: &PgPool, after: i64, up_to: i64) -> Result<Page> {
    sqlx::query_as!(
        Page,
        r#"select coalesce(array_agg(x order by seq), '{}') as "x!",
                  coalesce(array_agg(y order by seq), '{}') as "y!",
                  coalesce(array_agg(agent order by seq), '{}') as "agent!",
                  coalesce(array_agg(floor(date_part('epoch', placed_at))::bigint order by seq), '{}')
                      as "painted_at!",
                  max(seq) as version
           from placement where seq > $1 and seq <= $2"#,
        after,
        up_to
    )
    .fetch_one(pool)
    .await
}

/// What was counted of a season and kept.
pub(super) async fn kept_strokes(pool: &PgPool, season: i64) -> Result<Option<Kept>> {
    let row = sqlx::query!(
        r#"select heat.seq, painters, painted_at, strokes,
                  (select max(seq) from placement where placement.seq <= heat.seq) as version
           from heat where season = $1"#,
        season
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| Kept {
        up_to: row.seq,
        version: row.version.unwrap_or(season).max(season),
        painters: unpacked(&row.painters),
        painted_at: unpacked(&row.painted_at),
        strokes: unpacked(&row.strokes),
    }))
}

/// Keeps what was counted, unless more is kept, or the log does not reach so far (any more).
pub(super) async fn keep_strokes(pool: &PgPool, counted: &Strokes) -> Result<()> {
    sqlx::query!(
        r#"insert into heat (season, seq, painters, painted_at, strokes)
           select $1, $2, $3, $4, $5 from log_head where log_head.seq >= $2
           on conflict (season) do update
               set seq = excluded.seq, painters = excluded.painters, painted_at = excluded.painted_at,
                   strokes = excluded.strokes
               where heat.seq < excluded.seq"#,
        counted.season,
        counted.up_to,
        packed(&counted.painters),
        packed(&counted.painted_at),
        packed(&counted.strokes)
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Who these painters are, in their order.
pub(super) async fn holders(pool: &PgPool, painters: &[(u32, u32)]) -> Result<Vec<Holder>> {
    let numbers: Vec<i64> = painters.iter().map(|(painter, _)| i64::from(*painter)).collect();
    let rows = sqlx::query!("select no, id, name from agent where no = any($1)", &numbers);
    let rows = rows.fetch_all(pool).await?;
    let mut named: HashMap<i64, _> = rows.into_iter().map(|row| (row.no, (row.id, row.name))).collect();
    let holder = |(painter, pixels): &(u32, u32)| {
        let (id, name) = named.remove(&i64::from(*painter))?;
        Some(Holder { id, name, pixels: *pixels })
    };
    // Whoever counts on their order must not get it with a hole.
    painters.iter().map(holder).collect::<Option<_>>().ok_or(sqlx::Error::RowNotFound)
}

/// An agent's number.
pub(super) async fn number_of(pool: &PgPool, agent: &str) -> Result<Option<i64>> {
    sqlx::query_scalar!("select no from agent where id = $1", agent).fetch_optional(pool).await
}

fn packed(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn unpacked(bytes: &[u8]) -> Vec<u32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|number| u32::from_be_bytes(*number)).collect()
}

/// What an agent has put on the canvas after an event, newest first.
pub(super) async fn put_by(pool: &PgPool, agent: i64, after: i64, limit: i32) -> Result<Vec<Put>> {
    let rows = sqlx::query!(
        r#"with recursive chain as (
               select p.seq, p.x, p.y, p.previous, 1 as step
               from agent join placement p on p.seq = agent.last_placement where agent.no = $1 and p.seq > $2
               union all
               select older.seq, older.x, older.y, older.previous, chain.step + 1
               from chain join placement older on older.seq = chain.previous
               where chain.step < $3 and older.seq > $2
           )
           select seq as "seq!", x as "x!", y as "y!" from chain order by seq desc"#,
        agent,
        after,
        limit
    );
    let put = rows.fetch_all(pool).await?.into_iter();
    Ok(put.map(|row| Put { seq: row.seq, point: Point { x: row.x as u16, y: row.y as u16 } }).collect())
}

/// The number of the placement that covers each of these, looked for from the newest on its pixel back; where so many
/// steps do not lead there, that of the last one.
pub(super) async fn covers(
    pool: &PgPool,
    lost: &[i64],
    newest_there: &[i64],
    steps: i32,
) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"with recursive walk as (
               select l.lost, p.seq, p.covers, 1 as step
               from unnest($1::bigint[], $2::bigint[]) as l (lost, newest) join placement p on p.seq = l.newest
               union all
               select walk.lost, p.seq, p.covers, walk.step + 1
               from walk cross join lateral (
                   select seq, covers from placement where seq = walk.covers
                   offset 0 -- one row by its number, or the whole table would be read for each step
               ) as p
               where walk.covers > walk.lost and walk.step < $3
           )
           select seq as "seq!" from walk where covers = lost or step = $3 order by seq"#,
        lost,
        newest_there,
        steps
    )
    .fetch_all(pool)
    .await
}

/// The placements with these numbers, oldest first.
pub(super) async fn placements_at(pool: &PgPool, numbers: &[i64]) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at, p.seq
           from placement p join agent a on a.no = p.agent where p.seq = any($1) order by p.seq"#,
        numbers
    );
    Ok(placements(rows.fetch_all(pool).await?))
}
