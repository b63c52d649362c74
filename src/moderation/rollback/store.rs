//! The SQL of rollbacks.

use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Rect};
use rules::rollback::{LoggedPlacement, RollbackFilter};
use serde_json::json;
use sqlx::PgPool;
use sqlx::postgres::PgQueryResult;

use super::{Rollback, State};
use crate::moderation::{Cause, audit};
use crate::refusal::Refusal;
use crate::state::AppState;

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// A rollback, or the undoing of one, that has to be done.
pub(super) struct Job {
    pub id: String,
    pub season: i64,
    pub strike: RollbackFilter,
    turn: i32,
}

/// Adds a rollback that has to be done.
pub(super) async fn insert(
    state: &AppState,
    id: &str,
    season: i64,
    strike: &RollbackFilter,
    cause: &Cause,
) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    let (now, offset) = (state.clock.now(), state.clock.offset());
    let Corners { x1, y1, x2, y2 } = strike.rect.corners();
    sqlx::query!(
        r#"insert into rollback (id, season, agent, x1, y1, x2, y2, after_seq, upto_seq, operator, why,
                                 started_at, running, queued_at, beat_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, true, $12, 'epoch')"#,
        id,
        season,
        strike.agent,
        x1 as i16,
        y1 as i16,
        x2 as i16,
        y2 as i16,
        strike.after_seq,
        strike.up_to_seq,
        cause.operator,
        cause.why,
        now
    )
    .execute(&mut *transaction)
    .await?;
    let (before, after) = (json!({"struck": false}), json!({"struck": true}));
    audit::record(&mut transaction, &cause.act("roll_back", id, before, after), offset).await?;
    state.log.seal(transaction).await
}

/// Lets what is struck stand again; false when it does already, or is another season's.
pub(super) async fn undo(state: &AppState, id: &str, season: i64, cause: &Cause) -> Result<bool, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let (now, offset) = (state.clock.now(), state.clock.offset());
    let undone = sqlx::query!(
        r#"update rollback set undone_at = $3, running = true, queued_at = $3, beat_at = case when running then beat_at else 'epoch' end, turn = turn + 1,
                  events_read = 0, pixels_done = 0, pixels = 0
           where id = $1 and season = $2 and undone_at is null"#,
        id,
        season,
        now
    )
    .execute(&mut *transaction)
    .await?;
    if undone.rows_affected() == 0 {
        return Ok(false);
    }
    let (before, after) = (json!({"struck": true}), json!({"struck": false}));
    audit::record(&mut transaction, &cause.act("undo_roll_back", id, before, after), offset).await?;
    state.log.seal(transaction).await?;
    Ok(true)
}

/// Takes up the rollback that is next, if nobody is at it. Only ever one: each builds on what the last has left.
pub(super) async fn claim(pool: &PgPool, now: DateTime<Utc>, stale: DateTime<Utc>) -> Result<Option<Job>> {
    let row = sqlx::query!(
        r#"update rollback set beat_at = $1
           where id = (select id from rollback where running order by queued_at, id limit 1) and beat_at <= $2
           returning id, season, agent, x1, y1, x2, y2, after_seq, upto_seq, turn"#,
        now,
        stale
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.and_then(|row| {
        let rect = rect([row.x1, row.y1, row.x2, row.y2])?;
        let strike =
            RollbackFilter { agent: row.agent, rect, after_seq: row.after_seq, up_to_seq: row.upto_seq };
        Some(Job { id: row.id, season: row.season, strike, turn: row.turn })
    }))
}

/// All that hold in a season.
pub(super) async fn strikes(pool: &PgPool, season: i64) -> Result<Vec<RollbackFilter>> {
    let rows = sqlx::query!(
        r#"select agent, x1, y1, x2, y2, after_seq, upto_seq from rollback
           where season = $1 and undone_at is null"#,
        season
    )
    .fetch_all(pool)
    .await?;
    let strikes = rows.into_iter().filter_map(|row| {
        let rect = rect([row.x1, row.y1, row.x2, row.y2])?;
        Some(RollbackFilter { agent: row.agent, rect, after_seq: row.after_seq, up_to_seq: row.upto_seq })
    });
    Ok(strikes.collect())
}

fn point(x: i16, y: i16) -> Point {
    Point { x: x as u16, y: y as u16 }
}

fn rect([x1, y1, x2, y2]: [i16; 4]) -> Option<Rect> {
    Rect::bounding([point(x1, y1), point(x2, y2)])
}

/// The placements in a rectangle with numbers in `after+1..=upto`, in their order.
pub(super) async fn placements(
    pool: &PgPool,
    after: i64,
    upto: i64,
    within: Rect,
) -> Result<Vec<LoggedPlacement>> {
    let Corners { x1, y1, x2, y2 } = within.corners();
    let rows = sqlx::query!(
        r#"select seq, x, y, color, agent from placement
           where seq > $1 and seq <= $2 and x between $3 and $5 and y between $4 and $6 order by seq"#,
        after,
        upto,
        x1 as i16,
        y1 as i16,
        x2 as i16,
        y2 as i16
    )
    .fetch_all(pool)
    .await?;
    let placed = rows.into_iter().map(|row| LoggedPlacement {
        seq: row.seq,
        point: point(row.x, row.y),
        color: row.color as u8,
        agent: row.agent,
    });
    Ok(placed.collect())
}

/// A job that was undone meanwhile is not found any more.
fn still_wanted(done: &PgQueryResult) -> Result<()> {
    if done.rows_affected() == 0 { Err(sqlx::Error::RowNotFound) } else { Ok(()) }
}

/// Tells how far the reading has come.
pub(super) async fn beat_reading(state: &AppState, job: &Job, done: i64, all: i64) -> Result<()> {
    sqlx::query!(
        "update rollback set events_read = $2, events = $3, beat_at = $4 where id = $1 and turn = $5",
        job.id,
        done,
        all,
        state.clock.now(),
        job.turn
    )
    .execute(&state.pool)
    .await
    .and_then(|done| still_wanted(&done))
}

/// Tells how far the painting has come.
pub(super) async fn beat_painting(state: &AppState, job: &Job, done: usize, all: usize) -> Result<()> {
    sqlx::query!(
        "update rollback set pixels_done = $2, pixels = $3, beat_at = $4 where id = $1 and turn = $5",
        job.id,
        done as i64,
        all as i64,
        state.clock.now(),
        job.turn
    )
    .execute(&state.pool)
    .await
    .and_then(|done| still_wanted(&done))
}

/// Nobody is at a job any more that was undone meanwhile.
pub(super) async fn let_go(pool: &PgPool, job: &Job) -> Result<()> {
    sqlx::query!(
        "update rollback set beat_at = 'epoch' where id = $1 and turn > $2 and running",
        job.id,
        job.turn
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// Another season has begun first: what is over stays as it is.
pub(super) async fn overtake(pool: &PgPool, job: &Job) -> Result<()> {
    sqlx::query!("update rollback set running = false, overtaken = true where id = $1", job.id)
        .execute(pool)
        .await
        .map(|_| ())
}

/// The canvas is as it should be; where this was undone meanwhile, it is corrected once more.
pub(super) async fn finish(pool: &PgPool, job: &Job, placements: usize) -> Result<()> {
    sqlx::query!(
        "update rollback set running = false, placements = $2 where id = $1 and turn = $3",
        job.id,
        placements as i64,
        job.turn
    )
    .execute(pool)
    .await
    .map(|_| ())
}

/// The newest, newest first; or the one with an id.
pub(super) async fn rollbacks(pool: &PgPool, id: Option<&str>, limit: i64) -> Result<Vec<Rollback>> {
    let rows = sqlx::query!(
        r#"select r.id, a.id as "agent_id?", a.name as "agent_name?", x1, y1, x2, y2, after_seq, upto_seq, operator,
                  why, started_at, undone_at, running, overtaken, events_read, events, pixels_done, pixels, placements
           from rollback r left join agent a on a.no = r.agent
           where $1::text is null or r.id = $1 order by started_at desc, r.id limit $2"#,
        id,
        limit
    )
    .fetch_all(pool)
    .await?;
    let rollbacks = rows.into_iter().map(|row| Rollback {
        id: row.id,
        state: if row.overtaken { State::Overtaken } else { state(row.running, row.undone_at.is_some()) },
        agent_id: row.agent_id,
        agent_name: row.agent_name,
        region: Corners { x1: row.x1.into(), y1: row.y1.into(), x2: row.x2.into(), y2: row.y2.into() },
        from: row.after_seq + 1,
        to: row.upto_seq,
        operator: row.operator,
        why: row.why,
        started_at: row.started_at,
        undone_at: row.undone_at,
        events_read: row.events_read,
        events: row.events,
        pixels_done: row.pixels_done,
        pixels: row.pixels,
        placements: row.placements,
    });
    Ok(rollbacks.collect())
}

fn state(running: bool, undone: bool) -> State {
    match (running, undone) {
        (true, false) => State::Running,
        (false, false) => State::Done,
        (true, true) => State::Undoing,
        (false, true) => State::Undone,
    }
}
