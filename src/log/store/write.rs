//! Writes a batch's effects: placements and accounts in one statement, which also moves the head.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::speech::record_speech;
use super::{Result, column};
use crate::live::event::Event;
use crate::log::audit::Act;
use crate::log::effects::Effects;
use crate::log::footing::Numbers;
use crate::log::ground::{Account, Accounts};

/// Writes everything, moves the head and wakes every instance; false when the head is not where it was thought to
/// be, and nothing was written. Where there is more than placements, the gate must be closed.
pub async fn record(
    connection: &mut PgConnection,
    effects: &Effects,
    accounts: &Accounts,
    head: Numbers,
    now: DateTime<Utc>,
) -> Result<bool> {
    let settled: Vec<&Account> = effects.touched.iter().filter_map(|agent| accounts.get(agent)).collect();
    if effects.says_something() {
        record_speech(connection, effects, &settled, now).await?;
    }
    insert_acts(connection, &effects.acts, now).await?;
    record_answers(connection, effects, now).await?;
    record_placements(connection, effects, &settled, head, now).await
}

/// Nothing of it happens unless the head is found where it was: everything hangs on that row.
async fn record_placements(
    connection: &mut PgConnection,
    effects: &Effects,
    settled: &[&Account],
    head: Numbers,
    now: DateTime<Utc>,
) -> Result<bool> {
    let painted = &effects.painted;
    let newest = effects.events.last().map(Event::seq);
    let recorded = sqlx::query!(
        r#"with head as (
               update log_head set seq = coalesce($1, seq), version = coalesce($2, version),
                   at = case when $1::bigint is null then at else $3 end
               where seq = $4 and control = $5 and turn = $18
               returning pg_notify('caraplace', concat(seq, ' ', control))::text as told
           ), painted as (
               insert into placement (seq, x, y, color, agent, covers, previous, placed_at)
               select s.seq, s.x, s.y, s.color, s.agent, s.covers, s.previous, $3
               from head, unnest($6::bigint[], $7::smallint[], $8::smallint[], $9::smallint[], $10::bigint[],
                                 $11::bigint[], $12::bigint[])
                    as s (seq, x, y, color, agent, covers, previous)
           ), settled as (
               update agent set charges_full_at = s.charges_full_at, chat_credits = s.chat_credits,
                   pixels_placed = s.pixels_placed, last_placement = s.last_placement, last_seen_at = $3
               from head, unnest($13::bigint[], $14::timestamptz[], $15::bigint[], $16::bigint[], $17::bigint[])
                    as s (no, charges_full_at, chat_credits, pixels_placed, last_placement)
               where agent.no = s.no
           )
           select told from head"#,
        newest,
        painted.last().map(|painted| painted.stroke.seq),
        now,
        head.seq,
        head.control,
        &column(painted, |painted| painted.stroke.seq),
        &column(painted, |painted| painted.stroke.point.x as i16),
        &column(painted, |painted| painted.stroke.point.y as i16),
        &column(painted, |painted| i16::from(painted.stroke.color)),
        &column(painted, |painted| painted.agent),
        &column(painted, |painted| painted.covers) as &[Option<i64>],
        &column(painted, |painted| painted.previous) as &[Option<i64>],
        &column(settled, |account| account.no),
        &column(settled, |account| account.charges_full_at),
        &column(settled, |account| account.chat_credits),
        &column(settled, |account| account.pixels_placed),
        &column(settled, |account| account.last_placement) as &[Option<i64>],
        head.turn,
    )
    .fetch_optional(connection)
    .await?;
    Ok(recorded.is_some())
}

async fn record_answers(connection: &mut PgConnection, effects: &Effects, now: DateTime<Utc>) -> Result<()> {
    if effects.answers.is_empty() {
        return Ok(());
    }
    let rows = &effects.answers;
    sqlx::query!(
        r#"insert into idempotency (agent, route, key, body_hash, answer, created_at)
           select a.agent, a.route, a.key, a.body_hash, a.answer, $6
           from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
                as a (agent, route, key, body_hash, answer)
           on conflict (agent, route, key) do update
               set body_hash = excluded.body_hash, answer = excluded.answer, created_at = excluded.created_at"#,
        &column(rows, |(key, _)| key.agent),
        &column(rows, |(key, _)| key.route.to_owned()),
        &column(rows, |(key, _)| key.key.clone()),
        &column(rows, |(_, answer)| answer.body_hash.to_vec()),
        &column(rows, |(_, answer)| answer.json.to_vec()),
        now
    )
    .execute(connection)
    .await
    .map(|_| ())
}

/// Adds to the audit log, in this order.
pub async fn insert_acts(connection: &mut PgConnection, acts: &[Act], now: DateTime<Utc>) -> Result<()> {
    if acts.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into audit (at, operator, act, subject, why, before, after)
           select $1, a.operator, a.act, a.subject, a.why, a.before::jsonb, a.after::jsonb
           from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                with ordinality as a (operator, act, subject, why, before, after, place)
           order by a.place"#,
        now,
        &column(acts, |act| act.operator.clone()),
        &column(acts, |act| act.act.to_owned()),
        &column(acts, |act| act.subject.clone()),
        &column(acts, |act| act.why.clone()),
        &column(acts, |act| act.before.to_string()),
        &column(acts, |act| act.after.to_string())
    )
    .execute(connection)
    .await
    .map(|_| ())
}
