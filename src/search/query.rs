//! The query language: words, "phrases", and both with a minus.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::MAX_QUERY_CHARS;
use crate::refusal::Refusal;

/// The characters around phrases: those of keyboards, and those that phones put in their place.
const QUOTES: [char; 4] = ['"', '“', '”', '„'];

/// A word or a phrase of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchTerm {
    /// The words, which must follow one another; at least one.
    pub words: Vec<String>,
    /// True if the last word also matches as the start of a longer one.
    pub is_prefix: bool,
    /// True if results must not match the term.
    pub is_excluded: bool,
    /// True if a match of the last word as the start of a longer one counts as an exact one.
    is_wildcard: bool,
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchTerms(Vec<SearchTerm>);

impl SearchTerms {
    /// Parses a query. All words must match; an unquoted word also matches as the start of a longer one, and an
    /// excluded one only with a star. Any text is a query, perhaps one that finds nothing.
    ///
    /// # Errors
    /// `Input` if the text is empty, too long or contains NUL.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let length = text.chars().count();
        if length == 0 || length > MAX_QUERY_CHARS {
            let detail = format!("q must have 1 to {MAX_QUERY_CHARS} characters; it has {length}.");
            return Err(Refusal::invalid("q", detail));
        }
        if text.contains('\0') {
            return Err(Refusal::invalid("q", "q must not contain the character NUL."));
        }
        // Stored texts are in this form, too.
        let normal: String = text.nfc().collect();
        Ok(Self(parse_terms(&normal)))
    }

    /// Returns true if something is searched for, rather than nothing or only excluded.
    pub fn is_searchable(&self) -> bool {
        self.wanted().next().is_some()
    }

    /// Returns the terms that results must match.
    pub fn wanted(&self) -> impl Iterator<Item = &SearchTerm> {
        self.0.iter().filter(|term| !term.is_excluded)
    }

    /// Returns the query as PostgreSQL parses it.
    pub(super) fn to_tsquery(&self) -> String {
        let terms: Vec<String> = self.0.iter().map(|term| term.to_tsquery(term.is_prefix)).collect();
        terms.join(" & ")
    }

    /// Returns the query that matches only whole words.
    pub(super) fn to_exact_tsquery(&self) -> String {
        let terms: Vec<String> = self.wanted().map(|term| term.to_tsquery(term.is_wildcard)).collect();
        terms.join(" & ")
    }
}

impl SearchTerm {
    fn to_tsquery(&self, is_prefix: bool) -> String {
        // Words consist of letters, digits and marks, so nothing in them ends the quotes.
        let words: Vec<String> = self.words.iter().map(|word| format!("'{word}'")).collect();
        let (minus, star) = (if self.is_excluded { "!" } else { "" }, if is_prefix { ":*" } else { "" });
        format!("{minus}({}{star})", words.join(" <-> "))
    }
}

fn parse_terms(text: &str) -> Vec<SearchTerm> {
    let (mut terms, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        let unsigned = rest.trim_start_matches('-');
        let is_excluded = unsigned.len() < rest.len();
        let (term, after) = match unsigned.strip_prefix(QUOTES) {
            Some(inside) => parse_phrase(inside),
            None => parse_word(unsigned, is_excluded),
        };
        if !term.words.is_empty() {
            terms.push(SearchTerm { is_excluded, ..term });
        }
        rest = after.trim_start();
    }
    terms
}

/// Parses up to the closing quote, or to the end. Returns the phrase and the text after it.
fn parse_phrase(text: &str) -> (SearchTerm, &str) {
    let (inside, after) = text.split_once(QUOTES).unwrap_or((text, ""));
    (new_term(inside, false, false), after)
}

/// Parses up to a space or a quote. Returns the word, which is a phrase if it has punctuation inside, and the
/// text after it.
fn parse_word(text: &str, is_excluded: bool) -> (SearchTerm, &str) {
    let ends_word = |c: char| c.is_whitespace() || QUOTES.contains(&c);
    let (word, after) = text.split_at(text.find(ends_word).unwrap_or(text.len()));
    let is_wildcard = word.ends_with('*');
    (new_term(word, is_wildcard || !is_excluded, is_wildcard), after)
}

fn new_term(text: &str, is_prefix: bool, is_wildcard: bool) -> SearchTerm {
    let words = split_words(text).into_iter().map(|word| word.text.to_owned()).collect();
    SearchTerm { words, is_prefix, is_excluded: false, is_wildcard }
}

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    /// The position of its first code point in the text, and the position after its last.
    pub range: (usize, usize),
}

/// Splits a text into words: letters and digits with the marks on them. PostgreSQL does the same with stored texts.
pub(super) fn split_words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    // The position and the offset of the first character of the present word.
    let mut start: Option<(usize, usize)> = None;
    for (position, (offset, c)) in text.char_indices().enumerate() {
        let is_in_word = c.is_alphanumeric() || start.is_some() && is_combining_mark(c);
        match start {
            None if is_in_word => start = Some((position, offset)),
            Some((first, from)) if !is_in_word => {
                words.push(Word { text: &text[from..offset], range: (first, position) });
                start = None;
            }
            _ => {}
        }
    }
    if let Some((first, from)) = start {
        words.push(Word { text: &text[from..], range: (first, text.chars().count()) });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tsquery(text: &str) -> String {
        SearchTerms::parse(text).unwrap().to_tsquery()
    }

    #[test]
    fn words_phrases_and_exclusions_become_a_tsquery() {
        for (text, expected) in [
            ("red house", "('red':*) & ('house':*)"),
            ("\"red house\"", "('red' <-> 'house')"),
            ("“red house” roof", "('red' <-> 'house') & ('roof':*)"),
            ("red -house", "('red':*) & !('house')"),
            ("red -hou*", "('red':*) & !('hou':*)"),
            ("red -\"old house\"", "('red':*) & !('old' <-> 'house')"),
            ("foo-bar", "('foo' <-> 'bar':*)"),
            ("\"never closed", "('never' <-> 'closed')"),
            ("a\"b c\"d", "('a':*) & ('b' <-> 'c') & ('d':*)"),
            ("it's \\ 'x' !&|<->:*()", "('it' <-> 's':*) & ('x':*)"),
            ("- -- \"\" -\"\" 🎉 ...", ""),
            ("日本語", "('日本語':*)"),
        ] {
            assert_eq!(tsquery(text), expected, "{text}");
        }
    }

    #[test]
    fn exact_words_have_no_prefix_unless_a_star_asks_for_it() {
        let terms = SearchTerms::parse("red hou* -blue").unwrap();
        assert_eq!(terms.to_exact_tsquery(), "('red') & ('hou':*)");
    }

    #[test]
    fn only_wanted_words_are_searchable() {
        for text in ["-red", "--red -\"a b\"", "…", &"-".repeat(200), " ", "\u{301}"] {
            assert!(!SearchTerms::parse(text).unwrap().is_searchable(), "{text}");
        }
        assert!(SearchTerms::parse("-red 1").unwrap().is_searchable());
    }

    #[test]
    fn texts_of_other_lengths_and_nul_are_refused() {
        for text in ["", "a\0b", &"a".repeat(201)] {
            assert!(SearchTerms::parse(text).is_err(), "{text}");
        }
        assert!(SearchTerms::parse(&"é".repeat(200)).is_ok(), "code points count, not bytes");
    }

    proptest! {
        #[test]
        fn words_contain_nothing_that_ends_quotes(text in "[-\"'\\\\!&|<>:*() a-cé🎉\u{301}]{1,40}|.{1,40}") {
            let Ok(terms) = SearchTerms::parse(&text) else { return Ok(()) };
            for word in terms.0.iter().flat_map(|term| &term.words) {
                prop_assert!(word.chars().all(|c| c.is_alphanumeric() || is_combining_mark(c)));
                prop_assert!(word.starts_with(char::is_alphanumeric));
            }
        }

        #[test]
        fn words_stand_where_their_ranges_say(text in ".{0,40}") {
            let chars: Vec<char> = text.chars().collect();
            for Word { text, range: (from, to) } in split_words(&text) {
                prop_assert_eq!(text, chars[from..to].iter().collect::<String>());
            }
        }
    }
}
