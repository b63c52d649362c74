//! Finds values that are secret by their name: `api_key = …`, `my token is …`, `Bearer …`.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Match, Regex};

use crate::bounded_search::{MAX_MATCHES, TooManyMatches};
use crate::spans::range_of;
use crate::steps;

use super::heuristics::is_secret;
use super::lone_keys;
use super::value_names::{ValueName, context_before, foreign_words, skip_name};

/// A name, optional further words, a sign or verb of assignment, and the value. `FOREIGN` stands for the
/// words of other languages.
const ASSIGNMENT_PATTERN: &str = r#"(?xi)
    (?P<name> [a-z0-9_.-]*
        (?: key | token | secret | passw(?:or)?d | pass\x20?phrase | passcode
          | (?: \b | _ ) (?: pass | pat ) | pwd | credential | auth | dsn | bearer )
        s? (?: [_0-9-] [a-z0-9_-]* )?
      | FOREIGN ) ["'`)\]*\\]{0,3} (?: \[ [^\]\s]{0,16} \] )?
    (?P<more> (?: ,? \s+ [\p{L}'’]{1,12} ){0,5}? ) ["'`]?
    (?: \s* (?: := | => | -{1,2}> | → | > | [:=：＝]{1,2} | 是 | は | 은 | 는 ) \s*
      | \s+ (?: is | was | equals | reads | to | ist | lautet | est | es | é | è | är | jest | это )
        (?: \s+ (?: set | now | still | just | currently | actually | simply | to | the ) ){0,3} :? \s+ )
    (?: !{1,2} [a-z]{1,12} \s+ )?
    (?: " (?P<double> [^"]+ ) " | ' (?P<single> [^']+ ) ' | ` (?P<back> [^`]+ ) `
      | \\" (?P<escaped> [^"\\]+ ) \\"
      | ["'`(\[]? (?P<bare> [^\s"'`<>]+ ) )"#;
/// A name with its value directly after it.
const ADJACENT_VALUE_PATTERN: &str = r#"(?xi)
    (?P<name> \b [a-z0-9_.-]*
        (?: key | token | secret | passw(?:or)?d | pass(?:\x20?phrase|code) | pwd | credential ) s?
      | (?: \b | _ ) (?: pass | pat ) \b | FOREIGN )
    ["'`)\]]{0,2} (?: (?P<more> (?: \s+ [\p{L}'’]{1,12} ){1,3}? ) \s+ [-–—|] \s+ | \s+ (?: [-–—|] \s+ )? )
    ["'`(\[]? (?P<bare> [^\s"'`<>：＝]{8,} )"#;
/// A name, further words, and the value in quotes or brackets.
const QUOTED_VALUE_PATTERN: &str = r#"(?xi)
    (?P<name> \b [a-z0-9_.-]*
        (?: key | token | secret | passw(?:or)?d | pass(?:\x20?phrase|code) | pwd | credential ) s?
      | FOREIGN )
    (?P<more> (?: \s+ [\p{L}'’]{1,12} ){1,3}? ) \s+ ["'`(\[] (?P<bare> [^\s"'`<>：＝]{10,} )"#;
/// An authorization as in an HTTP header.
const AUTHORIZATION_PATTERN: &str = concat!(
    r"(?i)\b(?P<name>bearer|basic|x-[a-z-]*(?:key|token)|authorization:\s*[a-z]+)",
    r"[:=]?\s+(?P<bare>[a-z0-9._~+/=-]+)"
);

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let foreign = foreign_words().collect::<Vec<_>>().join("|").replace(' ', r"\x20");
    [ASSIGNMENT_PATTERN, ADJACENT_VALUE_PATTERN, QUOTED_VALUE_PATTERN, AUTHORIZATION_PATTERN]
        .into_iter()
        .filter_map(|pattern| Regex::new(&pattern.replace("FOREIGN", &format!("(?:{foreign})"))).ok())
        .collect()
});

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
    let words = words.map(str::to_owned).into_iter();
    // The search ignores the case of ASCII letters only.
    let words = words
        .chain(foreign_words().flat_map(|word| [word.to_owned(), capitalize(word), word.to_uppercase()]));
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
});

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
    let mut spans = lone_keys::find(text);
    for pattern in PATTERNS.iter() {
        spans.extend(find_named_values(pattern, text)?);
    }
    Ok(spans)
}

fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the secret values of a pattern. After a name whose value is no secret the search goes on behind
/// the name, because the value may be a name itself: `the cache token: API_TOKEN=…`.
fn find_named_values(pattern: &Regex, text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let mut values = Vec::new();
    let mut from = 0;
    for _ in 0..=MAX_MATCHES {
        steps::charge(text.len());
        let Some(found) = pattern.captures_at(text, from) else { return Ok(values) };
        let end_of = |group: Option<Match>| group.map_or(text.len(), |group| group.end());
        match find_value(text, &found) {
            Some(value) => {
                from = end_of(found.get(0));
                values.push(value);
            }
            None => from = end_of(found.name("name")),
        }
    }
    Err(TooManyMatches)
}

fn find_value(text: &str, found: &Captures) -> Option<Range<usize>> {
    let name = found.name("name")?;
    let quoted = ["double", "single", "back", "escaped"].iter().find_map(|group| found.name(group));
    let value = match quoted {
        Some(quoted) => quoted.range(),
        None => trim_value(text, found.name("bare")?.range()),
    };
    let more = found.name("more").map_or(name.end()..name.end(), |more| more.range());
    // Of several names the last one names the value: `the key for my password is …`.
    let inner = inner_name(&text[more.clone()]).map(|inner| more.start + inner.start..more.start + inner.end);
    let after = inner.as_ref().map_or(more.start, |inner| inner.end)..more.end;
    let name = inner.unwrap_or(name.range());
    let has_sign = found.name("more").is_some();
    let name = ValueName {
        before: context_before(text, name.start),
        text: &text[name.clone()],
        after: &text[after.clone()],
        is_separated: !(text[name].contains(':') || has_sign && after.is_empty()),
    };
    let is_value = !starts_with_name(&text[value.clone()]) && is_secret(&name, &text[value.clone()]);
    is_value.then(|| skip_name(text, value))
}

/// Returns true for a further assignment: `NETLIFY_AUTH_TOKEN=…`, `key: …`.
fn starts_with_name(value: &str) -> bool {
    const PARTS: [&str; 6] = ["key", "token", "secret", "pass", "pwd", "auth"];
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let (name, rest) = value.split_at(value.len() - value.trim_start_matches(is_of_name).len());
    let name = name.to_ascii_lowercase();
    let is_assigned = rest.starts_with(['=', ':']) && !rest.trim_start_matches(['=', ':']).is_empty();
    is_assigned && PARTS.iter().any(|part| name.contains(part))
}

/// Returns the last of these words that is itself a name.
fn inner_name(words: &str) -> Option<Range<usize>> {
    const NAMES: [&str; 8] =
        ["key", "token", "secret", "password", "passphrase", "passcode", "pwd", "credential"];
    let is_name = |word: &&str| NAMES.contains(&word.trim_end_matches('s').to_ascii_lowercase().as_str());
    words.split_whitespace().rfind(is_name).map(|name| range_of(words, name))
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
            ("the key for my password is hunter2x", "hunter2x"),
            ("mein Passwort lautet hunter2x", "hunter2x"),
            ("密码是hunter2x", "hunter2x"),
            ("the cache token: NETLIFY_AUTH_TOKEN=q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("row key: secret key=q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("my password is qhxvkzmwplrtjdgfcnbsyoia", "qhxvkzmwplrtjdgfcnbsyoia"),
            ("my password is tgbrakelmusozviqwend", "tgbrakelmusozviqwend"),
            ("API KEY 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("STRIPE KEY is 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("KEY=9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("Contoso Key: 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("zendesk key 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("SECRET 550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
            ("asana pat: 0/9f86d081884c7d659a2feaa0c55ad015", "0/9f86d081884c7d659a2feaa0c55ad015"),
            ("<apiKey>9f86d081884c7d659a2feaa0c55ad015</apiKey>", "9f86d081884c7d659a2feaa0c55ad015"),
            ("set the token to q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("keys: api_keys[0] = \"q8zr4tnw1xyv7lbk9mcd\"", "q8zr4tnw1xyv7lbk9mcd"),
            (
                "my backup key - hex: STRIPE KEY | 9f86d081884c7d659a2feaa0c55ad015",
                "9f86d081884c7d659a2feaa0c55ad015",
            ),
            ("clave de API - q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("the token for it - q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("[api_key] q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("api_key: !!str q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("my token, it is q8zr4tnw1xyv7lbk9mcd", "q8zr4tnw1xyv7lbk9mcd"),
            ("Пароль: hunter2x", "hunter2x"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn words_for_public_values_matter_only_directly_before_the_name() {
        let key = "q8Zr4TnW1xYv7LbK9mCd";
        for context in [
            "row 5 is done, my token is {}",
            "page 3, map 2, hash ok: api key {}",
            "the cache of the public page. token: {}",
            "PAGERDUTY_API_KEY={}",
            "MAP_API_KEY={}",
            "PAGE_ACCESS_TOKEN={}",
            "HASHICORP_TOKEN={}",
            "CACHE_SECRET={}",
            "PUBLICATION_TOKEN={}",
            "row 5 done {} is my token",
        ] {
            assert_eq!(found(&context.replace("{}", key)), [key], "{context}");
        }
        assert_eq!(found("row 5 is done, my password is hunter2x"), ["hunter2x"]);
        assert_eq!(found("cache password: hunter2x"), ["hunter2x"]);
        for context in [
            "public key: {}",
            "my public ssh key is {}",
            "PUBLIC_KEY={}",
            "NEXT_PUBLIC_SITE_KEY={}",
            "nextPageToken: {}",
            "page_token={}",
            "cacheKey={}",
            "cache key: {}",
            "the row key is {}",
            "hash key: {}",
            "key hash: {}",
            "password_hash={}",
            "token digest: {}",
            "the key's digest is {}",
        ] {
            assert_eq!(found(&context.replace("{}", key)), Vec::<&str>::new(), "{context}");
        }
    }

    #[test]
    fn ordinary_values_are_not_found() {
        for text in [
            "key: value",
            "Password: E-mail Address:",
            "Password: Confirm-Password:",
            "vaultKey: 'inf-vsqt-01-secret-id'",
            "my password is secret",
            "my password is incomprehensibilities",
            "the key is the contrast",
            "the cache token: PAGE_TOKEN=q8Zr4TnW1xYv7LbK9mCd",
            "the key, the digest is 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
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
