//! The SQL of rollbacks.

pub(super) mod check;

use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use rules::grid::{Corners, Point, Rect};
use rules::numbers::{AccountNo, Seq};
use rules::rollback::{LoggedPlacement, RollbackFilter};
use serde_json::Value;
use sqlx::postgres::PgQueryResult;
use sqlx::{PgConnection, PgPool, Result};

use super::announcement::{FinishedRollback, ReasonClass};
use super::{Rollback, RollbackState};

/// A rollback to do, or to undo.
pub(super) struct RollbackJob {
    pub id: String,
    pub season: Seq,
    pub filter: RollbackFilter,
    generation: i32,
}

/// Inserts a rollback to do.
pub(super) async fn insert(
    connection: &mut PgConnection,
    id: &str,
    season: Seq,
    filter: &RollbackFilter,
    audit_reason: &AuditReason,
    reason_class: ReasonClass,
    now: DateTime<Utc>,
) -> Result<()> {
    let Corners { x1, y1, x2, y2 } = filter.rect.corners();
    let statement = sqlx::query!(
        r#"insert into rollback (id, season, agent, x1, y1, x2, y2, after_seq, upto_seq, operator, why,
                                 started_at, running, queued_at, beat_at, reason_class)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, true, $12, 'epoch', $13)"#,
        id,
        season as _,
        filter.agent as _,
        x1 as i16,
        y1 as i16,
        x2 as i16,
        y2 as i16,
        filter.after_seq as _,
        filter.up_to_seq as _,
        audit_reason.operator,
        audit_reason.reason,
        now,
        reason_class as ReasonClass
    );
    statement.execute(connection).await.map(|_| ())
}

/// Marks a rollback to be undone. Returns false if it is already undone or belongs to another season.
pub(super) async fn undo(
    connection: &mut PgConnection,
    id: &str,
    season: Seq,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update rollback set undone_at = $3, running = true, queued_at = $3,
                  beat_at = case when running then beat_at else 'epoch' end, turn = turn + 1,
                  events_read = 0, pixels_done = 0, pixels = 0, pixels_changed = 0
           where id = $1 and season = $2 and undone_at is null"#,
        id,
        season as _,
        now
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Claims the next rollback unless a worker is alive. Only one runs at a time, because each depends on the
/// canvas that the previous one left.
pub(super) async fn claim(
    pool: &PgPool,
    now: DateTime<Utc>,
    stale_before: DateTime<Utc>,
) -> Result<Option<RollbackJob>> {
    let row = sqlx::query!(
        r#"update rollback set beat_at = $1
           where id = (select id from rollback where running order by queued_at, id limit 1) and beat_at <= $2
           returning id, season as "season: Seq", agent as "agent: AccountNo", x1, y1, x2, y2,
                     after_seq as "after_seq: Seq", upto_seq as "upto_seq: Seq", turn"#,
        now,
        stale_before
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.and_then(|row| {
        let rect = rect([row.x1, row.y1, row.x2, row.y2])?;
        let filter =
            RollbackFilter { agent: row.agent, rect, after_seq: row.after_seq, up_to_seq: row.upto_seq };
        Some(RollbackJob { id: row.id, season: row.season, filter, generation: row.turn })
    }))
}

/// Returns all active rollbacks of a season.
pub(super) async fn list_filters(pool: &PgPool, season: Seq) -> Result<Vec<RollbackFilter>> {
    let statement = sqlx::query!(
        r#"select agent as "agent: AccountNo", x1, y1, x2, y2, after_seq as "after_seq: Seq",
                  upto_seq as "upto_seq: Seq"
           from rollback where season = $1 and undone_at is null"#,
        season as _
    );
    let filters = statement.fetch_all(pool).await?.into_iter().filter_map(|row| {
        let rect = rect([row.x1, row.y1, row.x2, row.y2])?;
        Some(RollbackFilter { agent: row.agent, rect, after_seq: row.after_seq, up_to_seq: row.upto_seq })
    });
    Ok(filters.collect())
}

fn point(x: i16, y: i16) -> Point {
    Point { x: x as u16, y: y as u16 }
}

fn rect([x1, y1, x2, y2]: [i16; 4]) -> Option<Rect> {
    Rect::bounding([point(x1, y1), point(x2, y2)])
}

/// Returns the placements in a rectangle with numbers in `after+1..=up_to`, in order.
pub(super) async fn list_placements(
    pool: &PgPool,
    after: Seq,
    up_to: Seq,
    rect: Rect,
) -> Result<Vec<LoggedPlacement>> {
    let Corners { x1, y1, x2, y2 } = rect.corners();
    let statement = sqlx::query!(
        r#"select seq as "seq: Seq", x, y, color, agent as "agent: AccountNo",
                  restored_agent as "restored_agent: AccountNo" from placement
           where seq > $1 and seq <= $2 and x between $3 and $5 and y between $4 and $6 order by seq"#,
        after as _,
        up_to as _,
        x1 as i16,
        y1 as i16,
        x2 as i16,
        y2 as i16
    );
    let placements = statement.fetch_all(pool).await?.into_iter().map(|row| LoggedPlacement {
        seq: row.seq,
        point: point(row.x, row.y),
        color: row.color as u8,
        agent: row.agent,
        restored_agent: row.restored_agent,
    });
    Ok(placements.collect())
}

/// A case of reported pixels.
pub(super) struct ReportedCanvas {
    /// The id of the account that is held responsible; `None` if the region was blank.
    pub author_id: Option<String>,
    pub evidence: Value,
}

/// Returns the case with this id, if it is about pixels.
pub(super) async fn find_reported_canvas(pool: &PgPool, id: &str) -> Result<Option<ReportedCanvas>> {
    let statement = sqlx::query_as!(
        ReportedCanvas,
        r#"select a.id as "author_id?", c.evidence from report_case c left join agent a on a.no = c.author
           where c.id = $1 and c.kind = 'canvas'"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns an error if the job was undone meanwhile, because its row then no longer matches.
fn check_current(result: &PgQueryResult) -> Result<()> {
    if result.rows_affected() == 0 { Err(sqlx::Error::RowNotFound) } else { Ok(()) }
}

/// Saves the progress of reading, as a heartbeat.
pub(super) async fn save_read_progress(
    state: &AppState,
    job: &RollbackJob,
    done: i64,
    total: i64,
) -> Result<()> {
    let statement = sqlx::query!(
        "update rollback set events_read = $2, events = $3, beat_at = $4 where id = $1 and turn = $5",
        job.id,
        done,
        total,
        state.clock.now(),
        job.generation
    );
    check_current(&statement.execute(&state.pool).await?)
}

/// Saves the progress of painting, as a heartbeat. `changed` pixels got another colour since the last time.
pub(super) async fn save_paint_progress(
    state: &AppState,
    job: &RollbackJob,
    done: usize,
    total: usize,
    changed: usize,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update rollback set pixels_done = $2, pixels = $3, beat_at = $4,
                  pixels_changed = pixels_changed + $6
           where id = $1 and turn = $5"#,
        job.id,
        done as i64,
        total as i64,
        state.clock.now(),
        job.generation,
        changed as i64
    );
    check_current(&statement.execute(&state.pool).await?)
}

/// Releases a job that was undone meanwhile, so that another worker can claim it at once.
pub(super) async fn release(pool: &PgPool, job: &RollbackJob) -> Result<()> {
    let statement = sqlx::query!(
        "update rollback set beat_at = 'epoch' where id = $1 and turn > $2 and running",
        job.id,
        job.generation
    );
    statement.execute(pool).await.map(|_| ())
}

/// Marks a rollback as overtaken by another season, whose predecessor's canvas stays unchanged.
pub(super) async fn mark_overtaken(pool: &PgPool, job: &RollbackJob) -> Result<()> {
    let statement =
        sqlx::query!("update rollback set running = false, overtaken = true where id = $1", job.id);
    statement.execute(pool).await.map(|_| ())
}

/// Marks a rollback as done. Returns `None` if it was undone or finished meanwhile; if undone, it stays
/// queued to be corrected again.
pub(super) async fn mark_done(
    connection: &mut PgConnection,
    job: &RollbackJob,
    placements: usize,
) -> Result<Option<FinishedRollback>> {
    let statement = sqlx::query_as!(
        FinishedRollback,
        r#"update rollback set running = false, placements = $2 where id = $1 and turn = $3 and running
           returning reason_class as "reason_class: ReasonClass", undone_at is not null as "is_undone!",
                     pixels_changed, season = (select max(seq) from season) as "is_current!""#,
        job.id,
        placements as i64,
        job.generation
    );
    statement.fetch_optional(connection).await
}

/// Returns the newest rollbacks, newest first, or the one with this id.
pub(super) async fn list(pool: &PgPool, id: Option<&str>, limit: i64) -> Result<Vec<Rollback>> {
    let statement = sqlx::query!(
        r#"select r.id, a.id as "agent_id?", a.name as "agent_name?", x1, y1, x2, y2,
                  after_seq as "after_seq: Seq", upto_seq as "upto_seq: Seq", operator, why,
                  reason_class as "reason_class: ReasonClass", started_at, undone_at, running, overtaken,
                  events_read, events, pixels_done, pixels, placements
           from rollback r left join agent a on a.no = r.agent
           where $1::text is null or r.id = $1 order by started_at desc, r.id limit $2"#,
        id,
        limit
    );
    let rollbacks = statement.fetch_all(pool).await?.into_iter().map(|row| Rollback {
        id: row.id,
        state: if row.overtaken {
            RollbackState::Overtaken
        } else {
            rollback_state(row.running, row.undone_at.is_some())
        },
        agent_id: row.agent_id,
        agent_name: row.agent_name,
        region: Corners { x1: row.x1.into(), y1: row.y1.into(), x2: row.x2.into(), y2: row.y2.into() },
        from: row.after_seq.next(),
        to: row.upto_seq,
        operator: row.operator,
        reason: row.why,
        reason_class: row.reason_class,
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

fn rollback_state(running: bool, undone: bool) -> RollbackState {
    match (running, undone) {
        (true, false) => RollbackState::Running,
        (false, false) => RollbackState::Done,
        (true, true) => RollbackState::Undoing,
        (false, true) => RollbackState::Undone,
    }
}
