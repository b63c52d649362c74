//! A text as a reader takes it: for each character that people see the letters it may stand for.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_security::skeleton;
use unicode_segmentation::UnicodeSegmentation;

use crate::{mask, steps};

/// No letter.
const NONE: char = '\0';

/// What a run of equal characters is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Letter,
    /// A digit or a sign that may stand for a letter.
    Sign,
    /// What stands for a letter that was left out.
    Star,
    Gap,
    Space,
    /// Part of a number, in which no word is read, nor across it.
    Number,
}

/// Equal characters side by side.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub kind: Kind,
    /// How many.
    pub count: usize,
    /// In bytes of the text.
    pub start: usize,
    pub end: usize,
    pub is_capital: bool,
    pub is_digit: bool,
    letters: [char; 3],
    sign: char,
}

impl Run {
    /// Whether a reader may take it for this letter.
    pub(super) fn reads(&self, letter: char) -> bool {
        self.letters.contains(&letter)
    }

    /// All that it may be read as.
    pub(super) fn letters(&self) -> impl Iterator<Item = char> {
        self.letters.into_iter().filter(|&letter| letter != NONE)
    }

    /// What it is read as first.
    pub(super) fn letter(&self) -> char {
        self.letters[0]
    }

    /// Whether it may hide a vowel: `f-ck`, `sh#t`.
    pub(super) fn may_hide(&self) -> bool {
        self.count == 1 && "-_.@#%&+=~^?!$".contains(self.sign)
    }

    /// What parts words without standing for anything.
    pub(super) fn is_gap(&self) -> bool {
        matches!(self.kind, Kind::Gap | Kind::Space)
    }

    /// What opens and closes, or lists.
    pub(super) fn is_bracket(&self) -> bool {
        "()[]{}<>,;:=\"/\\".contains(self.sign)
    }

    /// Whether two gaps look alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.sign == other.sign && self.count == other.count
    }

    fn takes(&mut self, next: &Self) -> bool {
        let same = self.kind == next.kind
            && self.letters == next.letters
            && (self.kind == Kind::Letter || self.sign == next.sign);
        if same {
            self.count += 1;
            self.end = next.end;
        }
        same
    }
}

/// The runs of a text.
pub(super) fn runs(text: &str) -> Vec<Run> {
    let numbers = mask::numbers(text);
    let mut ahead = numbers.iter().peekable();
    let mut runs: Vec<Run> = Vec::new();
    for (start, seen) in text.grapheme_indices(true) {
        steps::charge(seen.len());
        while ahead.next_if(|number| number.end <= start).is_some() {}
        let in_number = ahead.peek().is_some_and(|number| number.contains(&start));
        let next = run(seen, start, in_number);
        if !runs.last_mut().is_some_and(|last| last.takes(&next)) {
            runs.push(next);
        }
    }
    join_apostrophes(&mut runs);
    runs
}

/// The letters of a word of the dictionary, as they are read in a text.
pub(super) fn letters(word: &str) -> Vec<char> {
    let read = word.graphemes(true).map(|seen| run(seen, 0, false));
    read.map(|run| if run.is_gap() { ' ' } else { run.letter() }).collect()
}

fn run(seen: &str, start: usize, in_number: bool) -> Run {
    let base = seen.nfkd().find(|&c| !is_dropped(c)).unwrap_or(' ');
    let small = base.to_lowercase().next().unwrap_or(base);
    let (kind, letters) = if in_number { (Kind::Number, [NONE; 3]) } else { read(small) };
    Run {
        kind,
        count: 1,
        start,
        end: start + seen.len(),
        is_capital: base.is_uppercase(),
        is_digit: base.is_ascii_digit(),
        letters,
        sign: small,
    }
}

/// An apostrophe within a word is no gap: `who're`.
fn join_apostrophes(runs: &mut [Run]) {
    for at in 1..runs.len().saturating_sub(1) {
        let is_within = runs[at - 1].kind == Kind::Letter && runs[at + 1].kind == Kind::Letter;
        if is_within && matches!(runs[at].sign, '\'' | '’') {
            runs[at].kind = Kind::Letter;
        }
    }
}

/// Marks over letters, and what no font shows.
fn is_dropped(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c.general_category(), GeneralCategory::PrivateUse | GeneralCategory::Unassigned)
}

fn read(c: char) -> (Kind, [char; 3]) {
    match c {
        'v' => (Kind::Letter, ['v', 'u', NONE]),
        'a'..='z' => (Kind::Letter, [c, NONE, NONE]),
        '*' | '∗' | '•' | '●' | '█' => (Kind::Star, [NONE; 3]),
        _ if c.is_whitespace() => (Kind::Space, [NONE; 3]),
        _ => match sign(c) {
            Some(letters) => (Kind::Sign, letters),
            None if c.is_alphabetic() || is_enclosed(c) => (Kind::Letter, [look(c), NONE, NONE]),
            None => (Kind::Gap, [NONE; 3]),
        },
    }
}

/// What digits and signs stand for where letters are disguised.
fn sign(c: char) -> Option<[char; 3]> {
    let letters = match c {
        '0' => ['o', NONE, NONE],
        '1' | '|' => ['i', 'l', NONE],
        '2' => ['z', NONE, NONE],
        '3' | '€' => ['e', NONE, NONE],
        '4' | '@' => ['a', NONE, NONE],
        '5' | '$' | '§' => ['s', NONE, NONE],
        '6' | '9' => ['g', NONE, NONE],
        '7' => ['t', NONE, NONE],
        '8' => ['b', NONE, NONE],
        '!' | '¡' => ['i', NONE, NONE],
        '¢' => ['c', NONE, NONE],
        '£' => ['l', NONE, NONE],
        '¥' => ['y', NONE, NONE],
        _ => return None,
    };
    Some(letters)
}

/// Letters in circles, boxes and flags.
fn is_enclosed(c: char) -> bool {
    enclosed(c).is_some()
}

fn enclosed(c: char) -> Option<char> {
    let first =
        [0x1f150, 0x1f170, 0x1f1e6].into_iter().find(|&first| (first..first + 26).contains(&u32::from(c)))?;
    char::from_u32(u32::from('a') + u32::from(c) - first)
}

/// The Latin letter that another one looks like.
fn look(c: char) -> char {
    let known = "аaбbвbгrдdеeзzиuіiїiјjкkлlмmнhоoпnрpсcтtуyхxцuшwщwьbѕsһhԁdԛqԝwαaβbγyεeηnθoιiκkμuνvοoπnρpσoςsτtυuφoχxωwϲcոnօoսuһhցgհhɑaɡgıiʟlʀrøoðdłlđdħhŧtƒfßsæaœoɓbɗdɠgɩiƙkʋuᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkᴍmɴnᴏoᴘpꜱsᴛtᴜuᴠvᴡwʏyᴢz";
    let mut pairs = known.chars();
    while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
        if from == c {
            return to;
        }
    }
    let mut look =
        skeleton(c.encode_utf8(&mut [0; 4])).map(|c| c.to_ascii_lowercase()).collect::<Vec<_>>().into_iter();
    match (enclosed(c), look.next(), look.next()) {
        (Some(letter), _, _) => letter,
        (None, Some(letter), None) if letter.is_ascii_lowercase() => letter,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(text: &str) -> String {
        runs(text)
            .iter()
            .map(|run| if run.kind == Kind::Letter || run.kind == Kind::Sign { run.letter() } else { ' ' })
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
        assert_eq!(runs("who're")[3].kind, Kind::Letter);
        assert_eq!(runs("'re")[0].kind, Kind::Gap);
        assert_eq!(letters("Bell End"), ['b', 'e', 'l', 'l', ' ', 'e', 'n', 'd']);
    }
}
