//! Whether a value is a secret, by its name and by its look.

use super::randomness::{entropy, is_digest, is_random, is_stand_in};
use crate::mask;

/// What a value is called.
pub(super) struct Name {
    /// The name with the words before it.
    pub words: String,
    /// The name alone.
    pub last: String,
    /// Other words stand between the name and the value.
    pub is_apart: bool,
}

/// Fewest characters of a password, of a key, and of a key whose name says little.
const PASSWORD: usize = 6;
const KEY: usize = 10;
const VAGUE_KEY: usize = 16;
/// Fewest of a digest that only stands near a name.
const DIGEST: usize = 32;
/// Fewest of a word that is a password because it is called `pass`, as a stage of work or a ticket is too.
const PASS: usize = 8;
/// Fewest side by side in a key that stands by itself: lists of cells have shorter ones.
const PIECE: usize = 10;
/// Bits for each byte of a digest that was drawn rather than typed.
const DRAWN: f64 = 2.5;

/// Whether a value is secret under this name.
pub(super) fn is_secret(name: &Name, value: &str) -> bool {
    // What was a link is judged as it was before it was removed: once shown, a text stays.
    let is_link = value.contains("://") || value.contains("[link");
    if name.is_public() || is_id(value) || is_stand_in(value) || is_link || is_numbers(value) {
        return false;
    }
    if name.last == "pass" {
        return is_strong(value) && longest_piece(value) >= PASS;
    }
    if name.is_of_password() {
        return is_password(value, name.is_apart);
    }
    if is_digest(value) {
        let least = if name.is_apart { DIGEST } else { VAGUE_KEY };
        return value.len() >= least && entropy(value) >= DRAWN && name.is_telling();
    }
    let is_clear = name.is_telling() && !name.is_apart;
    let least = if is_clear { KEY } else { VAGUE_KEY };
    // Keys hold no commas, lists of cells do.
    let item =
        if is_clear { value } else { value.split(',').max_by_key(|item| item.len()).unwrap_or_default() };
    let is_of_cells = item != value && longest_piece(item) < PIECE;
    item.len() >= least && is_text(value) && is_random(item) && !is_of_cells
}

/// Whether it is a key to any reader, with only a word for one nearby.
pub(super) fn is_strong(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !is_digest(value)
        && !is_id(value)
        && !is_stand_in(value)
        && !is_numbers(value)
        && longest_piece(value) >= PIECE
        && is_random(value)
}

/// The longest run of letters and digits.
fn longest_piece(value: &str) -> usize {
    value.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or_default()
}

impl Name {
    fn is_public(&self) -> bool {
        is_public(&self.words)
    }

    fn is_of_password(&self) -> bool {
        self.last.contains("pass") || self.last.contains("pwd")
    }

    /// Names after which even a digest is a secret: a hash is often called just `key`.
    fn is_telling(&self) -> bool {
        let telling = [
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
        telling.iter().any(|word| self.words.contains(word))
    }
}

/// Whether these words announce keys and tokens that everyone may see.
pub(super) fn is_public(words: &str) -> bool {
    let public = [
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
    public.iter().any(|word| words.contains(word))
}

/// What this server calls its own things by, and hashes that say which they are.
fn is_id(value: &str) -> bool {
    let known =
        ["agent_", "msg_", "viewer_", "season_", "sha1-", "sha256-", "sha384-", "sha512-", "$2b$", "$argon2"];
    known.iter().any(|prefix| value.starts_with(prefix))
}

/// Coordinates, cells and sizes, however they are joined.
fn is_numbers(value: &str) -> bool {
    let numeric: usize = mask::numeric_words(value).iter().map(std::ops::Range::len).sum();
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
fn is_password(value: &str, is_apart: bool) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    let (digit, letter) = (has(u8::is_ascii_digit), has(u8::is_ascii_alphabetic));
    let both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let sign = has(u8::is_ascii_punctuation);
    let kinds = [digit, both_cases, sign].into_iter().filter(|&kind| kind).count();
    let is_mixed =
        if is_apart { kinds > 1 || value.len() >= VAGUE_KEY && is_random(value) } else { digit || kinds > 1 };
    value.len() >= PASSWORD && letter && is_mixed && !value.starts_with('/')
}

fn is_text(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte.is_ascii_punctuation())
}
