//! The SQL that finds public events and inserts their deliveries. Only events after the creation of a webhook
//! are reported, each once, and none to banned agents.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::{PgConnection, PgPool};

use super::Result;

/// The number of pixels that a delivery lists; it counts all.
const MAX_LISTED_PIXELS: i64 = 100;

/// The state of the search for events.
#[derive(Clone, Debug)]
pub(in crate::webhooks) struct Position {
    /// The number of the newest event.
    pub head: Seq,
    /// Deliveries of events up to this number are stored, or no webhook wants those.
    pub seq: Seq,
    /// The events to which at least one active webhook subscribes.
    pub wanted: Vec<String>,
}

/// A part of the log.
pub(in crate::webhooks) struct EventPage {
    /// Only events after this number.
    pub after: Seq,
    /// The number of the last event.
    pub up_to: Seq,
    pub now: DateTime<Utc>,
}

/// Returns the state of the search. Events from before the oldest active webhook count as searched.
pub(in crate::webhooks) async fn position(pool: &PgPool) -> Result<Position> {
    let statement = sqlx::query_as!(
        Position,
        r#"select h.seq as "head: Seq", greatest(c.seq, coalesce(w.oldest, h.seq)) as "seq!: Seq",
                  coalesce(w.wanted, '{}') as "wanted!"
           from log_head h, webhook_cursor c,
                (select min(after_seq) as oldest, array_agg(distinct event) as wanted
                 from webhook, unnest(events) as event where state = 'active') as w"#
    );
    statement.fetch_one(pool).await
}

/// Acquires the lock of the search until the transaction ends. Returns false if another instance has it.
pub(in crate::webhooks) async fn try_lock(connection: &mut PgConnection) -> Result<bool> {
    let statement = sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('search for events of webhooks', 0))
                  as "locked!""#
    );
    statement.fetch_one(connection).await
}

/// Saves that the deliveries of all events up to a number are stored. Returns false if another instance has
/// searched after `from` meanwhile.
pub(in crate::webhooks) async fn save_position(
    connection: &mut PgConnection,
    from: Seq,
    up_to: Seq,
) -> Result<bool> {
    let statement = sqlx::query!("update webhook_cursor set seq = $2 where seq <= $1", from as _, up_to as _);
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Inserts the deliveries of mentions and replies. A message that does both is a mention for webhooks that
/// want those, else a reply. Each mention has its own delivery, also if the inbox has merged it with others.
/// Returns their number.
pub(in crate::webhooks) async fn insert_notices(
    connection: &mut PgConnection,
    page: &EventPage,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"insert into delivery (webhook, dedupe_key, type, message_seq, occurred_at, next_at, created_at)
           select w.no, 'notice:' || n.seq, reported.kind, m.seq, e.at, $3, $3
           from webhook w join agent a on a.no = w.agent
           join notice n on n.agent = w.agent and n.seq > greatest($1, w.after_seq) and n.seq <= $2
           join event e on e.seq = n.seq
           join chat_message m on m.id = n.message_id
           cross join lateral (
               select case when n.kind = 'mention' and 'mention' = any(w.events) then 'mention'
                           when 'reply' = any(w.events) and (n.kind = 'reply' or exists (
                               select from chat_message original
                               where original.id = m.reply_to and original.agent = w.agent))
                           then 'reply' end as kind
           ) as reported
           where w.state = 'active' and (a.banned_until is null or a.banned_until <= $3)
             and n.kind in ('mention', 'reply') and reported.kind is not null and not m.hidden
           order by n.seq
           on conflict (webhook, dedupe_key) do nothing"#,
        page.after as _,
        page.up_to as _,
        page.now
    );
    Ok(statement.execute(connection).await?.rows_affected())
}

/// Inserts one delivery for each agent whose pixels, restored ones included, others have painted over. As in
/// the inbox, placements are left out where agent and painter have an agreement. Returns the number of
/// deliveries.
pub(in crate::webhooks) async fn insert_overwritten(
    connection: &mut PgConnection,
    page: &EventPage,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"with covering as (
               select w.no as webhook, p.seq, p.placed_at, p.x, p.y, p.color, b.id as painter,
                      row_number() over (partition by w.no order by p.seq desc) as place
               from placement p join placement covered on covered.seq = p.covers
               cross join lateral (select coalesce(covered.restored_agent, covered.agent) as agent) as old
               join webhook w on w.agent = old.agent and w.state = 'active' and 'overwritten' = any(w.events)
                                 and p.seq > w.after_seq
               join agent a on a.no = w.agent and (a.banned_until is null or a.banned_until <= $3)
               join agent b on b.no = p.agent
               where p.seq > $1 and p.seq <= $2 and old.agent <> p.agent and p.agent <> $5
                 and not exists (
                     select from invitation i
                     where ((i.agent = old.agent and i.author = p.agent)
                            or (i.author = old.agent and i.agent = p.agent))
                       and i.seq < p.seq and (i.ended_seq is null or p.seq < i.ended_seq)
                       and i.seq > (select max(seq) from season)
                       and exists (select from generate_series(1, cardinality(i.regions), 4) as r (n)
                                   where p.x between i.regions[n] and i.regions[n + 2]
                                     and p.y between i.regions[n + 1] and i.regions[n + 3]))
           )
           insert into delivery (webhook, dedupe_key, type, data, occurred_at, next_at, created_at)
           select webhook, 'overwritten:' || max(seq), 'overwritten',
                  jsonb_build_object('count', count(*), 'x1', min(x), 'y1', min(y),
                      'x2', max(x), 'y2', max(y), 'pixels',
                      jsonb_agg(jsonb_build_object('x', x, 'y', y, 'color', color, 'agent_id', painter,
                                                   'seq', seq)
                                order by seq) filter (where place <= $4)),
                  max(placed_at), $3, $3
           from covering group by webhook
           on conflict (webhook, dedupe_key) do nothing"#,
        page.after as _,
        page.up_to as _,
        page.now,
        MAX_LISTED_PIXELS,
        AccountNo::OPERATOR as _
    );
    Ok(statement.execute(connection).await?.rows_affected())
}

/// Inserts the deliveries of plans that were finished. Returns their number.
pub(in crate::webhooks) async fn insert_plans(
    connection: &mut PgConnection,
    page: &EventPage,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"insert into delivery (webhook, dedupe_key, type, data, occurred_at, next_at, created_at)
           select w.no, 'plan:' || e.seq, 'plan_finished',
                  jsonb_build_object('seq', e.seq, 'plan', jsonb_build_object(
                      'id', p.id, 'version', e.version, 'title', p.title, 'state', e.state,
                      'x', p.x, 'y', p.y, 'width', p.width, 'height', p.height)),
                  logged.at, $3, $3
           from plan_event e join event logged on logged.seq = e.seq join plan p on p.no = e.plan
           join webhook w on w.agent = p.author and w.state = 'active' and e.seq > w.after_seq
           join agent a on a.no = w.agent and (a.banned_until is null or a.banned_until <= $3)
           cross join lateral (select state from plan_event before
                               where before.plan = e.plan and before.seq < e.seq
                               order by before.seq desc limit 1) as before
           where e.seq > $1 and e.seq <= $2 and e.state = 'finished' and before.state <> 'finished'
             and 'plan_finished' = any(w.events) and not p.hidden
           order by e.seq
           on conflict (webhook, dedupe_key) do nothing"#,
        page.after as _,
        page.up_to as _,
        page.now
    );
    Ok(statement.execute(connection).await?.rows_affected())
}

/// Inserts the deliveries of finished plans that were damaged, or repaired after that. Returns their number.
pub(in crate::webhooks) async fn insert_damage(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"with change as (
               update plan_damage set reported = true where not reported returning plan, seq, at, damaged
           )
           insert into delivery (webhook, dedupe_key, type, data, occurred_at, next_at, created_at)
           select w.no, 'plan_damage:' || p.no || ':' || change.seq, reported.kind,
                  jsonb_build_object('seq', change.seq, 'plan', jsonb_build_object(
                      'id', p.id, 'version', p.version, 'title', p.title, 'state', 'finished',
                      'x', p.x, 'y', p.y, 'width', p.width, 'height', p.height)),
                  change.at, $1, $1
           from change join plan p on p.no = change.plan
           join webhook w on w.agent = p.author and w.state = 'active' and change.seq > w.after_seq
           join agent a on a.no = w.agent and (a.banned_until is null or a.banned_until <= $1)
           cross join lateral (
               select case when change.damaged then 'plan_damaged' else 'plan_finished' end as kind
           ) as reported
           where reported.kind = any(w.events) and not p.hidden
           on conflict (webhook, dedupe_key) do nothing"#,
        now
    );
    Ok(statement.execute(connection).await?.rows_affected())
}

/// Inserts the deliveries of new seasons. Returns their number.
pub(in crate::webhooks) async fn insert_seasons(
    connection: &mut PgConnection,
    page: &EventPage,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"insert into delivery (webhook, dedupe_key, type, data, occurred_at, next_at, created_at)
           select w.no, 'season:' || s.seq, 'season',
                  jsonb_build_object('seq', s.seq, 'season', s.id, 'title', s.title, 'width', s.width,
                                     'height', s.height),
                  e.at, $3, $3
           from season s join event e on e.seq = s.seq cross join webhook w
           join agent a on a.no = w.agent and (a.banned_until is null or a.banned_until <= $3)
           where s.seq > greatest($1, w.after_seq) and s.seq <= $2 and w.state = 'active'
             and 'season' = any(w.events)
           order by s.seq
           on conflict (webhook, dedupe_key) do nothing"#,
        page.after as _,
        page.up_to as _,
        page.now
    );
    Ok(statement.execute(connection).await?.rows_affected())
}

/// Inserts the deliveries for agents whose charges are all back. Returns their number.
pub(in crate::webhooks) async fn insert_charges(
    connection: &mut PgConnection,
    max_charges: u32,
    now: DateTime<Utc>,
) -> Result<u64> {
    let statement = sqlx::query!(
        r#"with reported as (
               update webhook w set charges_reported_at = a.charges_full_at from agent a
               where a.no = w.agent and w.state = 'active' and 'charges_full' = any(w.events)
                 and a.charges_full_at <= $2 and a.charges_full_at > w.charges_reported_at
                 and (a.banned_until is null or a.banned_until <= $2)
               returning w.no, w.charges_reported_at
           )
           insert into delivery (webhook, dedupe_key, type, data, occurred_at, next_at, created_at)
           select no, 'charges_full:' || extract(epoch from charges_reported_at), 'charges_full',
                  jsonb_build_object('charges', $1::bigint, 'max_charges', $1::bigint),
                  charges_reported_at, $2, $2
           from reported
           on conflict (webhook, dedupe_key) do nothing"#,
        i64::from(max_charges),
        now
    );
    Ok(statement.execute(connection).await?.rows_affected())
}
