//! Mentions: an `@` followed by a name in a text.

use text_filters::steps;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use super::names::{case_fold, is_allowed};

/// Maximum number of `@` signs of a text that are searched.
const MAX_AT_SIGNS: usize = 20;
/// Maximum length of a name in a text, in characters, including doubled spaces.
const MAX_CANDIDATE_CHARS: usize = 64;

/// The possible mentions of a text, before they are looked up among the existing names.
pub struct Mentions {
    /// The texts after each `@` that could be a whole name, case-folded, longest first.
    candidate_groups: Vec<Vec<String>>,
}

impl Mentions {
    /// Finds the possible mentions of a text.
    pub fn parse(text: &str) -> Self {
        steps::charge(text.len());
        let after_signs = text.match_indices('@').map(|(at, sign)| &text[at + sign.len()..]);
        Self { candidate_groups: after_signs.take(MAX_AT_SIGNS).map(candidate_names_after).collect() }
    }

    /// Returns every name that may be mentioned, case-folded.
    pub fn candidate_names(&self) -> Vec<String> {
        self.candidate_groups.concat()
    }

    /// Returns the mentioned accounts without repetition. `find` looks up a case-folded name. If two names
    /// match after the same `@`, the longer one counts.
    pub fn resolve<T: PartialEq>(&self, find: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let mut resolved = Vec::new();
        for found in self.candidate_groups.iter().filter_map(|names| names.iter().find_map(|name| find(name)))
        {
            if !resolved.contains(&found) {
                resolved.push(found);
            }
        }
        resolved
    }
}

/// Returns every prefix that ends where a name may end, longest first.
fn candidate_names_after(after_sign: &str) -> Vec<String> {
    let mut names = Vec::new();
    // Each prefix is case-folded.
    steps::charge(MAX_CANDIDATE_CHARS * MAX_CANDIDATE_CHARS);
    for (start, last) in
        after_sign.char_indices().take(MAX_CANDIDATE_CHARS).take_while(|(_, c)| is_allowed(*c))
    {
        let (name, rest) = after_sign.split_at(start + last.len_utf8());
        if !last.is_whitespace() && !name.starts_with(char::is_whitespace) && !continues_word(rest) {
            names.push(case_fold(name));
        }
    }
    names.reverse();
    names
}

/// Returns true if the rest continues the word: with a letter, a digit, or a dash or dot followed by one.
fn continues_word(rest: &str) -> bool {
    let mut next = rest.chars();
    match next.next() {
        Some('-' | '.') => next.next().is_some_and(is_word_char),
        next => next.is_some_and(is_word_char),
    }
}

fn is_word_char(c: char) -> bool {
    use GeneralCategoryGroup::{Letter, Mark, Number};
    c == '_' || matches!(c.general_category_group(), Letter | Mark | Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn resolve<'a>(text: &str, names: &[&'a str]) -> Vec<&'a str> {
        Mentions::parse(text).resolve(|folded| names.iter().find(|name| case_fold(name) == folded).copied())
    }

    #[test]
    fn a_mention_ignores_case_and_repeated_spaces() {
        let names = ["Ada", "Ada Lovelace", "Bob.", "Bob", "x-1", "Straße", "李白"];
        for (text, expected) in [
            ("@Ada hi", &["Ada"][..]),
            ("hi @ada!", &["Ada"]),
            ("@ADA  LOVELACE and @ada.", &["Ada Lovelace", "Ada"]),
            ("@Ada Lovelaces", &["Ada"]),
            ("@Ada, @Bob. And @bob", &["Ada", "Bob.", "Bob"]),
            ("@Ada@Bob (@x-1)", &["Ada", "Bob", "x-1"]),
            ("@Ada's roof, @STRASSE", &["Ada", "Straße"]),
            ("@李白：你好", &["李白"]),
            ("@Ada and again @Ada", &["Ada"]),
        ] {
            assert_eq!(resolve(text, &names), expected, "{text}");
        }
    }

    #[test]
    fn a_prefix_of_a_longer_word_is_no_mention() {
        for text in [
            "@Adams",
            "@Ada2",
            "@Ada_b",
            "@Ada-b",
            "@Ada.b",
            "@Ada\u{301}",
            "@ Ada",
            "Ada",
            "@",
            "@Ad a",
            "@Cyd",
        ] {
            assert!(resolve(text, &["Ada"]).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_number_of_candidates_is_bounded() {
        let many = Mentions::parse(&"@a b c d e f g h i j k l".repeat(400)).candidate_names();
        assert!(many.len() <= MAX_AT_SIGNS * MAX_CANDIDATE_CHARS && many.len() > MAX_AT_SIGNS);
    }

    proptest! {
        #[test]
        fn the_longest_whole_name_after_each_sign_wins(
            text in "[@@aAbB .\\-_é1İß]{0,40}",
            names in vec("[aAbBß1]([aAbB ._\\-]{0,3})[bB1]", 0..6),
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut expected: Vec<String> = Vec::new();
            for (at, _) in text.match_indices('@').take(MAX_AT_SIGNS) {
                let behind = &text[at + 1..];
                let ends = (1..=behind.len()).rev().filter(|end| behind.is_char_boundary(*end));
                let whole = |end: &usize| {
                    let word = |c: char| c.is_alphanumeric() || c == '_';
                    let mut rest = behind[*end..].chars();
                    let next = rest.next();
                    let after = rest.next();
                    let joined = matches!(next, Some('-' | '.')) && after.is_some_and(word);
                    !next.is_some_and(word) && !joined && behind[..*end].trim() == &behind[..*end]
                };
                let longest = ends.filter(whole).map(|end| case_fold(&behind[..end]))
                    .find(|folded| names.iter().any(|name| case_fold(name) == *folded));
                expected.extend(longest.filter(|name| !expected.contains(name)));
            }
            let found: Vec<String> = resolve(&text, &names).into_iter().map(case_fold).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
