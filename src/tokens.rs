//! Secrets for browsers and programs, of which the database has only the hash.

use crate::clock;
use crate::refusal::Refusal;

/// What stands for a secret in the database: its BLAKE3.
pub type Hash = [u8; 32];

/// Random bytes in a token: 256 bits.
const RANDOM: usize = 32;
/// Characters in a token: two hex digits a byte.
pub const LENGTH: usize = 2 * RANDOM;

/// A secret that only its holder has: 256 random bits in hex.
///
/// # Errors
/// When the system has no randomness to give.
pub fn new_token() -> Result<String, Refusal> {
    let random = clock::random_bytes::<RANDOM>().map_err(|_| Refusal::Unavailable)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a text can be such a secret.
pub fn is_token(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What is kept of a secret.
pub fn hash(secret: &str) -> Hash {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_is_another_and_only_whole_ones_are_taken() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert!(is_token(&one) && one != other);
        for wrong in ["", &one[1..], &one.to_uppercase(), &format!("{one}0"), &"g".repeat(64)] {
            assert!(!is_token(wrong), "{wrong}");
        }
        assert_eq!(hash(&one), hash(&one));
        assert_ne!(hash(&one), hash(&other));
    }
}
