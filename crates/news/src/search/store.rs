//! The SQL of searches.

mod crews;
mod messages;
mod own;

use std::time::Duration;

use chrono::{DateTime, Utc};
use platform::clock;
use rules::numbers::{AccountNo, Seq};
use sqlx::{Acquire as _, PgConnection, PgPool, Result};

use super::SearchKind;

/// The code of a statement that PostgreSQL has cancelled.
const QUERY_CANCELED: &str = "57014";

/// The number of matches of each kind that are ranked: the newest. Ranking all messages with a common word
/// would take seconds.
const MAX_RANKED: i64 = 1_000;

/// The conditions of a search, as the statements take them.
pub(super) struct SearchScope {
    /// The query, and the one that matches only whole words.
    pub wanted: String,
    pub exact: String,
    /// The words that results have, whole or as the start of a word, with spaces between them.
    pub words: String,
    /// The number of the account that searches.
    pub caller: Option<AccountNo>,
    /// The same number if the account may see more than everyone else, or otherwise; else `None`.
    pub own_view: Option<AccountNo>,
    /// The number of the author.
    pub author: Option<AccountNo>,
    /// The numbers of events from the first up to the second. What has no number is compared by its time
    /// alone.
    pub seqs: (Seq, Seq),
    /// The times from the first up to the second, which are those of the events if numbers were requested.
    pub times: (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    pub near: (Option<f64>, Option<f64>),
    /// The score and the id of the result before the page.
    pub before: (Option<f64>, Option<String>),
    /// The opening event of the current season.
    pub season: Seq,
    pub now: DateTime<Utc>,
    pub limit: i64,
}

impl SearchScope {
    /// Returns the end of the period if it was requested as a time; `None` if it is the number of an event. A
    /// shadow message is sent later than the event whose number it has.
    fn requested_end_time(&self) -> Option<DateTime<Utc>> {
        self.times.1.filter(|_| self.seqs.1 == Seq::MAX)
    }
}

/// A row of a result.
pub(super) struct FoundRow {
    pub id: String,
    pub text: String,
    pub at: DateTime<Utc>,
    pub score: f64,
    pub x: Option<i32>,
    pub y: Option<i32>,
}

/// A result of a kind.
pub(super) struct FoundResult {
    pub kind: SearchKind,
    pub row: FoundRow,
    /// The crew of a private message.
    pub crew_id: Option<String>,
    /// The thread of that crew in which the message stands.
    pub thread_id: Option<String>,
    /// The conversation of a private message.
    pub conversation_id: Option<String>,
}

impl FoundResult {
    /// Returns a result that stands in no crew and in no conversation.
    fn without_channel(kind: SearchKind, row: FoundRow) -> Self {
        Self { kind, row, crew_id: None, thread_id: None, conversation_id: None }
    }
}

/// Returns the results of each kind with the highest scores. All statements together may take `time_limit`.
pub(super) async fn find(
    pool: &PgPool,
    kinds: &[SearchKind],
    scope: &SearchScope,
    time_limit: Duration,
) -> Result<Vec<FoundResult>> {
    let started_at = clock::monotonic_now();
    let mut connection = pool.acquire().await?;
    // The settings end with the transaction, which is rolled back.
    let mut transaction = connection.begin().await?;
    let mut found = Vec::new();
    for kind in kinds {
        set_limits(&mut transaction, time_limit.saturating_sub(started_at.elapsed())).await?;
        found.extend(find_kind(&mut transaction, *kind, scope).await?);
        if let Some(account) = scope.own_view {
            set_limits(&mut transaction, time_limit.saturating_sub(started_at.elapsed())).await?;
            let own = own::find_own(&mut transaction, *kind, scope, account).await?;
            found.extend(own.into_iter().map(|row| FoundResult::without_channel(*kind, row)));
        }
    }
    Ok(found)
}

/// Returns the results of a kind, without those that only the caller sees because it is or was shadow-banned.
async fn find_kind(
    connection: &mut PgConnection,
    kind: SearchKind,
    scope: &SearchScope,
) -> Result<Vec<FoundResult>> {
    let rows = match kind {
        SearchKind::Chat => find_messages(connection, scope).await?,
        SearchKind::Messages => return messages::find_private_messages(connection, scope).await,
        SearchKind::Agents => find_agents(connection, scope).await?,
        SearchKind::Plans => find_plans(connection, scope).await?,
        SearchKind::Crews => crews::find_crews(connection, scope).await?,
        SearchKind::Seasons => find_seasons(connection, scope).await?,
    };
    Ok(rows.into_iter().map(|row| FoundResult::without_channel(kind, row)).collect())
}

/// Limits the time of each following statement of a transaction.
async fn set_limits(connection: &mut PgConnection, remaining: Duration) -> Result<()> {
    // To PostgreSQL, 0 is no limit.
    let milliseconds = remaining.as_millis().max(1).to_string();
    // A plan for any query would not know how rare the words are.
    let statement = sqlx::query!(
        r#"select set_config('statement_timeout', $1, true) as "timeout",
                  set_config('plan_cache_mode', 'force_custom_plan', true) as "mode""#,
        milliseconds
    );
    statement.fetch_one(connection).await.map(|_| ())
}

/// Returns true if PostgreSQL has cancelled a statement because it took too long.
pub(super) fn is_timeout(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == QUERY_CANCELED)
}

/// Returns the time of an event, or `None` if there is no such event.
pub(super) async fn event_time(pool: &PgPool, seq: Seq) -> Result<Option<DateTime<Utc>>> {
    let statement = sqlx::query_scalar!(
        r#"select coalesce((select placed_at from placement where seq = $1),
                           (select at from event where seq = $1))"#,
        seq as _
    );
    statement.fetch_one(pool).await
}

/// Returns public messages. The caller's own hidden messages are found, too; those of which it sees another
/// text are left out. Only the newest matches are ranked.
async fn find_messages(connection: &mut PgConnection, scope: &SearchScope) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x, y from (
               select id, text, at, (regions[1] + regions[3]) / 2 as x, (regions[2] + regions[4]) / 2 as y,
                      search_score(words, to_tsquery('simple', $1), to_tsquery('simple', $2), at,
                          case when $9::float8 is null then 0
                               else coalesce(point($9, $10::float8) <-> regions_bounds(regions), 8192)
                          end) as score
               from (
                   select m.id, m.content as text, m.words, m.sent_at as at,
                          case when own.message_id is null then m.regions else own.regions end as regions
                   from chat_message m
                       left join shadow_intent own on own.message_id = m.id and own.agent = $3
                   where (not m.hidden or m.deleted_at is null and m.agent = $3)
                     and m.words @@ to_tsquery('simple', $1) and ($4::bigint is null or m.agent = $4)
                     and m.seq between $5 and $6 and ($7::timestamptz is null or m.sent_at >= $7)
                     and ($8::timestamptz is null or m.sent_at <= $8)
                     and not exists (select from shadow_text t where t.message_id = m.id and t.agent = $3)
                   order by m.seq desc limit $14
               ) as message
           ) as found
           where $11::float8 is null or score < $11 or score = $11 and id collate "C" < $12::text
           order by score desc, id collate "C" desc limit $13"#,
        scope.wanted,
        scope.exact,
        scope.caller as _,
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

/// Returns agents that are neither banned nor erased, and do not wait for an approval. A shadow-banned agent is
/// one of them.
async fn find_agents(connection: &mut PgConnection, scope: &SearchScope) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x as "x?", y as "y?" from (
               select a.id, a.name || coalesce(E'\n' || a.description, '') as text, a.created_at as at,
                      search_score(search_words(a.name || coalesce(E'\n' || a.description, '')),
                          to_tsquery('simple', $1), to_tsquery('simple', $2), a.created_at,
                          case when $6::float8 is null then 0
                               else coalesce(point($6, $7::float8) <-> point(p.x, p.y), 8192) end) as score,
                      p.x::integer as x, p.y::integer as y
               from (
                   select * from agent
                   where search_words(name || coalesce(E'\n' || description, '')) @@ to_tsquery('simple', $1)
                     and kind = 'agent' and (banned_until is null or banned_until <= $9)
                     and not exists (select from erasure e where e.account = agent.no)
                     and not exists (select from waiting_agent w where w.account = agent.no)
                     and ($3::bigint is null or no = $3)
                     and ($4::timestamptz is null or created_at >= $4)
                     and ($5::timestamptz is null or created_at <= $5)
                   order by created_at desc limit $13
               ) as a left join placement p on p.seq = a.last_placement and p.seq > $8 and not exists (
                   select from placement later where later.x = p.x and later.y = p.y and later.seq > p.seq
               )
           ) as found
           where $10::float8 is null or score < $10 or score = $10 and id collate "C" < $11::text
           order by score desc, id collate "C" desc limit $12"#,
        scope.wanted,
        scope.exact,
        scope.author as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.near.1,
        scope.season as _,
        scope.now,
        scope.before.0,
        scope.before.1,
        scope.limit,
        MAX_RANKED
    );
    statement.fetch_all(connection).await
}

/// Returns plans that are not taken down, of all seasons; those of shadow-banned authors only to themselves,
/// and private ones only to the members of their crews. Those that the caller sees otherwise are left out.
async fn find_plans(connection: &mut PgConnection, scope: &SearchScope) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!", x as "x?", y as "y?" from (
               select p.id, p.title || coalesce(E'\n' || p.note, '') as text, p.created_at as at,
                      search_score(search_words(p.title || coalesce(E'\n' || p.note, '')),
                          to_tsquery('simple', $1), to_tsquery('simple', $2), p.created_at,
                          case when $9::float8 is null then 0
                               else point($9, $10::float8)
                                    <-> box(point(p.x, p.y),
                                            point(p.x + p.width - 1, p.y + p.height - 1)) end) as score,
                      p.x + (p.width - 1) / 2 as x, p.y + (p.height - 1) / 2 as y
               from (
                   select * from plan
                   where search_words(title || coalesce(E'\n' || note, '')) @@ to_tsquery('simple', $1)
                     and not hidden and seen_by(shadow, author, $3)
                     and (not private or is_crew_member(crew, $3))
                     and ($4::bigint is null or author = $4)
                     and (no < 0 or no between $5 and $6)
                     and ($7::timestamptz is null or created_at >= $7)
                     and ($8::timestamptz is null or created_at <= $8)
                     and (ended_at is not null
                          or (shadow_change is null or author is distinct from $3)
                             and not exists (select from shadow_plan_change c
                                             where c.plan = plan.no and c.account = $3
                                               and c.of_version = plan.version))
                   order by created_at desc limit $14
               ) as p
           ) as found
           where $11::float8 is null or score < $11 or score = $11 and id collate "C" < $12::text
           order by score desc, id collate "C" desc limit $13"#,
        scope.wanted,
        scope.exact,
        scope.caller as _,
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

/// Returns seasons, which have no authors and no places.
async fn find_seasons(connection: &mut PgConnection, scope: &SearchScope) -> Result<Vec<FoundRow>> {
    let statement = sqlx::query_as!(
        FoundRow,
        r#"select id as "id!", text as "text!", at as "at!", score as "score!",
                  null::integer as x, null::integer as y from (
               select s.id, s.title as text, s.opened_at as at,
                      search_score(search_words(s.title), to_tsquery('simple', $1),
                          to_tsquery('simple', $2), s.opened_at,
                          case when $8::float8 is null then 0 else 8192 end) as score
               from season s
               where search_words(s.title) @@ to_tsquery('simple', $1) and $3::bigint is null
                 and s.seq between $4 and $5
                 and ($6::timestamptz is null or s.opened_at >= $6)
                 and ($7::timestamptz is null or s.opened_at <= $7)
           ) as found
           where $9::float8 is null or score < $9 or score = $9 and id collate "C" < $10::text
           order by score desc, id collate "C" desc limit $11"#,
        scope.wanted,
        scope.exact,
        scope.author as _,
        scope.seqs.0 as _,
        scope.seqs.1 as _,
        scope.times.0,
        scope.times.1,
        scope.near.0,
        scope.before.0,
        scope.before.1,
        scope.limit
    );
    statement.fetch_all(connection).await
}
