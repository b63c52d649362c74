//! The SQL of the reasons for placements.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::{Result, SeasonRange};

/// The painter of a placement, and the plan that it names.
pub(in crate::chat) struct PaintedRow {
    /// The painter's number.
    pub painter: AccountNo,
    pub placed_at: DateTime<Utc>,
    pub plan_no: Option<i64>,
    pub plan_id: Option<String>,
}

/// Returns a placement's painter and time, and the plan that it names if an account (`None` for others) can
/// see it and the pixel lies in its picture: anyone may name any plan.
pub(in crate::chat) async fn find_painted(
    pool: &PgPool,
    placement: Seq,
    reader: Option<AccountNo>,
) -> Result<PaintedRow> {
    let statement = sqlx::query_as!(
        PaintedRow,
        r#"select s.agent as "painter: AccountNo", s.placed_at, p.no as "plan_no?", p.id as "plan_id?"
           from placement s
               left join plan p on p.no = s.plan and not p.hidden and seen_by(p.shadow, p.author, $2)
                   and (not p.private or is_crew_member(p.crew, $2))
                   and s.x between p.x and p.x + p.width - 1 and s.y between p.y and p.y + p.height - 1
           where s.seq = $1"#,
        placement as _,
        reader as _
    );
    statement.fetch_one(pool).await
}

/// Returns the number of the message of a placement's painter that explains it, of this type: one that names
/// the plan, or an intent that covers the pixel and was open at the time of the placement. A later change of
/// an intent proves that it was open. Only the painter's thousand messages before the placement and the
/// thousand after it are read. `reader` is the number of an account that may see its own intents otherwise
/// than everyone else; `None` for others.
pub(in crate::chat) async fn painters_message(
    pool: &PgPool,
    placement: Seq,
    season: SeasonRange,
    plan: Option<i64>,
    kind: &str,
    reader: Option<AccountNo>,
) -> Result<Option<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select m.seq as "seq!: Seq"
           from placement placed
           cross join lateral (
               (select id, seq, type, plan, hidden, regions, intent_state, intent_expires_at, sent_at
                from chat_message earlier
                where earlier.agent = placed.agent and earlier.seq > $2 and earlier.seq < placed.seq
                order by earlier.seq desc limit 1000)
               union all
               (select id, seq, type, plan, hidden, regions, intent_state, intent_expires_at, sent_at
                from chat_message later
                where later.agent = placed.agent and later.seq > placed.seq and later.seq <= $3
                order by later.seq limit 1000)
           ) m
           left join shadow_intent v on v.message_id = m.id and v.agent = $5
           cross join lateral (
               select coalesce(m.plan = $4, false) as by_plan,
                      m.type = 'intent' and m.seq < placed.seq
                      and coalesce(regions_cover(case when v.message_id is null then m.regions
                                                      else v.regions end,
                                                 placed.x::integer, placed.y::integer), false)
                      and (coalesce(v.intent_state, m.intent_state) = 'open'
                           and coalesce(v.intent_expires_at, m.intent_expires_at) > placed.placed_at
                           or exists (select from event e
                                      where e.id = m.id and e.kind = 'intent' and e.seq > placed.seq)
                           or exists (select from shadow_event e where e.agent = $5 and e.message_id = m.id
                                      and e.kind = 'intent' and e.after_seq >= placed.seq)) as by_place
               offset 0
           ) named
           where placed.seq = $1 and m.type = $6 and not m.hidden and (named.by_plan or named.by_place)
           order by named.by_plan desc, named.by_place desc,
                    greatest(m.sent_at - placed.placed_at, placed.placed_at - m.sent_at), m.seq limit 1"#,
        placement as _,
        season.opening as _,
        season.last as _,
        plan,
        reader as _,
        kind
    );
    statement.fetch_optional(pool).await
}

/// Returns the id of the shadow message of a placement's painter that explains it, of this type, by the same
/// rules as public ones.
pub(in crate::chat) async fn painters_shadow_message(
    pool: &PgPool,
    placement: Seq,
    season: SeasonRange,
    plan: Option<i64>,
    kind: &str,
) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"select s.id
           from placement placed
           join shadow_message s on s.agent = placed.agent
           cross join lateral (
               select coalesce(s.plan = $4, false) as by_plan,
                      s.type = 'intent' and s.after_seq < placed.seq
                      and coalesce(regions_cover(s.regions, placed.x::integer, placed.y::integer), false)
                      and (s.intent_state = 'open' and s.intent_expires_at > placed.placed_at
                           or exists (select from shadow_event e
                                      where e.agent = s.agent and e.message_id = s.id
                                      and e.kind = 'intent' and e.after_seq >= placed.seq)) as by_place
               offset 0
           ) named
           where placed.seq = $1 and s.type = $5 and s.released is null and s.deleted_at is null
             and s.after_seq >= $2 and s.after_seq <= $3 and (named.by_plan or named.by_place)
           order by named.by_plan desc, named.by_place desc,
                    greatest(s.sent_at - placed.placed_at, placed.placed_at - s.sent_at), s.no limit 1"#,
        placement as _,
        season.opening as _,
        season.last as _,
        plan,
        kind
    );
    statement.fetch_optional(pool).await
}
