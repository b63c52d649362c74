//! Rules that an operator adds to those of the secret scanner or drops from them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use crate::bounded_search::{TooManyMatches, captures};

use super::{SecretScanner, find_in_all_forms, find_with_rules, rulebook};

/// Maximum size of a rule's compiled regex in bytes. It bounds the memory and the time of a search.
const MAX_REGEX_BYTES: usize = 1 << 20;
/// Maximum number of added rules. Each is tried on each text.
const MAX_ADDED_RULES: usize = 100;
/// The rules of this crate that are code, with the names by which they can be dropped.
pub(super) const CODE_RULES: [&str; 3] = ["named-value", "wallet-key", "seed-phrase"];
/// A rule that cannot be dropped: this server's own keys.
const REQUIRED_RULE: &str = "own-key";

/// The rules of an operator. The default neither adds nor drops any.
#[derive(Clone, Debug, Default)]
pub struct SecretRules {
    added: Vec<Regex>,
    dropped: HashSet<String>,
}

/// A line of a list of rules that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct SecretRuleError {
    /// The number of the line, from 1 on.
    pub line: usize,
    pub problem: String,
}

impl SecretRules {
    /// Parses a list with one rule per line: `+ name regex` adds a rule, `- name` drops one, and a line that
    /// starts with `#` is a comment. The first group of a regex is the part that is removed; a regex without
    /// groups removes all that it matches.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, SecretRuleError> {
        let mut rules = Self::default();
        let mut names = HashSet::new();
        for (index, line) in text.lines().enumerate() {
            let error = |problem| SecretRuleError { line: index + 1, problem };
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
            let (name, pattern) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
            match sign {
                "+" => rules.added.push(parse_added_rule(name, pattern.trim(), &mut names).map_err(error)?),
                "-" => drop(rules.dropped.insert(parse_dropped_rule(name, pattern).map_err(error)?)),
                _ => {
                    return Err(error(
                        "begin it with + to add a rule, - to drop one, or # for a comment".to_owned(),
                    ));
                }
            }
            if rules.added.len() > MAX_ADDED_RULES {
                return Err(error(format!("add {MAX_ADDED_RULES} rules at most")));
            }
        }
        Ok(rules)
    }

    pub(super) fn drops(&self, name: &str) -> bool {
        self.dropped.contains(name)
    }
}

fn parse_added_rule(name: &str, pattern: &str, names: &mut HashSet<String>) -> Result<Regex, String> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err("write + NAME REGEX, with a name of small letters, digits and hyphens".to_owned());
    }
    if pattern.is_empty() {
        return Err(format!("the rule {name} has no regex: write + {name} REGEX"));
    }
    if is_known(name) || !names.insert(name.to_owned()) {
        return Err(format!("a rule {name} exists already: choose another name"));
    }
    let regex =
        RegexBuilder::new(pattern).size_limit(MAX_REGEX_BYTES).dfa_size_limit(MAX_REGEX_BYTES).build();
    let regex =
        regex.map_err(|problem| format!("the regex of {name} is invalid: {}", first_cause(&problem)))?;
    if regex.is_match("") {
        return Err(format!("the regex of {name} matches the empty text: require at least one character"));
    }
    Ok(regex)
}

fn parse_dropped_rule(name: &str, rest: &str) -> Result<String, String> {
    if !rest.trim().is_empty() {
        return Err("write - NAME, and nothing after the name".to_owned());
    }
    if name == REQUIRED_RULE {
        return Err(format!("the rule {REQUIRED_RULE} finds this server's own keys and cannot be dropped"));
    }
    if !is_known(name) {
        return Err(format!(
            "there is no rule {name:?} to drop: see the ids in crates/text-filters/assets/secrets"
        ));
    }
    Ok(name.to_owned())
}

fn is_known(name: &str) -> bool {
    CODE_RULES.contains(&name) || rulebook::has_rule(name)
}

/// Returns the last line of an error, which names the cause; the lines before it show the regex.
fn first_cause(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.trim().trim_start_matches("error: ").to_owned()
}

/// A detector of known key formats, changed by the rules of an operator.
#[derive(Clone, Debug, Default)]
pub struct CustomScanner(Arc<SecretRules>);

impl CustomScanner {
    /// Returns a detector with these rules.
    pub fn new(rules: SecretRules) -> Self {
        Self(Arc::new(rules))
    }

    fn find_all(&self, text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
        let mut found = find_with_rules(text, &self.0)?;
        for regex in &self.0.added {
            for matched in captures(regex, text)? {
                let group = matched.iter().skip(1).flatten().next().or(matched.get(0));
                found.extend(group.map(|group| group.range()));
            }
        }
        Ok(found)
    }
}

impl SecretScanner for CustomScanner {
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        find_in_all_forms(text, |form| self.find_all(form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redact;

    fn redacted(rules: &str, text: &str) -> Option<String> {
        redact(text, &CustomScanner::new(SecretRules::parse(rules).unwrap()))
    }

    #[test]
    fn rules_are_added_and_dropped() {
        let text = "ticket ACME-00112233, AKIAIOSFODNN7EXAMPLE";
        assert_eq!(redacted("", text).unwrap(), "ticket ACME-00112233, [redacted] (content redacted)");
        let rules = "# ours\n\n+ acme-ticket ACME-(\\d{8})\n- aws-key-id\n- aws-access-token\n";
        assert_eq!(
            redacted(rules, text).unwrap(),
            "ticket ACME-[redacted], AKIAIOSFODNN7EXAMPLE (content redacted)"
        );
        assert_eq!(redacted("- named-value", "password: hunter2"), None);
        let key = format!("cp_{}", "a1B2".repeat(12));
        assert!(redacted("- prefix", &key).unwrap().starts_with("[redacted]"));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (rules, expected) in [
            ("# ok\nacme", "line 2: begin it with +"),
            ("+ acme", "line 1: the rule acme has no regex"),
            ("+ Acme x", "line 1: write + NAME REGEX"),
            ("+ acme a(", "line 1: the regex of acme is invalid: unclosed group"),
            ("+ acme (?=a)", "line 1: the regex of acme is invalid: look-around"),
            ("+ acme a*", "line 1: the regex of acme matches the empty text"),
            ("+ acme (a{1000}){1000}", "line 1: the regex of acme is invalid: "),
            ("+ acme a\n+ acme b", "line 2: a rule acme exists already"),
            ("- acme", "line 1: there is no rule \"acme\""),
            ("- own-key", "line 1: the rule own-key finds"),
            ("- prefix x", "line 1: write - NAME"),
        ] {
            let error = SecretRules::parse(rules).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{rules}: {error}");
        }
        let many: String = (0..=MAX_ADDED_RULES).map(|at| format!("+ rule-{at} a\n")).collect();
        assert_eq!(SecretRules::parse(&many).unwrap_err().line, MAX_ADDED_RULES + 1);
    }
}
