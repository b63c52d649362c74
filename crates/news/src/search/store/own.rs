//! The SQL of the search in what only the caller sees, because it is or was shadow-banned.

use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::{FoundRow, MAX_RANKED, Result, SearchScope};
use crate::search::SearchKind;

/// Returns the results of a kind that this account, the caller, sees and nobody else.
pub(super) async fn find_own(
    connection: &mut PgConnection,
    kind: SearchKind,
    scope: &SearchScope,
    caller: AccountNo,
) -> Result<Vec<FoundRow>> {
    match kind {
        SearchKind::Chat => find_shadow_messages(connection, scope, caller).await,
        SearchKind::Agents | SearchKind::Plans | SearchKind::Crews | SearchKind::Seasons => Ok(Vec::new()),
    }
}

/// Returns shadow messages of the caller, which have no number. Only the newest matches are ranked.
async fn find_shadow_messages(
    connection: &mut PgConnection,
    scope: &SearchScope,
    caller: AccountNo,
) -> Result<Vec<FoundRow>> {
    sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x, y from (
               select id, text, at, (regions[1] + regions[3]) / 2 as x, (regions[2] + regions[4]) / 2 as y,
                      search_score(words, to_tsquery('simple', $1), to_tsquery('simple', $2), at,
                          case when $7::float8 is null then 0
                               else coalesce(point($7, $8::float8) <-> regions_bounds(regions), 8192)
                          end) as score
               from (
                   select id, content as text, search_words(content) as words, sent_at as at, regions
                   from shadow_message
                   where agent = $3 and released is null and deleted_at is null
                     and search_words(content) @@ to_tsquery('simple', $1)
                     and ($4::bigint is null or agent = $4)
                     and ($5::timestamptz is null or sent_at >= $5)
                     and ($6::timestamptz is null or sent_at <= $6)
                   order by sent_at desc limit $12
               ) as message
           ) as found
           where $9::float8 is null or score < $9 or score = $9 and id collate "C" < $10::text
           order by score desc, id collate "C" desc limit $11"#,
        scope.wanted,
        scope.exact,
        caller as _,
        scope.author as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.near.1,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED
    )
    .fetch_all(connection)
    .await
}
