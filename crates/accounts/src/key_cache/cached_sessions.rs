//! Sessions of viewers in memory, as a part of the cache of keys.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use caraplace_log::identity::Identity;
use platform::clock::monotonic_now;
use platform::tokens::Blake3Hash;
use rules::numbers::AccountNo;

/// The maximum number of cached sessions. Beyond it the expired ones are dropped, or all if few have expired.
const MAX_CACHED_SESSIONS: usize = 50_000;
/// The time for which reads take a session for what it was when it was looked up. Signing out on another
/// instance takes effect after it, and so does the end of a session.
const SESSION_CACHE_TIME: Duration = Duration::from_secs(10);

/// The viewers of sessions, by the sessions' hashes.
#[derive(Default)]
pub(super) struct CachedSessions {
    by_hash: HashMap<Blake3Hash, CachedSession>,
    by_viewer: HashMap<AccountNo, Vec<Blake3Hash>>,
}

/// A session as it was looked up.
pub(super) struct CachedSession {
    /// `None` if there is no such session.
    pub viewer: Option<Arc<Identity>>,
    found_at: Instant,
}

impl CachedSession {
    fn is_live(&self) -> bool {
        self.found_at.elapsed() < SESSION_CACHE_TIME
    }
}

impl CachedSessions {
    /// Returns what is known of a session; `None` if it must be looked up.
    pub fn find(&self, session: &Blake3Hash) -> Option<&CachedSession> {
        self.by_hash.get(session).filter(|found| found.is_live())
    }

    /// Caches the viewer of a session.
    pub fn insert(&mut self, session: Blake3Hash, viewer: Option<Arc<Identity>>) {
        self.remove(&session);
        if self.by_hash.len() >= MAX_CACHED_SESSIONS {
            self.remove_expired();
        }
        if let Some(viewer) = &viewer {
            self.by_viewer.entry(viewer.no).or_default().push(session);
        }
        self.by_hash.insert(session, CachedSession { viewer, found_at: monotonic_now() });
    }

    /// Returns true if a session of this viewer is cached.
    pub fn has_viewer(&self, viewer: AccountNo) -> bool {
        self.by_viewer.contains_key(&viewer)
    }

    /// Changes what is cached of a viewer, once for each of its sessions.
    pub fn update_viewer(&mut self, viewer: AccountNo, update: impl Fn(&Identity) -> Identity) {
        for session in self.by_viewer.get(&viewer).into_iter().flatten() {
            let cached = self.by_hash.get_mut(session).and_then(|cached| cached.viewer.as_mut());
            if let Some(cached) = cached {
                *cached = update(cached).into();
            }
        }
    }

    /// Drops a session.
    pub fn remove(&mut self, session: &Blake3Hash) {
        let viewer = self.by_hash.remove(session).and_then(|cached| cached.viewer);
        let Some(viewer) = viewer else { return };
        if let Some(sessions) = self.by_viewer.get_mut(&viewer.no) {
            sessions.retain(|other| other != session);
            if sessions.is_empty() {
                self.by_viewer.remove(&viewer.no);
            }
        }
    }

    /// Returns the numbers of the viewers of cached sessions.
    pub fn viewers(&self) -> impl Iterator<Item = AccountNo> {
        self.by_viewer.keys().copied()
    }

    /// Drops the sessions of a viewer.
    pub fn remove_viewer(&mut self, viewer: AccountNo) {
        for session in self.by_viewer.remove(&viewer).into_iter().flatten() {
            self.by_hash.remove(&session);
        }
    }

    /// Drops the expired sessions, or all if few have expired: the next calls must not search them all again.
    fn remove_expired(&mut self) {
        let expired: Vec<Blake3Hash> =
            self.by_hash.iter().filter(|(_, cached)| !cached.is_live()).map(|(hash, _)| *hash).collect();
        if expired.len() < MAX_CACHED_SESSIONS / 2 {
            *self = Self::default();
        } else {
            expired.iter().for_each(|session| self.remove(session));
        }
    }
}
