//! The SQL that writes plans. The head must be locked.

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::numbers::{AccountNo, Seq};
use rules::plan::record::{PlanChange, PlanEnd, PlanRecord};
use serde_json::json;
use sqlx::PgConnection;

use super::Result;

/// The first time at which all pixels of a plan were right that only its author can see. It has no event.
#[derive(Debug)]
pub struct ShadowPlanFinish {
    /// `plan_…`.
    pub plan: String,
    /// The number of the author.
    pub author: AccountNo,
    /// The number of the event that set the picture.
    pub target_seq: Seq,
    /// The number of the newest event then.
    pub seq: Seq,
    /// True if no webhooks of the author need to be called.
    pub is_reported: bool,
}

/// Writes the events of plans.
pub async fn insert_plan_events(connection: &mut PgConnection, changes: &[PlanChange]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into plan_event (seq, plan, version, state)
           select * from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[])"#,
        &column(changes, |change| change.seq) as _,
        &column(changes, |change| change.record.no),
        &column(changes, |change| change.version),
        &column(changes, |change| change.state.name().to_owned())
    );
    statement.execute(connection).await.map(|_| ())
}

/// Inserts a plan or updates it. A plan without a number gets one.
pub async fn upsert_plan(connection: &mut PgConnection, record: &PlanRecord) -> Result<()> {
    let corners = record.target.area().corners();
    let size = record.target.area().size();
    let end = record.end.as_ref();
    let statement = sqlx::query!(
        r#"insert into plan (no, id, season, author, version, title, note, x, y, width, height, cells,
                             target_seq, state, created_at, changes_until, expires_at, ended_at, announced,
                             hidden, shadow, shadow_change, final_done, final_damaged, final_helpers,
                             private, crew, finished_at, finished_target)
           values (case when $1::bigint <> 0 then $1 else nextval(pg_get_serial_sequence('plan', 'no')) end,
                   $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::bigint, $14, $15, $16, $17, $18, $19,
                   $20, $21, $22, $23, $24, $25, $26, (select no from channel where id = $27),
                   $28::timestamptz, case when $28::timestamptz is not null then $13::bigint end)
           on conflict (id) do update
               set version = excluded.version, title = excluded.title, note = excluded.note, x = excluded.x,
                   y = excluded.y, width = excluded.width, height = excluded.height, cells = excluded.cells,
                   target_seq = excluded.target_seq, state = excluded.state,
                   changes_until = excluded.changes_until, expires_at = excluded.expires_at,
                   ended_at = excluded.ended_at, announced = excluded.announced, hidden = excluded.hidden,
                   shadow_change = excluded.shadow_change, final_done = excluded.final_done,
                   final_damaged = excluded.final_damaged, final_helpers = excluded.final_helpers,
                   finished_at = excluded.finished_at, finished_target = excluded.finished_target"#,
        record.no,
        record.id,
        record.season as _,
        record.author.no as _,
        record.version,
        record.title,
        record.note,
        corners.x1 as i32,
        corners.y1 as i32,
        i32::from(size.width),
        i32::from(size.height),
        record.target.to_bytes(),
        record.target_seq as _,
        record.told_state.name(),
        record.created_at,
        record.changes_until,
        record.expires_at,
        end.map(|end| end.at),
        record.is_announced,
        record.is_hidden,
        !record.audience.is_everyone(),
        record.shadow_change.as_ref().map(|change| json!(change)),
        end.map(|end| end.progress.done as i32),
        end.map(|end| end.progress.damaged as i32),
        end.map(|end| json!(end.helpers)),
        record.is_private,
        record.crew.as_ref().map(|crew| crew.id.as_str()),
        record.finished_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Stores the changes of a plan by members of its crew, each of whom alone sees its own, for the present
/// version of the plan.
pub async fn upsert_member_changes(connection: &mut PgConnection, record: &PlanRecord) -> Result<()> {
    let changes = &record.member_changes;
    if changes.is_empty() {
        return Ok(());
    }
    let accounts: Vec<AccountNo> = changes.keys().copied().collect();
    let changes: Vec<String> = changes.values().map(|change| json!(change).to_string()).collect();
    // A plan that this batch has opened has a number only now.
    let statement = sqlx::query!(
        r#"insert into shadow_plan_change (plan, account, of_version, change)
           select p.no, c.account, p.version, c.change::jsonb
           from plan p, unnest($2::bigint[], $3::text[]) as c (account, change)
           where p.id = $1
           on conflict (plan, account) do update
               set of_version = excluded.of_version, change = excluded.change"#,
        record.id,
        &accounts as _,
        &changes
    );
    statement.execute(connection).await.map(|_| ())
}

/// Stores that plans are finished which only their authors can see. For the inbox and the webhooks of its
/// author, such a plan is like one that was repaired.
pub async fn record_shadow_finishes(
    connection: &mut PgConnection,
    finishes: &[&ShadowPlanFinish],
    now: DateTime<Utc>,
) -> Result<()> {
    if finishes.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into plan_damage (plan, target_seq, seq, at, damaged, reported)
           select p.no, f.target_seq, f.seq, $5, false, f.reported
           from unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[])
                as f (plan_id, target_seq, seq, reported)
                join plan p on p.id = f.plan_id
           on conflict (plan) do update
               set target_seq = excluded.target_seq, seq = excluded.seq, at = excluded.at, damaged = false,
                   reported = excluded.reported"#,
        &column(finishes, |finish| finish.plan.clone()),
        &column(finishes, |finish| finish.target_seq) as _,
        &column(finishes, |finish| finish.seq) as _,
        &column(finishes, |finish| finish.is_reported),
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Writes the ends of plans, and the states with which they have ended.
pub async fn end_plans(connection: &mut PgConnection, plans: &[PlanRecord]) -> Result<()> {
    let ended: Vec<(&PlanRecord, &PlanEnd)> =
        plans.iter().filter_map(|record| Some((record, record.end.as_ref()?))).collect();
    if ended.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"update plan set state = e.state, ended_at = e.ended_at, final_done = e.done,
               final_damaged = e.damaged, final_helpers = e.helpers::jsonb,
               -- as the plan was read: the time counts for the present picture only
               finished_at = case when plan.finished_target = plan.target_seq then plan.finished_at
                                  when e.state = 'finished' then e.ended_at end,
               finished_target = case when plan.finished_target = plan.target_seq or e.state = 'finished'
                                      then plan.target_seq end
           from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::integer[], $5::integer[], $6::text[])
                as e (no, state, ended_at, done, damaged, helpers)
           where plan.no = e.no"#,
        &column(&ended, |(record, _)| record.no),
        &column(&ended, |(record, _)| record.told_state.name().to_owned()),
        &column(&ended, |(_, end)| end.at),
        &column(&ended, |(_, end)| end.progress.done as i32),
        &column(&ended, |(_, end)| end.progress.damaged as i32),
        &column(&ended, |(_, end)| json!(end.helpers).to_string())
    );
    statement.execute(connection).await.map(|_| ())
}
