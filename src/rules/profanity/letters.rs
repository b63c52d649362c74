//! A text as the dictionary reads it: one plain letter for each character that people see.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

use super::MARK;
use crate::rules::mask;

/// Stands for each character of a number: a letter that no bad word has, so that none is found in
/// a number nor across one.
const NUMBER: char = '数';
/// Stands for what parts words.
const GAP: char = ',';
const STAR: char = '*';

/// The characters of a text, each with its plain letter.
pub(super) struct Letters<'a>(Vec<(&'a str, Option<char>)>);

impl<'a> Letters<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let numbers = mask::numbers(text);
        let mut ahead = numbers.iter().peekable();
        let letters = text.grapheme_indices(true).map(|(at, seen)| {
            while ahead.next_if(|number| number.end <= at).is_some() {}
            let in_number = ahead.peek().is_some_and(|number| number.contains(&at));
            (seen, if in_number { Some(NUMBER) } else { plain(seen) })
        });
        let mut letters = Self(letters.collect());
        letters.drop_emphasis();
        letters
    }

    /// Stars hide vowels only between letters; elsewhere they are `*emphasis*`.
    fn drop_emphasis(&mut self) {
        let mut at = 0;
        while at < self.0.len() {
            let end = at + self.0[at..].iter().take_while(|&&(_, letter)| letter == Some(STAR)).count();
            if !(at > 0 && self.is_letter(at - 1) && self.is_letter(end)) {
                self.0[at..end].iter_mut().for_each(|star| star.1 = Some(GAP));
            }
            at = end + 1;
        }
    }

    /// The stretches of some characters that no gap parts.
    pub(super) fn between_gaps(&self, characters: &Range<usize>) -> Vec<Range<usize>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for at in characters.clone().filter(|&at| !self.is_gap(at)) {
            match parts.last_mut() {
                Some(part) if part.end == at => part.end += 1,
                _ => parts.push(at..at + 1),
            }
        }
        parts
    }

    /// Some of the characters by themselves.
    pub(super) fn part(&self, characters: &Range<usize>) -> Self {
        Self(self.0[characters.clone()].to_vec())
    }

    /// What the dictionary is given.
    pub(super) fn plain(&self) -> String {
        self.0.iter().filter_map(|&(_, letter)| letter).collect()
    }

    /// For each character whether the dictionary wrote its mark over it.
    pub(super) fn marked(&self, marks: &str) -> Vec<bool> {
        let mut marks = marks.chars().peekable();
        let mut is_marked = |letter| {
            // The dictionary may drop letters it finds strange: then its next one is another's.
            marks.next_if(|&mark| mark == MARK || mark == letter) == Some(MARK)
        };
        self.0.iter().map(|&(_, letter)| letter.is_some_and(&mut is_marked)).collect()
    }

    /// Whether a bad word in these characters is one to a reader: it stands alone, or it is bad
    /// inside others too. Across gaps it must stand alone and be more than three letters: neither
    /// `finish it` nor `f(u), g(x)` holds one.
    pub(super) fn is_found(&self, characters: Range<usize>, inside_others: bool) -> bool {
        let letters = characters.clone().filter(|&at| !self.is_gap(at)).count();
        if letters < characters.len() {
            return letters > 3 && self.is_word(characters);
        }
        inside_others || self.is_word(characters)
    }

    /// Whether the characters begin and end where words do; one more `s` still ends a word.
    fn is_word(&self, characters: Range<usize>) -> bool {
        let Range { start, end } = characters;
        self.begins_word(start) && (self.ends_word(end) || self.has_s(end) && self.ends_word(end + 1))
    }

    /// The text with a star for each character that is `bad`.
    pub(super) fn masked(&self, bad: &[bool]) -> String {
        self.0.iter().zip(bad).map(|(&(seen, _), &bad)| if bad { "*" } else { seen }).collect()
    }

    fn begins_word(&self, at: usize) -> bool {
        at == 0 || !self.is_letter(at - 1) || self.is_hump(at)
    }

    fn ends_word(&self, at: usize) -> bool {
        !self.is_letter(at) || self.is_hump(at)
    }

    /// A capital after a small letter, as in `PixelCrab`.
    fn is_hump(&self, at: usize) -> bool {
        let has_case = |at, case: fn(char) -> bool| self.letter(at).is_some_and(case);
        at > 0 && has_case(at, char::is_uppercase) && has_case(at - 1, char::is_lowercase)
    }

    fn has_s(&self, at: usize) -> bool {
        matches!(self.letter(at), Some('s' | 'S'))
    }

    fn is_gap(&self, at: usize) -> bool {
        self.letter(at).is_some_and(is_gap)
    }

    fn is_letter(&self, at: usize) -> bool {
        self.letter(at).is_some_and(char::is_alphabetic)
    }

    fn letter(&self, at: usize) -> Option<char> {
        self.0.get(at).and_then(|&(_, letter)| letter)
    }
}

/// The letter under the accents, unchanged by what the dictionary itself strips. What punctuates
/// far more often than it disguises is a comma: the dictionary would read `(` as `c`.
fn plain(seen: &str) -> Option<char> {
    match seen.nfd().filter(|&c| !is_accent(c)).nfc().next()? {
        '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '/' | '\\' | '+' | '&' | '^' | '~' | '`' => Some(GAP),
        letter => Some(letter),
    }
}

/// What parts words, unlike the signs that look like letters.
fn is_gap(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '@' | '$' | '!' | '|' | '#' | '€' | STAR)
}

/// Not the marks that make other kana: the dictionary knows those.
fn is_accent(c: char) -> bool {
    use GeneralCategory::{NonspacingMark, PrivateUse, Unassigned};
    matches!(c.general_category(), NonspacingMark | PrivateUse | Unassigned)
        && !matches!(c, '\u{3099}' | '\u{309a}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_are_plain() {
        for (text, expected) in [
            ("fück", "fuck"),
            ("f\u{338}u\u{338}", "fu"),
            ("a55 b", "数数数 b"),
            ("x=455", "x=数数数"),
            ("が가क़", "が가क"),
            ("a\u{e000}b", "ab"),
            ("f(x)", "f,x,"),
            ("f**k *n* **", "f**k ,n, ,,"),
        ] {
            assert_eq!(Letters::of(text).plain(), expected);
        }
    }

    #[test]
    fn marks_fall_where_the_letters_stood() {
        let letters = Letters::of("é\u{e000}ü é");
        let bad = letters.marked("e\u{e000} e");
        assert_eq!(letters.masked(&bad), "é\u{e000}* é");
    }

    #[test]
    fn words_end_at_gaps_humps_and_a_last_s() {
        for (text, word, expected) in [
            ("a cock", 2..6, true),
            ("Hancock", 3..7, false),
            ("two cocks", 4..8, true),
            ("cockpit", 0..4, false),
            ("BigCock", 3..7, true),
            ("CockBot", 0..4, true),
        ] {
            assert_eq!(Letters::of(text).is_word(word), expected, "{text}");
        }
    }

    #[test]
    fn a_word_with_gaps_stands_alone() {
        for (text, word, expected) in
            [("sh it", 0..5, true), ("s.h.i.t", 0..7, true), ("f u g", 0..5, false), ("fish it", 2..7, false)]
        {
            assert_eq!(Letters::of(text).is_found(word, true), expected, "{text}");
        }
        assert!(Letters::of("bigshitfish").is_found(3..7, true));
        assert!(!Letters::of("bigshitfish").is_found(3..7, false));
    }

    proptest! {
        #[test]
        fn what_is_not_marked_stays(text in any::<String>()) {
            let letters = Letters::of(&text);
            let plain = letters.plain();
            prop_assert_eq!(letters.masked(&letters.marked(&plain)), text.clone());
            let passed = rustrict::Censor::from_str(&plain).with_censor_threshold(rustrict::Type::NONE).censor();
            prop_assert_eq!(letters.masked(&letters.marked(&passed)), text);
        }
    }
}
