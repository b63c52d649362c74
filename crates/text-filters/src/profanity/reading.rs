//! Reads a bad word out of a text through its disguises.

use std::cell::Cell;
use std::ops::Range;

use super::letters::{Kind, Run};
use crate::steps;

/// How a word was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// Gaps within the word, and how many of them are spaces or brackets.
    pub gaps: usize,
    pub spaces: usize,
    pub has_brackets: bool,
    /// Not all gaps look alike.
    pub is_uneven: bool,
    /// Letters hidden by stars, and by other signs.
    pub stars: usize,
    pub hidden: usize,
    /// Signs other than digits that stand for letters.
    pub signs: usize,
    /// The longest piece between gaps, and whether one of them could be no word.
    pub longest: usize,
    pub has_bare_piece: bool,
    /// Letters that were passed over because they stood before the gap, too.
    repeats: usize,
    first_gap: Option<usize>,
    piece: usize,
    has_vowel: bool,
}

/// A gap is at most so many characters.
const WIDEST_GAP: usize = 3;

/// The most letters of one word that are repeated behind a gap: `f u u c k k`.
const MAX_REPEATS: usize = 4;
/// The most steps of one reading. A disguise that takes more is one that no reader sees through.
const MAX_STEPS: u32 = 128;

/// Reads `letters` from the run `start` on, and says where it ends.
pub(super) fn read(runs: &[Run], start: usize, letters: &[char]) -> Option<(Range<usize>, Reading)> {
    let reader = Reader { runs, start, steps_left: Cell::new(MAX_STEPS) };
    let (end, reading) = reader.follow(start, letters, Reading::default())?;
    Some((start..end, reading.with_piece()))
}

struct Reader<'a> {
    runs: &'a [Run],
    start: usize,
    steps_left: Cell<u32>,
}

impl Reader<'_> {
    fn follow(&self, at: usize, letters: &[char], reading: Reading) -> Option<(usize, Reading)> {
        steps::charge(1);
        self.steps_left.set(self.steps_left.get().checked_sub(1)?);
        let Some(&letter) = letters.first() else { return Some((at, reading)) };
        let run = self.runs.get(at)?;
        if run.kind == Kind::Number {
            return None;
        }
        if letter == ' ' {
            return if run.is_gap() { self.follow(at + 1, &letters[1..], reading) } else { None };
        }
        self.as_letter(at, run, letters, reading)
            .or_else(|| if at == self.start { None } else { self.in_disguise(at, run, letters, reading) })
    }

    fn as_letter(
        &self,
        at: usize,
        run: &Run,
        letters: &[char],
        mut reading: Reading,
    ) -> Option<(usize, Reading)> {
        if !run.reads(letters[0]) {
            return None;
        }
        let same = letters.iter().take_while(|&&letter| letter == letters[0]).count();
        reading.signs += usize::from(run.kind == Kind::Sign && !run.is_digit);
        reading.piece += 1;
        reading.has_vowel |= is_vowel(letters[0]);
        self.follow(at + 1, &letters[same.min(run.count)..], reading)
    }

    fn in_disguise(
        &self,
        at: usize,
        run: &Run,
        letters: &[char],
        reading: Reading,
    ) -> Option<(usize, Reading)> {
        if run.kind == Kind::Star {
            // What stars part they do not hide.
            let most = run.count.min(letters.len());
            let fewer = (most > 1).then_some(1);
            let mut counts = std::iter::once(most).chain(fewer).filter(|_| reading.gaps == 0);
            let hide = |count: usize| {
                let hidden = Reading { stars: reading.stars + count, ..reading };
                self.follow(at + 1, &letters[count..], hidden)
            };
            return counts.find_map(hide).or_else(|| self.past_gap(at, run, letters, reading));
        }
        self.past_gap(at, run, letters, reading)
            .or_else(|| self.past_repeat(at, run, letters, reading))
            .or_else(|| self.past_sign(at, run, letters, reading))
    }

    fn past_gap(
        &self,
        at: usize,
        run: &Run,
        letters: &[char],
        mut reading: Reading,
    ) -> Option<(usize, Reading)> {
        let is_wide = run.count > WIDEST_GAP
            || self.runs[at - 1].is_gap() && at - self.start > 1 && self.runs[at - 2].is_gap();
        if is_wide || !run.is_gap() && run.kind != Kind::Star {
            return None;
        }
        reading = reading.with_piece();
        reading.gaps += 1;
        reading.spaces += usize::from(run.kind == Kind::Space || run.is_bracket());
        reading.has_brackets |= run.is_bracket();
        match reading.first_gap {
            None => reading.first_gap = Some(at),
            Some(first) => {
                reading.is_uneven |= !run.is_like(&self.runs[first]) && !self.runs[at - 1].is_gap();
            }
        }
        self.follow(at + 1, letters, reading)
    }

    /// The letter before a gap once more: `f u u c k`.
    fn past_repeat(
        &self,
        at: usize,
        run: &Run,
        letters: &[char],
        reading: Reading,
    ) -> Option<(usize, Reading)> {
        let before = self.runs[self.start..at].iter().rev().find(|run| !run.is_gap())?;
        let is_repeat = run.kind == Kind::Letter && before.reads(run.letter()) && self.runs[at - 1].is_gap();
        if !is_repeat || reading.repeats >= MAX_REPEATS {
            return None;
        }
        self.follow(at + 1, letters, Reading { repeats: reading.repeats + 1, ..reading })
    }

    /// A sign where a vowel belongs.
    fn past_sign(
        &self,
        at: usize,
        run: &Run,
        letters: &[char],
        mut reading: Reading,
    ) -> Option<(usize, Reading)> {
        let is_hidden = is_vowel(letters[0])
            && letters.len() > 1
            && run.may_hide()
            && self.runs[at - 1].kind == Kind::Letter;
        reading.hidden += 1;
        reading.has_vowel = true;
        if is_hidden { self.follow(at + 1, &letters[1..], reading) } else { None }
    }
}

impl Reading {
    /// Not taken apart, nor with signs for letters: bad also within other words.
    pub(super) fn is_plain(&self) -> bool {
        self.gaps + self.stars + self.hidden + self.signs == 0
    }

    fn with_piece(mut self) -> Self {
        self.longest = self.longest.max(self.piece);
        self.has_bare_piece |= self.piece > 0 && !self.has_vowel;
        self.piece = 0;
        self.has_vowel = false;
        self
    }
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::super::letters::{letters, runs};
    use super::*;

    fn reading(text: &str, word: &str) -> Option<Reading> {
        read(&runs(text), 0, &letters(word)).map(|(_, reading)| reading)
    }

    #[test]
    fn a_word_is_read_through_its_disguises() {
        assert_eq!(reading("fuuuck", "fuck").unwrap().gaps, 0);
        assert_eq!(reading("f.u.c.k", "fuck").unwrap().gaps, 3);
        assert_eq!(reading("f u u c k", "fuck").unwrap().spaces, 4);
        assert_eq!(reading("f**k", "fuck").unwrap().stars, 2);
        assert_eq!(reading("sh#t", "shit").unwrap().hidden, 1);
        assert_eq!(reading("$hit", "shit").unwrap().signs, 1);
        assert_eq!(reading("sh it", "shit").unwrap().longest, 2);
        assert!(reading("f.u-c.k", "fuck").unwrap().is_uneven);
        assert_eq!(reading("bell  end", "bell end").unwrap().gaps, 0);
    }

    #[test]
    fn an_absent_word_is_not_read() {
        for (text, word) in
            [("as", "ass"), ("f555uck", "fuck"), ("f....uck", "fuck"), ("*uck", "fuck"), ("fuk", "fuck")]
        {
            assert!(reading(text, word).is_none(), "{text}");
        }
    }
}
