//! The query language: words, "phrases", and both with a minus.

use platform::refusal::Refusal;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::MAX_QUERY_CHARS;

/// The maximum number of different words and phrases in a query.
const MAX_TERMS: usize = 8;
/// The maximum number of words in all of them together.
const MAX_WORDS: usize = 24;
/// The first letter of scripts that write words without spaces between them, in one or two letters. All
/// before belong to alphabets.
const FIRST_IDEOGRAPH: char = '\u{2e80}';

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
    /// Parses a query. All words must match; an unquoted word also matches as the start of a longer one, and
    /// an excluded one only with a star. A single letter is no start: it would match too much. Repeated terms
    /// are dropped. Any text within the limits is a query, perhaps one that finds nothing.
    ///
    /// # Errors
    /// `Input` if the text is empty, too long, has too many terms or contains NUL.
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
        let terms = parse_terms(&normal);
        check_count(&terms)?;
        Ok(Self(terms))
    }

    /// Returns true if something is searched for, rather than nothing or only excluded.
    pub(crate) fn is_searchable(&self) -> bool {
        self.wanted().next().is_some()
    }

    /// Returns the terms that results must match.
    pub fn wanted(&self) -> impl Iterator<Item = &SearchTerm> {
        self.0.iter().filter(|term| !term.is_excluded)
    }

    /// Returns the words of these terms, with spaces between them.
    pub(super) fn wanted_words(&self) -> String {
        let words: Vec<&str> = self.wanted().flat_map(|term| &term.words).map(String::as_str).collect();
        words.join(" ")
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
    /// Returns true if another term finds the same: case makes no difference.
    fn is_same(&self, other: &Self) -> bool {
        let folded = |words: &[String]| words.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>();
        let flags = |term: &Self| (term.is_prefix, term.is_excluded, term.is_wildcard);
        flags(self) == flags(other) && folded(&self.words) == folded(&other.words)
    }

    fn to_tsquery(&self, is_prefix: bool) -> String {
        // Words consist of letters, digits and marks, so nothing in them ends the quotes.
        let words: Vec<String> = self.words.iter().map(|word| format!("'{word}'")).collect();
        let minus = if self.is_excluded { "!" } else { "" };
        let star = if is_prefix { ":*" } else { "" };
        format!("{minus}({}{star})", words.join(" <-> "))
    }
}

/// Checks that a query is not too expensive: each word and each start of words is looked up by itself.
///
/// # Errors
/// `Input` with the limit.
fn check_count(terms: &[SearchTerm]) -> Result<(), Refusal> {
    if terms.len() > MAX_TERMS {
        let detail = format!(
            "q may have {MAX_TERMS} different words and phrases; it has {}. Leave out the common ones.",
            terms.len()
        );
        return Err(Refusal::invalid("q", detail));
    }
    let words: usize = terms.iter().map(|term| term.words.len()).sum();
    if words > MAX_WORDS {
        let detail = format!(
            "q may have {MAX_WORDS} words, those in phrases included; it has {words}. Shorten the phrase."
        );
        return Err(Refusal::invalid("q", detail));
    }
    Ok(())
}

/// Returns true if a word is a single letter of an alphabet or a digit, perhaps with marks.
fn is_single_letter(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| !is_combining_mark(*c));
    letters.next().is_some_and(|first| first < FIRST_IDEOGRAPH) && letters.next().is_none()
}

fn parse_terms(text: &str) -> Vec<SearchTerm> {
    let mut terms = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let unsigned = rest.trim_start_matches('-');
        let is_excluded = unsigned.len() < rest.len();
        let (term, after) = match unsigned.strip_prefix(QUOTES) {
            Some(inside) => parse_phrase(inside),
            None => parse_word(unsigned, is_excluded),
        };
        let term = SearchTerm { is_excluded, ..term };
        if !term.words.is_empty() && !terms.iter().any(|known: &SearchTerm| known.is_same(&term)) {
            terms.push(term);
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
    let words: Vec<String> = split_words(text).into_iter().map(|word| word.text.to_owned()).collect();
    let can_be_prefix = words.last().is_some_and(|last| !is_single_letter(last));
    let is_prefix = is_prefix && can_be_prefix;
    let is_wildcard = is_wildcard && can_be_prefix;
    SearchTerm { words, is_prefix, is_excluded: false, is_wildcard }
}

/// A word of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub text: &'a str,
    /// The position of its first code point in the text, and the position after its last.
    pub range: (usize, usize),
}

/// Splits a text into words: letters and digits with the marks on them. PostgreSQL does the same with stored
/// texts.
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
            ("aa\"b c\"d", "('aa':*) & ('b' <-> 'c') & ('d')"),
            ("it's \\ 'xy' !&|<->:*()", "('it' <-> 's') & ('xy':*)"),
            ("a a* A é e\u{301}* 7 foo-b", "('a') & ('é') & ('7') & ('foo' <-> 'b')"),
            ("日 本*", "('日':*) & ('本':*)"),
            ("red Red RED \"red\" red* -red -red", "('red':*) & ('red') & ('red':*) & !('red')"),
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
    fn wanted_words_are_those_of_phrases_too() {
        let terms = SearchTerms::parse("red \"old house\" -blue -\"a roof\" Tow*").unwrap();
        assert_eq!(terms.wanted_words(), "red old house Tow");
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

    #[test]
    fn queries_with_too_many_terms_are_refused_with_the_limit() {
        let words = |count: usize| (0..count).map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
        assert!(SearchTerms::parse(&words(8)).is_ok());
        assert!(SearchTerms::parse(&format!("{} w1 W2", words(8))).is_ok(), "repeated ones are dropped");
        let refused = SearchTerms::parse(&words(9)).unwrap_err().to_string();
        assert!(refused.contains("8 different words") && refused.contains("it has 9"), "{refused}");
        let letters = (0..100).map(|letter| char::from(b'a' + letter % 26)).flat_map(|c| [c, ' ']);
        assert!(SearchTerms::parse(&letters.collect::<String>()).is_err(), "a hundred starts of words");
        assert!(SearchTerms::parse(&format!("\"{}\"", words(24))).is_ok());
        let refused = SearchTerms::parse(&format!("\"{}\"", words(25))).unwrap_err().to_string();
        assert!(refused.contains("24 words"), "{refused}");
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
