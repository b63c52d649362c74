//! Sessions of the console: a fresh random token at each sign-in, kept as a hash where every instance finds it.

use rules::passwords::PasswordHash;

use super::{Operator, store};
use crate::refusal::Refusal;
use crate::state::AppState;
use crate::tokens::{Blake3Hash, TokenKey, TokenKeys, constant_time_eq, hash, is_token};

/// What the key of sessions is derived for.
const HASH_KEY_PURPOSE: &str = "caraplace 2026-11 sessions of the console";
/// The purpose of the key under which the tokens of sessions are issued.
const TOKEN_KEY_PURPOSE: &str = "caraplace 2026-11 tags of the console's sessions";
/// Sets the tokens of forms apart from those of sessions: one does not give away the other.
const CSRF_KEY_PURPOSE: &str = "caraplace 2026-11 forms of the console";

/// A session that has just begun.
pub struct StartedSession {
    /// Shown to the browser and kept nowhere.
    pub token: String,
    /// The value of the device cookie that the browser keeps from now on.
    pub device: String,
}

/// The sessions that were begun with one password. Under another one none of them is known: who was let in by an old
/// password has to come in anew.
pub struct OperatorSessions {
    key: Blake3Hash,
    tokens: TokenKey,
}

/// What forms carry that come from pages shown to who holds a token.
pub fn csrf_token(token: &str) -> String {
    blake3::Hash::from(blake3::derive_key(CSRF_KEY_PURPOSE, token.as_bytes())).to_hex().to_string()
}

/// Whether a form carries what it should. Takes as long whatever it carries.
pub fn is_valid_csrf_token(expected: &str, submitted: &str) -> bool {
    constant_time_eq(expected, submitted)
}

impl OperatorSessions {
    pub(super) fn for_password(keys: &TokenKeys, password: Option<&PasswordHash>) -> Self {
        let password = password.map(PasswordHash::as_str).unwrap_or_default().as_bytes();
        Self {
            key: blake3::derive_key(HASH_KEY_PURPOSE, password),
            tokens: keys.derive(TOKEN_KEY_PURPOSE, password),
        }
    }

    pub(super) async fn start(
        &self,
        state: &AppState,
        address: &str,
        device: String,
    ) -> Result<StartedSession, Refusal> {
        let token = self.tokens.issue()?;
        store::start_session(state, &self.hash(&token), address).await?;
        Ok(StartedSession { token, device })
    }

    /// Whether a token was issued for a session here, which may have ended.
    pub fn has_issued(&self, token: &str) -> bool {
        self.tokens.has_issued(token)
    }

    /// Returns the operator who is signed in under this token, if the session goes on. One that was issued here is looked up whatever others
    /// have guessed.
    ///
    /// # Errors
    /// When it cannot be known now.
    pub async fn find(&self, state: &AppState, token: &str) -> Result<Option<Operator>, Refusal> {
        if !is_token(token) {
            return Ok(None);
        }
        if !self.has_issued(token) {
            state.check_session_look_up_limit()?;
        }
        let found = store::find_session(state, &self.hash(token)).await?;
        Ok(found.map(|(address, since)| Operator {
            name: format!("console {address}"),
            since,
            csrf: Some(csrf_token(token)),
            secret_hash: hash(token),
        }))
    }

    /// Ends a session, on every instance.
    ///
    /// # Errors
    /// When the database cannot be written.
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
    use crate::tokens::new_token;

    #[test]
    fn csrf_token_is_unique_and_does_not_reveal_the_session_token() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(
            is_valid_csrf_token(&csrf_token(&one), &csrf_token(&one))
                && !is_valid_csrf_token(&csrf_token(&one), &csrf_token(&other))
        );
        assert!(!is_valid_csrf_token(&csrf_token(&one), "") && csrf_token(&one) != one);
        assert_ne!(csrf_token(&one), blake3::hash(one.as_bytes()).to_hex().to_string());
    }
}
