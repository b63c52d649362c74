//! The SQL of the chat. The texts of messages are read by the log's own store.

pub(super) mod check;
pub(super) mod reasons;

use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::ids::MessageId;
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// The numbers of a season's opening event, and of the last event that belongs to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeasonRange {
    pub opening: Seq,
    /// [`Seq::MAX`] while the season runs.
    pub last: Seq,
}

/// An intent before its text is read.
pub(super) struct IntentRow {
    pub id: String,
    /// The number of its event; for a shadow message, that of the event before it.
    pub seq: Seq,
    /// Four numbers per region: x1, y1, x2, y2.
    pub regions: Option<Vec<i32>>,
}

/// Returns the sequence number of a message, even if its text was deleted, or `None` if there is no such
/// message.
pub(super) async fn find_seq(pool: &PgPool, id: &MessageId) -> Result<Option<Seq>> {
    sqlx::query_scalar!(r#"select seq as "seq: Seq" from event where kind = 'chat' and id = $1"#, id.as_str())
        .fetch_optional(pool)
        .await
}

/// Returns the number of the placement that a correction shows again, or of a placement itself; `None` if the
/// correction made the pixel blank.
pub(super) async fn restored_placement(pool: &PgPool, placement: Seq) -> Result<Option<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select case when agent = $2 then restores else seq end as "restored: Seq"
           from placement where seq = $1"#,
        placement as _,
        AccountNo::OPERATOR as _
    );
    Ok(statement.fetch_optional(pool).await?.flatten())
}

/// Returns the numbers of the last message before and the first message after a placement by its agent in the
/// season, the nearer in time first.
pub(super) async fn messages_near_placement(
    pool: &PgPool,
    season: SeasonRange,
    placement: Seq,
) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select near.seq as "seq!: Seq"
           from placement stroke
           cross join lateral (
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > $1 and m.seq < stroke.seq
                order by m.seq desc limit 1)
               union all
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > stroke.seq and m.seq <= $3 order by m.seq limit 1)
           ) near
           where stroke.seq = $2
           order by greatest(near.sent_at - stroke.placed_at, stroke.placed_at - near.sent_at), near.seq"#,
        season.opening as _,
        placement as _,
        season.last as _
    );
    statement.fetch_all(pool).await
}

/// Returns the id of the shadow message of an author in a season that is nearest in time to its
/// placement; `None` if there is none, if the placement is of another agent, or if a message at `other` is
/// nearer.
pub(super) async fn shadow_message_nearer(
    pool: &PgPool,
    author: AccountNo,
    placement: Seq,
    season: SeasonRange,
    other: Option<DateTime<Utc>>,
) -> Result<Option<String>> {
    let statement = sqlx::query_scalar!(
        r#"select s.id from placement stroke join shadow_message s on s.agent = stroke.agent
           where stroke.seq = $2 and stroke.agent = $1 and s.released is null and s.deleted_at is null
             and s.after_seq >= $4 and s.after_seq <= $5
             and ($3::timestamptz is null
                  or greatest(s.sent_at - stroke.placed_at, stroke.placed_at - s.sent_at)
                     < greatest($3 - stroke.placed_at, stroke.placed_at - $3))
           order by greatest(s.sent_at - stroke.placed_at, stroke.placed_at - s.sent_at), s.no limit 1"#,
        author as _,
        placement as _,
        other,
        season.opening as _,
        season.last as _
    );
    statement.fetch_optional(pool).await
}

/// Returns the numbers of the newest intents that cover a pixel, among the newest two thousand of a season.
/// On a busy canvas these are enough, and all older ones need not be sorted.
pub(super) async fn newest_intents_at(
    pool: &PgPool,
    season: SeasonRange,
    point: Point,
    limit: i64,
) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"with newest as materialized (
               select seq, regions from chat_message
               where type = 'intent' and seq > $1 and seq <= $5 order by seq desc limit 2000
           )
           select seq as "seq: Seq" from newest where regions_cover(regions, $2, $3)
           order by seq desc limit $4"#,
        season.opening as _,
        i32::from(point.x),
        i32::from(point.y),
        limit,
        season.last as _
    );
    statement.fetch_all(pool).await
}

/// Returns the numbers of the newest intents that cover a pixel, among all of a season.
pub(super) async fn intents_at(
    pool: &PgPool,
    season: SeasonRange,
    point: Point,
    limit: i64,
) -> Result<Vec<Seq>> {
    // Intents are found by area first and then sorted. By number first, a pixel without intents would cost a
    // look at every one.
    let statement = sqlx::query_scalar!(
        r#"with covering as materialized (
               select seq from chat_message
               where type = 'intent' and regions_cover(regions, $2, $3)
                 and regions_bounds(regions) @> box(point($2, $3), point($2, $3))
           )
           select seq as "seq: Seq" from covering where seq > $1 and seq <= $5 order by seq desc limit $4"#,
        season.opening as _,
        i32::from(point.x),
        i32::from(point.y),
        limit,
        season.last as _
    );
    statement.fetch_all(pool).await
}

/// Returns the numbers of the oldest visible messages after one, without those of one author and without
/// single ones that were read.
pub(super) async fn unread_after(
    pool: &PgPool,
    excluded_author: AccountNo,
    cursor: Seq,
    read: &[Seq],
    limit: i64,
) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select seq as "seq: Seq" from chat_message
           where seq > $2 and not hidden and agent is distinct from $1 and seq <> all($3)
           order by seq limit $4"#,
        excluded_author as _,
        cursor as _,
        read as _,
        limit
    );
    statement.fetch_all(pool).await
}

/// Counts these messages, up to `max_count`.
pub(super) async fn count_unread_after(
    pool: &PgPool,
    excluded_author: AccountNo,
    cursor: Seq,
    read: &[Seq],
    max_count: i64,
) -> Result<i64> {
    let statement = sqlx::query_scalar!(
        r#"select count(*) as "count!" from (
               select from chat_message
               where seq > $2 and not hidden and agent is distinct from $1 and seq <> all($3)
               order by seq limit $4
           ) as unread"#,
        excluded_author as _,
        cursor as _,
        read as _,
        max_count
    );
    statement.fetch_one(pool).await
}

/// Returns the position of a message among intents, even if it was hidden or its text deleted; `None` if
/// there is no such message.
pub(super) async fn find_intent_cursor(pool: &PgPool, id: &MessageId) -> Result<Option<IntentRow>> {
    let statement = sqlx::query_as!(
        IntentRow,
        r#"select e.id, e.seq as "seq: Seq", m.regions as "regions?"
           from event e left join chat_message m on m.id = e.id
           where e.kind = 'chat' and e.id = $1"#,
        id.as_str()
    );
    statement.fetch_optional(pool).await
}

/// Returns the newest intents between two events, both excluded, newest first: all of them, or those that are
/// live at `live_at`.
pub(super) async fn intent_rows(
    pool: &PgPool,
    after: Seq,
    before: Seq,
    live_at: Option<DateTime<Utc>>,
    limit: i64,
) -> Result<Vec<IntentRow>> {
    let statement = sqlx::query_as!(
        IntentRow,
        r#"select id, seq as "seq: Seq", regions from chat_message
           where type = 'intent' and seq > $1 and seq < $2 and not hidden
             and ($3::timestamptz is null or intent_state = 'open' and intent_expires_at > $3)
           order by seq desc limit $4"#,
        after as _,
        before as _,
        live_at,
        limit
    );
    statement.fetch_all(pool).await
}

/// Returns the numbers of the newest visible messages that name the plan with this number, newest first.
pub(super) async fn plan_message_seqs(pool: &PgPool, plan: i64, limit: i64) -> Result<Vec<Seq>> {
    let statement = sqlx::query_scalar!(
        r#"select seq as "seq: Seq" from chat_message
           where plan = $1 and not hidden order by seq desc limit $2"#,
        plan,
        limit
    );
    statement.fetch_all(pool).await
}
