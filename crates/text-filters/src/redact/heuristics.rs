//! Heuristics that decide whether a value is secret, by its name and its form.

use super::letter_pairs::has_rare_pairs;
use super::randomness::{entropy, is_digest, is_placeholder, is_random};
use super::value_names::ValueName;
use crate::numbers;

/// Minimum length of a password, of a key, and of a key whose name is vague.
const MIN_PASSWORD_CHARS: usize = 6;
const MIN_KEY_CHARS: usize = 10;
const MIN_VAGUE_KEY_CHARS: usize = 16;
/// Minimum length of a value of all kinds of characters that other words separate from its name.
const MIN_SEPARATED_KEY_CHARS: usize = 12;
/// Minimum length of a digest that is only near a name.
const MIN_DIGEST_CHARS: usize = 32;
/// Minimum length of the value of a name `pass`, which may also mean a stage of work or a ticket.
const MIN_PASS_VALUE_CHARS: usize = 8;
/// Minimum length of a run of letters and digits in a key without a name. Lists of cells have shorter ones.
const MIN_PIECE_CHARS: usize = 10;
/// Minimum number of parts of the name of a stored secret, and maximum length of a number in it.
const MIN_NAME_PARTS: usize = 3;
const MAX_NUMBER_CHARS: usize = 4;
/// Minimum entropy of a random digest, in bits per byte.
const MIN_DIGEST_ENTROPY_BITS: f64 = 2.5;

/// Returns true if a value is secret under this name.
pub(super) fn is_secret(name: &ValueName, value: &str) -> bool {
    // A removed link counts as a link, so that a text that has passed once passes again.
    let is_link = value.contains("://") || value.contains("[link");
    if is_account_with_digest(value) {
        return !name.is_public();
    }
    if name.is_public() || is_hash(value) || is_placeholder(value) || is_link || is_numeric(value) {
        return false;
    }
    if name.is_stage_or_ticket() {
        return is_strong_key(value) && longest_piece(value) >= MIN_PASS_VALUE_CHARS;
    }
    if name.names_password() {
        return is_password(value, name.is_separated);
    }
    if is_digest(value) {
        let min_chars = if name.is_separated { MIN_DIGEST_CHARS } else { MIN_VAGUE_KEY_CHARS };
        return value.len() >= min_chars && entropy(value) >= MIN_DIGEST_ENTROPY_BITS && name.names_secret();
    }
    if is_resource_name(value) {
        return false;
    }
    let is_clearly_secret = name.names_secret() && !name.is_separated;
    let min_chars = match (is_clearly_secret, name.names_secret() && is_of_all_kinds(value)) {
        (true, _) => MIN_KEY_CHARS,
        (false, true) => MIN_SEPARATED_KEY_CHARS,
        (false, false) => MIN_VAGUE_KEY_CHARS,
    };
    // Keys contain no commas, but lists of cells do.
    let item = if is_clearly_secret {
        value
    } else {
        value.split(',').max_by_key(|item| item.len()).unwrap_or_default()
    };
    let is_cell_list = item != value && longest_piece(item) < MIN_PIECE_CHARS;
    item.len() >= min_chars && is_ascii_text(value) && is_random(item) && !is_cell_list
}

/// Returns true if a value is certainly a key when a word for a key is near.
pub(super) fn is_strong_key(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !is_digest(value)
        && !is_hash(value)
        && !is_placeholder(value)
        && !is_numeric(value)
        && longest_piece(value) >= MIN_PIECE_CHARS
        && is_random(value)
}

/// Returns true for digits, letters of both cases, and either a sign that only passwords have or a long run
/// of letters and digits.
fn is_of_all_kinds(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && (has(|byte| b"!@#%^&*".contains(byte)) || longest_piece(value) >= MIN_PIECE_CHARS)
}

/// Returns the length of the longest run of letters and digits.
fn longest_piece(value: &str) -> usize {
    value.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or_default()
}

/// Returns true for hashes with the name of their algorithm.
fn is_hash(value: &str) -> bool {
    let known_prefixes = ["sha1-", "sha256-", "sha384-", "sha512-", "$2b$", "$argon2"];
    known_prefixes.iter().any(|prefix| value.starts_with(prefix))
}

/// Returns true for a version or an account with a digest, as Asana's keys are: `0/…`,
/// `1/1201234567890123:…`.
fn is_account_with_digest(value: &str) -> bool {
    value.rsplit_once(['/', ':']).is_some_and(|(account, digest)| {
        let is_account = account.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b':'));
        !account.is_empty()
            && is_account
            && digest.len() >= MIN_DIGEST_CHARS
            && is_digest(digest)
            && !has_short_parts(digest)
    })
}

/// Returns true for a UUID or a date with signs.
fn has_short_parts(digest: &str) -> bool {
    digest.contains('-') || entropy(digest) < MIN_DIGEST_ENTROPY_BITS
}

/// Returns true for the name of a stored secret, which does not disclose it: `inf-vsqt-01-secret-id`.
fn is_resource_name(value: &str) -> bool {
    /// Words of which such a name contains at least one.
    const WORDS: [&str; 22] = [
        "secret", "key", "token", "password", "id", "name", "prod", "dev", "test", "staging", "stage",
        "vault", "db", "api", "app", "svc", "service", "path", "config", "default", "current", "env",
    ];
    let parts: Vec<&str> = value.split(['-', '_', '.', '/']).collect();
    let is_lower = |part: &str| part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_number =
        |part: &str| part.len() <= MAX_NUMBER_CHARS && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() >= MIN_NAME_PARTS
        && parts.iter().all(|part| is_lower(part) || is_number(part))
        && parts.iter().any(|part| WORDS.contains(part))
}

/// Returns true for coordinates, cells and sizes with any separator.
fn is_numeric(value: &str) -> bool {
    let numeric: usize = numbers::numeric_words(value).iter().map(std::ops::Range::len).sum();
    let letters: usize = value.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    !is_digest(value) && (numeric == letters || is_run_lengths(value))
}

/// Returns true for run lengths such as `12R3G4B`: numbers before single letters.
fn is_run_lengths(value: &str) -> bool {
    let runs = value.split(|c: char| !c.is_ascii_alphabetic()).map(str::len);
    let signs = value.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    runs.max().unwrap_or_default() == 1 && 4 * signs <= value.len()
}

/// Returns true for a word with something added, as people choose passwords. A plain word continues a
/// sentence.
fn is_password(value: &str, is_separated: bool) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    let has_digit = has(u8::is_ascii_digit);
    let has_letter = has(u8::is_ascii_alphabetic);
    let both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let has_sign = has(u8::is_ascii_punctuation);
    let kinds = [has_digit, both_cases, has_sign].into_iter().filter(|&kind| kind).count();
    let is_long_key = value.len() >= MIN_SEPARATED_KEY_CHARS && is_random(value);
    let is_mixed = kinds > 1 || is_long_key || has_digit && !is_separated;
    value.len() >= MIN_PASSWORD_CHARS
        && has_letter
        && is_mixed
        && (!value.starts_with('/') || is_random(value))
        && (has_digit || !is_form_label(value))
}

/// Returns true for a word with a hyphen and for the label of a field beside the password: `E-mail`,
/// `Confirm-Password`.
fn is_form_label(value: &str) -> bool {
    const LABELS: [&str; 8] =
        ["mail", "password", "user", "confirm", "login", "sign-in", "remember", "forgot"];
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let lowercase = value.to_ascii_lowercase();
    let is_one_word = value.get(1..).is_some_and(|rest| lowercase.ends_with(rest)) && !has_rare_pairs(value);
    value.split_once('-').is_some_and(|(first, second)| {
        is_word(first)
            && is_word(second)
            && (is_one_word || LABELS.iter().any(|label| lowercase.contains(label)))
    })
}

fn is_ascii_text(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte.is_ascii_punctuation())
}
