//! Extra keys of agents, each with some of the agent's rights. A key is shown once; only its hash is stored.
//!
//! No key can gain a right: a key makes keys with its own scopes only, and the key from the registration can
//! be replaced, and a consent be given, only with that key itself.
//!
//! A key that was made with an extra key ends with it: it does not expire later, and is revoked with it, as
//! are the keys that were made with it in turn. Each of them has an entry in the control log, so that every
//! instance drops it at once. A new key from the registration ends no extra key.

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::clock;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::numbers::AccountNo;
use rules::scope::{Scope, Scopes, ScopesError};
use sqlx::PgConnection;

use super::AgentKey;
use super::hourly_allowance::{self, HourlyAction};
use super::keys::{AGENT_KEY_PREFIX, new_key};
use super::store::{extra_keys as store, hourly_allowance as allowances};

/// The maximum number of live extra keys of an agent.
const MAX_KEYS: usize = 10;
/// The maximum length of a key's name, in characters.
pub const MAX_NAME_CHARS: usize = 40;
/// The time after which ended keys are deleted. Until then, every instance can find out that a key was
/// revoked. Expired keys are deleted earlier if the agent makes another one.
const ENDED_KEY_RETENTION: TimeDelta = TimeDelta::days(30);

/// The fields of a key to be made, beside its name.
pub struct NewKeyFields {
    pub scopes: Vec<String>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Makes an extra key, and returns it with its secret text. `filtered_name` gives the name after the filters,
/// or `None` if it is too long.
///
/// # Errors
/// Returns `Input` for a wrong field, `ScopeMissing` if the sent key lacks one of the scopes, `LimitReached`,
/// `TooManyPerHour`, or `KeyInvalid` if the sent key was revoked meanwhile.
pub async fn create(
    state: &AppState,
    agent: &Identity,
    fields: &NewKeyFields,
    filtered_name: impl Future<Output = Result<Option<String>, Refusal>>,
) -> Result<(AgentKey, String), Refusal> {
    let name = check_name(filtered_name.await?)?;
    let scopes = Scopes::from_names(&fields.scopes).map_err(|error| scopes_refusal(&error))?;
    let expires_at = parse_expiry(state, agent, fields.expires_at)?;
    check_scopes(agent, scopes)?;
    let limit_reached = || Refusal::LimitReached { limit: MAX_KEYS, objects: "extra keys" };
    // The limit is checked before the lock, too, so that refused requests do not delay the writers.
    if list(state, agent.no).await?.len() >= MAX_KEYS {
        return Err(limit_reached());
    }
    let (api_key, key_hash) = new_key(AGENT_KEY_PREFIX)?;
    let id = clock::new_id("key");
    let mut transaction = state.pool.begin().await?;
    hourly_allowance::count(&mut transaction, agent.no, HourlyAction::MakeExtraKey, state.clock.now())
        .await?;
    let head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
    if !store::is_key_live(&mut transaction, agent, head_lock.now).await? {
        return Err(Refusal::KeyInvalid);
    }
    let row = store::NewKeyRow {
        id: &id,
        agent: agent.no,
        made_by: agent.extra_key.map(|key| key.no),
        key_hash: &key_hash,
        name: &name,
        scopes: &fields.scopes,
        created_at: head_lock.now,
        expires_at,
    };
    let inserted = store::insert(&mut transaction, &row, MAX_KEYS as i64).await?;
    let key = inserted.ok_or_else(limit_reached)?;
    append_entry(state, &mut transaction, key.no).await?;
    state.log.commit(transaction).await?;
    Ok((key, api_key))
}

/// Returns the live extra keys of an agent, newest first.
pub async fn list(state: &AppState, agent: AccountNo) -> Result<Vec<AgentKey>, Refusal> {
    Ok(store::list(&state.pool, agent, state.clock.now()).await?)
}

/// Revokes an extra key of an agent with all that descend from it, at once and on every instance.
///
/// # Errors
/// Returns `Input` if the agent has no such key.
pub async fn revoke(state: &AppState, agent: AccountNo, id: &str) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    revoke_in_transaction(state, &mut transaction, agent, id).await?;
    state.log.commit(transaction).await
}

/// Revokes an extra key of an agent with all that descend from it, when the transaction is committed with the
/// log. Returns the ids of the revoked keys.
///
/// # Errors
/// Returns `Input` if the agent has no such key.
pub async fn revoke_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    agent: AccountNo,
    id: &str,
) -> Result<Vec<String>, Refusal> {
    let unknown = || InputError::new(InputErrorKind::NotFound, "There is no extra key with this id.");
    // It is looked for before the lock, so that requests with an unknown id do not delay the writers.
    let live_keys = store::list(&mut *connection, agent, state.clock.now()).await?;
    if live_keys.iter().all(|key| key.id != id) {
        return Err(unknown().into());
    }
    let head_lock = HeadLock::acquire(connection, &state.clock).await?;
    let revoked = store::revoke(connection, agent, id, head_lock.now).await?;
    if revoked.is_empty() {
        return Err(unknown().into());
    }
    for (key, _) in &revoked {
        append_entry(state, connection, *key).await?;
    }
    Ok(revoked.into_iter().map(|(_, id)| id).collect())
}

/// Deletes the keys that ended long ago, and the counts of hours that have passed.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    allowances::delete_full(&state.pool, state.clock.now()).await?;
    store::delete_ended(&state.pool, state.clock.now() - ENDED_KEY_RETENTION).await
}

/// Tells all instances that a key was made or revoked. Without it, a writer would not know a new key.
async fn append_entry(state: &AppState, connection: &mut PgConnection, key: i64) -> Result<(), sqlx::Error> {
    control::append(connection, ControlEntry::ExtraKeyChanged(key), state.clock.offset()).await
}

fn check_name(filtered: Option<String>) -> Result<String, Refusal> {
    let name = filtered.filter(|name| !name.is_empty());
    let detail = || format!("name must have 1 to {MAX_NAME_CHARS} visible characters.");
    name.ok_or_else(|| Refusal::invalid("name", detail()))
}

fn scopes_refusal(error: &ScopesError) -> Refusal {
    let known = Scope::ALL.map(Scope::name).join(", ");
    let detail = match error {
        ScopesError::Empty => format!("scopes must have at least one of {known}."),
        ScopesError::Unknown(name) => format!("{name} is no scope. The scopes are: {known}."),
        ScopesError::Repeated(scope) => format!("scopes has {} twice.", scope.name()),
    };
    Refusal::invalid("scopes", detail)
}

/// Checks the end of a new key. A key that is made with a key that expires does not outlive it.
fn parse_expiry(
    state: &AppState,
    agent: &Identity,
    requested: Option<DateTime<Utc>>,
) -> Result<Option<DateTime<Utc>>, Refusal> {
    if requested.is_some_and(|at| at <= state.clock.now()) {
        return Err(Refusal::invalid("expires_at", "expires_at must be in the future."));
    }
    let latest = agent.extra_key.and_then(|key| key.expires_at);
    match (requested, latest) {
        (Some(at), Some(latest)) if at > latest => {
            let detail = format!("expires_at must not be after the end of the key that you use, {latest:?}.");
            Err(Refusal::invalid("expires_at", detail))
        }
        (requested, latest) => Ok(requested.or(latest)),
    }
}

/// Checks that the key by which an agent was found has all these scopes itself.
fn check_scopes(agent: &Identity, scopes: Scopes) -> Result<(), Refusal> {
    let missing = agent.extra_key.and_then(|key| scopes.first_missing_in(key.scopes));
    missing.map_or(Ok(()), |scope| Err(Refusal::ScopeMissing { scope }))
}
