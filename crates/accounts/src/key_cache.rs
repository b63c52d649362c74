//! The cache of accounts by API key, extra key, access token and session, which the control log invalidates.

mod cached_sessions;
mod cached_tokens;
mod reload;
mod store;

use std::collections::HashMap;
use std::sync::Arc;

use caraplace_log::identity::{Identity, KeyHash};
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use platform::refusal::Refusal;
use platform::tokens::Blake3Hash;
use rules::numbers::AccountNo;
use rules::rights::Rights;

use cached_sessions::CachedSessions;
use cached_tokens::CachedTokens;
pub use reload::ReloadAccounts;

/// The maximum number of cached keys. Beyond it the cache is emptied, and fills again from the database.
const MAX_CACHED_KEYS: usize = 200_000;

/// The maximum number of times that an account is read for one request.
const MAX_READS: usize = 3;

/// An account as it was read by a key or a session.
pub struct FoundAccount<T> {
    pub account: T,
    /// False if it must be cached, but its rights may have changed while it was read.
    pub is_current: bool,
}

/// Reads an account, and reads it again if the control log has moved meanwhile. Otherwise the account would
/// not be cached, and an event stream of an account that is not cached ends at once.
///
/// # Errors
/// Those of `read`.
pub async fn read_current<T>(read: impl AsyncFn() -> Result<FoundAccount<T>, Refusal>) -> Result<T, Refusal> {
    let mut found = read().await?;
    for _ in 1..MAX_READS {
        if found.is_current {
            break;
        }
        found = read().await?;
    }
    Ok(found.account)
}

/// Accounts by key, extra key, access token and session, as of an entry of the control log.
#[derive(Default)]
pub struct KeyCache(RwLock<CachedKeys>);

#[derive(Default)]
struct CachedKeys {
    /// The number of the newest entry that was applied here; 0 before the first one since the start.
    control_head: i64,
    by_key: HashMap<KeyHash, Arc<Identity>>,
    key_by_account: HashMap<AccountNo, KeyHash>,
    extra_keys: CachedTokens,
    tokens: CachedTokens,
    sessions: CachedSessions,
}

impl KeyCache {
    /// Returns the cache of this instance.
    pub fn of(state: &AppState) -> &Self {
        state.service::<KeyCache>()
    }

    /// Returns the number of the newest entry of the control log that was applied here; 0 before the first
    /// one since the start.
    pub fn control_head(&self) -> i64 {
        self.0.read().control_head
    }

    /// Returns the account that has this key, if it is cached and has not expired.
    pub fn find(&self, hash: &KeyHash, now: DateTime<Utc>) -> Option<Arc<Identity>> {
        let cached = self.0.read();
        cached.by_key.get(hash).cloned().or_else(|| cached.extra_keys.find(hash, now))
    }

    /// Returns the agent of this access token, if it is cached and has not expired.
    pub fn find_token(&self, hash: &KeyHash, now: DateTime<Utc>) -> Option<Arc<Identity>> {
        self.0.read().tokens.find(hash, now)
    }

    /// Caches an access token that was read while `control_head` was the newest entry. If there is a newer
    /// one, nothing is cached, because the token may have been revoked.
    pub fn insert_token(
        &self,
        hash: KeyHash,
        agent: Arc<Identity>,
        [now, expires_at]: [DateTime<Utc>; 2],
        control_head: i64,
    ) {
        let mut cached = self.0.write();
        if cached.control_head == control_head {
            cached.tokens.insert(hash, agent, expires_at, now);
        }
    }

    /// Caches an extra key with its agent, which was read while `control_head` was the newest entry. If there
    /// is a newer one, nothing is cached, because the key may have been revoked. Returns true if it was
    /// cached.
    pub fn insert_extra_key(&self, agent: Arc<Identity>, now: DateTime<Utc>, control_head: i64) -> bool {
        let expires_at = agent.extra_key.and_then(|key| key.expires_at);
        let mut cached = self.0.write();
        if cached.control_head != control_head {
            return false;
        }
        cached.extra_keys.insert(agent.key_hash, agent, expires_at.unwrap_or(DateTime::<Utc>::MAX_UTC), now);
        true
    }

    /// Removes the extra keys of these agents.
    pub fn remove_extra_keys(&self, agents: impl IntoIterator<Item = AccountNo>) {
        let mut cached = self.0.write();
        agents.into_iter().for_each(|agent| cached.extra_keys.remove(agent));
    }

    /// Caches an account that was read while `control_head` was the newest entry. If there is a newer one,
    /// nothing is cached, because the key may have changed. Returns true if it was cached.
    pub fn insert(&self, account: Arc<Identity>, control_head: i64) -> bool {
        let mut cached = self.0.write();
        if cached.control_head != control_head {
            return false;
        }
        if cached.by_key.len() >= MAX_CACHED_KEYS {
            cached.by_key.clear();
            cached.key_by_account.clear();
        }
        // A new key may be found here before its entry of the control log is applied.
        if let Some(old) = cached.key_by_account.insert(account.no, account.key_hash) {
            cached.by_key.remove(&old);
        }
        cached.by_key.insert(account.key_hash, account);
        true
    }

    /// Removes the keys, tokens and sessions of these accounts, and advances to this entry of the control
    /// log.
    pub fn remove(&self, accounts: &[AccountNo], control_head: i64) {
        let mut cached = self.0.write();
        cached.control_head = cached.control_head.max(control_head);
        for no in accounts {
            cached.tokens.remove(*no);
            cached.extra_keys.remove(*no);
            cached.sessions.remove_viewer(*no);
            if let Some(key) = cached.key_by_account.remove(no) {
                cached.by_key.remove(&key);
            }
        }
    }

    /// Returns the numbers of all cached accounts.
    pub fn accounts(&self) -> Vec<AccountNo> {
        let cached = self.0.read();
        let by_hash = cached.extra_keys.agents().chain(cached.tokens.agents());
        let all = cached.key_by_account.keys().copied().chain(by_hash).chain(cached.sessions.viewers());
        let mut numbers: Vec<AccountNo> = all.collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Sets whether accounts are shadow-banned. They stay cached, so that their streams stay open.
    pub fn set_shadowed(&self, accounts: &[(AccountNo, bool)]) {
        if accounts.is_empty() {
            return;
        }
        let mut cached = self.0.write();
        for (no, shadowed) in accounts {
            let cached = &mut *cached;
            if let Some(account) = cached.key_by_account.get(no).and_then(|key| cached.by_key.get_mut(key)) {
                *account = with_shadow_ban(account, *shadowed).into();
            }
            for by_hash in [&mut cached.tokens, &mut cached.extra_keys] {
                by_hash.agents_mut(*no).for_each(|agent| *agent = with_shadow_ban(agent, *shadowed).into());
            }
            cached.sessions.update_viewer(*no, |viewer| with_shadow_ban(viewer, *shadowed));
        }
    }

    /// Returns true if an account is cached, by its key or by a session. One whose rights have changed since
    /// is not.
    pub fn has(&self, account: &Identity) -> bool {
        let cached = self.0.read();
        cached.by_key.contains_key(&account.key_hash)
            || cached.extra_keys.contains(&account.key_hash)
            || cached.sessions.has_viewer(account.no)
    }

    /// Returns the viewer of a session, or `None` within if there is no such session. `None` if it must be
    /// looked up.
    pub fn find_session(&self, session: &Blake3Hash) -> Option<Option<Arc<Identity>>> {
        self.0.read().sessions.find(session).map(|found| found.viewer.clone())
    }

    /// Caches the viewer of a session, which was read while `control_head` was the newest entry. If there is
    /// a newer one, nothing is cached. Returns true if it was cached.
    pub fn insert_session(
        &self,
        session: Blake3Hash,
        viewer: Option<Arc<Identity>>,
        control_head: i64,
    ) -> bool {
        let mut cached = self.0.write();
        let is_current = cached.control_head == control_head;
        if is_current {
            cached.sessions.insert(session, viewer);
        }
        is_current
    }

    /// Removes an ended session.
    pub fn remove_session(&self, session: &Blake3Hash) {
        self.0.write().sessions.remove(session);
    }
}

/// Returns an account as it is after a shadow-ban of it has begun or ended.
fn with_shadow_ban(account: &Identity, shadowed: bool) -> Identity {
    Identity {
        rights: Rights { shadowed, ..account.rights.clone() },
        has_own_view: account.has_own_view || account.rights.shadowed || shadowed,
        ..account.clone()
    }
}

#[cfg(test)]
mod tests;
