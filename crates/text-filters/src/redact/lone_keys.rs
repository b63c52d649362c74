//! Finds random values near a word for a key: `the authToken I use, …`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

use crate::steps;

use super::heuristics::is_strong_key;
use super::value_names::{ValueName, context_before, skip_name};

/// A possible key without a name.
const LONE_KEY_PATTERN: &str = r"[A-Za-z0-9_+/=.~-]{16,}";
/// Words for keys, also joined to others: `apiKey`, but not `monkey`.
const KEY_WORD_PATTERN: &str = r"(?x)
    (?: (?: \b | _ | \d )
        (?i: (?: api | access | auth | secret | private | pass | bot | app | client )?
             (?: key | token | secret ) s?
          | password s? | passwd | passphrase | passcode | pwd | credentials? | o?auth | authorization | pat
          | dsn | bearer )
      | [a-z] (?: Api )? (?: Key | Token | Secret | Password | Auth | Credential ) s? )
    (?: \b | _ | \d | [A-Z] )";

static LONE_KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(LONE_KEY_PATTERN).ok());
static KEY_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(KEY_WORD_PATTERN).ok());

/// Distance from a word such as `key` within which a random value counts as a key, before and after it, in
/// bytes.
const KEY_WORD_DISTANCE_BYTES: Range<usize> = 32..64;

/// Returns the positions of random values near a word for a key.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let Some(pattern) = LONE_KEY.as_ref() else { return Vec::new() };
    // A match ends at the first character that no key contains, so all searches together read the text once.
    // Each match is then examined with its context.
    steps::charge(3 * text.len());
    let candidates = pattern.find_iter(text).map(|found| {
        let trimmed = found.as_str().trim_end_matches(['.', '/', '-', '_']);
        skip_name(text, found.start()..found.start() + trimmed.len())
    });
    let is_key =
        |key: &Range<usize>| is_strong_key(&text[key.clone()]) && !text[..key.start].ends_with("base64,");
    let is_near = |key: &Range<usize>| {
        // All searches for key words read the text before the value once, and so do those after it.
        steps::charge(2 * (KEY_WORD_DISTANCE_BYTES.start + KEY_WORD_DISTANCE_BYTES.end));
        let from = text.floor_char_boundary(key.start.saturating_sub(KEY_WORD_DISTANCE_BYTES.end));
        let to = text.ceil_char_boundary((key.end + KEY_WORD_DISTANCE_BYTES.start).min(text.len()));
        let before = &text[from..key.start];
        let after = &text[key.end..to];
        !names_digest(before) && has_secret_key_word(before, after)
    };
    candidates.filter(|key| is_key(key) && is_near(key)).collect()
}

/// Returns true if the nearest word for a key, first of those before a value, is not one for a public key.
fn has_secret_key_word(before: &str, after: &str) -> bool {
    let Some(words) = KEY_WORDS.as_ref() else { return false };
    let is_public = |text: &str, word: Match| {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let start = text[..word.end()].trim_end().trim_end_matches(is_of_name).len();
        let name = text[start..word.end()].trim_end();
        ValueName { before: context_before(text, start), text: name, after: "", is_separated: true }
            .is_public()
    };
    match words.find_iter(before).last() {
        Some(word) => !is_public(before, word),
        None => words.find(after).is_some_and(|word| !is_public(after, word)),
    }
}

/// Returns true if a text ends with the name of a digest: `integrity: `, `the digest is `.
fn names_digest(before: &str) -> bool {
    let mut words = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut last = words.next().unwrap_or_default();
    if matches!(last, "is" | "was") {
        last = words.next().unwrap_or_default();
    }
    ["hash", "digest", "fingerprint", "checksum", "integrity", "etag"]
        .iter()
        .any(|name| last.eq_ignore_ascii_case(name))
}
