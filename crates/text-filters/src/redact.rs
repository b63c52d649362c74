//! Removes secrets from texts before anyone reads them.

mod assignments;
mod custom_rules;
mod heuristics;
mod letter_pairs;
mod lone_keys;
mod narrow_text;
mod randomness;
mod rulebook;
mod seed_phrases;
mod services;
mod value_names;
mod wallet_keys;
mod warm_up;

use std::ops::Range;

pub use custom_rules::{CustomScanner, SecretRuleError, SecretRules};
use narrow_text::NarrowText;
pub use warm_up::warm_up;

use super::bounded_search::TooManyMatches;
use super::{ids, spans};

/// The text that replaces a secret.
pub const REDACTED: &str = "[redacted]";
/// The note at the end of a message from which a secret was removed.
pub const REDACTION_NOTE: &str = " (content redacted)";

/// A detector of secrets.
pub trait SecretScanner: Send + Sync {
    /// Returns the positions of secrets, in bytes. The spans may overlap and come in any order.
    fn find(&self, text: &str) -> Vec<Range<usize>>;
}

/// A detector of known key formats, including this server's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownTokens;

impl SecretScanner for KnownTokens {
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        find_in_all_forms(text, |form| find_with_rules(form, &SecretRules::default()))
    }
}

/// A detector of this server's own keys. It compiles one short pattern, so it is fast on first use, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnKeys;

impl SecretScanner for OwnKeys {
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        find_in_all_forms(text, rulebook::find_own_keys)
    }
}

/// Returns what `find` finds in a text, and in the same text in plain letters if it has wide or bold ones.
/// A text with too many matches is a secret as a whole.
fn find_in_all_forms(
    text: &str,
    find: impl Fn(&str) -> Result<Vec<Range<usize>>, TooManyMatches>,
) -> Vec<Range<usize>> {
    let find_all = || {
        let mut found = find(text)?;
        if let Some(narrow) = NarrowText::of(text) {
            found.extend(find(&narrow.text)?.iter().map(|span| narrow.source_range(span)));
        }
        Ok(found)
    };
    find_all().unwrap_or_else(|TooManyMatches| spans::whole(text))
}

/// Returns the positions of secrets by the built-in rules, without the dropped ones. This server's ids are no
/// secrets.
fn find_with_rules(text: &str, rules: &SecretRules) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let own_ids = ids::find(text);
    Ok(ids::subtract(text, find_beside_ids(&ids::blank(text, &own_ids), rules)?, &own_ids))
}

fn find_beside_ids(text: &str, rules: &SecretRules) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let mut found = rulebook::find(text, |id| rules.drops(id))?;
    let [named_value, wallet_key, seed_phrase] = custom_rules::CODE_RULES.map(|name| !rules.drops(name));
    if named_value {
        found.extend(assignments::find(text)?);
    }
    if wallet_key {
        found.extend(wallet_keys::find(text)?);
    }
    if seed_phrase {
        found.extend(seed_phrases::find(text));
    }
    Ok(found)
}

/// Compiles the patterns of all rules, which keeps one core busy for some time. [`warm_up`] then takes less.
pub fn compile_patterns() {
    rulebook::compile();
}

/// Replaces secrets and adds a note; `None` if there are no secrets. A second application changes nothing.
pub fn redact(text: &str, scanner: &dyn SecretScanner) -> Option<String> {
    let redact_once = |text: &str| replace_spans(text, scanner.find(text));
    spans::replace_repeatedly(text, REDACTED, redact_once).map(with_note)
}

/// Replaces the `spans` by [`REDACTED`]; `None` if they are empty. A span that ends within a character is
/// extended to the whole of it.
pub fn replace_spans(text: &str, spans: Vec<Range<usize>>) -> Option<String> {
    let whole_spans = spans.into_iter().filter_map(|span| whole_characters(text, span)).collect();
    spans::replace(text, &merge_spans(whole_spans), REDACTED)
}

/// Adds [`REDACTION_NOTE`] to the end of the text, once.
pub fn with_note(text: String) -> String {
    if text.ends_with(REDACTION_NOTE) { text } else { text + REDACTION_NOTE }
}

fn whole_characters(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let start = text.floor_char_boundary(span.start);
    let end = text.ceil_char_boundary(span.end);
    (span.start < span.end && start < end).then_some(start..end)
}

fn merge_spans(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| span.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cleaned(text: &str) -> Option<String> {
        redact(text, &KnownTokens)
    }

    #[test]
    fn spans_are_merged_and_noted_once() {
        for (spans, expected) in [
            (&[][..], None),
            (&[(2, 2), (9, 12)], None),
            (&[(0, 2)], Some("[redacted]cdefgh")),
            (&[(4, 6), (1, 3), (2, 5)], Some("a[redacted]gh")),
            (&[(6, 99), (0, 1)], Some("[redacted]bcdef[redacted]")),
        ] {
            let ranges = spans.iter().map(|&(start, end)| start..end).collect();
            assert_eq!(replace_spans("abcdefgh", ranges).as_deref(), expected, "{spans:?}");
        }
        assert_eq!(replace_spans("aéb", Vec::from_iter([2..3, 2..3])).as_deref(), Some("a[redacted]b"));
        assert_eq!(with_note(with_note("a".to_owned())), "a (content redacted)");
    }

    #[test]
    fn a_message_loses_all_its_secrets() {
        let text = format!("mine cp_{0} yours gp_{0}, ok", "a1B2".repeat(8));
        assert_eq!(
            cleaned(&text).as_deref(),
            Some("mine [redacted] yours [redacted], ok (content redacted)")
        );
        let key = format!("cp_{}", "0a1b2c3d".repeat(8));
        for text in [
            format!("api_key_{key}"),
            format!("cpa_{}", "0a1b2c3d".repeat(8)),
            format!("cpc_{}", "0a1b2c3d".repeat(8)),
            format!("cpi_{}", "0a1b2c3d".repeat(8)),
            format!("cpn_{}", "0a1b2c3d".repeat(8)),
            format!("cpr_{}", "0a1b2c3d".repeat(16)),
            format!("my-{key}-key"),
            format!("x{key}"),
            format!("-ghp_{}", "a1B2c3".repeat(6)),
        ] {
            let left = cleaned(&text).unwrap();
            assert!(!left.contains("0a1b2c3d") && !left.contains("a1B2c3"), "{left}");
        }
        let text = format!("api_key=ghp_{}", "a1B2c3".repeat(6));
        assert_eq!(cleaned(&text).as_deref(), Some("api_key=[redacted] (content redacted)"));
    }

    #[test]
    fn a_secret_in_wide_or_bold_letters_is_found() {
        let wide = |c: char| char::from_u32(c as u32 + 0xfee0).unwrap();
        let token = format!("ghp_{}", "a1B2c3".repeat(6));
        let text = format!("é mine: {}, ok", token.chars().map(wide).collect::<String>());
        assert_eq!(cleaned(&text).as_deref(), Some("é mine: [redacted], ok (content redacted)"));
        let text = format!("mine: {}", token.replace('a', "𝐚").replace('1', "𝟏"));
        assert_eq!(cleaned(&text).as_deref(), Some("mine: [redacted] (content redacted)"));
        let own = format!("cp_{}", "0a1b2c3d".repeat(8)).chars().map(wide).collect::<String>();
        assert_eq!(OwnKeys.find(&own), spans::whole(&own));
        let rules = SecretRules::parse("+ acme-ticket ACME-\\d{8}").unwrap();
        let ticket = "ACME-00112233".chars().map(wide).collect::<String>();
        assert_eq!(CustomScanner::new(rules).find(&ticket), spans::whole(&ticket));
    }

    #[test]
    fn a_wide_letter_beside_a_plain_secret_does_not_hide_it() {
        for text in ["AKIAQ4RTNW7XYV3LBK5MＡ", "AKIAQ4RTNW7XYV3LBK5M¹", "𝟏AKIAQ4RTNW7XYV3LBK5M"] {
            assert!(!cleaned(text).unwrap().contains("AKIA"), "{text}");
        }
    }

    #[test]
    fn ordinary_text_holds_no_secret() {
        for text in [
            "x=455 y=69 #a55b00 0xdeadbeef and rows 00055500a55",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b, digest 9f86d081884c",
            "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "uuid 550e8400-e29b-41d4-a716-446655440000 agent_550e8400e29b41d4a716446655440000",
            "chat_digest: 9f86d081884c, key: 5 red pixels, tokens: 1500, max_tokens=4096",
            "the secret is patience; my password is not your business; key = value",
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
            "task-based, risk-averse and desk-bound sk-learn users: scikit",
            "http://example.com:80/@user and user@example.com at 12:30",
            "Idempotency-Key: 550e8400-e29b-41d4-a716-446655440000",
            "season_550e8400e29b41d4a716446655440000 msg_550e8400e29b41d4a716446655440000",
            "secret: agent_550e8400e29b41d4a716446655440000",
        ] {
            assert_eq!(cleaned(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_and_spans_are_redacted(
            text in any::<String>(),
            spans in prop::collection::vec(0..40usize, 0..8),
        ) {
            let spans = spans.chunks(2).map(|pair| pair[0]..*pair.last().unwrap()).collect();
            if let Some(redacted) = replace_spans(&text, spans) {
                prop_assert!(redacted.contains(REDACTED));
            }
        }

        #[test]
        fn a_second_time_changes_nothing(
            text in "([ a-zé\"'=:@/.-]{0,8}(key|token is|password: |sk-|cp_|eyJ|\
                     -----BEGIN PRIVATE KEY-----|redis://|postgres://u:)[A-Za-z0-9é=:@/._-]{0,60}){0,3}",
        ) {
            if let Some(redacted) = cleaned(&text) {
                prop_assert_eq!(cleaned(&redacted), None);
            }
        }

        #[test]
        fn spans_lie_on_characters(
            text in "([ a-zé\"'=:@/.-]{0,8}(key|token|password|sk-|cp_|eyJ|\
                     -----BEGIN PRIVATE KEY-----|redis://|postgres://u:)[A-Za-z0-9é=:@/._-]{0,60}){0,3}",
        ) {
            for span in KnownTokens.find(&text) {
                prop_assert!(text.get(span).is_some());
            }
        }

        #[test]
        fn our_own_keys_are_always_redacted(
            prefix in "cp|gp|ca",
            key in "[A-Za-z0-9_-]{32,64}",
            before in "[ ,:\"'(é]?",
        ) {
            let text = format!("{before}{prefix}_{key}");
            prop_assert!(!cleaned(&text).unwrap_or(text).contains(&key));
        }

        #[test]
        fn hashes_and_coordinates_are_never_redacted(hash in "[0-9a-f]{6,128}", x in 0..9999u32) {
            prop_assert_eq!(cleaned(&format!("{hash} x={x} #{hash} {x},{x} at {hash}")), None);
        }
    }
}
