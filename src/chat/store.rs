//! The SQL of the chat. The texts of messages are read by the log's own store.

use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::ids::MessageId;
use sqlx::PgPool;

use super::intents::IntentRow;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The painter of a placement, and the plan that it names.
pub(super) struct PaintedRow {
    /// The painter's number.
    pub painter: i64,
    pub placed_at: DateTime<Utc>,
    pub plan_no: Option<i64>,
    pub plan_id: Option<String>,
}

/// Returns the sequence number of a message, even if its text was deleted, or `None` if there is no such
/// message.
pub(super) async fn find_seq(pool: &PgPool, id: &MessageId) -> Result<Option<i64>> {
    sqlx::query_scalar!("select seq from event where kind = 'chat' and id = $1", id.as_str())
        .fetch_optional(pool)
        .await
}

/// Returns the numbers of the last message before and the first message after a placement by its agent in the
/// season, the nearer in time first.
pub(super) async fn messages_near_placement(
    pool: &PgPool,
    (opening, last): (i64, i64),
    placement: i64,
) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select near.seq as "seq!"
           from placement stroke
           cross join lateral (
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > $1 and m.seq < stroke.seq order by m.seq desc limit 1)
               union all
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > stroke.seq and m.seq <= $3 order by m.seq limit 1)
           ) near
           where stroke.seq = $2
           order by greatest(near.sent_at - stroke.placed_at, stroke.placed_at - near.sent_at), near.seq"#,
        opening,
        placement,
        last
    )
    .fetch_all(pool)
    .await
}

/// Returns the id of the shadow message of an author between two events that is nearest in time to its placement;
/// `None` if there is none, if the placement is of another agent, or if a message at `other` is nearer.
pub(super) async fn shadow_message_nearer(
    pool: &PgPool,
    author: i64,
    placement: i64,
    (first, last): (i64, i64),
    other: Option<DateTime<Utc>>,
) -> Result<Option<String>> {
    sqlx::query_scalar!(
        r#"select s.id from placement stroke join shadow_message s on s.agent = stroke.agent
           where stroke.seq = $2 and stroke.agent = $1 and s.released is null and s.deleted_at is null
             and s.after_seq >= $4 and s.after_seq <= $5
             and ($3::timestamptz is null
                  or greatest(s.sent_at - stroke.placed_at, stroke.placed_at - s.sent_at)
                     < greatest($3 - stroke.placed_at, stroke.placed_at - $3))
           order by greatest(s.sent_at - stroke.placed_at, stroke.placed_at - s.sent_at), s.no limit 1"#,
        author,
        placement,
        other,
        first,
        last
    )
    .fetch_optional(pool)
    .await
}

/// Returns a placement's painter and time, and the plan that it names if an account (`None` for others) can see it.
pub(super) async fn find_painted(pool: &PgPool, placement: i64, reader: Option<i64>) -> Result<PaintedRow> {
    sqlx::query_as!(
        PaintedRow,
        r#"select s.agent as painter, s.placed_at, p.no as "plan_no?", p.id as "plan_id?"
           from placement s
               left join plan p on p.no = s.plan and not p.hidden and (not p.shadow or p.author = $2)
           where s.seq = $1"#,
        placement,
        reader
    )
    .fetch_one(pool)
    .await
}

/// Returns the number of the intent of a placement's painter that explains it: one that names the plan, or one that
/// covers the pixel and was open at the time of the placement. A later change of an intent proves that it was open.
/// `reader` is the number of an account that may see its own intents otherwise than everyone else; `None` for others.
pub(super) async fn painters_intent(
    pool: &PgPool,
    placement: i64,
    (opening, last): (i64, i64),
    plan: Option<i64>,
    reader: Option<i64>,
) -> Result<Option<i64>> {
    sqlx::query_scalar!(
        r#"select m.seq as "seq!"
           from placement stroke
           join chat_message m on m.agent = stroke.agent
           left join shadow_intent v on v.message_id = m.id and v.agent = $5
           cross join lateral (
               select coalesce(m.plan = $4, false) as by_plan,
                      m.seq < stroke.seq
                      and coalesce(regions_cover(case when v.message_id is null then m.regions else v.regions end,
                                                 stroke.x::integer, stroke.y::integer), false)
                      and (coalesce(v.intent_state, m.intent_state) = 'open'
                           and coalesce(v.intent_expires_at, m.intent_expires_at) > stroke.placed_at
                           or exists (select from event e
                                      where e.id = m.id and e.kind = 'intent' and e.seq > stroke.seq)
                           or exists (select from shadow_event e where e.agent = $5 and e.message_id = m.id
                                      and e.kind = 'intent' and e.after_seq >= stroke.seq)) as by_place
               offset 0
           ) named
           where stroke.seq = $1 and m.type = 'intent' and not m.hidden and m.seq > $2 and m.seq <= $3
             and (named.by_plan or named.by_place)
           order by named.by_plan desc, named.by_place desc, abs(m.seq - stroke.seq) limit 1"#,
        placement,
        opening,
        last,
        plan,
        reader
    )
    .fetch_optional(pool)
    .await
}

/// Returns the number of the message in which a placement's painter names a plan, the nearest in time to it.
pub(super) async fn painters_message(
    pool: &PgPool,
    placement: i64,
    (opening, last): (i64, i64),
    plan: i64,
) -> Result<Option<i64>> {
    sqlx::query_scalar!(
        r#"select m.seq as "seq!"
           from placement stroke join chat_message m on m.agent = stroke.agent
           where stroke.seq = $1 and m.type = 'message' and m.plan = $4 and not m.hidden and m.seq > $2 and m.seq <= $3
           order by greatest(m.sent_at - stroke.placed_at, stroke.placed_at - m.sent_at), m.seq limit 1"#,
        placement,
        opening,
        last,
        plan
    )
    .fetch_optional(pool)
    .await
}

/// Returns the id of the shadow message of a placement's painter that explains it, of this type, by the same rules as
/// public ones.
pub(super) async fn painters_shadow_message(
    pool: &PgPool,
    placement: i64,
    (first, last): (i64, i64),
    plan: Option<i64>,
    kind: &str,
) -> Result<Option<String>> {
    sqlx::query_scalar!(
        r#"select s.id
           from placement stroke
           join shadow_message s on s.agent = stroke.agent
           cross join lateral (
               select coalesce(s.plan = $4, false) as by_plan,
                      s.type = 'intent' and s.after_seq < stroke.seq
                      and coalesce(regions_cover(s.regions, stroke.x::integer, stroke.y::integer), false)
                      and (s.intent_state = 'open' and s.intent_expires_at > stroke.placed_at
                           or exists (select from shadow_event e where e.agent = s.agent and e.message_id = s.id
                                      and e.kind = 'intent' and e.after_seq >= stroke.seq)) as by_place
               offset 0
           ) named
           where stroke.seq = $1 and s.type = $5 and s.released is null and s.deleted_at is null
             and s.after_seq >= $2 and s.after_seq <= $3 and (named.by_plan or named.by_place)
           order by named.by_plan desc, named.by_place desc,
                    greatest(s.sent_at - stroke.placed_at, stroke.placed_at - s.sent_at), s.no limit 1"#,
        placement,
        first,
        last,
        plan,
        kind
    )
    .fetch_optional(pool)
    .await
}

/// Returns the numbers of the newest intents that cover a pixel, among the newest two thousand of a season.
/// On a busy canvas these are enough, and all older ones need not be sorted.
pub(super) async fn newest_intents_at(
    pool: &PgPool,
    (opening, last): (i64, i64),
    point: Point,
    limit: i64,
) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"with newest as materialized (
               select seq, regions from chat_message
               where type = 'intent' and seq > $1 and seq <= $5 order by seq desc limit 2000
           )
           select seq from newest where regions_cover(regions, $2, $3)
           order by seq desc limit $4"#,
        opening,
        i32::from(point.x),
        i32::from(point.y),
        limit,
        last
    )
    .fetch_all(pool)
    .await
}

/// Returns the numbers of the newest intents that cover a pixel, among all of a season.
pub(super) async fn intents_at(
    pool: &PgPool,
    (opening, last): (i64, i64),
    point: Point,
    limit: i64,
) -> Result<Vec<i64>> {
    // Intents are found by area first and then sorted. By number first, a pixel without intents would cost a
    // look at every one.
    sqlx::query_scalar!(
        r#"with covering as materialized (
               select seq from chat_message
               where type = 'intent' and regions_cover(regions, $2, $3)
                 and regions_bounds(regions) @> box(point($2, $3), point($2, $3))
           )
           select seq from covering where seq > $1 and seq <= $5 order by seq desc limit $4"#,
        opening,
        i32::from(point.x),
        i32::from(point.y),
        limit,
        last
    )
    .fetch_all(pool)
    .await
}

/// Returns the numbers of the oldest visible messages after one, without those of one author and without
/// single ones that were read.
pub(super) async fn unread_after(
    pool: &PgPool,
    excluded_author: i64,
    (cursor, read): (i64, &[i64]),
    limit: i64,
) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select seq from chat_message
           where seq > $2 and not hidden and agent is distinct from $1 and seq <> all($3)
           order by seq limit $4"#,
        excluded_author,
        cursor,
        read,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Counts these messages, up to `max_count`.
pub(super) async fn count_unread_after(
    pool: &PgPool,
    excluded_author: i64,
    (cursor, read): (i64, &[i64]),
    max_count: i64,
) -> Result<i64> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from chat_message
               where seq > $2 and not hidden and agent is distinct from $1 and seq <> all($3)
               order by seq limit $4
           ) as unread"#,
        excluded_author,
        cursor,
        read,
        max_count
    )
    .fetch_one(pool)
    .await
}

/// Returns the position of a message among intents, even if it was hidden or its text deleted; `None` if there
/// is no such message.
pub(super) async fn find_intent_cursor(pool: &PgPool, id: &MessageId) -> Result<Option<IntentRow>> {
    sqlx::query_as!(
        IntentRow,
        r#"select e.id, e.seq, m.regions as "regions?" from event e left join chat_message m on m.id = e.id
           where e.kind = 'chat' and e.id = $1"#,
        id.as_str()
    )
    .fetch_optional(pool)
    .await
}

/// Returns the newest intents between two events, both excluded, newest first: all of them, or those that are
/// live at `live_at`.
pub(super) async fn intent_rows(
    pool: &PgPool,
    (after, before): (i64, i64),
    live_at: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<IntentRow>> {
    sqlx::query_as!(
        IntentRow,
        r#"select id, seq, regions from chat_message
           where type = 'intent' and seq > $1 and seq < $2 and not hidden
             and ($3::timestamptz is null or intent_state = 'open' and intent_expires_at > $3)
           order by seq desc limit $4"#,
        after,
        before,
        live_at,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Returns the numbers of the newest visible messages that name the plan with this number, newest first.
pub(super) async fn plan_message_seqs(pool: &PgPool, plan: i64, limit: i64) -> Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select seq from chat_message where plan = $1 and not hidden order by seq desc limit $2",
        plan,
        limit
    )
    .fetch_all(pool)
    .await
}
