//! The SQL of rankings and statistics.

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};
use sqlx::PgPool;

use super::{AgentActivity, LeaderboardEntry};

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// The number of an agent's placements in a part of the log.
pub(super) struct PlacementCountRow {
    /// The agent's number.
    pub agent: AccountNo,
    /// The number of placements.
    pub pixels: i64,
    /// The sequence number of the newest placement.
    pub latest: Seq,
}

/// The number of an agent's messages in a part of the log.
pub(super) struct MessageCountRow {
    /// The agent's number.
    pub agent: AccountNo,
    /// The number of messages.
    pub messages: i64,
    /// The sequence number of the newest message.
    pub latest: Seq,
}

/// Returns the number of placements per agent after one event up to another. Those of the operator, which
/// restore the canvas in a rollback, are left out.
pub(super) async fn count_placements(
    pool: &PgPool,
    after: Seq,
    up_to: Seq,
) -> Result<Vec<PlacementCountRow>> {
    let statement = sqlx::query_as!(
        PlacementCountRow,
        r#"select agent as "agent: AccountNo", count(*) as "pixels!", max(seq) as "latest!: Seq"
           from placement where seq > $1 and seq <= $2 and agent <> $3 group by agent"#,
        after as _,
        up_to as _,
        AccountNo::OPERATOR as _
    );
    statement.fetch_all(pool).await
}

/// Returns the number of messages per agent after one event up to another, by the log: texts that were
/// deleted since then are counted. Viewers and operators are not ranked.
pub(super) async fn count_messages(pool: &PgPool, after: Seq, up_to: Seq) -> Result<Vec<MessageCountRow>> {
    let statement = sqlx::query_as!(
        MessageCountRow,
        r#"select said.agent as "agent!: AccountNo", said.messages as "messages!",
                  said.latest as "latest!: Seq"
           from (select agent, count(*) as messages, max(seq) as latest from event
                 where seq > $1 and seq <= $2 and kind = 'chat' and agent is not null group by agent) as said
           join agent on agent.no = said.agent where agent.kind = 'agent'"#,
        after as _,
        up_to as _
    );
    statement.fetch_all(pool).await
}

/// Returns the last event of a range up to which all placements are older than a time. This is a binary
/// search, because times never decrease along the log and an index on times would be maintained for this
/// query alone.
pub(super) async fn last_placed_before(
    pool: &PgPool,
    after: Seq,
    up_to: Seq,
    time: DateTime<Utc>,
) -> Result<Seq> {
    let statement = sqlx::query_scalar!(
        r#"with recursive search (low, high) as (
               select $1::bigint, $2::bigint
               union all
               select case when p.placed_at >= $3 then low else middle end,
                      case when p.placed_at >= $3 then p.seq - 1 else high end
               from search
               cross join lateral (select (low + high + 1) / 2 as middle) half
               left join lateral (
                   select seq, placed_at from placement where seq > low and seq <= middle
                   order by seq desc limit 1
               ) p on true
               where low < high
           )
           select low as "low!: Seq" from search where low >= high limit 1"#,
        after as _,
        up_to as _,
        time
    );
    Ok(statement.fetch_optional(pool).await?.unwrap_or(after))
}

/// Returns the leaderboard entries of these agents, in the same order.
pub(super) async fn leaderboard_entries(
    pool: &PgPool,
    ranking: &[(AccountNo, AgentActivity)],
) -> Result<Vec<LeaderboardEntry>> {
    let numbers: Vec<AccountNo> = ranking.iter().map(|(agent, _)| *agent).collect();
    let statement = sqlx::query!(
        r#"select b.rank as "rank!", a.id, a.name
           from unnest($1::bigint[]) with ordinality as b (no, rank) join agent a on a.no = b.no
           order by b.rank"#,
        &numbers as _
    );
    let rows = statement.fetch_all(pool).await?.into_iter().zip(ranking);
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
pub(super) async fn count_other_events(pool: &PgPool, after: Seq, up_to: Seq) -> Result<OtherEventCounts> {
    let statement = sqlx::query_as!(
        OtherEventCounts,
        r#"select count(*) filter (where kind = 'chat') as "chat!", count(*) as "all!"
           from event where seq > $1 and seq <= $2"#,
        after as _,
        up_to as _
    );
    statement.fetch_one(pool).await
}

/// Returns the number of agents.
pub(super) async fn count_agents(pool: &PgPool) -> Result<i64> {
    let statement = sqlx::query_scalar!(r#"select count(*) as "count!" from agent where kind = 'agent'"#);
    statement.fetch_one(pool).await
}
