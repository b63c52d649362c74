//! The SQL of what happened in a period. Each statement reads only the events of that period.

use chrono::{DateTime, Utc};
use rules::grid::Corners;
use rules::numbers::Seq;
use rules::plan::PlanState;
use sqlx::PgPool;

use super::Result;
use crate::history::period_activity::{
    BusyPlace, PLACE_SIDE, PainterActivity, PeriodActivity, PeriodQuery, PlanActivity, StepActivity,
};

/// Returns what happened in a period.
pub(in crate::history) async fn read_activity(
    pool: &PgPool,
    query: PeriodQuery,
    now: DateTime<Utc>,
) -> Result<PeriodActivity> {
    let (painters, painter_count) = painters(pool, &query).await?;
    Ok(PeriodActivity {
        from: query.from,
        to: query.to,
        read_at: now,
        after: query.after(),
        steps: steps(pool, &query).await?,
        painters,
        painter_count,
        places: places(pool, &query).await?,
        plans: plans(pool, &query).await?,
        messages: count_messages(pool, &query).await?,
    })
}

async fn steps(pool: &PgPool, query: &PeriodQuery) -> Result<Vec<StepActivity>> {
    let statement = sqlx::query_as!(
        StepActivity,
        r#"select date_bin($3::interval, placed_at, timestamptz 'epoch') as "from!", count(*) as "placements!"
           from placement where seq > $1 and seq <= $2 group by 1 order by 1"#,
        query.after() as _,
        query.to.seq as _,
        query.step as _
    );
    statement.fetch_all(pool).await
}

/// Returns the agents with the most placements, and the number of all agents with placements.
async fn painters(pool: &PgPool, query: &PeriodQuery) -> Result<(Vec<PainterActivity>, i64)> {
    let rows = sqlx::query!(
        r#"select a.id, a.name, painted.placements as "placements!", painted.painters as "painters!" from (
               select agent, count(*) as placements, count(*) over () as painters
               from placement where seq > $1 and seq <= $2 group by agent
               order by placements desc, agent limit $3
           ) as painted join agent a on a.no = painted.agent order by painted.placements desc, a.no"#,
        query.after() as _,
        query.to.seq as _,
        query.asked.limit
    )
    .fetch_all(pool)
    .await?;
    let count = rows.first().map_or(0, |row| row.painters);
    let painters = rows.into_iter().map(|row| PainterActivity {
        id: row.id,
        name: row.name,
        placements: row.placements,
    });
    Ok((painters.collect(), count))
}

async fn places(pool: &PgPool, query: &PeriodQuery) -> Result<Vec<BusyPlace>> {
    let side = i32::from(PLACE_SIDE);
    let rows = sqlx::query!(
        r#"select x::int / $3 as "column!", y::int / $3 as "row!", count(*) as "placements!"
           from placement where seq > $1 and seq <= $2 group by 1, 2 order by 3 desc, 2, 1 limit $4"#,
        query.after().max(query.season) as _,
        query.to.seq as _,
        side,
        query.asked.limit
    )
    .fetch_all(pool)
    .await?;
    let side = i64::from(side);
    let places = rows.into_iter().map(|row| {
        let x1 = i64::from(row.column) * side;
        let y1 = i64::from(row.row) * side;
        let corners = Corners { x1, y1, x2: x1 + side - 1, y2: y1 + side - 1 };
        BusyPlace { corners, placements: row.placements }
    });
    Ok(places.collect())
}

async fn plans(pool: &PgPool, query: &PeriodQuery) -> Result<Vec<PlanActivity>> {
    let statement = sqlx::query!(
        r#"select p.id, p.title, p.no > $1 as "is_new!", newest.seq as "seq!: Seq", e.state
           from (select plan, max(seq) as seq from plan_event where seq > $1 and seq <= $2 group by plan)
                    as newest
           join plan_event e on e.seq = newest.seq
           join plan p on p.no = newest.plan and not p.hidden and not p.shadow and not p.private
           order by newest.seq desc limit $3"#,
        query.after() as _,
        query.to.seq as _,
        query.asked.limit
    );
    let plans = statement.fetch_all(pool).await?.into_iter().filter_map(|row| {
        let state = PlanState::from_name(&row.state)?;
        Some(PlanActivity { id: row.id, title: row.title, is_new: row.is_new, state, seq: row.seq })
    });
    Ok(plans.collect())
}

async fn count_messages(pool: &PgPool, query: &PeriodQuery) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from chat_message where seq > $1 and seq <= $2 and not hidden"#,
        query.after() as _,
        query.to.seq as _
    );
    statement.fetch_one(pool).await
}
