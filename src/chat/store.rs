//! The chat's SQL: where a message stands in the log. Texts are read with the log's own events.

use sqlx::PgPool;

use crate::rules::grid::Point;
use crate::rules::ids::MessageId;

/// The number of a message, even when its text is gone.
pub(super) async fn seq_of(pool: &PgPool, id: &MessageId) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!("select seq from event where kind = 'chat' and id = $1", id.as_str())
        .fetch_optional(pool)
        .await
}

/// The numbers of what a stroke's painter said last before it and first after it in the season, the nearer in time first.
pub(super) async fn words_near(pool: &PgPool, season: i64, stroke: i64) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select near.seq as "seq!"
           from placement stroke
           cross join lateral (
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > $1 and m.seq < stroke.seq order by m.seq desc limit 1)
               union all
               (select m.seq, m.sent_at from chat_message m
                where m.agent = stroke.agent and m.seq > stroke.seq order by m.seq limit 1)
           ) near
           where stroke.seq = $2
           order by greatest(near.sent_at - stroke.placed_at, stroke.placed_at - near.sent_at), near.seq"#,
        season,
        stroke
    )
    .fetch_all(pool)
    .await
}

/// The numbers of the newest plans that cover a pixel, as far as the newest two thousand of a season tell. On a busy
/// canvas they do, and the many that covered the same pixel before need not be sorted.
pub(super) async fn newest_plans(
    pool: &PgPool,
    season: i64,
    point: Point,
    limit: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with newest as materialized (
               select seq, region from chat_message where type = 'intent' and seq > $1 order by seq desc limit 2000
           )
           select seq from newest
           where $2 between region[1] and region[3] and $3 between region[2] and region[4]
           order by seq desc limit $4"#,
        season,
        i32::from(point.x),
        i32::from(point.y),
        limit
    )
    .fetch_all(pool)
    .await
}

/// The numbers of the newest plans that cover a pixel, of all in a season.
pub(super) async fn plans(
    pool: &PgPool,
    season: i64,
    point: Point,
    limit: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    // Found by place before they are put in order: by number, a pixel that no plan covers would take a look at all.
    sqlx::query_scalar!(
        r#"with covering as materialized (
               select seq from chat_message
               where type = 'intent' and box(point(region[1], region[2]), point(region[3], region[4]))
                     @> box(point($2::float8, $3::float8), point($2::float8, $3::float8))
           )
           select seq from covering where seq > $1 order by seq desc limit $4"#,
        season,
        f64::from(point.x),
        f64::from(point.y),
        limit
    )
    .fetch_all(pool)
    .await
}
