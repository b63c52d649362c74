//! The SQL of the canvas.

use rules::grid::Point;
use rules::numbers::{AccountNo, Seq};
use rules::palette::BLANK_COLOR;
use sqlx::PgPool;

use super::{HistoryPlacement, OwnPixel, OwnPlacement, Placement, PlacementPlan};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A placement as it is stored.
struct PlacementRow {
    x: i16,
    y: i16,
    color: i16,
    agent_id: String,
    agent_name: String,
    placed_at: chrono::DateTime<chrono::Utc>,
    seq: Seq,
}

impl From<PlacementRow> for Placement {
    fn from(row: PlacementRow) -> Self {
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

fn placements(rows: Vec<PlacementRow>) -> Vec<Placement> {
    rows.into_iter().map(Placement::from).collect()
}

/// Returns a placement and those that it covers, newest first, with the plans that an account (`None` for
/// others) can see.
pub(super) async fn pixel_history(
    pool: &PgPool,
    newest: Seq,
    limit: i32,
    reader: Option<AccountNo>,
) -> Result<Vec<HistoryPlacement>> {
    let statement = sqlx::query!(
        r#"with recursive chain as (
               select placement.*, 1 as step from placement where seq = $1
               union all
               select older.*, chain.step + 1
               from chain join placement older on older.seq = chain.covers where chain.step < $2
           )
           select p.x as "x!", p.y as "y!", p.color as "color!", a.id as agent_id, a.name as agent_name,
                  p.placed_at as "placed_at!", p.seq as "seq!: Seq", t.id as "plan_id?",
                  t.title as "plan_title?", p.agent = $4 as "is_correction!", p.restores
           from chain p join agent a on a.no = coalesce(p.restored_agent, p.agent)
               left join placement o on o.seq = p.restores
               left join plan t on t.no = coalesce(o.plan, p.plan) and not t.hidden
                   and seen_by(t.shadow, t.author, $3)
                   and (not t.private or is_crew_member(t.crew, $3))
           order by p.seq desc"#,
        newest as _,
        limit,
        reader as _,
        AccountNo::OPERATOR as _
    );
    let history = statement.fetch_all(pool).await?.into_iter().map(|row| {
        let x = row.x;
        let y = row.y;
        let color = row.color;
        let placed_at = row.placed_at;
        let seq = row.seq;
        let agent_id = row.agent_id;
        let agent_name = row.agent_name;
        let placement = PlacementRow { x, y, color, agent_id, agent_name, placed_at, seq }.into();
        let plan = PlacementPlan { plan_id: row.plan_id, plan_title: row.plan_title };
        let is_cleared =
            row.is_correction && row.restores.is_none() && color == i16::from(BLANK_COLOR.index());
        HistoryPlacement { placement, plan, restored: row.is_correction, is_cleared }
    });
    Ok(history.collect())
}

/// Returns the newest placements after an event, newest first.
pub(super) async fn recent_placements(pool: &PgPool, after: Seq, limit: i64) -> Result<Vec<Placement>> {
    let statement = sqlx::query_as!(
        PlacementRow,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at,
                  p.seq as "seq: Seq"
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq > $1 order by p.seq desc limit $2"#,
        after as _,
        limit
    );
    Ok(placements(statement.fetch_all(pool).await?))
}

/// Returns the placements of these events, newest first.
pub(super) async fn placements_of_events(pool: &PgPool, events: &[Seq]) -> Result<Vec<Placement>> {
    let statement = sqlx::query_as!(
        PlacementRow,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at,
                  p.seq as "seq: Seq"
           from placement p join agent a on a.no = coalesce(p.restored_agent, p.agent)
           where p.seq = any($1) order by p.seq desc"#,
        events as _
    );
    Ok(placements(statement.fetch_all(pool).await?))
}

/// Returns an agent's newest placements, newest first.
pub(super) async fn agent_placements(pool: &PgPool, agent: AccountNo, limit: i32) -> Result<Vec<Placement>> {
    let statement = sqlx::query_as!(
        PlacementRow,
        r#"with recursive chain as (
               select placement.*, 1 as step
               from agent join placement on placement.seq = agent.last_placement where agent.no = $1
               union all
               select older.*, chain.step + 1
               from chain join placement older on older.seq = chain.previous where chain.step < $2
           )
           select p.x as "x!", p.y as "y!", p.color as "color!", a.id as agent_id, a.name as agent_name,
                  p.placed_at as "placed_at!", p.seq as "seq!: Seq"
           from chain p join agent a on a.no = p.agent order by p.seq desc"#,
        agent as _,
        limit
    );
    Ok(placements(statement.fetch_all(pool).await?))
}

/// Returns a placement and those of the same agent before it, newest first.
pub(super) async fn own_placement_page(pool: &PgPool, newest: Seq, limit: i32) -> Result<Vec<OwnPlacement>> {
    let statement = sqlx::query_as!(
        OwnPlacement,
        r#"with recursive chain as (
               select seq, x, y, color, placed_at, previous, 1 as step from placement where seq = $1
               union all
               select older.seq, older.x, older.y, older.color, older.placed_at, older.previous,
                      chain.step + 1
               from chain join placement older on older.seq = chain.previous where chain.step < $2
           )
           select seq as "seq!: Seq", x as "x!", y as "y!", color as "color!", placed_at as "placed_at!",
                  previous as "previous?: Seq"
           from chain order by seq desc"#,
        newest as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the positions of an agent's placements after an event, newest first.
pub(super) async fn own_placements(
    pool: &PgPool,
    agent: AccountNo,
    after: Seq,
    limit: i32,
) -> Result<Vec<OwnPixel>> {
    let statement = sqlx::query!(
        r#"with recursive chain as (
               select p.seq, p.x, p.y, p.previous, 1 as step
               from agent join placement p on p.seq = agent.last_placement where agent.no = $1 and p.seq > $2
               union all
               select older.seq, older.x, older.y, older.previous, chain.step + 1
               from chain join placement older on older.seq = chain.previous
               where chain.step < $3 and older.seq > $2
           )
           select seq as "seq!: Seq", x as "x!", y as "y!" from chain order by seq desc"#,
        agent as _,
        after as _,
        limit
    );
    let rows = statement.fetch_all(pool).await?.into_iter();
    Ok(rows.map(|row| OwnPixel { seq: row.seq, point: Point { x: row.x as u16, y: row.y as u16 } }).collect())
}

/// Returns the numbers of the placements that cover these placements of an agent. If a rollback has shown the
/// agent's pixel again, the placement that covers the restored one counts instead. The search begins at the
/// newest placement on each pixel and goes back. It gives up after `max_steps` placements: any other
/// placement would be a wrong answer, and a different one after each further placement.
pub(super) async fn find_overwriting_seqs(
    pool: &PgPool,
    agent: AccountNo,
    covered: &[Seq],
    newest_on_overwritten: &[Seq],
    max_steps: i32,
) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"with recursive walk as (
               select l.lost, p.seq, p.covers, false as is_shown_again, 1 as step
               from unnest($1::bigint[], $2::bigint[]) as l (lost, newest)
                   join placement p on p.seq = l.newest
               union all
               select walk.lost, p.seq, p.covers, p.restored_agent is not distinct from $4, walk.step + 1
               from walk cross join lateral (
                   select seq, covers, restored_agent from placement where seq = walk.covers
                   offset 0 -- one row by its number, or the whole table would be read for each step
               ) as p
               where walk.covers > walk.lost and walk.step < $3 and not walk.is_shown_again
           )
           select walk.seq as "seq!: Seq"
           from walk
               left join walk own on own.lost = walk.lost and own.seq = walk.covers and own.is_shown_again
           where (walk.covers = walk.lost or own.seq is not null) and not walk.is_shown_again
           order by walk.seq"#,
        covered as _,
        newest_on_overwritten as _,
        max_steps,
        agent as _
    );
    statement.fetch_all(pool).await
}

/// Returns the placements with these sequence numbers, oldest first, without the corrections of rollbacks.
pub(super) async fn placements_by_seq(pool: &PgPool, seqs: &[Seq]) -> Result<Vec<Placement>> {
    let statement = sqlx::query_as!(
        PlacementRow,
        r#"select p.x, p.y, p.color, a.id as agent_id, a.name as agent_name, p.placed_at,
                  p.seq as "seq: Seq"
           from placement p join agent a on a.no = p.agent
           where p.seq = any($1) and p.agent <> $2 order by p.seq"#,
        seqs as _,
        AccountNo::OPERATOR as _
    );
    Ok(placements(statement.fetch_all(pool).await?))
}

/// Returns an agent's number, or `None` if no agent has this id.
pub(super) async fn find_agent_number(pool: &PgPool, agent: &str) -> Result<Option<AccountNo>> {
    let statement = sqlx::query_scalar!(r#"select no as "no: AccountNo" from agent where id = $1"#, agent);
    statement.fetch_optional(pool).await
}
