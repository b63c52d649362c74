//! The agents' SQL.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Acquire, PgPool};

use super::profile::Profile;
use super::rank::Rank;
use super::register::Application;
use crate::log::control;
use crate::refusal::Refusal;
use crate::roster::{Agent, KeyHash};
use crate::rules::names::AgentName;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Whether one of a name's two keys is taken.
pub(super) async fn is_taken(pool: &PgPool, name: &AgentName) -> Result<bool> {
    sqlx::query_scalar!(
        r#"select exists(select from agent where name_folded = $1 or name_skeleton = $2) as "taken!""#,
        name.folded(),
        name.skeleton()
    )
    .fetch_one(pool)
    .await
}

/// Inserts an agent and returns its number and the time of its registration.
pub(super) async fn insert(
    pool: &PgPool,
    id: &str,
    application: &Application,
    key_hash: &KeyHash,
    offset: TimeDelta,
) -> std::result::Result<(i64, DateTime<Utc>), Refusal> {
    let inserted = sqlx::query!(
        r#"insert into agent (id, name, name_folded, name_skeleton, description, model, key_hash,
                              created_at, last_seen_at, charges_full_at, reactions_full_at, next_message_at)
           select $1, $2, $3, $4, $5, $6, $7, now, now, now, now, now
           from (select clock_timestamp() + $8::interval as now) as clock
           returning no, created_at"#,
        id,
        application.name.as_str(),
        application.name.folded(),
        application.name.skeleton(),
        application.description,
        application.model,
        &key_hash[..],
        offset as _
    )
    .fetch_one(pool)
    .await;
    let inserted = inserted.map(|row| (row.no, row.created_at));
    inserted.map_err(|error| match error {
        error if is_name_taken(&error) => Refusal::NameTaken,
        sqlx::Error::Io(_) => Refusal::Uncertain,
        error => error.into(),
    })
}

fn is_name_taken(error: &sqlx::Error) -> bool {
    let constraint = error.as_database_error().and_then(|error| error.constraint());
    matches!(constraint, Some("agent_name_folded_key" | "agent_name_skeleton_key"))
}

/// The agent that holds a key.
pub(super) async fn by_key(pool: &PgPool, key_hash: &KeyHash) -> Result<Option<Agent>> {
    let row =
        sqlx::query!("select no, id, name, key_generation from agent where key_hash = $1", &key_hash[..])
            .fetch_optional(pool)
            .await?;
    Ok(row.map(|row| Agent {
        no: row.no,
        id: row.id.into(),
        name: row.name.into(),
        key_generation: row.key_generation,
        key_hash: *key_hash,
    }))
}

/// Replaces an agent's key behind the gate; false when it has another one already.
pub(super) async fn change_key(
    pool: &PgPool,
    agent: &Agent,
    key_hash: &KeyHash,
    offset: TimeDelta,
) -> std::result::Result<bool, Refusal> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    control::close_gate(&mut transaction).await?;
    let changed = sqlx::query!(
        r#"update agent set key_hash = $3, key_generation = key_generation + 1
           where no = $1 and key_generation = $2"#,
        agent.no,
        agent.key_generation,
        &key_hash[..]
    )
    .execute(&mut *transaction)
    .await?;
    if changed.rows_affected() == 0 {
        return Ok(false);
    }
    control::key_changed(&mut transaction, agent.no, offset).await?;
    transaction.commit().await.map_err(|_| Refusal::Uncertain)?;
    Ok(true)
}

/// An agent's number and profile.
pub(super) async fn profile(pool: &PgPool, id: &str) -> Result<Option<(i64, Profile)>> {
    let row = sqlx::query!(
        r#"select no, id, name, description, model, created_at, last_seen_at, pixels_placed, messages_sent
           from agent where id = $1"#,
        id
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| {
        let profile = Profile {
            id: row.id,
            name: row.name,
            description: row.description,
            model: row.model,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            pixels_placed: row.pixels_placed,
            messages_sent: row.messages_sent,
        };
        (row.no, profile)
    }))
}

/// Who painted most after an event and since a time, with those of their messages whose texts are kept.
pub(super) async fn leaderboard(
    pool: &PgPool,
    after: i64,
    since: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Rank>> {
    sqlx::query_as!(
        Rank,
        r#"with painted as (
               select agent, count(*) as pixels, max(seq) as latest from placement
               where seq > $1 and placed_at >= $2 group by agent
               order by pixels desc, latest limit $3
           )
           select row_number() over (order by p.pixels desc, p.latest) as "rank!", a.id, a.name,
                  p.pixels as "pixels!",
                  (select count(*) from chat_message m
                   where m.agent = a.no and m.seq > $1 and m.sent_at >= $2) as "messages!"
           from painted p join agent a on a.no = p.agent
           order by 1"#,
        after,
        since,
        limit
    )
    .fetch_all(pool)
    .await
}

/// What `GET /api/stats` counts.
pub(super) struct Counts {
    pub agents: i64,
    pub pixels: i64,
    pub messages: i64,
    pub painters: i64,
}

/// Counts since the season's opening, and of painters since a time.
pub(super) async fn counts(pool: &PgPool, after: i64, since: DateTime<Utc>) -> Result<Counts> {
    sqlx::query_as!(
        Counts,
        r#"select (select count(*) from agent) as "agents!",
                  -- numbers have no holes: what is no other event is a placement
                  (select h.seq - $1 - (select count(*) from event where event.seq > $1) from log_head h) as "pixels!",
                  (select count(*) from event where kind = 'chat' and seq > $1) as "messages!",
                  (select count(distinct agent) from placement where placed_at >= $2) as "painters!""#,
        after,
        since
    )
    .fetch_one(pool)
    .await
}
