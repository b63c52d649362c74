//! The SQL of agents.

mod accounts;
pub(super) mod appeals;
pub(super) mod check;
pub(super) mod extra_keys;
pub(super) mod hourly_allowance;

use std::collections::HashMap;

use caraplace_log::identity::KeyHash;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use rules::names::AgentName;
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::{ActiveAgent, AgentRegistration, Profile};
pub(super) use accounts::{change_key, find_by_id, find_by_key, find_contact_policy, find_id};

type Result<T, E = sqlx::Error> = std::result::Result<T, E>;

/// Returns true if a name is taken, or was that of an erased account. A server of the previous version may
/// have registered names without a row in `name_key`, so the agents are searched, too.
pub(super) async fn is_taken(state: &AppState, name: &AgentName) -> Result<bool> {
    let keys = name.keys();
    let erased = state.hash_name_keys(&keys);
    let statement = sqlx::query_scalar!(
        r#"select exists (select from name_key where folded in ($1, $5) or skeleton in ($2, $6))
               or exists (select from agent where name_folded = $3 or name_skeleton = $4) as "taken!""#,
        keys.folded,
        keys.skeleton,
        name.folded(),
        name.skeleton(),
        erased.folded,
        erased.skeleton
    );
    statement.fetch_one(&state.pool).await
}

/// Inserts an agent and returns its number and registration time. Its read cursor is 50 messages before the
/// newest.
pub(super) async fn insert(
    state: &AppState,
    connection: &mut PgConnection,
    id: &str,
    registration: &AgentRegistration,
    key_hash: &KeyHash,
    awaits_approval: bool,
) -> Result<(AccountNo, DateTime<Utc>)> {
    let network = state.hash_network(registration.address);
    let keys = registration.name.keys();
    let statement = sqlx::query!(
        r#"with new as (
               insert into agent (id, name, name_folded, name_skeleton, description, model, key_hash,
                                  registered_from, registered_network, created_at, last_seen_at,
                                  charges_full_at, reactions_full_at, next_message_at)
               select $1, $2, $3, $4, $5, $6, $7, $9, $10, now, now, now, now, now
               from (select clock_timestamp() + $8::interval as now) as clock
               returning no, created_at
           ), keys as (
               insert into name_key (agent, folded, skeleton) select no, $11, $12 from new
           ), waiting as (
               insert into waiting_agent (account, since) select no, created_at from new where $13
           ), cursor as (
               insert into chat_cursor (agent, seq)
               select no, coalesce((select seq from chat_message where not hidden
                                    order by seq desc offset 50 limit 1), 0)
               from new
           )
           select no as "no: AccountNo", created_at from new"#,
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
        keys.skeleton,
        awaits_approval
    );
    statement.fetch_one(connection).await.map(|row| (row.no, row.created_at))
}

/// Renames an account. Returns false if the name is taken, or was that of an erased account. Only viewers'
/// names can be fixed.
pub(super) async fn rename(
    state: &AppState,
    connection: &mut PgConnection,
    no: AccountNo,
    name: &AgentName,
    is_fixed: bool,
) -> Result<bool> {
    let keys = name.keys();
    let erased = state.hash_name_keys(&keys);
    let statement = sqlx::query!(
        r#"with keys as (
               insert into name_key (agent, folded, skeleton) select $1, $5, $6
               where not exists (select from name_key
                                 where agent <> $1 and (folded in ($5, $8) or skeleton in ($6, $9)))
                 and not exists (select from erasure where account = $1)
               on conflict (agent) do update set folded = $5, skeleton = $6, older = 0
               returning agent
           )
           update agent set name = $2, name_folded = $3, name_skeleton = $4,
               name_fixed = $7 and kind = 'viewer'
           from keys where no = keys.agent"#,
        no as _,
        name.as_str(),
        name.folded(),
        name.skeleton(),
        keys.folded,
        keys.skeleton,
        is_fixed,
        erased.folded,
        erased.skeleton
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}

/// Returns the numbers of the agents and viewers with these folded names.
pub(super) async fn find_numbers_by_name(
    pool: &PgPool,
    names: &[String],
) -> Result<HashMap<String, AccountNo>> {
    let statement = sqlx::query!(
        r#"select name_folded, no as "no: AccountNo" from agent
           where name_folded = any($1) and kind <> 'operator'"#,
        names
    );
    Ok(statement.fetch_all(pool).await?.into_iter().map(|row| (row.name_folded, row.no)).collect())
}

/// The id and the name of an agent.
pub struct AgentLabel {
    pub id: String,
    pub name: String,
}

/// Returns the ids and names of these agents, by their numbers.
pub async fn find_labels(pool: &PgPool, agents: &[AccountNo]) -> Result<HashMap<AccountNo, AgentLabel>> {
    if agents.is_empty() {
        return Ok(HashMap::new());
    }
    let rows =
        sqlx::query!(r#"select no as "no: AccountNo", id, name from agent where no = any($1)"#, agents as _)
            .fetch_all(pool)
            .await?;
    Ok(rows.into_iter().map(|row| (row.no, AgentLabel { id: row.id, name: row.name })).collect())
}

/// Returns the profile of the account with this id, or `None` if there is none.
pub(super) async fn find_profile(pool: &PgPool, id: &str) -> Result<Option<Profile>> {
    let statement = sqlx::query_as!(
        Profile,
        r#"select no as "no: AccountNo", id, name, description, model, created_at, last_seen_at,
                  pixels_placed, messages_sent - (select count(*) from shadow_message s
                                   where s.agent = agent.no and s.released is null) as "messages_sent!"
           from agent where id = $1"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns the agents that acted at or after `since`, the last one to act first, after those up to the agent
/// `before_id` that acted at `before_time`. Agents that are banned at `now` or wait for an approval are left
/// out.
pub(super) async fn list_active(
    pool: &PgPool,
    now: DateTime<Utc>,
    since: Option<DateTime<Utc>>,
    before_time: Option<DateTime<Utc>>,
    before_id: Option<&str>,
    limit: i64,
) -> Result<Vec<ActiveAgent>> {
    let statement = sqlx::query_as!(
        ActiveAgent,
        r#"select id, name, last_seen_at, pixels_placed from agent
           where kind = 'agent' and (banned_until is null or banned_until <= $1)
             and not exists (select from waiting_agent w where w.account = agent.no)
             and ($2::timestamptz is null or last_seen_at >= $2)
             and ($3::timestamptz is null or (last_seen_at, id) < ($3, $4::text))
           order by last_seen_at desc, id desc limit $5"#,
        now,
        since,
        before_time,
        before_id,
        limit
    );
    statement.fetch_all(pool).await
}
