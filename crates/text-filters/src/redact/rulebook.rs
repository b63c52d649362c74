//! A known scanner's rules and our own, each tried only on a text that holds one of its keywords.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use crate::bounded_search::{TooManyMatches, byte_captures};
use crate::steps;

use super::randomness::{entropy, is_digest, is_placeholder, is_wordy};

/// See the README beside them.
const GITLEAKS_RULES: &str = include_str!("../../assets/secrets/gitleaks.toml");
const OWN_RULES: &str = include_str!("../../assets/secrets/own.toml");

/// Where code ends a value; talk goes on with any sign.
const CODE_VALUE_END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
const TEXT_VALUE_END: &str = "(?:[^A-Za-z0-9_+=-]|$)";
/// What gives a name its value in code; in talk, a verb does too.
const CODE_ASSIGNMENT: &str = r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)";
const TEXT_ASSIGNMENT: &str = r"(?:=|>|:{1,3}=|\|\||:|=>|->|\?=|,|\bis\b:?|\bwas\b)";

/// Vendors called by words of the language, which have properties in talk: `the linear gradient is …`.
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
/// What makes a digest that has a vendor's name beside it a key.
const SECRET_WORDS: [&str; 9] = ["key", "token", "secret", "id", "pass", "auth", "cred", "dsn", "api"];
/// Prefixes of keys that are also those of things, which are called by digests; the last two only by themselves.
const ID_PREFIXES: [&str; 30] = [
    "agent", "msg", "season", "viewer", "req", "session", "event", "image", "user", "bot", "key", "tok",
    "api", "admin", "service", "svc", "access", "refresh", "prod", "auth", "pat", "at", "rt", "re", "pa",
    "sdk", "mob", "as", "test", "live",
];
const STANDALONE_ID_PREFIXES: [&str; 2] = ["test", "live"];
/// Fewest characters of a digest after one of them.
const MIN_DIGEST_CHARS: usize = 16;

/// What ends a sentence around a key rather than the key.
const CLOSING_PUNCTUATION: [char; 7] = ['.', '/', '~', '$', '!', '?', ':'];

static RULEBOOK: LazyLock<Option<Rulebook>> = LazyLock::new(Rulebook::load);

/// Where the rules find keys.
///
/// # Errors
/// [`TooManyMatches`].
pub(super) fn find(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    RULEBOOK.as_ref().map_or(Ok(Vec::new()), |rulebook| rulebook.find(text))
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

/// What the two files say of a rule, and its regex once it was needed.
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
    /// Its format alone does not tell a key from a name.
    #[serde(skip)]
    is_loose: bool,
    /// A vendor's name and a value, rather than a format.
    #[serde(skip)]
    is_named: bool,
    #[serde(skip)]
    compiled: OnceLock<Option<Regex>>,
}

struct Rulebook {
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// For each keyword the rule that it belongs to.
    keyword_rules: Vec<usize>,
}

impl Rulebook {
    fn load() -> Option<Self> {
        let (gitleaks, own) =
            (toml::from_str::<RuleFile>(GITLEAKS_RULES).ok()?, toml::from_str::<RuleFile>(OWN_RULES).ok()?);
        let is_enabled = |rule: &Rule| {
            rule.path.is_none() && !rule.keywords.is_empty() && !own.extend.disabled_rules.contains(&rule.id)
        };
        let gitleaks = gitleaks.rules.into_iter().filter(is_enabled);
        let mut rules: Vec<Rule> =
            gitleaks.map(|rule| Rule { is_named: rule.regex.contains(CODE_ASSIGNMENT), ..rule }).collect();
        let own = own.rules.into_iter();
        rules.extend(own.map(|rule| Rule { is_loose: rule.entropy.is_some(), ..rule }));
        let keywords_with_rule = || {
            rules.iter().enumerate().flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (at, word)))
        };
        let owners = keywords_with_rule().map(|(at, _)| at).collect();
        let words = keywords_with_rule().map(|(_, word)| word);
        let keywords = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()?;
        Some(Self { rules, keywords, keyword_rules: owners })
    }

    fn find(&self, text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
        steps::charge(text.len());
        let mut is_candidate = vec![false; self.rules.len()];
        for keyword in self.keywords.find_overlapping_iter(text) {
            is_candidate[self.keyword_rules[keyword.pattern().as_usize()]] = true;
        }
        let mut found = Vec::new();
        for (rule, _) in self.rules.iter().zip(is_candidate).filter(|(_, worth)| *worth) {
            found.extend(rule.find(text)?);
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

    /// Bytes rather than characters: their authors meant ASCII, and it compiles a hundred times faster.
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

/// `user_550e8400e29b41d4a716446655440000`: a thing called by a digest.
fn is_id(key: &str) -> bool {
    steps::charge(key.len());
    // Behind the last character that no digest holds, a digest may begin anywhere; a `0x` or `#` before it is part of it.
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
        find(text).unwrap().into_iter().map(|span| &text[span]).collect()
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
}
