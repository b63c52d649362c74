//! Values that are secret because their name says so: `api_key = …`, `Bearer …`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A name, what gives it a value, and the value.
const ASSIGNMENT: &str = r#"(?xi)
    (?P<name> [a-z0-9_.-]* (?: key | token | secret | passw(?:or)?d | passphrase | pwd | credential ) s? (?: [_0-9] [a-z0-9_]* )? ) ["'`]?
    (?: \s* (?: := | => | [:=] ) \s* | \s+ is: \s* | \s+ is \s+ ) ["'`]?
    (?P<value> [^\s"'`,;<>]+ )"#;
/// As in an HTTP header.
const AUTHORIZATION: &str = r"(?i)\b(?:bearer|basic|authorization:\s*token)\s+(?P<value>[a-z0-9._~+/=-]+)";

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [ASSIGNMENT, AUTHORIZATION].into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});

/// What one of a text's words must hold for the patterns to be worth a try.
const HINTS: [&str; 9] =
    ["key", "token", "secret", "pass", "pwd", "credential", "bearer", "basic", "authorization"];

/// Where values stand whose names make them secret.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    if !HINTS.iter().any(|hint| lower.contains(hint)) {
        return Vec::new();
    }
    PATTERNS.iter().flat_map(|pattern| secrets(pattern, text)).collect()
}

fn secrets(pattern: &Regex, text: &str) -> Vec<Range<usize>> {
    let found = pattern.captures_iter(text).filter_map(|found| {
        let value = found.name("value")?;
        let name = found.name("name").map_or("bearer", |name| name.as_str()).to_ascii_lowercase();
        let secret = value.as_str().trim_end_matches(['.', ')', ']', '}', '?']);
        is_secret(&name, secret).then_some(value.start()..value.start() + secret.len())
    });
    found.collect()
}

fn is_secret(name: &str, value: &str) -> bool {
    if is_public(name) || is_id(value) {
        return false;
    }
    if name.contains("pass") || name.contains("pwd") {
        return is_password(value);
    }
    is_random(value) && (!is_digest(value) || is_telling(name))
}

/// Keys and tokens that everyone may see.
fn is_public(name: &str) -> bool {
    ["public", "idempotency", "primary", "foreign", "page", "next_token", "max_"]
        .iter()
        .any(|word| name.contains(word))
}

/// Names after which even a digest is a secret: a hash is more often called `key` or `token`.
fn is_telling(name: &str) -> bool {
    ["api", "secret", "access", "auth", "private", "bearer"].iter().any(|word| name.contains(word))
}

/// What this server calls its own things by.
fn is_id(value: &str) -> bool {
    ["agent_", "msg_", "viewer_", "season_"].iter().any(|prefix| value.starts_with(prefix))
}

/// Hex, or a UUID.
fn is_digest(value: &str) -> bool {
    value.trim_start_matches("0x").bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// People choose words with something added; a sentence goes on with a plain word.
fn is_password(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    value.len() >= 6
        && has(u8::is_ascii_digit)
        && !value.contains("://")
        && !value.starts_with(['$', '*', '{', '#'])
}

/// Long, mixed, and of many different characters.
fn is_random(value: &str) -> bool {
    let is_mixed = value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_text =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.+/=~!@#$%^&*".contains(&byte));
    value.len() >= 16 && is_mixed && is_text && entropy(value) >= 3.0
}

/// Shannon's, in bits for each byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn values_of_telling_names_are_secret() {
        for (text, secret) in [
            ("api_key = q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("\"apiKey\": \"q8Zr4TnW1xYv7LbK9mCd\",", "q8Zr4TnW1xYv7LbK9mCd"),
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            ),
            ("my token is q8Zr4TnW1xYv7LbK9mCd.", "q8Zr4TnW1xYv7LbK9mCd"),
            ("Authorization: Bearer q8Zr4TnW1xYv7LbK9mCd", "q8Zr4TnW1xYv7LbK9mCd"),
            ("Authorization: Basic Y3JhYjpzM2NyZXQxMjM=", "Y3JhYjpzM2NyZXQxMjM="),
            ("api-key: 9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
            ("client_secret=550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
            ("?access_token=q8Zr4TnW1xYv7LbK9mCd&x=1", "q8Zr4TnW1xYv7LbK9mCd&x=1"),
            ("password: hunter2", "hunter2"),
            ("Password=Tr0ub4dor&3;", "Tr0ub4dor&3"),
            ("the passphrase is c0rrect-horse.", "c0rrect-horse"),
            ("PGPASSWORD='s3cret!'", "s3cret!"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
    }

    #[test]
    fn ordinary_values_are_not() {
        for text in [
            "key: value",
            "key = x=455,y=69",
            "key: 9f86d081884c",
            "token: 3f786850e387550fdab836ed7e6dc881de23001b",
            "tokens: 1500",
            "max_tokens=4096",
            "password: required",
            "password is optional",
            "the key is patience and colour",
            "monkey: 12 bananas",
            "keyboard = q8Zr4TnW1xYv7LbK9mCd?",
            "secret: agent_550e8400e29b41d4a716446655440000",
            "public_key = q8Zr4TnW1xYv7LbK9mCd",
            "primary key: a1",
            "password=$PASSWORD1",
            "token=aaaaaaaaaaaaaaaaaaaaaaa1",
            "basic colours are fine",
            "key: this_is_a_long_variable_name",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
