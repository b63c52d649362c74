//! Searches with every pattern of the secret scanner before the first text of a user needs it.
//!
//! Patterns are compiled at their first search, which takes long on a busy machine.

use std::sync::LazyLock;

use super::{OwnKeys, SecretScanner, rulebook};

/// The number of keywords in a text: fewer would repeat the patterns that are tried on every text, more would
/// exceed the maximum number of matches.
const KEYWORDS_PER_TEXT: usize = 6;
/// A value that is random enough for every rule.
const VALUE: &str = "q8Zr4TnW1xYv7LbK9mCdQ2sHf5GjP0uA6iEoV3tB";
/// Texts for the searches that are not rules with keywords.
const OTHER_TEXTS: [&str; 4] = [
    "my password is hunter2x and the wallet key 5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF",
    "seed: abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
    "Authorization: Bearer q8Zr4TnW1xYv7LbK9mCd, token q8Zr4TnW1xYv7LbK9mCd, key (q8Zr4TnW1xYv7LbK9mCd)",
    "-----BEGIN RSA PRIVATE KEY----- MIIEpA0BMIIEpA0BMIIEpA0BMIIEpA0BMIIEpA0B -----END RSA PRIVATE KEY-----",
];

static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let keywords: Vec<&str> = rulebook::keywords().collect();
    let describe = |keyword: &&str| format!("{keyword}{VALUE} {keyword}_token = \"{VALUE}\"");
    let texts = keywords.chunks(KEYWORDS_PER_TEXT);
    let texts = texts.map(|chunk| chunk.iter().map(describe).collect::<Vec<_>>().join(" "));
    texts.chain(OTHER_TEXTS.map(str::to_owned)).collect()
});

/// Searches so that every pattern is compiled. Returns the number of secrets found.
pub fn warm_up(scanner: &dyn SecretScanner) -> usize {
    TEXTS.iter().map(|text| scanner.find(text).len() + OwnKeys.find(text).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::KnownTokens;

    #[test]
    fn every_rule_is_searched_with() {
        let found = warm_up(&KnownTokens);
        assert!(found > TEXTS.len(), "{found} secrets in {} texts", TEXTS.len());
        assert_eq!(rulebook::uncompiled_rules(), Vec::<&str>::new());
        for text in TEXTS.iter() {
            let rules = crate::redact::SecretRules::default();
            assert!(crate::redact::find_with_rules(text, &rules).is_ok(), "too many matches: {text}");
        }
    }
}
