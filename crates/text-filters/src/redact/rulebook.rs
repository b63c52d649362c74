//! Secret detection rules: those of gitleaks, newer ones, and our own. A rule is tried only if the text
//! contains one of its keywords.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use crate::bounded_search::{TooManyMatches, byte_captures};
use crate::steps;

use super::randomness::{entropy, is_digest, is_placeholder, is_wordy};

/// The rules of gitleaks. The README beside them has their source.
const GITLEAKS_RULES: &str = include_str!("../../assets/secrets/gitleaks.toml");
/// Forms of keys that are newer than the rules of gitleaks.
const RECENT_RULES: &str = include_str!("../../assets/secrets/recent.toml");
const OWN_RULES: &str = include_str!("../../assets/secrets/own.toml");
/// The rule for the keys of this server.
const OWN_KEY_RULE: &str = "own-key";

/// Pattern for the end of a value in code. In prose, any other character may end it.
const CODE_VALUE_END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const TEXT_VALUE_END: &str = "(?:[^A-Za-z0-9_+=-]|$)";
/// Pattern for an assignment in code. In prose, a verb may assign, too.
const CODE_ASSIGNMENT: &str = r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)";
const TEXT_ASSIGNMENT: &str = r"(?:=|>|:{1,3}=|\|\||:|=>|->|\?=|,|\bis\b:?|\bwas\b)";

/// Vendors whose names are ordinary words with properties: `the linear gradient is …`.
const VENDORS_THAT_ARE_WORDS: [&str; 12] = [
    "linear",
    "plaid",
    "lob",
    "looker",
    "beamer",
    "kraken",
    "intercom",
    "twitch",
    "adobe",
    "contentful",
    "sentry",
    "square",
];
/// Words that make a digest beside a vendor's name a key.
const SECRET_WORDS: [&str; 9] = ["key", "token", "secret", "id", "pass", "auth", "cred", "dsn", "api"];
/// Prefixes of keys that are also prefixes of ids with a digest; the last two only alone.
const ID_PREFIXES: [&str; 30] = [
    "agent", "msg", "season", "viewer", "req", "session", "event", "image", "user", "bot", "key", "tok",
    "api", "admin", "service", "svc", "access", "refresh", "prod", "auth", "pat", "at", "rt", "re", "pa",
    "sdk", "mob", "as", "test", "live",
];
const STANDALONE_ID_PREFIXES: [&str; 2] = ["test", "live"];
/// Minimum length of a digest after one of these prefixes.
const MIN_DIGEST_CHARS: usize = 16;

/// Punctuation that may end the sentence around a key and does not belong to the key.
const CLOSING_PUNCTUATION: [char; 7] = ['.', '/', '~', '$', '!', '?', ':'];

static RULEBOOK: LazyLock<Option<Rulebook>> = LazyLock::new(Rulebook::load);

/// Returns the positions of keys. `is_dropped` returns true for the id of a rule that must not be tried.
///
/// # Errors
/// [`TooManyMatches`] if a rule has too many matches.
pub(super) fn find(
    text: &str,
    is_dropped: impl Fn(&str) -> bool,
) -> Result<Vec<Range<usize>>, TooManyMatches> {
    RULEBOOK.as_ref().map_or(Ok(Vec::new()), |rulebook| rulebook.find(text, is_dropped))
}

/// Returns true if there is a rule with this id.
pub(super) fn has_rule(id: &str) -> bool {
    RULEBOOK.as_ref().is_some_and(|rulebook| rulebook.rules.iter().any(|rule| rule.id == id))
}

#[derive(Deserialize)]
struct RuleFile {
    #[serde(default)]
    extend: RuleFileExtension,
    rules: Vec<Rule>,
}

#[derive(Default, Deserialize)]
struct RuleFileExtension {
    #[serde(rename = "disabledRules")]
    disabled_rules: Vec<String>,
}

/// A rule as defined in the files, with its regex once it is needed.
#[derive(Deserialize)]
struct Rule {
    id: String,
    #[serde(default)]
    regex: String,
    #[serde(rename = "secretGroup")]
    secret_group: Option<usize>,
    path: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    entropy: Option<f64>,
    /// True if the format alone does not distinguish a key from a name.
    #[serde(skip)]
    is_loose: bool,
    /// True if the rule matches a vendor's name with a value, rather than a format.
    #[serde(skip)]
    is_named: bool,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

struct Rulebook {
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// The rule of each keyword.
    keyword_rules: Vec<usize>,
}

/// Compiles the patterns of all rules.
pub(super) fn compile() {
    rules().for_each(|rule| {
        rule.compiled();
    });
}

/// Returns the keywords of all rules, in the order of the rules.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    rules().flat_map(|rule| rule.keywords.iter().map(String::as_str))
}

/// Returns the ids of the rules whose patterns are not compiled yet.
#[cfg(test)]
pub(super) fn uncompiled_rules() -> Vec<&'static str> {
    rules().filter(|rule| rule.compiled.get().is_none()).map(|rule| rule.id.as_str()).collect()
}

/// Returns the positions of keys of this server.
pub(super) fn find_own_keys(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    rules().find(|rule| rule.id == OWN_KEY_RULE).map_or(Ok(Vec::new()), |rule| rule.find(text))
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    RULEBOOK.iter().flat_map(|rulebook| &rulebook.rules)
}

impl Rulebook {
    fn load() -> Option<Self> {
        let [gitleaks, recent, own] =
            [GITLEAKS_RULES, RECENT_RULES, OWN_RULES].map(|text| toml::from_str::<RuleFile>(text).ok());
        let gitleaks = gitleaks?;
        let recent = recent?;
        let own = own?;
        let is_enabled = |rule: &Rule| {
            rule.path.is_none() && !rule.keywords.is_empty() && !own.extend.disabled_rules.contains(&rule.id)
        };
        let gitleaks = gitleaks.rules.into_iter().filter(is_enabled);
        let mut rules: Vec<Rule> =
            gitleaks.map(|rule| Rule { is_named: rule.regex.contains(CODE_ASSIGNMENT), ..rule }).collect();
        let own = recent.rules.into_iter().chain(own.rules);
        rules.extend(own.map(|rule| Rule { is_loose: rule.entropy.is_some(), ..rule }));
        let keywords_with_rule = || {
            rules.iter().enumerate().flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (at, word)))
        };
        let owners = keywords_with_rule().map(|(at, _)| at).collect();
        let words = keywords_with_rule().map(|(_, word)| word);
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
        Some(Self { rules, keywords, keyword_rules: owners })
    }

    fn find(
        &self,
        text: &str,
        is_dropped: impl Fn(&str) -> bool,
    ) -> Result<Vec<Range<usize>>, TooManyMatches> {
        steps::charge(text.len());
        let mut is_candidate = vec![false; self.rules.len()];
        for keyword in self.keywords.find_overlapping_iter(text) {
            is_candidate[self.keyword_rules[keyword.pattern().as_usize()]] = true;
        }
        let mut found = Vec::new();
        for (rule, _) in self.rules.iter().zip(is_candidate).filter(|(_, worth)| *worth) {
            if !is_dropped(&rule.id) {
                found.extend(rule.find(text)?);
            }
        }
        Ok(found)
    }
}

impl Rule {
    fn find(&self, text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
        let Some(regex) = self.compiled() else { return Ok(Vec::new()) };
        let keys = byte_captures(regex, text)?;
        Ok(keys.iter().filter_map(|found| self.find_key(text, found)).collect())
    }

    /// Returns the regex. It matches bytes, because the rules are meant for ASCII and this compiles a hundred
    /// times faster.
    fn compiled(&self) -> Option<&Regex> {
        let compile = || {
            let is_word = self.keywords.iter().any(|word| VENDORS_THAT_ARE_WORDS.contains(&word.as_str()));
            let signs = if is_word { CODE_ASSIGNMENT } else { TEXT_ASSIGNMENT };
            let pattern = self.regex.replace(CODE_VALUE_END, TEXT_VALUE_END).replace(CODE_ASSIGNMENT, signs);
            RegexBuilder::new(&pattern).unicode(false).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    fn find_key(&self, text: &str, found: &Captures) -> Option<Range<usize>> {
        let first = || found.iter().skip(1).flatten().next();
        let group = self.secret_group.map_or_else(first, |group| found.get(group)).or(found.get(0))?;
        let key = text.get(group.range())?.trim_end_matches(CLOSING_PUNCTUATION);
        let is_accidental =
            self.entropy.is_some_and(|least| entropy(key) < least) || self.is_loose && is_wordy(key);
        let is_public = self.is_loose && is_id(key)
            || self.is_named && is_digest(key) && !names_secret(&text[found.get(0)?.start()..group.start()]);
        (!is_accidental && !is_public && !is_placeholder(key))
            .then_some(group.start()..group.start() + key.len())
    }
}

/// Returns true for an id with a digest: `user_550e8400e29b41d4a716446655440000`.
fn is_id(key: &str) -> bool {
    steps::charge(key.len());
    // After the last character that no digest contains, a digest may start anywhere. A `0x` or `#` before it
    // belongs to it.
    let is_of_digest = |c: char| c.is_ascii_hexdigit() || c == '-';
    let digest_from = key.trim_end_matches(is_of_digest).len();
    let may_begin = |at: usize| at + "_0x".len() >= digest_from;
    let tails =
        key.match_indices(['_', '-']).filter(|(at, _)| may_begin(*at)).map(|(at, _)| key.split_at(at));
    let digest_suffix =
        tails.take_while(|(_, tail)| tail.len() > MIN_DIGEST_CHARS).find(|(_, tail)| is_digest(&tail[1..]));
    digest_suffix.is_some_and(|(prefix, _)| {
        let last = prefix.rsplit(['_', '-']).next().unwrap_or_default();
        ID_PREFIXES.contains(&last) && (last == prefix || !STANDALONE_ID_PREFIXES.contains(&last))
    })
}

fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text, |_| false).unwrap().into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn every_rule_compiles_and_every_disabled_rule_exists() {
        let rulebook = RULEBOOK.as_ref().unwrap();
        assert!(rulebook.rules.len() > 200, "{} rules", rulebook.rules.len());
        for rule in &rulebook.rules {
            assert!(rule.compiled().is_some(), "{}", rule.id);
        }
        let gitleaks = toml::from_str::<RuleFile>(GITLEAKS_RULES).unwrap();
        let own = toml::from_str::<RuleFile>(OWN_RULES).unwrap();
        for id in &own.extend.disabled_rules {
            assert!(gitleaks.rules.iter().any(|rule| rule.id == *id), "{id} is disabled for nothing");
        }
    }

    #[test]
    fn the_rules_still_use_the_replaced_patterns() {
        let gitleaks = toml::from_str::<RuleFile>(GITLEAKS_RULES).unwrap();
        let count_rules_with =
            |part: &str| gitleaks.rules.iter().filter(|rule| rule.regex.contains(part)).count();
        assert!(
            count_rules_with(CODE_VALUE_END) > 100 && count_rules_with(CODE_ASSIGNMENT) > 50,
            "the file changed its ways: talk would pass"
        );
    }

    #[test]
    fn short_and_wordy_values_are_no_keys() {
        for text in [
            "cp_short",
            "sk-learn",
            "sk-this-is-only-a-very-long-name",
            "AKIA of old",
            "AKIAABCDEFGHIJKLMNOPQ",
            "hf_model",
            "xai-grok",
            "SKYSCRAPER",
            "key-value",
            "secret_santa",
            "re_render",
            "dapi_v2",
            "npm_config_cache",
            "-----BEGIN PUBLIC KEY----- abc -----END PUBLIC KEY-----",
            "postgres://localhost:5432/art",
            "https://example.com:443/@crab",
            "postgres://$USER:$PASSWORD@host/db",
            "redis://user:****@host",
            "eyJhbGciOiJIUzI1NiJ9",
            "user_550e8400e29b41d4a716446655440000",
            "bot-9f86d081884c7d659a2feaa0c55ad015",
            "test_9f86d081884c7d659a2feaa0c55ad015",
            "key-550e8400-e29b-41d4-a716-446655440000",
            "key_3f786850e387550fdab836ed7e6dc881de23001b",
            "the linear gradient tile is 9f86d081884c7d659a2feaa0c55ad015",
            "linear gradient: 9f86d081884c7d659a2feaa0c55ad015",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn private_keys_are_found_also_when_cut() {
        let lines = format!("{} {}", "MIIEpA0B".repeat(8), "xY/+9".repeat(8));
        for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
            let key = format!("-----BEGIN {kind}PRIVATE KEY----- {lines} -----END {kind}PRIVATE KEY-----");
            assert_eq!(found(&format!("a {key} b"))[0], key);
            let head = format!("-----BEGIN {kind}PRIVATE KEY----- {lines}");
            assert_eq!(found(&format!("a {head}, so it is")), [&head]);
            let tail = format!("{lines} -----END {kind}PRIVATE KEY-----");
            assert_eq!(found(&format!("a {tail} b")), [&tail]);
        }
    }
    #[test]
    fn cut_private_keys_with_headers_lose_their_body() {
        let body = format!("{} {}", "lQOYBFxU".repeat(8), "xY/+9".repeat(8));
        for (kind, headers) in [
            ("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,1234567890ABCDEF "),
            ("RSA PRIVATE KEY", r"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1234567890ABCDEF\n\n"),
            ("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2.0.22 (GNU/Linux) "),
            ("PGP PRIVATE KEY BLOCK", "Version: GnuPG v2 Comment: https://gpgtools.org "),
        ] {
            let key = format!("-----BEGIN {kind}----- {headers}{body}");
            assert_eq!(found(&format!("a {key}, so it is"))[0], key);
        }
    }

    #[test]
    fn sessions_in_cookies_are_found() {
        for (text, secret) in [
            ("Cookie: session=q8Zr4TnW1xYv7LbK9mCd", "session=q8Zr4TnW1xYv7LbK9mCd"),
            ("cookie: theme=dark; sid=ab12cd34; x=1 ok", "theme=dark; sid=ab12cd34; x=1"),
            ("Set-Cookie: sessionid=0a1b2c3d; HttpOnly", "sessionid=0a1b2c3d"),
            ("PHPSESSID=0a1b2c3d0a1b2c3d0a1b", "0a1b2c3d0a1b2c3d0a1b"),
        ] {
            assert_eq!(found(text), [secret], "{text}");
        }
        for text in ["Cookie: session=required", "Cookie: theme=dark; width=80", "a cookie: session 3 of 5"] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
