//! Bad words in scripts whose letters look like no Latin ones, or that separate no words.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Match, MatchKind};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use super::languages::LanguageWords;
use super::letters::word_letters;
use super::words::{WordList, WordScope};
use crate::steps;

/// The words in other scripts, searched for in one pass.
#[derive(Debug)]
pub(super) struct ScriptWords {
    /// `None` if the words could not be prepared for the search.
    search: Option<AhoCorasick>,
    kinds: Vec<WordKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKind {
    /// A longer word that holds a bad one by chance.
    Harmless,
    Anywhere,
    /// Between other letters than those of its own script.
    Alone,
}

/// A text in the form in which it is searched, with the position of each byte in the original.
struct SearchedText {
    text: String,
    positions: Vec<usize>,
}

impl ScriptWords {
    /// Returns the built-in words without those that the operator allows, and the operator's words.
    pub(super) fn new(words: &LanguageWords, operator: &WordList) -> Self {
        let bad = words.bad_in_other_scripts.iter().map(|listed| {
            let word = listed.strip_prefix('=');
            let is_alone = word.is_some() || listed.chars().next().is_some_and(separates_words);
            (word.unwrap_or(listed), if is_alone { WordKind::Alone } else { WordKind::Anywhere })
        });
        let harmless = words.harmless_in_other_scripts.iter().map(|word| (word.as_str(), WordKind::Harmless));
        let is_allowed = |word: &str| operator.good.contains(&word_letters(word));
        let added = operator.bad_in_other_scripts.iter().map(|(word, scope)| {
            (word.as_str(), if *scope == WordScope::Anywhere { WordKind::Anywhere } else { WordKind::Alone })
        });
        let built_in = bad.chain(harmless).filter(|(word, _)| !is_allowed(word));
        // The first of two equal patterns is found.
        let listed: Vec<_> = added.chain(built_in).collect();
        let patterns = listed.iter().map(|(word, _)| SearchedText::new(word).text);
        Self {
            search: AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok(),
            kinds: listed.iter().map(|(_, kind)| *kind).collect(),
        }
    }

    /// Returns the positions of bad words, in bytes.
    pub(super) fn find_bad_words(&self, text: &str) -> Vec<Range<usize>> {
        let Some(search) = self.search.as_ref().filter(|_| !text.is_ascii()) else { return Vec::new() };
        let searched = SearchedText::new(text);
        steps::charge(2 * searched.text.len());
        let is_bad = |found: &Match| match self.kinds.get(found.pattern().as_usize()) {
            Some(WordKind::Anywhere) => searched.is_not_continued_by_ascii(found),
            Some(WordKind::Alone) => searched.is_alone(found),
            Some(WordKind::Harmless) | None => false,
        };
        search.find_iter(&searched.text).filter(is_bad).map(|found| searched.original(&found)).collect()
    }
}

impl SearchedText {
    /// Normalizes width, case and presentation forms, and removes marks that may be left out.
    fn new(original: &str) -> Self {
        steps::charge(original.len());
        let mut searched = Self { text: String::new(), positions: Vec::new() };
        for (start, c) in original.char_indices() {
            let before = searched.text.len();
            searched.text.extend(c.nfkc().flat_map(char::to_lowercase).filter_map(normalize_letter));
            searched.positions.extend((before..searched.text.len()).map(|_| start));
        }
        searched.positions.push(original.len());
        searched
    }

    fn original(&self, found: &Match) -> Range<usize> {
        self.positions[found.start()]..self.positions[found.end()]
    }

    fn neighbours(&self, found: &Match) -> (Option<char>, Option<char>) {
        (self.text[..found.start()].chars().next_back(), self.text[found.end()..].chars().next())
    }

    /// Returns true unless Latin letters or digits at an end of the word continue.
    fn is_not_continued_by_ascii(&self, found: &Match) -> bool {
        let word = &self.text[found.range()];
        let (before, after) = self.neighbours(found);
        let continues = |edge: Option<char>, neighbour: Option<char>| {
            edge.is_some_and(|c| c.is_ascii_alphanumeric())
                && neighbour.is_some_and(|c| c.is_ascii_alphanumeric())
        };
        !continues(word.chars().next(), before) && !continues(word.chars().next_back(), after)
    }

    fn is_alone(&self, found: &Match) -> bool {
        let word = &self.text[found.range()];
        let (before, after) = self.neighbours(found);
        let first = word.chars().next().map(script_of);
        let last = word.chars().next_back().map(script_of);
        let continues = |edge: Option<Script>, neighbour: Option<char>| match (edge, neighbour) {
            (Some(edge), Some(c)) => is_part_of_word(c) && (script_of(c) == edge || is_combining_mark(c)),
            _ => false,
        };
        // A verb or adjective ends in Hiragana: `多くそう`.
        let is_ending = first == Some(Script::Hiragana) && before.map(script_of) == Some(Script::Han);
        !continues(first, before) && !continues(last, after) && !is_ending
    }
}

/// Returns the letter without what may be left out or is spelled in two ways; `None` for an optional mark.
fn normalize_letter(c: char) -> Option<char> {
    match c {
        // Points and vowels of Hebrew and Arabic, the tatweel, joiners.
        '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{640}'
        | '\u{200b}'..='\u{200d}' => None,
        'أ' | 'إ' | 'آ' | 'ٱ' => Some('ا'),
        'ى' => Some('ي'),
        c => Some(c),
    }
}

/// Returns true for letters of scripts that separate words by spaces.
fn separates_words(c: char) -> bool {
    !matches!(c.script(), Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul | Script::Thai)
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c) || c == 'ー'
}

/// Returns the script; a prolonged sound counts as Katakana.
fn script_of(c: char) -> Script {
    if c == 'ー' { Script::Katakana } else { c.script() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let words = ScriptWords::new(&LanguageWords::built_in(), &WordList::default());
        assert!(words.search.is_some());
        words.find_bad_words(text).into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn words_are_found_in_every_spelling() {
        for (text, word) in [
            ("你是傻逼吗", "傻逼"),
            ("이 씨발놈아", "씨발"),
            ("まじｸｿ!", "ｸｿ"),
            ("ไอ้เหี้ยนี่", "ไอ้เหี้ย"),
            ("يا شَرْمُوطَة", "شَرْمُوطَة"),
            ("तू चूतिया है", "चूतिया"),
            ("אתה בֶּן זוֹנָה", "בֶּן זוֹנָה"),
            ("傻B", "傻B"),
        ] {
            assert_eq!(found(text), [word], "{text}");
        }
    }

    #[test]
    fn longer_words_are_not_bad() {
        for text in [
            "ネクソン",
            "そればかり",
            "パチンコ",
            "多くそうです",
            "行くそうです",
            "我操作",
            "시발점",
            "เชี่ยวชาญ",
            "लंडन",
            "妈妈的书",
            "傻bot",
            "ファックス",
            "コロンブス",
            "고양이 새끼",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
