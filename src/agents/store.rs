//! The SQL of agents.

mod accounts;
pub(super) mod allowance;
pub(super) mod extra_keys;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::rollback::OPERATOR_AGENT_NUMBER;
use sqlx::{PgConnection, PgPool};

use super::active::ActiveAgent;
use super::{AgentActivity, AgentRegistration, LeaderboardEntry, Profile};
use crate::database;
use crate::log::key_cache::KeyHash;
use crate::refusal::Refusal;
use crate::state::AppState;
pub(super) use accounts::{change_key, find_by_id, find_by_key, find_contact_policy, find_id};

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// The number of an agent's placements in a part of the log.
pub(super) struct PlacementCountRow {
    /// The agent's number.
    pub agent: i64,
    /// The number of placements.
    pub pixels: i64,
    /// The sequence number of the newest placement.
    pub latest: i64,
}

/// The number of an agent's messages in a part of the log.
pub(super) struct MessageCountRow {
    /// The agent's number.
    pub agent: i64,
    /// The number of messages.
    pub messages: i64,
    /// The sequence number of the newest message.
    pub latest: i64,
}

/// Returns true if a name is taken. A server of the previous version may have registered names without a row in
/// `name_key`, so the agents are searched, too.
pub(super) async fn is_taken(pool: &PgPool, name: &AgentName) -> Result<bool> {
    let keys = name.keys();
    sqlx::query_scalar!(
        r#"select exists (select from name_key where folded = $1 or skeleton = $2)
               or exists (select from agent where name_folded = $3 or name_skeleton = $4) as "taken!""#,
        keys.folded,
        keys.skeleton,
        name.folded(),
        name.skeleton()
    )
    .fetch_one(pool)
    .await
}

/// Inserts an agent and returns its number and registration time. Its read cursor is 50 messages before the
/// newest.
pub(super) async fn insert(
    state: &AppState,
    id: &str,
    registration: &AgentRegistration,
    key_hash: &KeyHash,
) -> Result<(i64, DateTime<Utc>), Refusal> {
    let network = state.hash_network(registration.address);
    let keys = registration.name.keys();
    let inserted = sqlx::query!(
        r#"with new as (
               insert into agent (id, name, name_folded, name_skeleton, description, model, key_hash,
                                  registered_from, registered_network, created_at, last_seen_at, charges_full_at, reactions_full_at,
                                  next_message_at)
               select $1, $2, $3, $4, $5, $6, $7, $9, $10, now, now, now, now, now
               from (select clock_timestamp() + $8::interval as now) as clock
               returning no, created_at
           ), keys as (
               insert into name_key (agent, folded, skeleton) select no, $11, $12 from new
           ), cursor as (
               insert into chat_cursor (agent, seq)
               select no, coalesce((select seq from chat_message where not hidden order by seq desc offset 50 limit 1), 0)
               from new
           )
           select no, created_at from new"#,
        id,
        registration.name.as_str(),
        registration.name.folded(),
        registration.name.skeleton(),
        registration.description,
        registration.model,
        &key_hash[..],
        state.clock.offset() as _,
        &state.hash_address(registration.address)[..],
        network.as_ref().map(|hash| &hash[..]),
        keys.folded,
        keys.skeleton
    )
    .fetch_one(&state.pool)
    .await;
    let inserted = inserted.map(|row| (row.no, row.created_at));
    inserted.map_err(|error| match error {
        sqlx::Error::Io(_) => database::uncertain_commit(&error),
        error => error.into(),
    })
}

/// Renames an account. Returns false if the name is taken. Only viewers' names can be fixed.
pub(super) async fn rename(
    connection: &mut PgConnection,
    no: i64,
    name: &AgentName,
    is_fixed: bool,
) -> Result<bool> {
    let keys = name.keys();
    let renamed = sqlx::query!(
        r#"with keys as (
               insert into name_key (agent, folded, skeleton) select $1, $5, $6
               where not exists (select from name_key where agent <> $1 and (folded = $5 or skeleton = $6))
               on conflict (agent) do update set folded = $5, skeleton = $6, older = 0
               returning agent
           )
           update agent set name = $2, name_folded = $3, name_skeleton = $4, name_fixed = $7 and kind = 'viewer'
           from keys where no = keys.agent"#,
        no,
        name.as_str(),
        name.folded(),
        name.skeleton(),
        keys.folded,
        keys.skeleton,
        is_fixed
    )
    .execute(connection)
    .await?;
    Ok(renamed.rows_affected() > 0)
}

/// Returns the numbers of the agents and viewers with these folded names.
pub(super) async fn find_numbers_by_name(pool: &PgPool, names: &[String]) -> Result<HashMap<String, i64>> {
    let rows = sqlx::query!(
        "select name_folded, no from agent where name_folded = any($1) and kind <> 'operator'",
        names
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name_folded, row.no)).collect())
}

/// Returns the profile of the account with this id, or `None` if there is none.
pub(super) async fn find_profile(pool: &PgPool, id: &str) -> Result<Option<Profile>> {
    sqlx::query_as!(
        Profile,
        r#"select no, id, name, description, model, created_at, last_seen_at, pixels_placed,
                  messages_sent - (select count(*) from shadow_message s where s.agent = agent.no and s.released is null)
                      as "messages_sent!"
           from agent where id = $1"#,
        id
    )
    .fetch_optional(pool)
    .await
}

/// Returns the agents that acted at or after `since`, the last one to act first, after those up to `before`.
/// Agents that are banned at `now` are left out.
pub(super) async fn list_active(
    pool: &PgPool,
    now: DateTime<Utc>,
    since: Option<DateTime<Utc>>,
    before: Option<(DateTime<Utc>, &str)>,
    limit: i64,
) -> Result<Vec<ActiveAgent>> {
    let (before_time, before_id) = before.unzip();
    sqlx::query_as!(
        ActiveAgent,
        r#"select id, name, last_seen_at, pixels_placed from agent
           where kind = 'agent' and (banned_until is null or banned_until <= $1)
             and ($2::timestamptz is null or last_seen_at >= $2)
             and ($3::timestamptz is null or (last_seen_at, id) < ($3, $4::text))
           order by last_seen_at desc, id desc limit $5"#,
        now,
        since,
        before_time,
        before_id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// Returns the number of placements per agent after one event up to another. Those of the operator, which
/// restore the canvas in a rollback, are left out.
pub(super) async fn count_placements(
    pool: &PgPool,
    after: i64,
    up_to: i64,
) -> Result<Vec<PlacementCountRow>> {
    sqlx::query_as!(
        PlacementCountRow,
        r#"select agent, count(*) as "pixels!", max(seq) as "latest!" from placement
           where seq > $1 and seq <= $2 and agent <> $3 group by agent"#,
        after,
        up_to,
        OPERATOR_AGENT_NUMBER
    )
    .fetch_all(pool)
    .await
}

/// Returns the number of messages per agent after one event up to another, by the log: texts that were deleted
/// since then are counted. Viewers and operators are not ranked.
pub(super) async fn count_messages(pool: &PgPool, after: i64, up_to: i64) -> Result<Vec<MessageCountRow>> {
    sqlx::query_as!(
        MessageCountRow,
        r#"select said.agent as "agent!", said.messages as "messages!", said.latest as "latest!"
           from (select agent, count(*) as messages, max(seq) as latest from event
                 where seq > $1 and seq <= $2 and kind = 'chat' and agent is not null group by agent) as said
           join agent on agent.no = said.agent where agent.kind = 'agent'"#,
        after,
        up_to
    )
    .fetch_all(pool)
    .await
}

/// Returns the last event of a range up to which all placements are older than a time. This is a binary
/// search, because times never decrease along the log and an index on times would be maintained for this
/// query alone.
pub(super) async fn last_placed_before(
    pool: &PgPool,
    after: i64,
    up_to: i64,
    time: DateTime<Utc>,
) -> Result<i64> {
    let found = sqlx::query_scalar!(
        r#"with recursive search (low, high) as (
               select $1::bigint, $2::bigint
               union all
               select case when p.placed_at >= $3 then low else middle end,
                      case when p.placed_at >= $3 then p.seq - 1 else high end
               from search
               cross join lateral (select (low + high + 1) / 2 as middle) half
               left join lateral (
                   select seq, placed_at from placement where seq > low and seq <= middle order by seq desc limit 1
               ) p on true
               where low < high
           )
           select low as "low!" from search where low >= high limit 1"#,
        after,
        up_to,
        time
    );
    Ok(found.fetch_optional(pool).await?.unwrap_or(after))
}

/// Returns the leaderboard entries of these agents, in the same order.
pub(super) async fn leaderboard_entries(
    pool: &PgPool,
    ranking: &[(i64, AgentActivity)],
) -> Result<Vec<LeaderboardEntry>> {
    let numbers: Vec<i64> = ranking.iter().map(|(agent, _)| *agent).collect();
    let rows = sqlx::query!(
        r#"select b.rank as "rank!", a.id, a.name
           from unnest($1::bigint[]) with ordinality as b (no, rank) join agent a on a.no = b.no order by b.rank"#,
        &numbers
    );
    let rows = rows.fetch_all(pool).await?.into_iter().zip(ranking);
    let entries = rows.map(|(row, (_, activity))| {
        let AgentActivity { pixels, messages, .. } = *activity;
        LeaderboardEntry { rank: row.rank, id: row.id, name: row.name, pixels, messages }
    });
    Ok(entries.collect())
}

/// Numbers of events that are not placements.
#[derive(Default)]
pub(super) struct OtherEventCounts {
    /// The number of messages.
    pub chat: i64,
    /// The number of all events that are not placements.
    pub all: i64,
}

/// Counts the events that are not placements after one event up to another.
pub(super) async fn count_other_events(pool: &PgPool, after: i64, up_to: i64) -> Result<OtherEventCounts> {
    sqlx::query_as!(
        OtherEventCounts,
        r#"select count(*) filter (where kind = 'chat') as "chat!", count(*) as "all!"
           from event where seq > $1 and seq <= $2"#,
        after,
        up_to
    )
    .fetch_one(pool)
    .await
}

/// Returns the number of agents.
pub(super) async fn count_agents(pool: &PgPool) -> Result<i64> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from agent where kind = 'agent'"#)
        .fetch_one(pool)
        .await
}
