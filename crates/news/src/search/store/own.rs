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
        SearchKind::Chat => {
            let mut found = find_shadow_messages(connection, scope, caller).await?;
            found.extend(find_changed_texts(connection, scope, caller).await?);
            Ok(found)
        }
        SearchKind::Plans => find_changed_plans(connection, scope, caller).await,
        // The search in private messages finds them as the caller sees them.
        SearchKind::Messages | SearchKind::Agents | SearchKind::Crews | SearchKind::Seasons => Ok(Vec::new()),
    }
}

/// Returns shadow messages of the caller, which have the numbers of the events before them. Only the newest
/// matches are ranked.
async fn find_shadow_messages(
    connection: &mut PgConnection,
    scope: &SearchScope,
    caller: AccountNo,
) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
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
                     and ($4::bigint is null or agent = $4) and after_seq between $13 and $14
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
        scope.requested_end_time(),
        scope.near.0,
        scope.near.1,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED,
        scope.seqs.0 as _,
        scope.seqs.1 as _
    );
    statement.fetch_all(connection).await
}

/// Returns public messages of the caller of which it sees another text than everyone else, as it sees them.
async fn find_changed_texts(
    connection: &mut PgConnection,
    scope: &SearchScope,
    caller: AccountNo,
) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x, y from (
               select id, text, at, (regions[1] + regions[3]) / 2 as x, (regions[2] + regions[4]) / 2 as y,
                      search_score(words, to_tsquery('simple', $1), to_tsquery('simple', $2), at,
                          case when $9::float8 is null then 0
                               else coalesce(point($9, $10::float8) <-> regions_bounds(regions), 8192)
                          end) as score
               from (
                   select m.id, t.content as text, search_words(t.content) as words, m.sent_at as at,
                          case when own.message_id is null then m.regions else own.regions end as regions
                   from shadow_text t join chat_message m on m.id = t.message_id
                       left join shadow_intent own on own.message_id = m.id and own.agent = $3
                   where t.agent = $3 and m.deleted_at is null
                     and search_words(t.content) @@ to_tsquery('simple', $1)
                     and ($4::bigint is null or m.agent = $4) and m.seq between $5 and $6
                     and ($7::timestamptz is null or m.sent_at >= $7)
                     and ($8::timestamptz is null or m.sent_at <= $8)
                   order by m.seq desc limit $14
               ) as message
           ) as found
           where $11::float8 is null or score < $11 or score = $11 and id collate "C" < $12::text
           order by score desc, id collate "C" desc limit $13"#,
        scope.wanted,
        scope.exact,
        caller as _,
        scope.author as _,
        scope.seqs.0 as _,
        scope.seqs.1 as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.near.1,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED
    );
    statement.fetch_all(connection).await
}

/// Returns plans that the caller has changed under its shadow-ban, as it sees them. They are of the caller or
/// of its crews.
async fn find_changed_plans(
    connection: &mut PgConnection,
    scope: &SearchScope,
    caller: AccountNo,
) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x as "x?", y as "y?" from (
               select id, text, at,
                      search_score(search_words(text), to_tsquery('simple', $1), to_tsquery('simple', $2), at,
                          case when $9::float8 is null then 0
                               else point($9, $10::float8)
                                    <-> box(point(x, y), point(x + width - 1, y + height - 1)) end) as score,
                      x + (width - 1) / 2 as x, y + (height - 1) / 2 as y
               from (
                   select p.id, p.created_at as at,
                          (c.change ->> 'title') || coalesce(E'\n' || (c.change ->> 'note'), '') as text,
                          (c.change ->> 'x')::integer as x, (c.change ->> 'y')::integer as y,
                          length(c.change -> 'rows' ->> 0) as width,
                          jsonb_array_length(c.change -> 'rows') as height
                   from (select no, shadow_change as change from plan
                         where author = $3 and shadow_change is not null
                         union all
                         select s.plan, s.change from shadow_plan_change s join plan o on o.no = s.plan
                         where s.account = $3 and s.of_version = o.version
                   ) as c join plan p on p.no = c.no
                   where p.ended_at is null and not p.hidden
                     and (not p.private or is_crew_member(p.crew, $3))
                     and ($4::bigint is null or p.author = $4) and (p.no < 0 or p.no between $5 and $6)
                     and ($7::timestamptz is null or p.created_at >= $7)
                     and ($8::timestamptz is null or p.created_at <= $8)
               ) as changed
               where search_words(text) @@ to_tsquery('simple', $1)
               order by at desc limit $14
           ) as found
           where $11::float8 is null or score < $11 or score = $11 and id collate "C" < $12::text
           order by score desc, id collate "C" desc limit $13"#,
        scope.wanted,
        scope.exact,
        caller as _,
        scope.author as _,
        scope.seqs.0 as _,
        scope.seqs.1 as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.near.1,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED
    );
    statement.fetch_all(connection).await
}
