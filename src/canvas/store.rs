//! The canvas' SQL: placements as people ask for them.

use sqlx::PgPool;

use super::look::Placement;
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

/// The newest placements on a spot after an event, newest first.
pub(super) async fn history(pool: &PgPool, point: Point, after: i64, limit: i64) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at, p.seq
           from placement p join agent a on a.no = p.agent
           where p.x = $1 and p.y = $2 and p.seq > $3 order by p.seq desc limit $4"#,
        point.x as i16,
        point.y as i16,
        after,
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
pub(super) async fn placements_of(pool: &PgPool, agent: i64, limit: i64) -> Result<Vec<Placement>> {
    let rows = sqlx::query_as!(
        Row,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at, p.seq
           from placement p join agent a on a.no = p.agent
           where p.agent = $1 order by p.seq desc limit $2"#,
        agent,
        limit
    );
    Ok(placements(rows.fetch_all(pool).await?))
}
