//! Writes a batch: placements and accounts with one statement, which also advances the head.

use caraplace_live::event::Event;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::accounts::update_accounts;
use super::{HeadPosition, Result, column};
use crate::audit_entry::AuditEntry;
use crate::batch_context::{Account, Accounts};
use crate::batch_effects::BatchEffects;

/// Writes everything, advances the head and notifies every instance. Returns false, with nothing written, if
/// the head was not at the expected position. If there is more than placements, the head must be locked.
pub async fn write_batch(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    accounts: &Accounts,
    head: HeadPosition,
    now: DateTime<Utc>,
) -> Result<bool> {
    let changed_accounts: Vec<&Account> =
        effects.changed_accounts.iter().filter_map(|agent| accounts.get(agent)).collect();
    if effects.has_more_than_placements() {
        insert_events(connection, effects, now).await?;
        effects.parts.write(connection, now).await?;
        update_accounts(connection, &changed_accounts).await?;
    }
    insert_audit_entries(connection, &effects.audit_entries, now).await?;
    record_answers(connection, effects, now).await?;
    let recorded = record_placements(connection, effects, &changed_accounts, head, now).await?;
    record_restorations(connection, effects).await?;
    Ok(recorded)
}

/// Writes the events that are no placements.
async fn insert_events(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    now: DateTime<Utc>,
) -> Result<()> {
    let is_other = |event: &&Event| !matches!(event, Event::Pixel(_));
    let events: Vec<&Event> = effects.events.iter().filter(is_other).collect();
    let statement = sqlx::query!(
        r#"insert into event (seq, kind, id, at, agent)
           select e.seq, e.kind, e.id, $4, e.agent
           from unnest($1::bigint[], $2::text[], $3::text[], $5::bigint[]) as e (seq, kind, id, agent)"#,
        &column(&events, |event| event.seq()) as _,
        &column(&events, |event| event.kind().to_owned()),
        &column(&events, |event| event.subject_id().to_owned()),
        now,
        &column(&events, |event| effects.event_authors.get(&event.seq()).copied()) as _
    );
    statement.execute(connection).await.map(|_| ())
}

/// Writes nothing unless the head row is at the expected position: all parts of the statement depend on that
/// row.
async fn record_placements(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    changed_accounts: &[&Account],
    head: HeadPosition,
    now: DateTime<Utc>,
) -> Result<bool> {
    let placements = &effects.placements;
    let newest = effects.events.last().map(Event::seq);
    let statement = sqlx::query!(
        r#"with head as (
               update log_head set seq = coalesce($1, seq), version = coalesce($2, version),
                   at = case when $1::bigint is null then at else $3 end,
                   -- A batch without events changes accounts, too, which other instances may have cached.
                   turn = case when $1::bigint is null then turn + 1 else turn end
               where seq = $4 and control = $5 and turn = $18
               returning pg_notify('caraplace', concat(seq, ' ', control))::text as told
           ), painted as (
               insert into placement (seq, x, y, color, agent, covers, previous, plan, placed_at)
               select s.seq, s.x, s.y, s.color, s.agent, s.covers, s.previous, s.plan, $3
               from head, unnest($6::bigint[], $7::smallint[], $8::smallint[], $9::smallint[], $10::bigint[],
                                 $11::bigint[], $12::bigint[], $19::bigint[])
                    as s (seq, x, y, color, agent, covers, previous, plan)
           ), settled as (
               update agent set charges_full_at = s.charges_full_at, chat_credits = s.chat_credits,
                   pixels_placed = s.pixels_placed, last_placement = s.last_placement, last_seen_at = $3
               from head, unnest($13::bigint[], $14::timestamptz[], $15::bigint[], $16::bigint[],
                                 $17::bigint[])
                    as s (no, charges_full_at, chat_credits, pixels_placed, last_placement)
               where agent.no = s.no
           )
           select told from head"#,
        newest as _,
        placements.last().map(|placement| placement.event.seq) as _,
        now,
        head.seq as _,
        head.control,
        &column(placements, |placement| placement.event.seq) as _,
        &column(placements, |placement| placement.event.point.x as i16),
        &column(placements, |placement| placement.event.point.y as i16),
        &column(placements, |placement| i16::from(placement.event.color)),
        &column(placements, |placement| placement.agent) as _,
        &column(placements, |placement| placement.covers) as _,
        &column(placements, |placement| placement.previous) as _,
        &column(changed_accounts, |account| account.no) as _,
        &column(changed_accounts, |account| account.charges_full_at),
        &column(changed_accounts, |account| account.chat_credits),
        &column(changed_accounts, |account| account.pixels_placed),
        &column(changed_accounts, |account| account.last_placement) as _,
        head.epoch,
        &column(placements, |placement| placement.plan) as &[Option<i64>],
    );
    Ok(statement.fetch_optional(connection).await?.is_some())
}

/// Links recorded placements to those that they show again. Few batches have such, so the columns would only
/// cost time in the statement above.
async fn record_restorations(connection: &mut PgConnection, effects: &BatchEffects) -> Result<()> {
    if effects.restorations.is_empty() {
        return Ok(());
    }
    let rows = &effects.restorations;
    let statement = sqlx::query!(
        r#"update placement set restores = r.restores, restored_agent = r.agent
           from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as r (seq, restores, agent)
           where placement.seq = r.seq"#,
        &column(rows, |row| row.seq) as _,
        &column(rows, |row| row.restored.seq) as _,
        &column(rows, |row| row.restored.agent) as _
    );
    statement.execute(connection).await.map(|_| ())
}

async fn record_answers(
    connection: &mut PgConnection,
    effects: &BatchEffects,
    now: DateTime<Utc>,
) -> Result<()> {
    if effects.answers.is_empty() {
        return Ok(());
    }
    let rows = &effects.answers;
    let statement = sqlx::query!(
        r#"insert into idempotency (agent, route, key, body_hash, answer, created_at)
           select a.agent, a.route, a.key, a.body_hash, a.answer, $6
           from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
                as a (agent, route, key, body_hash, answer)
           on conflict (agent, route, key) do update
               set body_hash = excluded.body_hash, answer = excluded.answer,
                   created_at = excluded.created_at"#,
        &column(rows, |(key, _)| key.agent) as _,
        &column(rows, |(key, _)| key.route.to_owned()),
        &column(rows, |(key, _)| key.key.clone()),
        &column(rows, |(_, answer)| answer.body_hash.to_vec()),
        &column(rows, |(_, answer)| answer.json.to_vec()),
        now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Appends entries to the audit log, in this order.
pub async fn insert_audit_entries(
    connection: &mut PgConnection,
    entries: &[AuditEntry],
    now: DateTime<Utc>,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"insert into audit (at, operator, act, subject, why, before, after, draft_id, actor_kind)
           select $1, a.operator, a.act, a.subject, a.why, a.before::jsonb, a.after::jsonb, a.draft_id,
                  a.actor_kind
           from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
                       $9::text[])
                with ordinality as a (operator, act, subject, why, before, after, draft_id, actor_kind, place)
           order by a.place"#,
        now,
        &column(entries, |act| act.operator.clone()),
        &column(entries, |act| act.action.to_owned()),
        &column(entries, |act| act.subject.clone()),
        &column(entries, |act| act.reason.clone()),
        &column(entries, |act| act.before.to_string()),
        &column(entries, |act| act.after.to_string()),
        &column(entries, |act| act.draft_id.clone()) as &[Option<String>],
        &column(entries, |act| act.actor_kind().name().to_owned())
    );
    statement.execute(connection).await.map(|_| ())
}
