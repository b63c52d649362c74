//! Recognizes bad words through their disguises.

use std::cell::Cell;
use std::ops::Range;

use super::letters::{CharRun, RunKind};
use crate::steps;

/// The disguise in which a word was recognized.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DisguisedWord {
    /// Number of gaps within the word, and how many of them are spaces or brackets.
    pub gaps: usize,
    pub spaces: usize,
    pub has_brackets: bool,
    /// True if there are gaps and all of them are single round or square brackets.
    pub has_only_brackets: bool,
    /// True if the gaps differ from each other.
    pub is_uneven: bool,
    /// Number of letters hidden by stars, and by other signs.
    pub stars: usize,
    pub hidden: usize,
    /// Number of signs other than digits that stand for letters.
    pub signs: usize,
    /// True if a digit stands for a letter.
    pub has_digits: bool,
    /// Length of the longest piece between gaps, and true if a piece has no vowel.
    pub longest_piece: usize,
    pub has_vowelless_piece: bool,
    /// Number of letters that were skipped because they repeat the letter before the gap.
    repeats: usize,
    first_gap: Option<usize>,
    piece_len: usize,
    has_vowel: bool,
}

/// Maximum length of a gap in characters.
const MAX_GAP_CHARS: usize = 3;

/// Maximum number of letters of a word that are repeated after a gap, or by a sign: `f u u c k k`, `sh1i1it`.
const MAX_REPEATS: usize = 8;
/// Maximum number of runs that are searched for the closing bracket.
const MAX_LETTERS_IN_BRACKETS: usize = 8;
/// Maximum number of steps of one match. Readers do not see through a disguise that takes more.
const MAX_STEPS: u32 = 128;

/// Matches `letters` from the run `start` on. Returns the matched runs and the disguise; `None` if they do
/// not match.
pub(super) fn read_disguised(
    runs: &[CharRun],
    start: usize,
    letters: &[char],
) -> Option<(Range<usize>, DisguisedWord)> {
    let (at, rest, word) = read_plain_letters(runs, start, letters)?;
    let matcher = DisguiseMatcher { runs, start, steps_left: Cell::new(MAX_STEPS) };
    let (end, word) = matcher.match_rest(at, rest, word)?;
    Some((start..end, word.end_piece()))
}

/// Reads letters up to the first run that is none, or to the end of the word. Between letters nothing is
/// skipped or hidden, so this is the cheap check that most words fail. Returns what is left of both; `None`
/// if another letter stands there.
fn read_plain_letters<'a>(
    runs: &[CharRun],
    start: usize,
    letters: &'a [char],
) -> Option<(usize, &'a [char], DisguisedWord)> {
    let mut at = start;
    let mut rest = letters;
    let mut word = DisguisedWord::default();
    while let (Some(&letter), Some(run)) = (rest.first(), runs.get(at)) {
        if run.kind != RunKind::Letter || letter == ' ' {
            break;
        }
        steps::charge(1);
        if !run.can_be_read_as(letter) {
            return None;
        }
        let same = rest.iter().take_while(|&&other| other == letter).count();
        rest = &rest[same.min(run.count)..];
        word.piece_len += 1;
        word.has_vowel |= is_vowel(letter);
        at += 1;
    }
    Some((at, rest, word))
}

struct DisguiseMatcher<'a> {
    runs: &'a [CharRun],
    start: usize,
    steps_left: Cell<u32>,
}

impl DisguiseMatcher<'_> {
    fn match_rest(&self, at: usize, letters: &[char], word: DisguisedWord) -> Option<(usize, DisguisedWord)> {
        steps::charge(1);
        self.steps_left.set(self.steps_left.get().checked_sub(1)?);
        let Some(&letter) = letters.first() else { return Some((at, word)) };
        let run = self.runs.get(at)?;
        if run.kind == RunKind::Number {
            return None;
        }
        if letter == ' ' {
            return if run.is_gap() { self.match_rest(at + 1, &letters[1..], word) } else { None };
        }
        self.match_letter(at, run, letters, word)
            .or_else(|| if at == self.start { None } else { self.match_disguise(at, run, letters, word) })
    }

    fn match_letter(
        &self,
        at: usize,
        run: &CharRun,
        letters: &[char],
        mut word: DisguisedWord,
    ) -> Option<(usize, DisguisedWord)> {
        if !run.can_be_read_as(letters[0]) {
            return None;
        }
        let same = letters.iter().take_while(|&&letter| letter == letters[0]).count();
        if run.is_gap() && !self.is_letter_sign(at) {
            return None;
        }
        word.signs += usize::from(run.kind != RunKind::Letter && !run.is_digit);
        word.has_digits |= run.is_digit;
        word.piece_len += 1;
        word.has_vowel |= is_vowel(letters[0]);
        let rest = &letters[same.min(run.count)..];
        self.match_rest(at + 1, rest, word).or_else(|| {
            // A sign that is repeated may stand for different letters: `d11do`.
            let more =
                rest.iter().take(run.count.saturating_sub(same)).take_while(|&&c| run.can_be_read_as(c));
            let more = if run.kind == RunKind::Sign { more.count() } else { 0 };
            if more > 0 { self.match_rest(at + 1, &rest[more..], word) } else { None }
        })
    }

    /// Returns true if a sign that usually separates words touches the letters of a word: one alone, and a
    /// bracket that is not closed directly after the next letters.
    fn is_letter_sign(&self, at: usize) -> bool {
        let is_letter = |run: &CharRun| matches!(run.kind, RunKind::Letter | RunKind::Sign);
        let touches = |at: Option<usize>| at.and_then(|at| self.runs.get(at)).is_some_and(is_letter);
        let is_closed = || {
            let rest = self.runs[at + 1..].iter().take(MAX_LETTERS_IN_BRACKETS);
            rest.take_while(|run| run.kind != RunKind::Space).any(|run| run.is_closing_bracket())
        };
        let run = &self.runs[at];
        // A bracket stands for one letter, other signs also for a double one: `shi++y`.
        run.count <= if run.is_bracket() { 1 } else { 2 }
            && (at == self.start
                && touches(Some(at + 1))
                && (run.is_bracket() || self.is_plus_before_word(at))
                || at > self.start && touches(at.checked_sub(1)))
            && !(run.is_bracket() && is_closed())
    }

    /// Returns true for a plus directly before a word and after a space: `+wat`.
    fn is_plus_before_word(&self, at: usize) -> bool {
        let follows_space = at.checked_sub(1).is_none_or(|before| self.runs[before].kind == RunKind::Space);
        self.runs[at].is_plus() && follows_space
    }

    fn match_disguise(
        &self,
        at: usize,
        run: &CharRun,
        letters: &[char],
        word: DisguisedWord,
    ) -> Option<(usize, DisguisedWord)> {
        if run.kind == RunKind::Star {
            // Stars between the parts of a word do not hide letters of it.
            let max_hidden = run.count.min(letters.len());
            let one_hidden = (max_hidden > 1).then_some(1);
            let mut counts = std::iter::once(max_hidden).chain(one_hidden).filter(|_| word.gaps == 0);
            let hide_letters = |count: usize| {
                let hidden = DisguisedWord { stars: word.stars + count, ..word };
                self.match_rest(at + 1, &letters[count..], hidden)
            };
            return counts.find_map(hide_letters).or_else(|| self.skip_gap(at, run, letters, word));
        }
        self.skip_gap(at, run, letters, word)
            .or_else(|| self.skip_repeat(at, run, letters, word))
            .or_else(|| self.match_hidden_vowel(at, run, letters, word))
    }

    fn skip_gap(
        &self,
        at: usize,
        run: &CharRun,
        letters: &[char],
        mut word: DisguisedWord,
    ) -> Option<(usize, DisguisedWord)> {
        let is_wide = run.count > MAX_GAP_CHARS
            || self.runs[at - 1].is_gap() && at - self.start > 1 && self.runs[at - 2].is_gap();
        if is_wide || !run.is_gap() && run.kind != RunKind::Star {
            return None;
        }
        word = word.end_piece();
        word.gaps += 1;
        word.spaces += usize::from(run.kind == RunKind::Space || run.is_bracket());
        word.has_brackets |= run.is_bracket();
        word.has_only_brackets =
            run.is_enclosing() && run.count == 1 && (word.gaps == 1 || word.has_only_brackets);
        match word.first_gap {
            None => word.first_gap = Some(at),
            Some(first) => {
                word.is_uneven |= !run.looks_like(&self.runs[first]) && !self.runs[at - 1].is_gap();
            }
        }
        self.match_rest(at + 1, letters, word)
    }

    /// Skips a repetition of the letter before a gap, or of one that a sign stands for: `f u u c k`, `sh1it`.
    fn skip_repeat(
        &self,
        at: usize,
        run: &CharRun,
        letters: &[char],
        word: DisguisedWord,
    ) -> Option<(usize, DisguisedWord)> {
        let previous = self.runs[self.start..at].iter().rev().find(|run| !run.is_gap())?;
        let is_after_gap = run.kind == RunKind::Letter && self.runs[at - 1].is_gap();
        // A letter and the digit for it alternate: `sh1iit`.
        let alternates = matches!(
            (self.runs[at - 1].kind, run.kind),
            (RunKind::Letter, RunKind::Sign) | (RunKind::Sign, RunKind::Letter | RunKind::Sign)
        );
        let is_repeat = previous.can_be_read_as(run.first_letter()) && (is_after_gap || alternates);
        if !is_repeat || word.repeats >= MAX_REPEATS {
            return None;
        }
        self.match_rest(at + 1, letters, DisguisedWord { repeats: word.repeats + 1, ..word })
    }

    /// Skips a sign in place of a vowel.
    fn match_hidden_vowel(
        &self,
        at: usize,
        run: &CharRun,
        letters: &[char],
        mut word: DisguisedWord,
    ) -> Option<(usize, DisguisedWord)> {
        let is_hidden = is_vowel(letters[0])
            && letters.len() > 1
            && run.can_hide_vowel()
            && self.runs[at - 1].kind == RunKind::Letter
            && self.runs.get(at + 1).is_some_and(CharRun::continues_hidden_vowel);
        word.hidden += 1;
        word.has_vowel = true;
        if is_hidden { self.match_rest(at + 1, &letters[1..], word) } else { None }
    }
}

impl DisguisedWord {
    /// Returns true if the word has no gaps and no signs for letters. Then it is also bad within other words.
    pub(super) fn is_plain(&self) -> bool {
        self.gaps + self.stars + self.hidden + self.signs == 0
    }

    fn end_piece(mut self) -> Self {
        self.longest_piece = self.longest_piece.max(self.piece_len);
        self.has_vowelless_piece |= self.piece_len > 0 && !self.has_vowel;
        self.piece_len = 0;
        self.has_vowel = false;
        self
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::super::letters::{split_runs, word_letters};
    use super::*;

    fn read_word(text: &str, word: &str) -> Option<DisguisedWord> {
        read_disguised(&split_runs(text), 0, &word_letters(word)).map(|(_, disguised)| disguised)
    }

    #[test]
    fn a_word_is_read_through_its_disguises() {
        assert_eq!(read_word("fuuuck", "fuck").unwrap().gaps, 0);
        assert_eq!(read_word("f.u.c.k", "fuck").unwrap().gaps, 3);
        assert_eq!(read_word("f u u c k", "fuck").unwrap().spaces, 4);
        assert_eq!(read_word("f**k", "fuck").unwrap().stars, 2);
        assert_eq!(read_word("sh#t", "shit").unwrap().hidden, 1);
        assert_eq!(read_word("$hit", "shit").unwrap().signs, 1);
        assert_eq!(read_word("sh it", "shit").unwrap().longest_piece, 2);
        assert!(read_word("f.u-c.k", "fuck").unwrap().is_uneven);
        assert_eq!(read_word("bell  end", "bell end").unwrap().gaps, 0);
    }

    #[test]
    fn an_absent_word_is_not_read() {
        for (text, word) in
            [("as", "ass"), ("f555uck", "fuck"), ("f....uck", "fuck"), ("*uck", "fuck"), ("fuk", "fuck")]
        {
            assert!(read_word(text, word).is_none(), "{text}");
        }
    }
}
