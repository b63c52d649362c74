//! Keys with which programs do what operators do: made, listed, revoked, looked up. Shown once and kept as hashes.

use std::collections::HashSet;

use rules::rights::AccountKind;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Operator, OperatorKey, store};
use crate::clock;
use crate::database;
use crate::log::audit::{self, AuditEntry};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::{Blake3Hash, hash, is_token};

/// What every operator's key begins with.
pub const PREFIX: &str = "ca_";
/// The most letters in a key's name.
const MAX_NAME_CHARS: usize = 64;
/// The most hashes of keys that a process keeps from its start. Keys that were used last come first.
const MAX_START_KEYS: i64 = 1_000;

/// A key that has just been made.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewOperatorKey {
    pub id: String,
    pub name: String,
    /// Shown only here.
    pub api_key: String,
}

/// Whether a name tells one key from another: something to read, and not too much of it.
fn is_valid_name(name: &str) -> bool {
    let length = name.chars().count();
    (1..=MAX_NAME_CHARS).contains(&length) && name == name.trim() && !name.chars().any(char::is_control)
}

/// Makes a key.
///
/// # Errors
/// `Input` for a name that tells nothing; `NameTaken` while another live key has the name; or that the database cannot be
/// written.
pub async fn create(state: &AppState, operator: &Operator, name: &str) -> Result<NewOperatorKey, Refusal> {
    if !is_valid_name(name) {
        let detail = format!("A name has 1 to {MAX_NAME_CHARS} letters, and no space at its ends.");
        return Err(Refusal::invalid("name", detail));
    }
    let (id, api_key) = (clock::new_id("key"), format!("{PREFIX}{}", state.tokens.operator_keys.issue()?));
    let mut transaction = state.pool.begin().await?;
    store::insert_key(&mut transaction, &id, name, &hash(&api_key), state.clock.offset()).await?;
    let entry = audit_entry(operator, "make key", &id, json!(null), json!({"name": name}));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(NewOperatorKey { id, name: name.to_owned(), api_key })
}

/// Keys carry their reason in their name.
fn audit_entry(operator: &Operator, act: &'static str, id: &str, before: Value, after: Value) -> AuditEntry {
    AuditEntry {
        operator: operator.name.clone(),
        action: act,
        subject: id.to_owned(),
        reason: String::new(),
        before,
        after,
    }
}

/// All keys, newest first, with those that were revoked.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(state: &AppState) -> Result<Vec<OperatorKey>, Refusal> {
    Ok(store::list_keys(&state.pool).await?)
}

/// Ends a key, on every instance; false when there is no live one with this id.
///
/// # Errors
/// When the database cannot be written.
pub async fn revoke(state: &AppState, operator: &Operator, id: &str) -> Result<bool, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let Some(name) = store::revoke_key(&mut transaction, id, state.clock.offset()).await? else {
        return Ok(false);
    };
    let entry = audit_entry(operator, "revoke key", id, json!({"name": name}), json!(null));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(true)
}

/// The hashes of the keys that were live when the server started. They stand for the keys from before keys had tags,
/// which nothing else tells from guesses.
#[derive(Default)]
pub struct StartKeys(HashSet<Blake3Hash>);

impl StartKeys {
    pub(super) async fn load(state: &AppState) -> Result<Self, sqlx::Error> {
        Ok(Self(store::list_live_key_hashes(&state.pool, MAX_START_KEYS).await?))
    }

    /// Returns whether a key was issued here: it has a tag, or it was live when the server started. It may have been
    /// revoked since.
    pub fn is_issued(&self, state: &AppState, key: &str) -> bool {
        let Some(token) = key.strip_prefix(PREFIX).filter(|token| is_token(token)) else { return false };
        state.tokens.operator_keys.has_issued(token) || self.0.contains(&hash(key))
    }
}

/// Returns the operator that a key belongs to. A key that was issued here is looked up whatever others have guessed,
/// others at a bounded rate.
///
/// # Errors
/// `KeyInvalid`; or that it cannot be known now.
pub async fn authenticate(state: &AppState, key: &str, is_issued: bool) -> Result<Operator, Refusal> {
    let is_key = key.strip_prefix(PREFIX).is_some_and(is_token);
    if !is_key {
        return Err(Refusal::KeyInvalid);
    }
    if !is_issued {
        state.check_look_up_limit(AccountKind::Operator)?;
    }
    let secret_hash = hash(key);
    let found = store::find_key(state, &secret_hash).await?;
    let (name, since) = found.ok_or(Refusal::KeyInvalid)?;
    Ok(Operator { name: format!("key {name}"), since, csrf: None, secret_hash })
}
