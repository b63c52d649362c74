//! The operator's password, of which only an Argon2id hash is stored.

use std::fmt;

use argon2::password_hash::phc::PasswordHash as Phc;
use argon2::{Argon2, Params, PasswordHasher as _, PasswordVerifier as _};

/// The prefix of every accepted hash.
pub const HASH_PREFIX: &str = "$argon2id$";
/// Maximum memory that a configured hash may need, in KiB, because each sign-in allocates it.
const MAX_MEMORY_KIB: u32 = 1024 * 1024;
/// Maximum number of Argon2 iterations that a configured hash may need.
const MAX_ITERATIONS: u32 = 64;
/// Minimum length of a password in the settings, in characters. A shorter one is quickly found from anything
/// that derives from it.
pub const MIN_PASSWORD_CHARS: usize = 12;
/// Maximum length of a password in bytes, so that hashing stays fast.
pub const MAX_PASSWORD_BYTES: usize = 1_024;

/// Returns true if a password has at least the minimum length.
pub fn is_long_enough(password: &str) -> bool {
    password.chars().count() >= MIN_PASSWORD_CHARS
}

/// An Argon2id hash in the PHC string format, with its salt and cost.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// Hashes a password with this salt; `None` if the password is empty or too long.
    pub fn new(password: &str, salt: [u8; 16]) -> Option<Self> {
        let usable = !password.is_empty() && password.len() <= MAX_PASSWORD_BYTES;
        let hashed =
            usable.then(|| Argon2::default().hash_password_with_salt(password.as_bytes(), &salt).ok());
        hashed.flatten().map(|hash| Self(hash.to_string()))
    }

    /// Parses a configured hash; `None` if it is no Argon2id hash, or costs too much.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = Phc::new(text).ok().filter(|hash| hash.hash.is_some() && hash.salt.is_some())?;
        let params = Params::try_from(&hash).ok()?;
        let is_affordable = params.m_cost() <= MAX_MEMORY_KIB && params.t_cost() <= MAX_ITERATIONS;
        (text.starts_with(HASH_PREFIX) && is_affordable).then(|| Self(text.to_owned()))
    }

    /// Returns true if this is the password. A wrong password takes as long as the right one.
    pub fn verify(&self, attempt: &str) -> bool {
        let Ok(hash) = Phc::new(&self.0) else { return false };
        let prefix = &attempt.as_bytes()[..MAX_PASSWORD_BYTES.min(attempt.len())];
        Argon2::default().verify_password(prefix, &hash).is_ok() && prefix.len() == attempt.len()
    }

    /// Returns the hash in the PHC string format.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_verifies_and_debug_hides_the_hash() {
        let hash = PasswordHash::new("correct horse", [7; 16]).unwrap();
        assert!(hash.verify("correct horse"));
        for wrong in
            ["", "correct hors", "correct horse ", "Correct horse", &"x".repeat(MAX_PASSWORD_BYTES + 1)]
        {
            assert!(!hash.verify(wrong), "{wrong}");
        }
        assert!(hash.as_str().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(!hash.as_str().contains("horse") && !format!("{hash:?}").contains("argon2"));
        assert_eq!(format!("{hash:?}"), "PasswordHash(…)");
        assert_ne!(hash, PasswordHash::new("correct horse", [8; 16]).unwrap());
    }

    #[test]
    fn the_length_of_a_password_is_counted_in_characters() {
        for (password, is_enough) in [("", false), ("elevenchars", false), ("twelve chars", true)] {
            assert_eq!(is_long_enough(password), is_enough, "{password}");
        }
        assert!(
            !is_long_enough(&"é".repeat(MIN_PASSWORD_CHARS - 1))
                && is_long_enough(&"é".repeat(MIN_PASSWORD_CHARS))
        );
    }

    #[test]
    fn a_hash_parses_back_and_invalid_hashes_are_refused() {
        let hash = PasswordHash::new("secret", [1; 16]).unwrap();
        assert_eq!(PasswordHash::parse(hash.as_str()), Some(hash.clone()));
        let cut = &hash.as_str()[..hash.as_str().rfind('$').unwrap()];
        let expensive = hash.as_str().replace("m=19456", "m=4000000");
        let other = hash.as_str().replace("argon2id", "argon2i");
        for wrong in [cut, &expensive, &other, "", "secret", "$argon2id$", "$2b$12$abcdefghijklmnopqrstuu"] {
            assert_eq!(PasswordHash::parse(wrong), None, "{wrong}");
        }
        assert!(PasswordHash::new("", [1; 16]).is_none());
        assert!(PasswordHash::new(&"x".repeat(MAX_PASSWORD_BYTES + 1), [1; 16]).is_none());
    }
}
