//! Masks bad words, and leaves every other byte unchanged.
//!
//! English words (`words.txt`) are found through disguises, and in spellings that sound like them
//! (`sounds.txt`). The commonest bad words of the other languages of `languages.txt` are found as they are
//! written. That list also holds the words that are bad in one language and harmless in another, which pass
//! among words of the latter.

mod address_words;
mod deobfuscate;
mod index;
#[cfg(test)]
mod index_tests;
mod languages;
mod leet;
mod letters;
mod look_alikes;
mod names;
mod other_scripts;
mod pieces;
mod rustrict_words;
mod scripts;
mod sounds;
mod surnames;
#[cfg(test)]
mod tests;
mod word_context;
mod words;

use std::ops::Range;
use std::sync::Arc;

use deobfuscate::DisguisedWord;
use index::WordIndex;
use languages::{LanguageHints, LanguageWords};
use letters::split_runs;
pub(crate) use look_alikes::latin_look_alike;
use scripts::ScriptWords;
use sounds::SoundWords;
use unicode_segmentation::UnicodeSegmentation;
use word_context::WordContext;
pub use words::WordList;
use words::{BadWord, WordScope};

use super::bounded_search::MAX_PASSES;
use super::steps;

/// Words that are bad only alone and are recognized without their first letter, too.
const STRONG_WORDS_ALONE: [&str; 8] = ["shit", "dick", "cock", "twat", "prick", "pussy", "bastard", "wanker"];

/// The profanity filter with its word lists.
#[derive(Clone, Debug)]
pub struct ProfanityFilter(Arc<Dictionary>);

#[derive(Debug)]
struct Dictionary {
    bad_words: WordIndex,
    good_words: Vec<Vec<char>>,
    script_words: ScriptWords,
    sound_words: SoundWords,
    hints: LanguageHints,
}

impl ProfanityFilter {
    /// Returns a filter with the built-in words and the operator's `words`, which take precedence.
    pub fn new(words: &WordList) -> Self {
        let languages = LanguageWords::built_in();
        let list = words.with_built_in(&languages.bad);
        Self(Arc::new(Dictionary {
            bad_words: WordIndex::new(list.bad),
            good_words: list.good,
            script_words: ScriptWords::new(&languages, words),
            sound_words: SoundWords::new(&words.good),
            hints: languages.hints,
        }))
    }

    /// Masks all but the first letter of each bad word; `None` if there are no bad words. A second
    /// application changes nothing.
    pub fn mask(&self, text: &str) -> Option<String> {
        let mut masked = mask_words(text, &self.0.find_bad_words(text))?;
        // A masked word may make a bad word of its neighbours.
        for _ in 1..MAX_PASSES {
            match mask_words(&masked, &self.0.find_bad_words(&masked)).filter(|more| *more != masked) {
                Some(more) => masked = more,
                None => return Some(masked),
            }
        }
        Some(mask_everything(text))
    }

    /// Returns true if [`mask`](Self::mask) would find a bad word.
    pub fn is_profane(&self, text: &str) -> bool {
        !self.0.find_bad_words(text).is_empty()
    }
}

impl Dictionary {
    /// Returns the positions of bad words, in bytes.
    fn find_bad_words(&self, text: &str) -> Vec<Range<usize>> {
        let runs = split_runs(text);
        let context = WordContext { text, runs: &runs };
        let mut spans = Vec::new();
        for start in 0..runs.len() {
            let end = self
                .bad_words
                .starting_at(&runs, start)
                .filter_map(|word| self.bad_word_end(&context, start, word))
                .max();
            let end = end.or_else(|| self.end_of_word_without_start(&context, start));
            spans.extend(end.map(|end| runs[start].start..runs[end - 1].end));
        }
        spans.extend(
            rustrict_words::find_bad_words(text)
                .into_iter()
                .filter(|word| !self.overrides_rustrict(&context, word)),
        );
        spans.extend(self.script_words.find_bad_words(text));
        spans.extend(self.find_sounds(&context));
        spans.extend(leet::find_bad_words(text, &self.bad_words));
        spans.sort_by_key(|word| word.start);
        spans
    }

    /// Returns true if the word is in a good word, or is one that the built-in words count as bad only in
    /// other contexts.
    fn overrides_rustrict(&self, context: &WordContext, word: &Range<usize>) -> bool {
        let Some(runs) = context.runs_at(word) else { return true };
        let is_known = |known: &BadWord| {
            known.scope != WordScope::Anywhere
                && deobfuscate::read_disguised(context.runs, runs.start, &known.letters)
                    .is_some_and(|(read, _)| context.with_plural(read) == runs)
        };
        self.is_in_good_word(context, &runs)
            || self.is_harmless(context, &runs)
            || self.bad_words.starting_at(context.runs, runs.start).any(is_known)
    }

    /// Returns the positions of words that sound like bad ones.
    fn find_sounds(&self, context: &WordContext) -> Vec<Range<usize>> {
        let bytes = |runs: Range<usize>| context.runs[runs.start].start..context.runs[runs.end - 1].end;
        sounds::words(context.runs).filter(|word| self.sounds_bad(context, word)).map(bytes).collect()
    }

    fn sounds_bad(&self, context: &WordContext, word: &Range<usize>) -> bool {
        self.sound_words.contain(&context.runs[word.clone()])
            && context.is_ascii(word)
            && !context.is_name(word)
            && !context.is_in_random_token(word)
            && !context.is_in_random_row(word)
            && !self.is_in_good_word(context, word)
            && !self.is_harmless(context, word)
    }

    /// Returns true if the word is harmless in the language of the words around it.
    fn is_harmless(&self, context: &WordContext, runs: &Range<usize>) -> bool {
        self.hints.is_harmless(&context.lowercase(runs), context.words_around(runs))
    }

    /// Returns the end of a bad word that starts at this run; `None` if there is none.
    fn bad_word_end(&self, context: &WordContext, start: usize, word: &BadWord) -> Option<usize> {
        let (runs, disguise) = deobfuscate::read_disguised(context.runs, start, &word.letters)?;
        let found = context.with_plural(runs.clone());
        let is_whole = context.is_whole(&found);
        let is_bad = match word.scope {
            WordScope::Anywhere => {
                is_whole || disguise.is_plain() || disguise.gaps == 0 && context.starts_word(found.start)
            }
            WordScope::Alone => is_whole && !context.is_in_name(&found),
            WordScope::AloneOrName => is_whole,
            WordScope::AloneNotName => is_whole && !context.is_name(&found),
            WordScope::Addressed => {
                is_whole && disguise.is_plain() && context.is_addressed_to_someone(&found)
            }
            WordScope::AddressedAtEnd => {
                is_whole
                    && disguise.is_plain()
                    && context.ends_statement(&found)
                    && context.is_addressed_to_someone(&found)
            }
        };
        let is_random_token = context.is_in_random_row(&found)
            || word.scope != WordScope::Anywhere && context.is_in_random_token(&found);
        let is_imitated = match word.script {
            Some(script) => !context.has_letter_of(&found, script),
            None => word.spelling.is_none() && context.is_in_other_script(&found),
        };
        // `behind!` is no `behindi`.
        let is_sentence = word.spelling.is_some() && context.runs[runs.end - 1].may_end_sentence();
        let is_other_word =
            is_sentence || !context.is_spelled(&runs, word) || word.is_too_short_for(&disguise);
        let is_bad = is_bad
            && !is_random_token
            && !is_imitated
            && !is_other_word
            && (word.has_vowel() || disguise.gaps == 0 && !disguise.has_digits)
            // `(unt`, but not `(untested`.
            && (is_whole || !context.runs[start].is_gap())
            && is_readable(&disguise, word, context, &found)
            && !context.is_surname(&found)
            && !self.is_in_good_word(context, &found)
            && !self.is_harmless(context, &found);
        is_bad.then_some(found.end)
    }

    /// Returns the end of a strong word whose first letter is replaced by a star: `*uck`. A star that another
    /// one closes is emphasis, as in `*hit*`.
    fn end_of_word_without_start(&self, context: &WordContext, start: usize) -> Option<usize> {
        const MIN_CHARS: usize = 4;
        let rest = start + 1;
        if !context.starts_with_single_star(start) {
            return None;
        }
        steps::charge(self.bad_words.len());
        let is_strong = |word: &BadWord| {
            word.scope == WordScope::Anywhere
                || STRONG_WORDS_ALONE.iter().any(|strong| strong.chars().eq(word.letters.iter().copied()))
        };
        let words = self.bad_words.iter();
        let strong =
            words.filter(|word| is_strong(word) && word.letters.len() >= MIN_CHARS && word.script.is_none());
        let ends = strong.filter_map(|word| {
            let (runs, disguise) = deobfuscate::read_disguised(context.runs, rest, &word.letters[1..])?;
            let found = context.with_plural(runs);
            (disguise.is_plain() && context.is_whole(&found)).then_some(found.end)
        });
        ends.max()
    }

    fn is_in_good_word(&self, context: &WordContext, runs: &Range<usize>) -> bool {
        steps::charge(self.good_words.len());
        self.good_words.iter().any(|good| context.is_part_of(runs, good))
    }
}

/// Returns true if a reader would recognize the word through its disguise.
fn is_readable(disguise: &DisguisedWord, word: &BadWord, context: &WordContext, runs: &Range<usize>) -> bool {
    const MIN_LONG_WORD_CHARS: usize = 4;
    let length = word.letters.len();
    let is_long = length >= MIN_LONG_WORD_CHARS;
    let is_strong = word.scope == WordScope::Anywhere;
    let is_spelled_out = disguise.longest_piece == 1 && !disguise.is_uneven;
    let has_readable_gaps = match (disguise.gaps, disguise.spaces) {
        (0, _) => true,
        // `f(u)ck`, but not `f(u), c(k)`.
        (gaps, _) if disguise.has_only_brackets && is_strong && is_long => {
            gaps <= 2 && context.is_whole(runs)
        }
        (gaps, 0) => is_long || is_spelled_out && gaps + 1 == length,
        (_, _) if is_spelled_out => {
            is_long && is_strong || !context.is_part_of_longer_spelling(runs) && !disguise.has_brackets
        }
        (gaps, _) => is_strong && disguise.has_vowelless_piece && gaps == 1,
    };
    let hidden_letters = disguise.stars + disguise.hidden;
    has_readable_gaps
        && (hidden_letters == 0
            || is_long && 2 * hidden_letters <= length && disguise.hidden < 2 && disguise.gaps == 0)
}

/// Masks everything but spaces, for a text in which each masking produces new bad words.
fn mask_everything(text: &str) -> String {
    steps::charge(text.len());
    let mask_grapheme = |seen| if str::trim(seen).is_empty() { seen } else { "*" };
    text.graphemes(true).map(mask_grapheme).collect()
}

/// Masks each character of these words but the first; `None` if there are no words.
fn mask_words(text: &str, words: &[Range<usize>]) -> Option<String> {
    steps::charge(text.len());
    let mut masked = String::with_capacity(text.len());
    let mut copied_to = 0;
    for word in words {
        let mut graphemes = text[word.clone()].grapheme_indices(true);
        let first = graphemes.next().map_or(0, |(_, first)| first.len());
        let stars_from = copied_to.max(word.start + first);
        if stars_from < word.end {
            masked.push_str(&text[copied_to..stars_from]);
            masked.extend(text[stars_from..word.end].graphemes(true).map(|_| '*'));
            copied_to = word.end;
        }
    }
    masked.push_str(&text[copied_to..]);
    (!words.is_empty()).then_some(masked)
}
