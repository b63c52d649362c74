//! The SQL of plans.

mod records;
mod writes;

pub(super) mod check;
pub(super) mod erased;

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use platform::database::is_lock_timeout;
use rules::grid::Point;
use rules::ids::PlanId;
use rules::numbers::{AccountNo, Seq};
use sqlx::{PgConnection, PgExecutor, PgPool};

pub use records::{
    AuthorPlans, WrongPixel, damaged_points, expired_unlisted_plan_ids, live_unlisted_plans, plans_by_ids,
    plans_of_authors, read_events, unended_plans, unfinished_unlisted_plans,
};
pub use writes::{
    ShadowPlanFinish, end_plans, insert_plan_events, record_shadow_finishes, upsert_member_changes,
    upsert_plan,
};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A plan by its number, with what its position in a list needs.
pub(super) struct PlanRow {
    pub no: i64,
    pub id: String,
    pub target_seq: Seq,
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    /// True if it has not ended, so that its state depends on the canvas and the time.
    pub is_live: bool,
    /// The number of painters other than the author; 0 if it is not counted.
    pub painters: i32,
}

/// The plans to list: those that match every field which is not `None`.
#[derive(Clone, Copy)]
pub(super) struct PlanFilter<'a> {
    /// The name of a state.
    pub state: Option<&'a str>,
    /// The id of an author.
    pub author: Option<&'a str>,
    /// The id of a crew.
    pub crew: Option<&'a str>,
}

/// Returns the public ended plans that were opened before an event and match the filter, newest first.
pub(super) async fn ended_rows(
    pool: &PgPool,
    filter: PlanFilter<'_>,
    before: Seq,
    limit: i64,
) -> Result<Vec<PlanRow>> {
    let statement = sqlx::query_as!(
        PlanRow,
        r#"select no, id, target_seq as "target_seq: Seq", x, y, width, height, false as "is_live!",
                  0 as "painters!"
           from plan
           where no > 0 and no < $1 and ended_at is not null and not hidden
                 and ($2::text is null or state = $2)
                 and ($3::text is null or author = (select no from agent where id = $3))
                 and ($5::text is null or crew = (select no from channel where id = $5))
           order by no desc limit $4"#,
        before as _,
        filter.state,
        filter.author,
        limit,
        filter.crew
    );
    statement.fetch_all(pool).await
}

/// Returns the public ended plans of all authors, those with most painters other than their authors first,
/// then the newest: those after a number of painters and an event, and of a state if one is given.
pub(super) async fn ended_ranked_rows(
    pool: &PgPool,
    state: Option<&str>,
    painters: i32,
    before: Seq,
    limit: i64,
) -> Result<Vec<PlanRow>> {
    let statement = sqlx::query_as!(
        PlanRow,
        r#"select no, id, target_seq as "target_seq: Seq", x, y, width, height, false as "is_live!",
                  count_other_painters(final_helpers, author) as "painters!"
           from plan
           where no > 0 and ended_at is not null and not hidden
               and (count_other_painters(final_helpers, author), no) < ($2, $3)
                 and ($1::text is null or state = $1)
           order by count_other_painters(final_helpers, author) desc, no desc limit $4"#,
        state,
        painters,
        before as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the newest plans that an account can see and not everyone: its own ones, and the private ones of
/// its crews. They come after a position in the list, which is the number of the event before the plan and
/// the number of such plans. The state of the filter is that of ended plans: live ones may be in another.
pub(super) async fn unlisted_rows(
    pool: &PgPool,
    account: AccountNo,
    filter: PlanFilter<'_>,
    target_seq: Seq,
    number: i64,
    limit: i64,
) -> Result<Vec<PlanRow>> {
    let statement = sqlx::query_as!(
        PlanRow,
        r#"select p.no as "no!", p.id as "id!", target_seq as "target_seq!: Seq", x as "x!", y as "y!",
                  width as "width!", height as "height!", ended_at is null as "is_live!", 0 as "painters!"
           from (
               select * from plan where author = $1 and shadow and not private
               union all
               select plan.* from channel_member m join plan on plan.crew = m.channel
               where m.account = $1 and private and seen_by(shadow, author, $1)
                 and is_crew_member(plan.crew, $1)
           ) as p
           where not hidden and ($2::text is null or author = (select no from agent where id = $2))
             and ($4::text is null or crew = (select no from channel where id = $4))
             and ($5::text is null or ended_at is null or state = $5)
             and (target_seq, -p.no) < ($6, $7)
           order by target_seq desc, p.no limit $3"#,
        account as _,
        filter.author,
        limit,
        filter.crew,
        filter.state,
        target_seq as _,
        number
    );
    statement.fetch_all(pool).await
}

/// Returns the ids of the live plans of which an account sees another version than everyone else, as a member
/// of their crews.
pub(super) async fn plans_changed_by_member(pool: &PgPool, account: AccountNo) -> Result<HashSet<String>> {
    let statement = sqlx::query_scalar!(
        r#"select p.id from shadow_plan_change c join plan p on p.no = c.plan
           where c.account = $1 and c.of_version = p.version and p.ended_at is null"#,
        account as _
    );
    Ok(statement.fetch_all(pool).await?.into_iter().collect())
}

/// Locks the claims of a plan until the end of the transaction, so that agents claim one after the other.
/// Neither the plan nor the log is locked. Returns false if others hold the lock for a second.
pub(super) async fn lock_claims(connection: &mut PgConnection, plan: &PlanId) -> Result<bool> {
    sqlx::query_scalar!(r#"select set_config('lock_timeout', '1s', true) as "limit!""#)
        .fetch_one(&mut *connection)
        .await?;
    let locked = sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('claims of ' || $1::text, 0))",
        plan.as_str()
    )
    .execute(connection)
    .await;
    match locked {
        Ok(_) => Ok(true),
        Err(error) if is_lock_timeout(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the points of a plan that others than this agent have claimed at this time.
pub(super) async fn claimed_points(
    executor: impl PgExecutor<'_>,
    plan: i64,
    agent: AccountNo,
    now: DateTime<Utc>,
) -> Result<HashSet<Point>> {
    let statement = sqlx::query_scalar!(
        "select points from plan_claim where plan = $1 and agent <> $2 and expires_at > $3",
        plan,
        agent as _,
        now
    );
    let claims = statement.fetch_all(executor).await?;
    let points = claims.iter().flat_map(|points| points.as_chunks::<2>().0);
    Ok(points.map(|[x, y]| Point { x: *x as u16, y: *y as u16 }).collect())
}

/// Replaces an agent's claim of any plan, given x and y of each point. Without points only a claim of the
/// same plan ends.
pub(super) async fn replace_claim(
    connection: &mut PgConnection,
    agent: AccountNo,
    plan: i64,
    points: &[i32],
    expires_at: DateTime<Utc>,
) -> Result<()> {
    if points.is_empty() {
        let statement =
            sqlx::query!("delete from plan_claim where agent = $1 and plan = $2", agent as _, plan);
        return statement.execute(connection).await.map(|_| ());
    }
    let statement = sqlx::query!(
        r#"insert into plan_claim (agent, plan, points, expires_at) values ($1, $2, $3, $4)
           on conflict (agent) do update
               set plan = excluded.plan, points = excluded.points, expires_at = excluded.expires_at"#,
        agent as _,
        plan,
        points,
        expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Deletes claims that have expired at this time.
pub(super) async fn delete_expired_claims(pool: &PgPool, now: DateTime<Utc>) -> Result<()> {
    sqlx::query!("delete from plan_claim where expires_at <= $1", now).execute(pool).await.map(|_| ())
}

/// A change of a finished plan: its pixels were painted over, or repaired.
pub(super) struct PlanDamage {
    /// The number of the plan.
    pub plan: i64,
    /// The number of the plan's author.
    pub author: AccountNo,
    /// The number of the event that set its picture.
    pub target_seq: Seq,
    /// The number of the newest placement on the picture.
    pub seq: Seq,
    /// True if pixels are wrong; false after a repair.
    pub is_damaged: bool,
}

/// Returns the plans that are recorded as damaged and have not ended, those of one author or of all: the
/// number of each plan, and that of the event that set its picture.
pub(super) async fn damaged_plans(pool: &PgPool, author: Option<AccountNo>) -> Result<Vec<(i64, Seq)>> {
    let statement = sqlx::query!(
        r#"select d.plan, d.target_seq as "target_seq: Seq" from plan_damage d join plan p on p.no = d.plan
           where d.damaged and p.ended_at is null and ($1::bigint is null or p.author = $1)"#,
        author as _
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| (row.plan, row.target_seq)).collect())
}

/// Stores whether a finished plan is damaged, unless another instance has stored it, or something newer.
pub(super) async fn record_damage(pool: &PgPool, damage: &PlanDamage, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into plan_damage (plan, target_seq, seq, at, damaged, reported)
           values ($1, $2, $3, $4, $5, false)
           on conflict (plan) do update
               set target_seq = excluded.target_seq, seq = excluded.seq, at = excluded.at,
                   damaged = excluded.damaged,
                   -- no webhook is called for the repair of a damage that none was called for
                   reported = not excluded.damaged and not plan_damage.reported
               where plan_damage.seq < excluded.seq
                 and (plan_damage.damaged <> excluded.damaged
                      or plan_damage.target_seq <> excluded.target_seq)"#,
        damage.plan,
        damage.target_seq as _,
        damage.seq as _,
        now,
        damage.is_damaged
    );
    statement.execute(pool).await.map(|_| ())
}
