//! The operators' password, as it stands in the settings.

use rules::passwords::{LONGEST, PasswordHash, SHORTEST, is_long_enough};

use super::{ConfigError, Source};

/// The context from which the salt of a password in the settings is derived.
const SALT: &str = "caraplace 2026-11 salt of the console's password";

impl<L: Fn(&str) -> Option<String>> Source<L> {
    /// As it stands: a space may belong to a password. Only its hash is kept, and nothing of it is repeated.
    pub(super) fn password(&self, name: &'static str) -> Result<Option<PasswordHash>, ConfigError> {
        let Some(text) = (self.lookup)(name).filter(|text| !text.is_empty()) else { return Ok(None) };
        let hash = if text.starts_with("$argon2") {
            PasswordHash::parse(&text)
        } else if is_long_enough(&text) {
            PasswordHash::new(&text, salt_of(&text))
        } else {
            None
        };
        let expected = format!(
            "a password of at least {SHORTEST} characters and at most {LONGEST} bytes, or a hash that begins with \
             $argon2id$: choose a longer password, or set what caraplace admin password-hash prints"
        );
        hash.map(Some).ok_or_else(|| ConfigError { name, value: "…".to_owned(), expected })
    }
}

/// The salt of a password that stands in the settings: its hash is kept nowhere but in memory, and all instances with
/// this password have the same.
fn salt_of(password: &str) -> [u8; 16] {
    let mut salt = [0; 16];
    blake3::Hasher::new_derive_key(SALT).update(password.as_bytes()).finalize_xof().fill(&mut salt);
    salt
}
