//! Console sessions: a random token per sign-in, stored as a hash in the database.

use caraplace_log::state::AppState;
use platform::refusal::Refusal;
use platform::tokens::{Blake3Hash, TokenKey, TokenKeys, constant_time_eq, hash, hex, is_token};
use rules::passwords::PasswordHash;

use super::{Operator, store};
use crate::look_up_limiter::LookUpLimiter;

/// The purpose of the key that hashes session tokens.
const HASH_KEY_PURPOSE: &str = "caraplace 2026-11 sessions of the console";
/// The purpose of the key under which session tokens are issued.
const TOKEN_KEY_PURPOSE: &str = "caraplace 2026-11 tags of the console's sessions";
/// The purpose of CSRF tokens, which are derived from session tokens without revealing them.
const CSRF_KEY_PURPOSE: &str = "caraplace 2026-11 forms of the console";

/// A new session.
pub struct StartedSession {
    /// The session token, for the browser's cookie. It is stored only as a hash.
    pub token: String,
    /// The value of the device cookie for the browser.
    pub device: String,
}

/// The sessions under one password of the setting. A new password there ends all of them.
pub struct OperatorSessions {
    key: Blake3Hash,
    tokens: TokenKey,
}

/// Returns the CSRF token for forms in this session.
pub fn csrf_token(token: &str) -> String {
    blake3::Hash::from(blake3::derive_key(CSRF_KEY_PURPOSE, token.as_bytes())).to_hex().to_string()
}

/// Compares a form's CSRF token with the expected one in constant time.
pub fn is_valid_csrf_token(expected: &str, submitted: &str) -> bool {
    constant_time_eq(expected, submitted)
}

impl OperatorSessions {
    /// Returns the sessions of this password.
    pub(super) fn for_password(keys: &TokenKeys, password: Option<&PasswordHash>) -> Self {
        let password = password.map(PasswordHash::as_str).unwrap_or_default().as_bytes();
        Self {
            key: blake3::derive_key(HASH_KEY_PURPOSE, password),
            tokens: keys.derive(TOKEN_KEY_PURPOSE, password),
        }
    }

    /// Starts a session of the operator with this id, and returns its token. `None` if the operator was
    /// disabled, or has another password than that with this hash, since the password was checked.
    pub(super) async fn start(
        &self,
        state: &AppState,
        operator_id: &str,
        password_hash: Option<&str>,
        address: &str,
        device: String,
    ) -> Result<Option<StartedSession>, Refusal> {
        let token = self.tokens.issue()?;
        let session_hash = self.hash(&token);
        let is_started =
            store::start_session(state, &session_hash, operator_id, password_hash, address).await?;
        Ok(is_started.then_some(StartedSession { token, device }))
    }

    /// Returns true if a session token was issued here. The session may have ended.
    pub fn has_issued(&self, token: &str) -> bool {
        self.tokens.has_issued(token)
    }

    /// Returns the operator of an active session. `None` if the session has ended. Tokens that were issued
    /// here are always looked up, others only at a limited rate.
    ///
    /// # Errors
    /// An error if the token cannot be checked now.
    pub async fn find(&self, state: &AppState, token: &str) -> Result<Option<Operator>, Refusal> {
        if !is_token(token) {
            return Ok(None);
        }
        if !self.has_issued(token) {
            LookUpLimiter::of(state).check_session()?;
        }
        let session_hash = self.hash(token);
        let found = store::find_session(state, &session_hash).await?;
        Ok(found.map(|store::SessionRow { id, name, role, since }| Operator {
            id,
            name,
            role,
            scopes: role.scopes(),
            since,
            csrf: Some(csrf_token(token)),
            session_id: Some(hex(&session_hash)),
            secret_hash: hash(token),
        }))
    }

    /// Ends a session on all instances.
    pub async fn end(&self, state: &AppState, token: &str) -> Result<(), Refusal> {
        Ok(store::delete_session(&state.pool, &self.hash(token)).await?)
    }

    fn hash(&self, token: &str) -> Blake3Hash {
        *blake3::keyed_hash(&self.key, token.as_bytes()).as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform::tokens::new_token;

    #[test]
    fn csrf_token_is_unique_and_does_not_reveal_the_session_token() {
        let one = new_token().unwrap();
        let other = new_token().unwrap();
        assert!(
            is_valid_csrf_token(&csrf_token(&one), &csrf_token(&one))
                && !is_valid_csrf_token(&csrf_token(&one), &csrf_token(&other))
        );
        assert!(!is_valid_csrf_token(&csrf_token(&one), "") && csrf_token(&one) != one);
        assert_ne!(csrf_token(&one), blake3::hash(one.as_bytes()).to_hex().to_string());
    }
}
