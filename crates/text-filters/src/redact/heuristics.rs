//! Whether a value is a secret, by its name and by its look.

use super::randomness::{entropy, is_digest, is_placeholder, is_random};
use crate::numbers;

/// What a value is called.
pub(super) struct ValueName {
    /// The name with the words before it.
    pub context: String,
    /// The name alone.
    pub text: String,
    /// Other words stand between the name and the value.
    pub is_separated: bool,
}

/// Fewest characters of a password, of a key, and of a key whose name says little.
const MIN_PASSWORD_CHARS: usize = 6;
const MIN_KEY_CHARS: usize = 10;
const MIN_VAGUE_KEY_CHARS: usize = 16;
/// Fewest of a digest that only stands near a name.
const MIN_DIGEST_CHARS: usize = 32;
/// Fewest of a word that is a password because it is called `pass`, as a stage of work or a ticket is too.
const MIN_PASS_VALUE_CHARS: usize = 8;
/// Fewest side by side in a key that stands by itself: lists of cells have shorter ones.
const MIN_PIECE_CHARS: usize = 10;
/// Bits for each byte of a digest that was drawn rather than typed.
const MIN_DIGEST_ENTROPY_BITS: f64 = 2.5;

/// Whether a value is secret under this name.
pub(super) fn is_secret(name: &ValueName, value: &str) -> bool {
    // What was a link is judged as it was before it was removed: once shown, a text stays.
    let is_link = value.contains("://") || value.contains("[link");
    if name.is_public() || is_id(value) || is_placeholder(value) || is_link || is_numeric(value) {
        return false;
    }
    if name.text == "pass" {
        return is_strong_key(value) && longest_piece(value) >= MIN_PASS_VALUE_CHARS;
    }
    if name.names_password() {
        return is_password(value, name.is_separated);
    }
    if is_digest(value) {
        let min_chars = if name.is_separated { MIN_DIGEST_CHARS } else { MIN_VAGUE_KEY_CHARS };
        return value.len() >= min_chars && entropy(value) >= MIN_DIGEST_ENTROPY_BITS && name.names_secret();
    }
    let is_clearly_secret = name.names_secret() && !name.is_separated;
    let min_chars = if is_clearly_secret { MIN_KEY_CHARS } else { MIN_VAGUE_KEY_CHARS };
    // Keys hold no commas, lists of cells do.
    let item = if is_clearly_secret {
        value
    } else {
        value.split(',').max_by_key(|item| item.len()).unwrap_or_default()
    };
    let is_cell_list = item != value && longest_piece(item) < MIN_PIECE_CHARS;
    item.len() >= min_chars && is_ascii_text(value) && is_random(item) && !is_cell_list
}

/// Whether it is a key to any reader, with only a word for one nearby.
pub(super) fn is_strong_key(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !is_digest(value)
        && !is_id(value)
        && !is_placeholder(value)
        && !is_numeric(value)
        && longest_piece(value) >= MIN_PIECE_CHARS
        && is_random(value)
}

/// The longest run of letters and digits.
fn longest_piece(value: &str) -> usize {
    value.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or_default()
}

impl ValueName {
    fn is_public(&self) -> bool {
        is_public(&self.context)
    }

    fn names_password(&self) -> bool {
        self.text.contains("pass") || self.text.contains("pwd")
    }

    /// Names after which even a digest is a secret: a hash is often called just `key`.
    fn names_secret(&self) -> bool {
        let secret_words = [
            "api",
            "secret",
            "access",
            "auth",
            "private",
            "bearer",
            "token",
            "credential",
            "client",
            "signing",
            "encryption",
            "admin",
            "master",
            "license",
            "service",
            "account",
            "x-",
            "_key",
            "my ",
            "our ",
            "dsn",
            "deploy",
            "webhook",
        ];
        secret_words.iter().any(|word| self.context.contains(word))
    }
}

/// Whether these words announce keys and tokens that everyone may see.
pub(super) fn is_public(words: &str) -> bool {
    let public_words = [
        "public",
        "idempotency",
        "primary",
        "foreign",
        "page",
        "next_token",
        "max_",
        "cache",
        "sort",
        "partition",
        "row",
        "object",
        "map",
        "pub_key",
        "pubkey",
        "publishable",
        "digest",
        "fingerprint",
        "hash",
    ];
    public_words.iter().any(|word| words.contains(word))
}

/// What this server calls its own things by, and hashes that say which they are.
fn is_id(value: &str) -> bool {
    let known_prefixes =
        ["agent_", "msg_", "viewer_", "season_", "sha1-", "sha256-", "sha384-", "sha512-", "$2b$", "$argon2"];
    known_prefixes.iter().any(|prefix| value.starts_with(prefix))
}

/// Coordinates, cells and sizes, however they are joined.
fn is_numeric(value: &str) -> bool {
    let numeric: usize = numbers::numeric_words(value).iter().map(std::ops::Range::len).sum();
    let letters: usize = value.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    !is_digest(value) && (numeric == letters || is_run_lengths(value))
}

/// `12R3G4B`: letters are counted, never two side by side.
fn is_run_lengths(value: &str) -> bool {
    let runs = value.split(|c: char| !c.is_ascii_alphabetic()).map(str::len);
    let signs = value.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    runs.max().unwrap_or_default() == 1 && 4 * signs <= value.len()
}

/// People choose words with something added; a sentence goes on with a plain word.
fn is_password(value: &str, is_separated: bool) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    let (has_digit, has_letter) = (has(u8::is_ascii_digit), has(u8::is_ascii_alphabetic));
    let both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let has_sign = has(u8::is_ascii_punctuation);
    let kinds = [has_digit, both_cases, has_sign].into_iter().filter(|&kind| kind).count();
    let is_mixed = if is_separated {
        kinds > 1 || value.len() >= MIN_VAGUE_KEY_CHARS && is_random(value)
    } else {
        has_digit || kinds > 1
    };
    value.len() >= MIN_PASSWORD_CHARS && has_letter && is_mixed && !value.starts_with('/')
}

fn is_ascii_text(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte.is_ascii_punctuation())
}
