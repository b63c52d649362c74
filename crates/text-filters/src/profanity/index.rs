//! An index of the bad words by their first two letters.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::letters::{CharRun, RunKind};
use super::words::BadWord;

/// The bad words in the order of their first letters.
#[derive(Debug)]
pub(super) struct WordIndex {
    words: Vec<BadWord>,
    by_first: HashMap<char, Range<usize>>,
    /// By the first letter and the next one that differs from it.
    by_pair: HashMap<(char, char), Range<usize>>,
    has_words_of_one_letter: bool,
}

/// The runs from which the second letter of a word may be read.
#[derive(Clone, Copy)]
enum SecondLetter<'a> {
    /// No word of several letters starts here, unless all are the same.
    None,
    /// This run, which follows at once.
    From(&'a CharRun),
    /// This run, which follows a gap. The second letter may also be the gap, as a space.
    AfterGap(&'a CharRun),
    /// Any run: some may be skipped, or hide letters.
    Any,
}

impl WordIndex {
    pub(super) fn new(mut words: Vec<BadWord>) -> Self {
        // Several languages have the same word.
        let mut known = HashSet::new();
        words.retain(|word| known.insert(word.clone()));
        words.sort_by_key(first_letters);
        let mut by_first: HashMap<char, Range<usize>> = HashMap::new();
        let mut by_pair: HashMap<(char, char), Range<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            let pair = first_letters(word);
            by_first.entry(pair.0).or_insert(at..at).end = at + 1;
            by_pair.entry(pair).or_insert(at..at).end = at + 1;
        }
        let has_words_of_one_letter = words.iter().any(|word| word.letters.len() == 1);
        Self { words, by_first, by_pair, has_words_of_one_letter }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &BadWord> {
        self.words.iter()
    }

    /// Returns the words that may start at this run. In ordinary texts these are few: nothing is skipped or
    /// hidden between two letters.
    pub(super) fn starting_at<'a>(
        &'a self,
        runs: &'a [CharRun],
        start: usize,
    ) -> impl Iterator<Item = &'a BadWord> {
        let second = second_letter(runs, start);
        let may_be_one_run = runs[start].count > 1 || self.has_words_of_one_letter;
        let ranges = runs[start].possible_letters().flat_map(move |first| {
            let (run, space, any) = match second {
                SecondLetter::None => (None, None, None),
                SecondLetter::From(run) => (Some(run), None, None),
                SecondLetter::AfterGap(run) => (Some(run), Some(' '), None),
                SecondLetter::Any => (None, None, self.by_first.get(&first)),
            };
            // All letters of a word such as `kkk` are in one run.
            let same = may_be_one_run.then_some(first);
            let seconds = run.into_iter().flat_map(CharRun::possible_letters).chain(space).chain(same);
            seconds.filter_map(move |second| self.by_pair.get(&(first, second))).chain(any)
        });
        ranges.flat_map(|range| &self.words[range.clone()])
    }
}

/// Returns the first letter of a word, and the next one that differs from it. That is the first one again if
/// none does.
fn first_letters(word: &BadWord) -> (char, char) {
    let first = word.letters[0];
    (first, word.letters.iter().copied().find(|&letter| letter != first).unwrap_or(first))
}

/// Returns where the second letter of a word is read that starts at this run: in the next one, or in the one
/// after a gap.
fn second_letter(runs: &[CharRun], start: usize) -> SecondLetter<'_> {
    let run = &runs[start];
    let Some(next) = runs.get(start + 1) else { return SecondLetter::None };
    let is_repeat = || run.can_be_read_as(next.first_letter());
    let hides_vowel =
        || next.can_hide_vowel() && runs.get(start + 2).is_some_and(CharRun::continues_hidden_vowel);
    match (run.kind, next.kind) {
        // A bracket stands for a letter only beside another one.
        (RunKind::Number | RunKind::Star | RunKind::Space, _)
        | (_, RunKind::Number)
        | (RunKind::Gap, RunKind::Gap | RunKind::Space) => SecondLetter::None,
        (RunKind::Letter | RunKind::Gap, RunKind::Letter) => SecondLetter::From(next),
        // Two equal signs may be two letters, as in `11` for il.
        (RunKind::Sign, _) if run.count > 1 => SecondLetter::Any,
        (RunKind::Sign, RunKind::Letter | RunKind::Sign) if !is_repeat() => SecondLetter::From(next),
        (RunKind::Letter, RunKind::Sign) if !(is_repeat() || hides_vowel()) => SecondLetter::From(next),
        (_, RunKind::Space) => after_gap(run, &runs[start + 2..]),
        (_, RunKind::Gap) if next.possible_letters().next().is_none() && !hides_vowel() => {
            after_gap(run, &runs[start + 2..])
        }
        _ => SecondLetter::Any,
    }
}

/// Returns where the second letter is read after a gap and a second one. Only a repetition of the first
/// letter may be skipped there.
fn after_gap<'a>(run: &CharRun, mut rest: &'a [CharRun]) -> SecondLetter<'a> {
    if rest.first().is_some_and(CharRun::is_gap) {
        rest = &rest[1..];
    }
    match rest.first() {
        None => SecondLetter::None,
        Some(after) => match after.kind {
            RunKind::Number | RunKind::Gap | RunKind::Space => SecondLetter::None,
            RunKind::Letter if run.can_be_read_as(after.first_letter()) => SecondLetter::Any,
            RunKind::Letter | RunKind::Sign => SecondLetter::AfterGap(after),
            RunKind::Star => SecondLetter::Any,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::letters::split_runs;
    use super::super::words::WordScope;
    use super::*;

    fn candidates(text: &str) -> Vec<String> {
        let words = ["fuck", "fit", "feel", "kkk", "ass hat", "a hole", "asset"];
        let index = WordIndex::new(words.map(|word| BadWord::new(word, WordScope::Alone)).to_vec());
        index.starting_at(&split_runs(text), 0).map(|word| word.letters.iter().collect()).collect()
    }

    #[test]
    fn few_words_may_start_at_ordinary_letters() {
        for (text, words) in [
            ("fun", &["fuck"][..]),
            ("f un", &["fuck"]),
            ("f, un", &["fuck"]),
            ("fan", &[]),
            ("f", &[]),
            ("f ", &[]),
            ("f 12", &[]),
            ("kkk", &["kkk"]),
            ("a house", &["a hole"]),
            ("a s", &["ass hat", "asset", "a hole"]),
        ] {
            assert_eq!(candidates(text), words, "{text}");
        }
    }

    #[test]
    fn all_words_may_start_at_disguised_letters() {
        for text in ["f*ck", "f-ck", "f!t", "f f u", "f-(k", "f-*k"] {
            assert_eq!(candidates(text).len(), 3, "{text}");
        }
    }
}
