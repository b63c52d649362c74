//! Finds values that are secret by their name: `api_key = …`, `my token is …`, `Bearer …`.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};

use crate::bounded_search::{TooManyMatches, captures};
use crate::steps;

use super::heuristics::{ValueName, is_public, is_secret, is_strong_key};

/// A name, optional further words, a sign or verb of assignment, and the value.
const ASSIGNMENT_PATTERN: &str = r#"(?xi)
    (?P<name> [a-z0-9_.-]*
        (?: key | token | secret | passw(?:or)?d | passphrase | passcode | \bpass | _pass | pwd | credential | auth | \bpat | dsn | bearer )
        s? (?: [_0-9-] [a-z0-9_-]* )? ) ["'`)\]*\\]{0,3}
    (?P<more> (?: \s+ [a-z'’]{1,12} ){0,5}? )
    (?: \s* (?: := | => | -> | → | [:=]{1,2} ) \s*
      | \s+ (?: is | was | equals | reads ) (?: \s+ (?: set | now | still | just | currently | actually | simply | to | the ) ){0,3} :? \s+ )
    (?: " (?P<double> [^"]+ ) " | ' (?P<single> [^']+ ) ' | ` (?P<back> [^`]+ ) ` | \\" (?P<escaped> [^"\\]+ ) \\"
      | ["'`(\[]? (?P<bare> [^\s"'`<>]+ ) )"#;
/// A name with its value directly after it.
const ADJACENT_VALUE_PATTERN: &str = r#"(?xi)
    \b (?P<name> [a-z0-9_.-]* (?: key | token | secret | passw(?:or)?d | passphrase | passcode | pwd | credential ) s? )
    \s+ ["'`(\[]? (?P<bare> [^\s"'`<>]{10,} )"#;
/// An authorization as in an HTTP header.
const AUTHORIZATION_PATTERN: &str = r"(?i)\b(?P<name>bearer|basic|x-[a-z-]*(?:key|token)|authorization:\s*[a-z]+)[:=]?\s+(?P<bare>[a-z0-9._~+/=-]+)";
/// A possible key without a name.
const LONE_KEY_PATTERN: &str = r"[A-Za-z0-9_+/=.~-]{16,}";

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [ASSIGNMENT_PATTERN, ADJACENT_VALUE_PATTERN, AUTHORIZATION_PATTERN]
        .into_iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
});
static LONE_KEY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(LONE_KEY_PATTERN).ok());

/// Strings of which a text must contain one before the patterns are tried.
static HINTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = [
        "key",
        "token",
        "secret",
        "passw",
        "passphrase",
        "passcode",
        "pass",
        "pwd",
        "credential",
        "auth",
        "pat",
        "dsn",
        "bearer",
        "basic",
    ];
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
});

/// Words for keys, also joined to others: `apiKey`, but not `monkey`.
const KEY_WORD_PATTERN: &str = r"(?x)
    (?: (?: \b | _ | \d )
        (?i: (?: api | access | auth | secret | private | pass | bot | app | client )? (?: key | token | secret ) s?
          | password s? | passwd | passphrase | passcode | pwd | credentials? | o?auth | authorization | pat | dsn | bearer )
      | [a-z] (?: Api )? (?: Key | Token | Secret | Password | Auth | Credential ) s? )
    (?: \b | _ | \d | [A-Z] )";
static KEY_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(KEY_WORD_PATTERN).ok());

/// Distance from a word such as `key` within which a random value counts as a key, before and after it, in
/// bytes.
const KEY_WORD_DISTANCE_BYTES: Range<usize> = 32..64;

/// Returns the positions of values that are secret by their name.
///
/// # Errors
/// [`TooManyMatches`] if there are too many assignments.
pub(super) fn find(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let Some(hints) = HINTS.as_ref() else { return Ok(Vec::new()) };
    steps::charge(text.len());
    if !hints.is_match(text) {
        return Ok(Vec::new());
    }
    let mut spans = find_lone_keys(text);
    for pattern in PATTERNS.iter() {
        spans.extend(find_named_values(pattern, text)?);
    }
    Ok(spans)
}

fn has_key_word(text: &str) -> bool {
    KEY_WORDS.as_ref().is_some_and(|words| words.is_match(text))
}

fn find_named_values(pattern: &Regex, text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    Ok(captures(pattern, text)?.iter().filter_map(|found| find_value(text, found)).collect())
}

fn find_value(text: &str, found: &Captures) -> Option<Range<usize>> {
    let name = found.name("name")?;
    let quoted = ["double", "single", "back", "escaped"].iter().find_map(|group| found.name(group));
    let value = match quoted {
        Some(quoted) => quoted.range(),
        None => trim_value(text, found.name("bare")?.range()),
    };
    let context_start =
        text[..name.start()].char_indices().rev().take(24).last().map_or(name.start(), |(at, _)| at);
    let name = ValueName {
        context: text[context_start..name.end()].to_lowercase(),
        text: name.as_str().to_lowercase(),
        is_separated: found.name("more").is_none_or(|more| !more.is_empty()) && !name.as_str().contains(':'),
    };
    is_secret(&name, &text[value.clone()]).then_some(value)
}

/// Cuts a value before the end of the sentence, or before the next name with its value.
fn trim_value(text: &str, value: Range<usize>) -> Range<usize> {
    let value_text = &text[value.clone()];
    let is_end = |at: usize| {
        let rest = value_text[at + 1..].trim_start_matches(['"', '\'', '{', '[']);
        let name = rest.len()
            - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-').len();
        rest.is_empty() || name > 0 && rest[name..].starts_with(['=', ':', '"', '\''])
    };
    let end = value_text
        .match_indices([',', ';', '&', '|'])
        .map(|(at, _)| at)
        .find(|&at| is_end(at))
        .unwrap_or(value_text.len());
    let trimmed =
        value_text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '…', '。']);
    value.start..value.start + trimmed.len()
}

/// Returns the positions of random values near a word for a key.
fn find_lone_keys(text: &str) -> Vec<Range<usize>> {
    let Some(pattern) = LONE_KEY.as_ref() else { return Vec::new() };
    // A match ends at the first character that no key contains, so all searches together read the text once.
    // Each match is then examined with its context.
    steps::charge(2 * text.len());
    let candidates = pattern.find_iter(text).map(|found| {
        let trimmed = found.as_str().trim_end_matches(['.', '/', '-', '_']);
        found.start()..found.start() + trimmed.len()
    });
    let is_key =
        |key: &Range<usize>| is_strong_key(&text[key.clone()]) && !text[..key.start].ends_with("base64,");
    let is_near = |key: &Range<usize>| {
        steps::charge(KEY_WORD_DISTANCE_BYTES.start + KEY_WORD_DISTANCE_BYTES.end);
        let from = text.floor_char_boundary(key.start.saturating_sub(KEY_WORD_DISTANCE_BYTES.end));
        let to = text.ceil_char_boundary((key.end + KEY_WORD_DISTANCE_BYTES.start).min(text.len()));
        let (before, after) = (&text[from..key.start], &text[key.end..to]);
        (has_key_word(before) || has_key_word(after)) && !is_public(&before.to_lowercase())
    };
    candidates.filter(|key| is_key(key) && is_near(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = find(text).unwrap();
        spans.sort_by_key(|span| (span.start, span.end));
        spans.dedup();
        spans.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn values_with_secret_names_are_found() {
        for (text, secret) in [
            ("api_key = q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("\"apiKey\": \"q8Zr4TnW1xYv7LbK9mCd\",", "q8Zr4TnW1xYv7LbK9mCd"),
            ("{\\\"token\\\": \\\"q8zr4tnw1xyv7lbk9mcd\\\"}", "q8zr4tnw1xyv7lbk9mcd"),
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            ("my token is q8Zr4TnW1xYv7LbK9mCd.", "q8Zr4TnW1xYv7LbK9mCd"),
            ("the key for the weather site is q8zr4tnw1xyv7lbk9mcd ok", "q8zr4tnw1xyv7lbk9mcd"),
            ("q8Zr4TnW1xYv7LbK9mCd is my token", "q8Zr4TnW1xYv7LbK9mCd"),
            ("here is the api key, keep it: q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("Authorization: Bearer q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("Authorization: Basic Y3JhYjpzM2NyZXQxMjM=", "Y3JhYjpzM2NyZXQxMjM="),
            ("api-key: 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("client_secret=550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
            ("?access_token=q8zr4tnw1xyv7lbk9mcd&x=1", "q8zr4tnw1xyv7lbk9mcd"),
            ("password: hunter2", "hunter2"),
            ("Password=Tr0ub4dor&3;", "Tr0ub4dor&3"),
            ("the passphrase is c0rrect-horse.", "c0rrect-horse"),
            ("PGPASSWORD='s3cret!'", "s3cret!"),
            ("pass: x7Kd9f2LmQ", "x7Kd9f2LmQ"),
            ("the authToken I use, q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn ordinary_values_are_not_found() {
        for text in [
            "key: value",
            "key = x=455,y=69",
            "key: 9f86d081884c",
            "key: 3f786850e387550fdab836ed7e6dc881de23001b",
            "token: 9f86d081884c",
            "tokens: 1500",
            "max_tokens=4096",
            "password: required",
            "password is optional",
            "the key is patience and colour",
            "monkey: 12 bananas",
            "secret: agent_550e8400e29b41d4a716446655440000",
            "public_key = q8zr4tnw1xyv7lbk9mcd",
            "public key: 3f786850e387550fdab836ed7e6dc881de23001b",
            "primary key: a1",
            "password=$PASSWORD1",
            "password: [redacted]",
            "token=aaaaaaaaaaaaaaaaaaaaaaa1",
            "basic colours are fine",
            "second pass: rows12-40",
            "pass: 16x16-grid, then shading",
            "next pass: x=1455,y=690",
            "the gallery pass is EUR5/month",
            "pattern W3R2w4B1g5K3R2b4",
            "path M17.66l1.41-1.41m2",
            "author of Img_2024Q3_final",
            "monkey in Sprite2x_QkT4.png",
            "key: UL10-20,UR30-20,LL10-40",
            "key: row12col34,row56col78",
            "key: this_is_a_long_variable_name",
            "Idempotency-Key: 550e8400-e29b-41d4-a716-446655440000",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
