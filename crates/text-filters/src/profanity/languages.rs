//! Bad words of languages other than English, and words that are bad in one language and harmless in another.

use std::collections::HashMap;

use super::other_scripts::is_alphabet_of_disguises;
use super::words::{BadWord, Spelling, WordScope, forms_of};

/// The built-in lists.
const LANGUAGES: &str = include_str!("languages.txt");
/// The section whose cues show that an ambiguous word is meant as the English one.
const ENGLISH: &str = "en";

/// A set of languages, one bit for each.
type LanguageSet = u64;

/// The words of all languages, by how they are searched for.
#[derive(Debug, Default)]
pub(super) struct LanguageWords {
    /// Words in alphabets whose letters are used as disguises of each other.
    pub bad: Vec<BadWord>,
    /// Words in other scripts, as listed.
    pub bad_in_other_scripts: Vec<String>,
    pub harmless_in_other_scripts: Vec<String>,
    pub hints: LanguageHints,
}

/// The words that are harmless in some languages, and what shows that a text is in one of them.
#[derive(Debug, Default)]
pub(super) struct LanguageHints {
    english: LanguageSet,
    cues: HashMap<String, LanguageSet>,
    letters: HashMap<char, LanguageSet>,
    harmless: HashMap<String, LanguageSet>,
}

impl LanguageWords {
    /// Returns the built-in words.
    pub fn built_in() -> Self {
        let mut words = Self::default();
        let mut language: LanguageSet = 1;
        for line in LANGUAGES.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            if let Some(code) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
                language = language.rotate_left(1);
                words.hints.english |= if code == ENGLISH { language } else { 0 };
            } else {
                words.read_line(language, line);
            }
        }
        words
    }

    fn read_line(&mut self, language: LanguageSet, line: &str) {
        let hints = &mut self.hints;
        if let Some(cues) = line.strip_prefix("cues:") {
            cues.split_whitespace()
                .for_each(|cue| *hints.cues.entry(cue.to_owned()).or_default() |= language);
        } else if let Some(letters) = line.strip_prefix("letters:") {
            letters.trim().chars().for_each(|letter| *hints.letters.entry(letter).or_default() |= language);
        } else if let Some(harmless) = line.strip_prefix("harmless:") {
            for word in split_words(harmless) {
                if is_alphabet_of_disguises(word) {
                    *hints.harmless.entry(word.to_owned()).or_default() |= language;
                } else {
                    self.harmless_in_other_scripts.push(word.to_owned());
                }
            }
        } else {
            split_words(line).for_each(|word| self.add_bad_word(word));
        }
    }

    fn add_bad_word(&mut self, listed: &str) {
        if !is_alphabet_of_disguises(listed.trim_start_matches('=')) {
            self.bad_in_other_scripts.push(listed.to_owned());
            return;
        }
        let (listed, has_marks) = listed.strip_prefix('=').map_or((listed, false), |word| (word, true));
        self.bad.extend(forms_of(listed).map(|form| {
            let word = BadWord::new(&form, WordScope::AloneOrName);
            let has_spelling = word.script.is_none() || has_marks;
            let spelling = has_spelling.then_some(Spelling { form, has_marks });
            BadWord { spelling, ..word }
        }));
    }
}

impl LanguageHints {
    /// Returns true if the word is harmless in the language that the words around it show. The word is in
    /// lower case.
    pub(super) fn is_harmless<'a>(&self, word: &str, around: impl Iterator<Item = &'a str>) -> bool {
        let Some(&languages) = self.harmless.get(word) else { return false };
        let mut counts = [0_u32; LanguageSet::BITS as usize];
        let mut english = 0;
        for word in around {
            let shown = self.languages_of(&word.to_lowercase());
            english += u32::from(shown & self.english != 0);
            for (bit, count) in counts.iter_mut().enumerate() {
                *count += u32::from(shown & languages & (1 << bit) != 0);
            }
        }
        counts.into_iter().max().is_some_and(|count| count > english)
    }

    fn languages_of(&self, word: &str) -> LanguageSet {
        let by_letters = word.chars().filter_map(|letter| self.letters.get(&letter));
        self.cues.get(word).into_iter().chain(by_letters).fold(0, |all, shown| all | shown)
    }
}

fn split_words(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        let words = LanguageWords::built_in();
        let sections = LANGUAGES.lines().filter(|line| line.starts_with('[')).count();
        assert!(sections <= LanguageSet::BITS as usize, "each has a bit of its own");
        assert!(words.bad.len() > 1_000 && words.bad_in_other_scripts.len() > 300);
        assert_eq!(words.hints.english.count_ones(), 1);
        assert!(words.bad.iter().all(|word| word.letters.len() > 1));
    }

    #[test]
    fn no_cue_of_another_language_is_an_english_cue() {
        let hints = LanguageWords::built_in().hints;
        for (cue, languages) in &hints.cues {
            assert!(languages & hints.english == 0 || *languages == hints.english, "{cue}");
        }
    }

    #[test]
    fn a_word_is_harmless_beside_words_of_its_language() {
        let hints = LanguageWords::built_in().hints;
        for (word, around, harmless) in [
            ("slut", "det är på dagen", true),
            ("slut", "you are a", false),
            ("slut", "you are a och", false),
            ("slut", "", false),
            ("dick", "der Strich ist zu", true),
            ("dik", "de lijn is te", true),
            ("fuck", "der Strich ist zu", false),
        ] {
            assert_eq!(hints.is_harmless(word, around.split(' ')), harmless, "{word} {around}");
        }
    }
}
