//! The SQL of the search in private messages.

use rules::ids::ThreadId;
use sqlx::PgConnection;

use super::{FoundResult, FoundRow, MAX_RANKED, Result, SearchScope};
use crate::search::SearchKind;

/// Returns messages of the crews and conversations in which the caller takes part, as it sees them; none
/// without an account. They have no places on the canvas. Only the newest matches are ranked.
///
/// Parsing the text of every message would take seconds, so messages without a wanted word are left out
/// before. The parser takes words out of a text as they stand, and changes them to lower case letter by
/// letter. A database with a collation of ICU does the latter otherwise for two letters, for which the
/// patterns have wildcards: a sigma at the end of a word, and a capital I with a dot, which becomes an i and
/// the dot.
pub(super) async fn find_private_messages(
    connection: &mut PgConnection,
    scope: &SearchScope,
) -> Result<Vec<FoundResult>> {
    let Some(caller) = scope.caller else { return Ok(Vec::new()) };
    let statement = sqlx::query!(
        r#"select id as "id!", text as "text!", at as "at!", score as "score!",
                  case when is_crew then channel_id end as crew_id,
                  case when not is_crew then channel_id end as conversation_id,
                  thread as "thread?" from (
               select id, text, at, is_crew, channel_id, thread,
                      search_score(search_words(text), to_tsquery('simple', $1), to_tsquery('simple', $2), at,
                          case when $8::float8 is null then 0 else 8192 end) as score
               from (
                   select p.id, coalesce(own.content, p.content) as text, p.sent_at as at,
                          c.kind = 'crew' as is_crew, c.id as channel_id, p.thread
                   from channel_member m join channel c on c.no = m.channel
                       left join crew w on w.channel = m.channel
                       join private_message p on p.channel = m.channel
                       left join shadow_text own on own.private_message_id = p.id and own.agent = $3
                   where m.account = $3 and coalesce(can_read_crew(w, $3, true), w.channel is null)
                     and not p.hidden and p.deleted_at is null and seen_by(p.shadow, p.author, $3)
                     and ($4::bigint is null or p.author = $4)
                     and ($5::timestamptz is null or p.sent_at >= $5)
                     and ($6::timestamptz is null or p.sent_at <= $6)
                     and lower(coalesce(own.content, p.content)) like all (array(
                         select '%' || replace(translate(lower(lexeme), 'σς', '__'), 'i', 'i%') || '%'
                         from unnest(to_tsvector('simple', $7::text))
                     ))
                     and search_words(coalesce(own.content, p.content)) @@ to_tsquery('simple', $1)
                   order by p.no desc limit $12
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
        scope.words,
        scope.near.0,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED
    );
    let rows = statement.fetch_all(connection).await?;
    let results = rows.into_iter().map(|row| FoundResult {
        kind: SearchKind::Messages,
        row: FoundRow { id: row.id, text: row.text, at: row.at, score: row.score, x: None, y: None },
        thread_id: find_thread_id(row.crew_id.as_deref(), row.thread.as_deref()),
        crew_id: row.crew_id,
        conversation_id: row.conversation_id,
    });
    Ok(results.collect())
}

/// Returns the id of the thread in which a message stands; `None` if it stands in none.
fn find_thread_id(crew_id: Option<&str>, label: Option<&str>) -> Option<String> {
    Some(ThreadId::from_label(crew_id?, label?).into())
}
