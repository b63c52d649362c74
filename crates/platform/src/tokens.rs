//! Secrets for browsers and programs. The database stores only their hashes.

use crate::clock;
use crate::refusal::{Refusal, internal};

/// The BLAKE3 hash of a secret, as stored in the database.
pub type Blake3Hash = [u8; 32];

/// The random bytes in a token: 256 bits.
const RANDOM_BYTES: usize = 32;
/// The characters in a token: two hex digits per byte.
pub const TOKEN_CHARS: usize = 2 * RANDOM_BYTES;
/// The characters of an issued token that are its tag: 64 bits. The other characters are 192 random bits.
const TAG_CHARS: usize = 16;
/// The context from which the key for operators' API keys is derived.
const OPERATOR_KEY_CONTEXT: &str = "caraplace 2026-11 tags of operators' keys";
/// The context from which the key for viewers' sessions is derived.
const VIEWER_SESSION_CONTEXT: &str = "caraplace 2026-11 tags of viewers' sessions";
/// The context from which the key for OAuth's codes and tokens is derived.
const OAUTH_CONTEXT: &str = "caraplace 2026-11 tags of OAuth's codes and tokens";

/// Returns a new secret: 256 random bits in hex.
pub fn new_token() -> Result<String, Refusal> {
    random_hex::<RANDOM_BYTES>()
}

fn random_hex<const BYTES: usize>() -> Result<String, Refusal> {
    Ok(hex(&clock::random_bytes::<BYTES>().map_err(internal("drawing a token"))?))
}

/// Returns two lower-case hex digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns true if a text has the format of a token.
pub fn is_token(text: &str) -> bool {
    text.len() == TOKEN_CHARS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the hash of a secret.
pub fn hash(secret: &str) -> Blake3Hash {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// The keys with which tokens are issued. They are derived from a secret in the database, so all instances
/// have the same keys.
pub struct TokenKeys {
    /// The secret that all instances share.
    root: Blake3Hash,
    /// Issues the part after `ca_` of operators' keys.
    pub operator_keys: TokenKey,
    /// Issues the tokens of viewers' sessions.
    pub viewer_sessions: TokenKey,
    /// Issues OAuth's codes and tokens.
    pub oauth: TokenKey,
}

impl TokenKeys {
    /// Derives the keys from the secret that the instances share.
    pub fn new(secret: &Blake3Hash) -> Self {
        let derive = |purpose| TokenKey(blake3::derive_key(purpose, secret));
        let operator_keys = derive(OPERATOR_KEY_CONTEXT);
        let viewer_sessions = derive(VIEWER_SESSION_CONTEXT);
        let oauth = derive(OAUTH_CONTEXT);
        Self { root: *secret, operator_keys, viewer_sessions, oauth }
    }

    /// Derives a key that depends on `material`, too.
    pub fn derive(&self, purpose: &str, material: &[u8]) -> TokenKey {
        TokenKey(blake3::derive_key(purpose, &[&self.root[..], material].concat()))
    }
}

/// A key with which tokens are issued. A forged token is recognised by its tag, without a database look-up,
/// so guessing does not use up the look-up limit of genuine tokens.
pub struct TokenKey(Blake3Hash);

impl TokenKey {
    /// Issues a token: 192 random bits and a tag, in hex.
    pub fn issue(&self) -> Result<String, Refusal> {
        let random = random_hex::<{ (TOKEN_CHARS - TAG_CHARS) / 2 }>()?;
        let tag = self.mac(&random).to_hex();
        Ok(format!("{random}{}", &tag[..TAG_CHARS]))
    }

    /// Returns true if a token was issued with this key. It may have been revoked or have expired since.
    pub fn has_issued(&self, token: &str) -> bool {
        if !is_token(token) {
            return false;
        }
        let (random, tag) = token.split_at(TOKEN_CHARS - TAG_CHARS);
        constant_time_eq(&self.mac(random).to_hex()[..TAG_CHARS], tag)
    }

    /// Returns the message authentication code of a text. Its comparison takes constant time.
    pub fn mac(&self, text: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.0, text.as_bytes())
    }
}

/// Compares two texts in constant time.
pub fn constant_time_eq(expected: &str, actual: &str) -> bool {
    blake3::hash(expected.as_bytes()) == blake3::hash(actual.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issued_token_is_recognised_only_under_its_own_key() {
        let keys = TokenKeys::new(&[1; 32]);
        let token = keys.operator_keys.issue().unwrap();
        assert!(is_token(&token) && keys.operator_keys.has_issued(&token));
        assert_ne!(token, keys.operator_keys.issue().unwrap());
        let same = TokenKeys::new(&[1; 32]);
        assert!(same.operator_keys.has_issued(&token), "all instances know it");
        let other = TokenKeys::new(&[2; 32]);
        assert!(!keys.viewer_sessions.has_issued(&token) && !other.operator_keys.has_issued(&token));
        for index in [0, TOKEN_CHARS - TAG_CHARS - 1, TOKEN_CHARS - TAG_CHARS, TOKEN_CHARS - 1] {
            let digit = if token.as_bytes()[index] == b'0' { "1" } else { "0" };
            let forged = format!("{}{digit}{}", &token[..index], &token[index + 1..]);
            assert!(is_token(&forged) && !keys.operator_keys.has_issued(&forged), "{index}");
        }
        for wrong in ["", &token[1..], &new_token().unwrap(), &"é".repeat(32)] {
            assert!(!keys.operator_keys.has_issued(wrong), "{wrong}");
        }
    }

    #[test]
    fn derived_key_depends_on_purpose_and_material() {
        let keys = TokenKeys::new(&[1; 32]);
        let token = keys.derive("test", b"one").issue().unwrap();
        assert!(keys.derive("test", b"one").has_issued(&token));
        assert!(
            !keys.derive("test", b"two").has_issued(&token)
                && !keys.derive("tset", b"one").has_issued(&token)
        );
    }

    #[test]
    fn tokens_differ_and_only_complete_ones_are_accepted() {
        let one = new_token().unwrap();
        let other = new_token().unwrap();
        assert!(is_token(&one) && one != other);
        for wrong in ["", &one[1..], &one.to_uppercase(), &format!("{one}0"), &"g".repeat(64)] {
            assert!(!is_token(wrong), "{wrong}");
        }
        assert_eq!(hash(&one), hash(&one));
        assert_ne!(hash(&one), hash(&other));
    }
}
