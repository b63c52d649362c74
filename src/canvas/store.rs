//! The canvas' SQL: placements as people ask for them.

use sqlx::PgPool;

use super::look::Placement;

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
