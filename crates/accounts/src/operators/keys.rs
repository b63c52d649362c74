//! Operator keys for programs. A key is shown only once and stored as a hash.

use std::collections::HashSet;

use caraplace_log::state::AppState;
use platform::clock;
use platform::database;
use platform::refusal::Refusal;
use platform::tokens::{Blake3Hash, hash, is_token};
use rules::operators::{OperatorScope, OperatorScopes};
use rules::rights::AccountKind;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::recording::{OperatorChange, record};
use super::{Operator, OperatorKey, store};
use crate::look_up_limiter::LookUpLimiter;

/// The prefix of operator keys.
pub const PREFIX: &str = "ca_";
/// The maximum length of a key's name, in characters.
const MAX_NAME_CHARS: usize = 64;
/// The maximum number of key hashes that a process reads at its start. Recently used keys come first.
const MAX_STARTUP_KEYS: i64 = 1_000;

/// A new operator key.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewOperatorKey {
    pub id: String,
    pub name: String,
    #[schema(value_type = Vec<OperatorScope>)]
    pub scopes: Vec<String>,
    /// The key. Only this response contains it.
    pub api_key: String,
}

/// Returns true if a name is visible, trimmed and not too long.
fn is_valid_name(name: &str) -> bool {
    let length = name.chars().count();
    (1..=MAX_NAME_CHARS).contains(&length) && name == name.trim() && !name.chars().any(char::is_control)
}

/// Creates a key of an operator, with all its scopes unless some of them are named.
///
/// # Errors
/// `Input` if the name or the scopes are invalid, `Operator` for a scope that the operator does not have, or
/// `NameTaken` if another live key has the name.
pub async fn create(
    state: &AppState,
    operator: &Operator,
    name: &str,
    scopes: Option<&[String]>,
) -> Result<NewOperatorKey, Refusal> {
    if !is_valid_name(name) {
        let detail = format!("A name must have 1 to {MAX_NAME_CHARS} characters and no space at its ends.");
        return Err(Refusal::invalid("name", detail));
    }
    let scopes = choose_scopes(operator, scopes)?;
    let id = clock::new_id("key");
    let api_key = format!("{PREFIX}{}", state.tokens.operator_keys.issue()?);
    let mut transaction = state.pool.begin().await?;
    let key_hash = hash(&api_key);
    let row = store::NewOperatorKeyRow {
        id: &id,
        name,
        key_hash: &key_hash,
        operator_id: &operator.id,
        scopes: &scopes,
    };
    store::insert_key(&mut transaction, &row, state.clock.offset()).await?;
    let after = json!({"name": name, "scopes": scopes});
    let change = OperatorChange { after, ..OperatorChange::new("make key", &id) };
    record(state, &mut transaction, &operator.name, change).await?;
    database::commit(transaction).await?;
    Ok(NewOperatorKey { id, name: name.to_owned(), scopes, api_key })
}

/// Returns the names of the scopes of a new key. None gets more than its maker has.
fn choose_scopes(operator: &Operator, names: Option<&[String]>) -> Result<Vec<String>, Refusal> {
    let scopes = match names {
        Some(names) => OperatorScopes::from_names(names).ok_or_else(|| {
            let all = OperatorScope::ALL.map(OperatorScope::name).join(", ");
            Refusal::invalid("scopes", format!("scopes must be one or more of {all}, each once."))
        })?,
        None => operator.scopes,
    };
    operator.check_may_give(scopes)?;
    Ok(scopes.iter().map(|scope| scope.name().to_owned()).collect())
}

/// Returns the operator to whose keys an operator is limited; `None` for one who may change all operators.
fn limit_to_own(operator: &Operator) -> Option<&str> {
    (!operator.scopes.contains(OperatorScope::Own)).then_some(operator.id.as_str())
}

/// Returns the keys that an operator may see, newest first, including revoked ones: its own, or all with the
/// scope `own`.
pub async fn list(state: &AppState, operator: &Operator) -> Result<Vec<OperatorKey>, Refusal> {
    Ok(store::list_keys(&state.pool, limit_to_own(operator)).await?)
}

/// Revokes a key on all instances. Returns false if the operator has no live key with this id; with the scope
/// `own`, if there is none.
pub async fn revoke(state: &AppState, operator: &Operator, id: &str) -> Result<bool, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let offset = state.clock.offset();
    let Some(name) = store::revoke_key(&mut transaction, id, limit_to_own(operator), offset).await? else {
        return Ok(false);
    };
    let change = OperatorChange { before: json!({"name": name}), ..OperatorChange::new("revoke key", id) };
    record(state, &mut transaction, &operator.name, change).await?;
    database::commit(transaction).await?;
    Ok(true)
}

/// The hashes of the keys that were live when the server started. They identify older keys without a tag,
/// which otherwise look like guesses.
#[derive(Default)]
pub struct StartupKeys(HashSet<Blake3Hash>);

impl StartupKeys {
    /// Reads the hashes of the live keys.
    pub(super) async fn load(state: &AppState) -> Result<Self, sqlx::Error> {
        Ok(Self(store::list_live_key_hashes(&state.pool, MAX_STARTUP_KEYS).await?))
    }

    /// Returns true if a key was issued here: it has a tag, or it was live when the server started. It may
    /// have been revoked since.
    pub fn is_issued(&self, state: &AppState, key: &str) -> bool {
        let Some(token) = key.strip_prefix(PREFIX).filter(|token| is_token(token)) else { return false };
        state.tokens.operator_keys.has_issued(token) || self.0.contains(&hash(key))
    }
}

/// Returns the operator of a key. Keys that were issued here are always looked up, others only at a limited
/// rate.
///
/// # Errors
/// `KeyInvalid`, or an error if the key cannot be checked now.
pub async fn authenticate(state: &AppState, key: &str, is_issued: bool) -> Result<Operator, Refusal> {
    let is_key = key.strip_prefix(PREFIX).is_some_and(is_token);
    if !is_key {
        return Err(Refusal::KeyInvalid);
    }
    if !is_issued {
        LookUpLimiter::of(state).check_key(AccountKind::Operator)?;
    }
    let secret_hash = hash(key);
    let found = store::find_key(state, &secret_hash).await?;
    let store::KeyRow { key_name, scopes, created_at, id, name, role } = found.ok_or(Refusal::KeyInvalid)?;
    let scopes = OperatorScopes::from_names(&scopes).ok_or(Refusal::KeyInvalid)?;
    Ok(Operator {
        id,
        name: format!("{name} (key {key_name})"),
        role,
        scopes: scopes.intersection(role.scopes()),
        since: created_at,
        csrf: None,
        session_id: None,
        secret_hash,
    })
}
