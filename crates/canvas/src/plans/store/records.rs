//! The SQL that reads plans as they are stored.

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_live::event::Event;
use caraplace_log::nouns::StoredEvent;
use caraplace_log::sql_future::SqlFuture;
use chrono::{DateTime, Utc};
use platform::database::column;
use rules::audience::Audience;
use rules::grid::{Corners, Point, Size};
use rules::numbers::{AccountNo, Seq};
use rules::palette::{BLANK_COLOR, Color};
use rules::plan::record::{PlanAuthor, PlanChange, PlanCrew, PlanEnd, PlanRecord};
use rules::plan::{PlanState, Progress, Target};
use serde_json::Value;
use sqlx::PgConnection;

use super::Result;

/// The size of the largest canvas, on which each stored picture fits.
const LARGEST_CANVAS: Size = Size { width: 4_096, height: 4_096 };

/// A pixel that was painted since the picture of a plan was set and does not have the wanted colour.
#[derive(Clone, Copy, Debug)]
pub struct WrongPixel {
    /// The newest placement on it.
    pub newest_seq: Seq,
    pub wanted: Color,
}

/// The plans of one author that count for its limits.
#[derive(Clone, Debug, Default)]
pub struct AuthorPlans {
    /// The number of plans that have not ended.
    pub live: i64,
    /// The time of the newest plan; `None` if there is none.
    pub newest_at: Option<DateTime<Utc>>,
    /// The number of plans that have not ended of the accounts that were registered from the author's address
    /// and have placed no pixel.
    pub live_of_newcomers: i64,
    /// The keyed hash of that address; `None` if it is not known.
    pub registered_from: Option<Vec<u8>>,
}

/// A row of a plan with its author.
struct PlanRow {
    no: i64,
    id: String,
    season: Seq,
    author: AccountNo,
    author_id: Arc<str>,
    author_name: Arc<str>,
    crew_id: Option<String>,
    crew_members: Vec<AccountNo>,
    version: i32,
    title: String,
    note: Option<String>,
    x: i32,
    y: i32,
    width: i32,
    height: i32,
    cells: Vec<u8>,
    target_seq: Seq,
    finished_at: Option<DateTime<Utc>>,
    state: String,
    created_at: DateTime<Utc>,
    changes_until: Option<DateTime<Utc>>,
    expires_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    announced: bool,
    hidden: bool,
    shadow: bool,
    private: bool,
    shadow_change: Option<Value>,
    /// Objects like `shadow_change` by the numbers of accounts.
    member_changes: Option<Value>,
    final_done: Option<i32>,
    final_damaged: Option<i32>,
    final_helpers: Option<Value>,
}

impl PlanRow {
    /// Returns the plan, or an error if the row was damaged outside of this program.
    fn into_record(self) -> Result<PlanRecord> {
        let target = self.target().ok_or_else(|| damaged_plan(&self.id))?;
        let end = self.end(&target);
        let members = self.crew_members;
        let crew = self.crew_id.map(|id| PlanCrew { id, members });
        let shadow_change = self.shadow_change.map(serde_json::from_value).transpose();
        let shadow_change = shadow_change.map_err(|_| damaged_plan(&self.id))?;
        let member_changes = self.member_changes.map(serde_json::from_value).transpose();
        let member_changes = member_changes.map_err(|_| damaged_plan(&self.id))?.unwrap_or_default();
        Ok(PlanRecord {
            no: self.no,
            season: self.season,
            author: PlanAuthor { no: self.author, id: self.author_id, name: self.author_name },
            crew: crew.map(Arc::new),
            version: self.version,
            title: self.title,
            note: self.note,
            target: Arc::new(target),
            target_seq: self.target_seq,
            created_at: self.created_at,
            changes_until: self.changes_until,
            expires_at: self.expires_at,
            finished_at: self.finished_at,
            told_state: PlanState::from_name(&self.state).ok_or_else(|| damaged_plan(&self.id))?,
            is_announced: self.announced,
            is_hidden: self.hidden,
            audience: Audience::from_stored(self.shadow, self.author),
            is_private: self.private,
            shadow_change,
            member_changes,
            end,
            id: self.id,
        })
    }

    fn target(&self) -> Option<Target> {
        let x1 = i64::from(self.x);
        let y1 = i64::from(self.y);
        let x2 = x1 + i64::from(self.width) - 1;
        let y2 = y1 + i64::from(self.height) - 1;
        Target::from_bytes(LARGEST_CANVAS.rect(Corners { x1, y1, x2, y2 })?, &self.cells)
    }

    fn end(&self, target: &Target) -> Option<PlanEnd> {
        let at = self.ended_at?;
        let total = target.pixels().count();
        let done = self.final_done.unwrap_or_default() as usize;
        let damaged = self.final_damaged.unwrap_or_default() as usize;
        let progress = Progress { total, done, left: total.saturating_sub(done), damaged };
        let helpers = self.final_helpers.clone().and_then(|helpers| serde_json::from_value(helpers).ok());
        Some(PlanEnd { at, progress, helpers: helpers.unwrap_or_default() })
    }
}

fn damaged_plan(id: &str) -> sqlx::Error {
    sqlx::Error::Decode(format!("the row of the plan {id} is damaged").into())
}

/// Returns those of these plans that exist, by their ids.
pub async fn plans_by_ids(
    connection: &mut PgConnection,
    ids: &[String],
) -> Result<HashMap<String, Arc<PlanRecord>>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query_as!(
        PlanRow,
        r#"select p.no, p.id, p.season as "season: Seq", p.author as "author: AccountNo",
                  a.id as "author_id: Arc<str>", a.name as "author_name: Arc<str>", p.version, p.title,
                  p.note, p.x, p.y, p.width, p.height, p.cells, p.target_seq as "target_seq: Seq", p.state,
                  p.created_at, p.changes_until, p.expires_at, p.ended_at, p.announced, p.hidden, p.shadow,
                  p.shadow_change, p.final_done, p.final_damaged, p.final_helpers, p.private,
                  (select jsonb_object_agg(c.account, c.change) from shadow_plan_change c
                   where c.plan = p.no and c.of_version = p.version) as member_changes,
                  case when p.finished_target = p.target_seq then p.finished_at end as finished_at,
                  (select c.id from channel c where c.no = p.crew) as "crew_id?",
                  array(select m.account from channel_member m join crew c on c.channel = m.channel
                        where m.channel = p.crew and not c.hidden) as "crew_members!: Vec<AccountNo>"
           from plan p join agent a on a.no = p.author where p.id = any($1)"#,
        ids
    );
    let records = statement
        .fetch_all(connection)
        .await?
        .into_iter()
        .map(|row| Ok((row.id.clone(), Arc::new(row.into_record()?))));
    records.collect()
}

/// Returns the plans of a season that have not ended, oldest first.
pub async fn unended_plans(connection: &mut PgConnection, season: Seq) -> Result<Vec<Arc<PlanRecord>>> {
    let ids = sqlx::query_scalar!(
        "select id from plan where season = $1 and ended_at is null order by no",
        season as _
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut records = plans_by_ids(connection, &ids).await?;
    Ok(ids.iter().filter_map(|id| records.remove(id)).collect())
}

/// Returns the live plans of a season that are not public, or of which the account sees another version than
/// the public, newest first, each as the account sees it.
pub async fn live_unlisted_plans(
    connection: &mut PgConnection,
    season: Seq,
    account: AccountNo,
    is_shadowed: bool,
) -> Result<Vec<Arc<PlanRecord>>> {
    let ids = live_unlisted_plan_ids(connection, account, is_shadowed).await?;
    let records = plans_by_ids(connection, &ids).await?;
    let of_season = ids.iter().filter_map(|id| records.get(id)).filter(|plan| plan.season == season);
    let visible = of_season.filter(|plan| plan.is_visible_to(Some(account)));
    Ok(visible.map(|plan| plan.as_seen_by(account, is_shadowed)).collect())
}

/// Returns the ids of plans that have not ended and that not everyone can see, newest first: those that only
/// this account can see as their author, and the private ones of its crews.
///
/// With `is_shadowed` those public ones are included that the account has changed under its shadow ban.
async fn live_unlisted_plan_ids(
    connection: &mut PgConnection,
    account: AccountNo,
    is_shadowed: bool,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id as "id!" from (
               select no, id from plan
               where author = $1 and ended_at is null and not hidden and not private
                 and (shadow or $2 and shadow_change is not null)
               union all
               select p.no, p.id from channel_member m join plan p on p.crew = m.channel
               where m.account = $1 and p.ended_at is null and not p.hidden and p.private
                 and seen_by(p.shadow, p.author, $1)
               union all
               select p.no, p.id from shadow_plan_change c join plan p on p.no = c.plan
               where $2 and c.account = $1 and c.of_version = p.version and p.ended_at is null
                 and not p.hidden and not p.private
           ) as plan order by no desc"#,
        account as _,
        is_shadowed
    );
    statement.fetch_all(connection).await
}

/// Returns the ids of plans that not everyone can see, have not ended, and whose time has passed.
pub async fn expired_unlisted_plan_ids(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from plan where ended_at is null and no < 0 and expires_at <= $1 and not hidden
           order by expires_at limit $2"#,
        now,
        limit
    );
    statement.fetch_all(connection).await
}

/// Returns the plans of a season that not everyone can see, have not ended, and were never finished, with
/// numbers below `before`, in no order.
pub async fn unfinished_unlisted_plans(
    connection: &mut PgConnection,
    season: Seq,
    before: i64,
    limit: i64,
) -> Result<Vec<Arc<PlanRecord>>> {
    let ids = unfinished_unlisted_plan_ids(connection, season, before, limit).await?;
    Ok(plans_by_ids(connection, &ids).await?.into_values().collect())
}

/// Returns the ids of plans of a season that not everyone can see, have not ended, and were never finished,
/// with numbers below `before`, newest first.
async fn unfinished_unlisted_plan_ids(
    connection: &mut PgConnection,
    season: Seq,
    before: i64,
    limit: i64,
) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select id from plan
           where ended_at is null and no < 0 and finished_target is distinct from target_seq and no < $2
             and season = $1 and not hidden
           order by no desc limit $3"#,
        season as _,
        before,
        limit
    );
    statement.fetch_all(connection).await
}

/// Returns the points of those of these wrong pixels that have had their colour since the picture was set by
/// the event `target_seq`, row by row: goes back from the newest placement on each, at most `max_steps`
/// placements.
pub async fn damaged_points(
    connection: &mut PgConnection,
    target_seq: Seq,
    wrong: &[WrongPixel],
    max_steps: i32,
) -> Result<Vec<Point>> {
    if wrong.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query!(
        r#"with recursive walk as (
               select t.wanted, p.seq, p.x, p.y, p.color, p.covers, 1 as step
               from unnest($1::bigint[], $2::smallint[]) as t (newest, wanted)
                   join placement p on p.seq = t.newest
               union all
               select walk.wanted, p.seq, p.x, p.y, p.color, p.covers, walk.step + 1
               from walk cross join lateral (
                   select seq, x, y, color, covers from placement where seq = walk.covers
                   offset 0 -- one row by its number, or the whole table would be read for each step
               ) as p
               where walk.seq > $3 and walk.color <> walk.wanted and walk.step < $5
           )
           select x as "x!", y as "y!" from walk
           where color = wanted
              or wanted = $4 and covers is null and seq > $3 -- it was blank when the picture was set
           order by y, x"#,
        &column(wrong, |pixel| pixel.newest_seq) as _,
        &column(wrong, |pixel| i16::from(pixel.wanted.index())),
        target_seq as _,
        i16::from(BLANK_COLOR.index()),
        max_steps
    );
    Ok(statement
        .fetch_all(connection)
        .await?
        .into_iter()
        .map(|row| Point { x: row.x as u16, y: row.y as u16 })
        .collect())
}

/// Returns the plans of these authors that count for their limits, by the authors' numbers. Plans that an
/// author can no longer see as a former member do not count as open.
pub async fn plans_of_authors(
    connection: &mut PgConnection,
    authors: &[AccountNo],
    now: DateTime<Utc>,
) -> Result<HashMap<AccountNo, AuthorPlans>> {
    if authors.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select a.no as "author!: AccountNo",
                  (select count(*) from plan p where p.author = a.no and p.ended_at is null and not p.hidden
                       and p.expires_at > $2 and (not p.private or is_crew_member(p.crew, a.no))) as "live!",
                  (select max(created_at) from plan p where p.author = a.no) as newest_at,
                  own.registered_from as "registered_from?",
                  case when own.pixels_placed > 0 then 0 else (
                      select count(*) from agent b join plan p on p.author = b.no
                      where (b.no = own.no or b.registered_from = own.registered_from) and b.kind = 'agent'
                        and b.pixels_placed = 0 and p.ended_at is null and not p.hidden and p.expires_at > $2
                  ) end as "live_of_newcomers!"
           from unnest($1::bigint[]) as a (no) left join agent own on own.no = a.no"#,
        authors as _,
        now
    );
    let plans = statement.fetch_all(connection).await?.into_iter().map(|row| {
        let plans = AuthorPlans {
            live: row.live,
            newest_at: row.newest_at,
            live_of_newcomers: row.live_of_newcomers,
            registered_from: row.registered_from,
        };
        (row.author, plans)
    });
    Ok(plans.collect())
}

/// Returns the events of plans by their numbers, without those that belong to no change of a plan.
pub fn read_events<'a>(
    connection: &'a mut PgConnection,
    events: &'a [StoredEvent],
) -> SqlFuture<'a, HashMap<Seq, Event>> {
    Box::pin(async {
        let rows = sqlx::query!(
            r#"select e.seq as "seq: Seq", p.id, e.version, e.state
           from plan_event e join plan p on p.no = e.plan where e.seq = any($1)"#,
            &column(events, |event| event.seq) as _
        )
        .fetch_all(&mut *connection)
        .await?;
        let records = plans_by_ids(connection, &column(&rows, |row| row.id.clone())).await?;
        let changes = rows.into_iter().filter_map(|row| {
            let record = records.get(&row.id)?.clone();
            let state = PlanState::from_name(&row.state)?;
            let change = PlanChange { seq: row.seq, plan_id: row.id, state, version: row.version, record };
            Some((row.seq, Event::Plan(change)))
        });
        Ok(changes.collect())
    })
}
