//! Secrets known by their shape as a whole.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A shape, and what a text must hold for the pattern to be worth a try.
struct Shape {
    holds: &'static str,
    regex: LazyLock<Option<Regex>>,
}

macro_rules! shape {
    ($holds:literal, $pattern:literal) => {
        Shape { holds: $holds, regex: LazyLock::new(|| Regex::new($pattern).ok()) }
    };
}

static SHAPES: [Shape; 10] = [
    // JSON Web Tokens, also without their signature.
    shape!("eyJ", r"(?-u)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}"),
    // Private keys: to their end, or to that of the text if they are cut.
    shape!(
        "PRIVATE KEY",
        r"(?s)-{2,}\s?BEGIN[ A-Z0-9]*PRIVATE KEY.*?(?:-{2,}\s?END[ A-Z0-9]*PRIVATE KEY[ A-Z]*-*|\z)"
    ),
    // The tail of one whose beginning is missing.
    shape!(
        "PRIVATE KEY",
        r"(?:[A-Za-z0-9+/=]{24,}(?:\s|\\n)*)+[A-Za-z0-9+/=]*(?:\s|\\n)*-{2,}\s?END[ A-Z0-9]*PRIVATE KEY[ A-Z]*-*"
    ),
    // Addresses with a password.
    shape!("://", r#"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/?#@"'<>]*:[^\s/?#"'<>\[\]$*{}]+@[^\s"'<>)]+"#),
    // Web hooks that anyone may call who knows them.
    shape!("hooks.slack.com", r"(?i)hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    shape!("/webhooks/", r"(?i)discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,}/[\w-]{20,}"),
    // Telegram, Discord, Mailgun, Mailchimp.
    shape!(":AA", r"(?-u)\b[0-9]{7,12}:AA[A-Za-z0-9_-]{32,34}\b"),
    shape!(
        ".",
        r"(?-u)\b(?:mfa\.[A-Za-z0-9_-]{20,}|[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,})"
    ),
    shape!("-", r"(?-u)\b[0-9a-f]{32}-(?:[0-9a-f]{8}-[0-9a-f]{8}|us[0-9]{1,2})\b"),
    // Terraform, Airtable.
    shape!(".", r"(?-u)\b(?:[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64})"),
];

/// Where secrets of a known shape stand.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let worth = SHAPES.iter().filter(|shape| text.contains(shape.holds));
    let regexes = worth.filter_map(|shape| shape.regex.as_ref());
    regexes.flat_map(|regex| regex.find_iter(text).map(|found| found.range())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|span| &text[span]).collect()
    }

    fn repeated(unit: &str, length: usize) -> String {
        unit.chars().cycle().take(length).collect()
    }

    #[test]
    fn whole_secrets_are_found() {
        let secrets = [
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP".to_owned(),
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0".to_owned(),
            "postgres://crab:s3cret@db.example.com:5432/art".to_owned(),
            "mongodb+srv://crab:p%40ss@cluster0.example.net".to_owned(),
            "redis://:s3cret@localhost:6379/0".to_owned(),
            "amqp://u:p@h".to_owned(),
            "https://user:token@example.com/x.git".to_owned(),
            format!("hooks.slack.com/services/T000/B000/{}", repeated("a1", 24)),
            format!("discord.com/api/webhooks/{}/{}", repeated("1", 18), repeated("aB-", 60)),
            format!("{}:AA{}", repeated("12", 10), repeated("aB3", 33)),
            format!("M{}.{}.{}", repeated("aB3", 23), repeated("aB", 6), repeated("cD4", 38)),
            format!("{}-{}-{}", repeated("0a", 32), repeated("1b", 8), repeated("2c", 8)),
            format!("{}-us12", repeated("0a", 32)),
            format!("pat{}.{}", repeated("aB3", 14), repeated("0a", 64)),
            format!("{}.atlasv1.{}", repeated("aB3", 14), repeated("aB3", 60)),
        ];
        for secret in &secrets {
            assert_eq!(found(&format!("see {secret} ok")), [secret], "{secret}");
        }
    }

    #[test]
    fn private_keys_are_found_also_when_cut() {
        let lines = format!("{} {}", repeated("MIIEpA0B", 64), repeated("xY9+/", 40));
        for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
            let key = format!("-----BEGIN {kind}PRIVATE KEY----- {lines} -----END {kind}PRIVATE KEY-----");
            assert_eq!(found(&format!("a {key} b"))[0], key);
        }
        let pgp = "-----BEGIN PGP PRIVATE KEY BLOCK----- abc -----END PGP PRIVATE KEY BLOCK-----";
        assert_eq!(found(pgp)[0], pgp);
        let head = format!("-----BEGIN PRIVATE KEY----- {lines}");
        assert_eq!(found(&format!("a {head}")), [&head]);
        let tail = format!("{lines} -----END RSA PRIVATE KEY-----");
        assert_eq!(found(&format!("a {tail} b")), [&tail]);
    }

    #[test]
    fn what_only_resembles_them_is_not() {
        for text in [
            "-----BEGIN PUBLIC KEY----- abc -----END PUBLIC KEY-----",
            "postgres://localhost:5432/art",
            "https://example.com:443/@crab",
            "postgres://$USER:$PASSWORD@host/db",
            "redis://user:****@host",
            "eyJhbGciOiJIUzI1NiJ9",
            "12:30 and 4:5",
            "550e8400-e29b-41d4-a716-446655440000",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
