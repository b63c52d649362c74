//! Splits a text into runs of visible characters, each with the letters that it may stand for.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::look_alikes::{is_look_alike, letters_of_look_alike};
use crate::{numbers, steps};

/// The absence of a letter.
const NO_LETTER: char = '\0';

/// The kind of a run of equal characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    Letter,
    /// A digit or sign that may stand for a letter.
    Sign,
    /// A placeholder for an omitted letter.
    Star,
    Gap,
    Space,
    /// A part of a number, which is never part of a word.
    Number,
}

/// A run of equal characters.
#[derive(Clone, Debug)]
pub(super) struct CharRun {
    pub kind: RunKind,
    /// The number of characters.
    pub count: usize,
    /// The position in the text, in bytes.
    pub start: usize,
    pub end: usize,
    pub is_capital: bool,
    pub is_digit: bool,
    letters: [char; 3],
    sign: char,
}

impl CharRun {
    /// Returns true if a reader may read it as this letter.
    pub(super) fn can_be_read_as(&self, letter: char) -> bool {
        self.letters.contains(&letter)
    }

    /// Returns all letters as which it may be read.
    pub(super) fn possible_letters(&self) -> impl Iterator<Item = char> {
        self.letters.into_iter().filter(|&letter| letter != NO_LETTER)
    }

    /// Returns the letter as which it is usually read.
    pub(super) fn first_letter(&self) -> char {
        self.letters[0]
    }

    /// Returns the letter as which it is read least often.
    pub(super) fn last_letter(&self) -> char {
        self.possible_letters().last().unwrap_or(NO_LETTER)
    }

    /// Returns true if it may hide a vowel: `f-ck`, `sh#t`.
    pub(super) fn can_hide_vowel(&self) -> bool {
        self.count == 1 && "-_.@#%&+=~^?!$".contains(self.sign)
    }

    /// Returns true if a word may go on with it after a hidden vowel: a letter, a sign for one, or a gap
    /// within it.
    pub(super) fn continues_hidden_vowel(&self) -> bool {
        !matches!(self.kind, RunKind::Space | RunKind::Number)
    }

    /// Returns true if it separates words and stands for no letter.
    pub(super) fn is_gap(&self) -> bool {
        matches!(self.kind, RunKind::Gap | RunKind::Space)
    }

    /// Returns true for a sign that ends a sentence, unless it stands for a letter.
    pub(super) fn may_end_sentence(&self) -> bool {
        self.sign == '!'
    }

    /// Returns true for a sign that separates columns and choices, unless it stands for a letter.
    pub(super) fn is_vertical_line(&self) -> bool {
        self.sign == '|'
    }

    /// Returns true for brackets and list signs.
    pub(super) fn is_bracket(&self) -> bool {
        "()[]{}<>,;:=\"/\\".contains(self.sign)
    }

    pub(super) fn is_plus(&self) -> bool {
        self.sign == '+'
    }

    /// Returns true for a round or square bracket.
    pub(super) fn is_enclosing(&self) -> bool {
        "()[]{}".contains(self.sign)
    }

    /// Returns true for a closing bracket.
    pub(super) fn is_closing_bracket(&self) -> bool {
        ")]}>".contains(self.sign)
    }

    /// Returns true if two gaps look alike.
    pub(super) fn looks_like(&self, other: &Self) -> bool {
        self.sign == other.sign && self.count == other.count
    }

    fn try_extend(&mut self, next: &Self) -> bool {
        let is_same = self.kind == next.kind
            && self.letters == next.letters
            && (self.kind == RunKind::Letter || self.sign == next.sign);
        if is_same {
            self.count += 1;
            self.end = next.end;
        }
        is_same
    }
}

/// Returns the runs of a text.
pub(super) fn split_runs(text: &str) -> Vec<CharRun> {
    let mut numbers = numbers::numbers(text);
    numbers.retain(|number| !is_between_letter_signs(text, number));
    let mut next_numbers = numbers.iter().peekable();
    let mut runs: Vec<CharRun> = Vec::new();
    let mut read_to = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        steps::charge(grapheme.len());
        if start < read_to {
            continue;
        }
        if let Some((signs, letter)) = letter_of_signs(text, start) {
            read_to = start + signs.len();
            runs.push(CharRun {
                end: read_to,
                letters: [letter, NO_LETTER, NO_LETTER],
                ..new_run("|", start, false)
            });
            continue;
        }
        while next_numbers.next_if(|number| number.end <= start).is_some() {}
        let in_number = next_numbers.peek().is_some_and(|number| number.contains(&start));
        let next = new_run(grapheme, start, in_number);
        if !runs.last_mut().is_some_and(|last| last.try_extend(&next)) {
            runs.push(next);
        }
    }
    join_apostrophes(&mut runs);
    runs
}

/// Returns the runs of a word of letters and digits, none of which count as a number.
pub(super) fn split_token(word: &str) -> Vec<CharRun> {
    let mut runs: Vec<CharRun> = Vec::new();
    for (start, grapheme) in word.grapheme_indices(true) {
        steps::charge(grapheme.len());
        let next = new_run(grapheme, start, false);
        if !runs.last_mut().is_some_and(|last| last.try_extend(&next)) {
            runs.push(next);
        }
    }
    runs
}

/// Returns true for a short number that touches a sign for a letter, with a letter or digit on the other side
/// of the sign: `r3+ard`, `5h|thead`, `P!5s`.
fn is_between_letter_signs(text: &str, number: &Range<usize>) -> bool {
    const MAX_BYTES: usize = 3;
    let is_sign = |c: char| matches!(c, '@' | '$' | '+' | '(' | '|' | '!');
    let before = text[..number.start].strip_suffix(is_sign);
    let after = text[number.end..].strip_prefix(is_sign);
    number.len() <= MAX_BYTES
        && (before.is_some_and(|before| before.ends_with(char::is_alphanumeric))
            || after.is_some_and(|after| after.starts_with(char::is_alphanumeric)))
}

/// Returns signs at this position that together look like a letter, with the letter, if they touch a letter:
/// `c|_|nt`.
fn letter_of_signs(text: &str, start: usize) -> Option<(&'static str, char)> {
    const SIGNS: [(&str, char); 3] = [("|_|", 'u'), ("|<", 'k'), ("|-|", 'h')];
    let rest = &text[start..];
    let (signs, letter) = SIGNS.into_iter().find(|(signs, _)| rest.starts_with(signs))?;
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = text[..start].chars().next_back();
    let after = rest[signs.len()..].chars().next();
    (is_letter(before) && !after.is_some_and(|c| c == '|' || c == '_')
        || is_letter(after) && before.is_none_or(char::is_whitespace))
    .then_some((signs, letter))
}

/// Returns the letters of a word of the dictionary, normalized as in texts.
pub(super) fn word_letters(word: &str) -> Vec<char> {
    let letter_runs = word.graphemes(true).map(|seen| new_run(seen, 0, false));
    letter_runs.map(|run| if run.is_gap() { ' ' } else { run.first_letter() }).collect()
}

fn new_run(grapheme: &str, start: usize, in_number: bool) -> CharRun {
    let (base, lowercase) = first_letter_of(grapheme);
    let (kind, letters) = if in_number { (RunKind::Number, [NO_LETTER; 3]) } else { classify(lowercase) };
    CharRun {
        kind,
        count: 1,
        start,
        end: start + grapheme.len(),
        is_capital: base.is_uppercase(),
        is_digit: base.is_ascii_digit(),
        letters,
        sign: lowercase,
    }
}

/// Returns the first character of a grapheme without marks, as it is written and in lower case.
fn first_letter_of(grapheme: &str) -> (char, char) {
    if let &[byte] = grapheme.as_bytes() {
        return (char::from(byte), char::from(byte.to_ascii_lowercase()));
    }
    let base = grapheme.nfkd().find(|&c| !is_ignored(c)).unwrap_or(' ');
    (base, base.to_lowercase().next().unwrap_or(base))
}

/// Joins an apostrophe within a word to it, so that it is no gap: `who're`. Between single letters it is one,
/// and so is a vertical line: `s'h'i't`, `s|h|i|t`.
fn join_apostrophes(runs: &mut [CharRun]) {
    for at in 1..runs.len().saturating_sub(1) {
        let is_within = runs[at - 1].kind == RunKind::Letter && runs[at + 1].kind == RunKind::Letter;
        let separates = |other: Option<&CharRun>| other.is_some_and(|other| other.looks_like(&runs[at]));
        let is_repeated =
            separates(at.checked_sub(2).and_then(|at| runs.get(at))) || separates(runs.get(at + 2));
        match runs[at].sign {
            '\'' | '’' if is_within && !is_repeated => runs[at].kind = RunKind::Letter,
            '|' if is_within && is_repeated => {
                runs[at].kind = RunKind::Gap;
                runs[at].letters = [NO_LETTER; 3];
            }
            _ => {}
        }
    }
}

/// Returns true for combining marks and invisible characters.
fn is_ignored(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c.general_category(), GeneralCategory::PrivateUse | GeneralCategory::Unassigned)
}

fn classify(c: char) -> (RunKind, [char; 3]) {
    match c {
        'v' => (RunKind::Letter, ['v', 'u', NO_LETTER]),
        'a'..='z' => (RunKind::Letter, [c, NO_LETTER, NO_LETTER]),
        '*' | '∗' | '•' | '●' | '█' => (RunKind::Star, [NO_LETTER; 3]),
        _ if c.is_whitespace() => (RunKind::Space, [NO_LETTER; 3]),
        _ => match letters_for_sign(c) {
            Some(letters) => (RunKind::Sign, letters),
            None if c.is_alphabetic() || is_look_alike(c) => {
                (RunKind::Letter, letters_of_look_alike(c).map(|letter| letter.unwrap_or(NO_LETTER)))
            }
            None => (RunKind::Gap, letters_for_gap(c)),
        },
    }
}

/// Returns the letters for which a digit or sign stands in disguises.
fn letters_for_sign(c: char) -> Option<[char; 3]> {
    let letters = match c {
        '0' => ['o', NO_LETTER, NO_LETTER],
        '1' | '|' | '!' | '¡' => ['i', 'l', NO_LETTER],
        '2' => ['z', NO_LETTER, NO_LETTER],
        '3' | '€' => ['e', NO_LETTER, NO_LETTER],
        '4' | '@' => ['a', NO_LETTER, NO_LETTER],
        '5' | '$' | '§' => ['s', NO_LETTER, NO_LETTER],
        '6' | '9' => ['g', NO_LETTER, NO_LETTER],
        '7' => ['t', NO_LETTER, NO_LETTER],
        '8' => ['b', NO_LETTER, NO_LETTER],
        '¢' => ['c', NO_LETTER, NO_LETTER],
        '£' => ['l', NO_LETTER, NO_LETTER],
        '¥' => ['y', NO_LETTER, NO_LETTER],
        _ => return None,
    };
    Some(letters)
}

/// Returns the letters that a sign may stand for which otherwise separates words: `fu(k`, `b!+ch`, `s#it`.
fn letters_for_gap(c: char) -> [char; 3] {
    match c {
        '(' | '<' | '{' | '[' | '©' => ['c', NO_LETTER, NO_LETTER],
        '+' | '†' => ['t', NO_LETTER, NO_LETTER],
        '#' => ['h', NO_LETTER, NO_LETTER],
        _ => [NO_LETTER; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str) -> String {
        split_runs(text)
            .iter()
            .map(|run| {
                if run.kind == RunKind::Letter || run.kind == RunKind::Sign {
                    run.first_letter()
                } else {
                    ' '
                }
            })
            .collect()
    }

    #[test]
    fn disguised_letters_are_read() {
        for text in [
            "fuck",
            "FUCK",
            "fück",
            "f\u{338}u\u{338}c\u{338}k",
            "ｆｕｃｋ",
            "ⓕⓤⓒⓚ",
            "𝓯𝓾𝓬𝓴",
            "fuсk",
            "🅵🆄🅲🅺",
            "ffuucckk",
            "ꜰᴜᴄᴋ",
        ] {
            assert_eq!(read_as(text), "fuck", "{text}");
        }
        assert_eq!(read_as("$h1t"), "shit");
    }

    #[test]
    fn numbers_and_gaps_are_not_read_as_letters() {
        assert_eq!(read_as("x=455 b"), "x    b");
        assert_eq!(split_runs("who're")[3].kind, RunKind::Letter);
        assert_eq!(split_runs("'re")[0].kind, RunKind::Gap);
        assert_eq!(word_letters("Bell End"), ['b', 'e', 'l', 'l', ' ', 'e', 'n', 'd']);
    }
}
