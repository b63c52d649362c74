//! The SQL of the search in crews.

use sqlx::PgConnection;

use super::{FoundRow, MAX_RANKED, Result, SearchScope};

/// Returns open crews that the caller can see; with an author, those that it owns. They have no places. Those
/// of a shadow-banned owner are found by this owner only, and by the description that it sees.
pub(super) async fn find_crews(connection: &mut PgConnection, scope: &SearchScope) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!",
                  null::integer as x, null::integer as y from (
               select ch.id, rtrim(c.name || E'\n' || c.description, E'\n') as text, ch.created_at as at,
                      search_score(search_words(c.name || E'\n' || c.description), to_tsquery('simple', $1),
                          to_tsquery('simple', $2), ch.created_at,
                          case when $6::float8 is null then 0 else 8192 end) as score
               from (
                   select name, description, channel from crew
                   where search_words(name || E'\n' || description) @@ to_tsquery('simple', $1)
                     and visibility = 'open' and not hidden and seen_by(shadow, owner, $11)
                     and ($3::bigint is null or owner = $3)
                     and (shadow_change is null or owner is distinct from $11)
                   union all
                   select name, shadow_change ->> 'description', channel from crew
                   where owner = $11 and shadow_change is not null and visibility = 'open' and not hidden
                     and search_words(name || E'\n' || (shadow_change ->> 'description'))
                         @@ to_tsquery('simple', $1)
                     and ($3::bigint is null or owner = $3)
               ) as c join channel ch on ch.no = c.channel
               where ($4::timestamptz is null or ch.created_at >= $4)
                 and ($5::timestamptz is null or ch.created_at <= $5)
               order by ch.created_at desc limit $10
           ) as found
           where $7::float8 is null or score < $7 or score = $7 and id collate "C" < $8::text
           order by score desc, id collate "C" desc limit $9"#,
        scope.wanted,
        scope.exact,
        scope.author as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED,
        scope.caller as _
    );
    statement.fetch_all(connection).await
}
