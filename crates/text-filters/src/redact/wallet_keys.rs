//! Finds private keys of wallets in base 58, by their checksum or by words near them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest as _, Sha256};

use crate::bounded_search::{TooManyMatches, captures};
use crate::steps;

const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// Extended keys, keys in the wallet import format, and keys of 64 bytes, as Solana has them.
const KEY_PATTERN: &str = r"(?x) \b (?:
    (?P<extended> [xyztuvYZUV]prv [1-9A-HJ-NP-Za-km-z]{40,120} )
  | (?P<import> [5KLc9] [1-9A-HJ-NP-Za-km-z]{50,51} )
  | (?P<long> [1-9A-HJ-NP-Za-km-z]{86,88} ) ) \b";
/// Words near a key of 64 bytes, which might also be a public signature, or near a key that was copied
/// wrongly.
const WALLET_PATTERN: &str = r"(?i)\b(?:wallet|private|secret|keypair|phantom|solflare|wif|import|priv)";
/// Distance of such a word from the key, in bytes.
const WORD_DISTANCE_BYTES: usize = 48;
/// Version bytes of keys in the wallet import format: of the main networks, and of test networks.
const IMPORT_VERSIONS: [u8; 2] = [0x80, 0xef];

static KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(KEY_PATTERN).ok());
static WALLET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(WALLET_PATTERN).ok());

/// Returns the positions of private keys.
///
/// # Errors
/// [`TooManyMatches`] if there are too many possible keys.
pub(super) fn find(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    const MIN_KEY_BYTES: usize = 44;
    let Some(pattern) = KEY.as_ref().filter(|_| text.len() >= MIN_KEY_BYTES) else { return Ok(Vec::new()) };
    let mut keys = Vec::new();
    for found in captures(pattern, text)? {
        let Some(key) = found.get(0) else { continue };
        let is_private = match (found.name("extended"), found.name("import")) {
            (Some(_), _) => true,
            (_, Some(_)) => has_checksum(key.as_str()) || is_near_wallet_word(text, &key.range()),
            _ => decode(key.as_str()).len() == 64 && is_near_wallet_word(text, &key.range()),
        };
        keys.extend(is_private.then(|| key.range()));
    }
    Ok(keys)
}

fn is_near_wallet_word(text: &str, key: &Range<usize>) -> bool {
    steps::charge(2 * WORD_DISTANCE_BYTES);
    let from = text.floor_char_boundary(key.start.saturating_sub(WORD_DISTANCE_BYTES));
    let to = text.ceil_char_boundary((key.end + WORD_DISTANCE_BYTES).min(text.len()));
    WALLET
        .as_ref()
        .is_some_and(|words| words.is_match(&text[from..key.start]) || words.is_match(&text[key.end..to]))
}

/// Returns true for a key in the wallet import format whose checksum is right.
fn has_checksum(key: &str) -> bool {
    let bytes = decode(key);
    let Some((payload, checksum)) = bytes.split_last_chunk::<4>() else { return false };
    let hash = Sha256::digest(Sha256::digest(payload));
    hash[..4] == checksum[..] && payload.first().is_some_and(|version| IMPORT_VERSIONS.contains(version))
}

/// Returns the bytes of a text of a few dozen characters in base 58.
fn decode(text: &str) -> Vec<u8> {
    steps::charge(text.len() * text.len());
    let mut bytes: Vec<u8> = Vec::new();
    for digit in text.bytes().filter_map(|byte| ALPHABET.iter().position(|&digit| digit == byte)) {
        let mut carry = digit;
        for byte in &mut bytes {
            carry += usize::from(*byte) * ALPHABET.len();
            [*byte, ..] = carry.to_le_bytes();
            carry >>= 8;
        }
        bytes.extend(Some(carry.to_le_bytes()[0]).filter(|_| carry > 0));
    }
    bytes.extend(text.bytes().take_while(|&byte| byte == ALPHABET[0]).map(|_| 0));
    bytes.reverse();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).unwrap().into_iter().map(|span| &text[span]).collect()
    }

    // The examples of the documents of the formats, and a key of ones. None of them holds any money.
    const IMPORT_KEYS: [&str; 2] = [
        "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
        "KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
    ];

    #[test]
    fn private_keys_are_found() {
        for key in IMPORT_KEYS {
            assert_eq!(found(&format!("look at {key}, ok")), [key]);
        }
        let extended = format!("xprv{}", "9s21ZrQH143K".repeat(9));
        assert_eq!(found(&extended), [&extended]);
        let long = "4".repeat(44) + &"Z3kW9q".repeat(7) + "ab";
        assert_eq!(found(&format!("phantom wallet {long}")), [&long]);
        let wrong = IMPORT_KEYS[0].replace("5Hue", "5Jue");
        assert_eq!(found(&format!("my wallet: {wrong}")), [&wrong]);
    }

    #[test]
    fn public_values_are_not_found() {
        for text in [
            "bitcoin 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa pays",
            "ipfs QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPBdG",
            "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
            &IMPORT_KEYS[0].replace("5Hue", "5Jue"),
            &("signature ".to_owned() + &"4".repeat(44) + &"Z3kW9q".repeat(7) + "ab"),
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
