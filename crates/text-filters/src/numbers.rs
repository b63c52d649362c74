//! Finds numbers and numeric words, which other filters must not read as words.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::steps;

/// A number, a hex string, a digest, a part of a UUID, a coordinate, a cell, a size.
static NUMERIC_WORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?:
            \d+
            | 0[xX][0-9a-fA-F]+
            | [a-fA-F]*[0-9][0-9a-fA-F]*
            | [0-9a-fA-F]{6,}
            | (?:[A-Za-z][0-9]+)+
            | [0-9]+[A-Za-z]
            | [0-9]+(?:[xX][0-9]+)+
        )$",
    )
    .ok()
});

/// Runs of three digits or more. Disguises use one or two digits at a time.
static DIGIT_RUN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d{3,}").ok());

/// Returns the positions of the numeric words of `text`, in order.
///
/// A word is a run of letters and digits: `x=455` contains one numeric word, `#a55b00` and `agent-455` also
/// do, and `sh1t` contains none.
pub fn numeric_words(text: &str) -> Vec<Range<usize>> {
    // One step to split the words, and one to match each.
    steps::charge(2 * text.len());
    words(text).filter(|word| is_numeric(text, word)).collect()
}

/// Returns the positions of numeric words, and of runs of three digits or more within other words.
pub fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut numbers = numeric_words(text);
    steps::charge(2 * text.len());
    let mut words = numbers.iter().peekable();
    let runs_in_words: Vec<_> = digit_runs(text)
        .filter(|digits| {
            while words.next_if(|word| word.end < digits.end).is_some() {}
            words.peek().is_none_or(|word| digits.start < word.start) && !may_disguise(text, digits)
        })
        .collect();
    numbers.extend(runs_in_words);
    numbers.sort_by_key(|number| number.start);
    numbers
}

fn digit_runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let digits = DIGIT_RUN.as_ref().into_iter();
    digits.flat_map(move |digits| digits.find_iter(text).map(|found| found.range()))
}

/// Returns true for three to six digits in a short word with letters after them: `b4574rd`, `f4990ts`.
fn may_disguise(text: &str, digits: &Range<usize>) -> bool {
    const MAX_DIGITS: usize = 6;
    const MAX_LETTERS: usize = 8;
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let letters_before =
        text[..digits.start].bytes().rev().take(MAX_LETTERS + 1).take_while(u8::is_ascii_alphanumeric);
    let letters_after = text[digits.end..].chars().take(MAX_LETTERS + 1).take_while(|&c| is_letter(c));
    let before = letters_before.count();
    let after = letters_after.count();
    digits.len() <= MAX_DIGITS && after > 0 && (2..=MAX_LETTERS).contains(&(before + after))
}

fn is_numeric(text: &str, word: &Range<usize>) -> bool {
    let word_text = &text[word.clone()];
    if stands_for_letter(text, word) {
        return false;
    }
    is_short_hex_colour(text, word)
        || NUMERIC_WORD.as_ref().is_some_and(|numeric| numeric.is_match(word_text))
}

/// Returns true for one or two digits that touch a sign which stands for a letter, in a word of several such
/// signs: `$h!7`, `5#!7`.
fn stands_for_letter(text: &str, word: &Range<usize>) -> bool {
    const MAX_DIGITS: usize = 2;
    let is_sign = |c: char| matches!(c, '!' | '$' | '@' | '#' | '(');
    let is_end = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ',' | '?'));
    let before = &text[..word.start];
    let after = &text[word.end..];
    let follows_sign = before.strip_suffix(is_sign).is_some_and(|before| {
        // A sign after a space is one for a number: `#5`, `$3`.
        before.ends_with(|c: char| c.is_alphabetic() || is_sign(c))
    });
    let precedes_sign = after.starts_with(is_sign)
        && is_end(before.chars().next_back())
        && after.trim_start_matches(is_sign).starts_with(char::is_alphanumeric);
    let is_short = word.len() <= MAX_DIGITS && text[word.clone()].bytes().all(|byte| byte.is_ascii_digit());
    is_short && (follows_sign && is_end(after.chars().next()) || precedes_sign)
}

/// Returns true for `#bad` and `#fade`: hex digits that are all letters, recognized by the sign before them.
fn is_short_hex_colour(text: &str, word: &Range<usize>) -> bool {
    let word_text = &text[word.clone()];
    text[..word.start].ends_with('#')
        && matches!(word_text.len(), 3 | 4)
        && word_text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let length = text[start..].find(|c: char| !c.is_alphanumeric());
        at = length.map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<&str> {
        numeric_words(text).into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn numbers_of_every_form_are_found() {
        for word in [
            "455",
            "69",
            "٤٥٥",
            "４５５",
            "a55",
            "A55B00",
            "b00b5",
            "0xdeadbeef",
            "0XA55",
            "deadbeef",
            "facade",
            "3f786850e387550fdab836ed7e6dc881de23001b",
            "9f86d081884c",
            "x455",
            "y69",
            "x455y69",
            "128x128",
            "B12",
            "60s",
            "00055500a55",
        ] {
            assert_eq!(found(word), [word]);
        }
    }

    #[test]
    fn punctuation_separates_words() {
        for (text, expected) in [
            ("x=455,y=69", vec!["455", "69"]),
            ("(4,5)-(6,7)", vec!["4", "5", "6", "7"]),
            ("agent-455 bot_a55", vec!["455", "a55"]),
            ("colour #bad or #fade", vec!["bad", "fade"]),
            ("550e8400-e29b-41d4", vec!["550e8400", "e29b", "41d4"]),
            ("3.14%", vec!["3", "14"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_joined_to_words_are_found() {
        let text = "Bot588717143 and sh1t x=455";
        let found: Vec<_> = numbers(text).into_iter().map(|number| &text[number]).collect();
        assert_eq!(found, ["588717143", "455"]);
    }

    #[test]
    fn words_with_some_digits_are_not_numeric() {
        for text in [
            "sh1t", "a55hole", "f4gg0t", "d1ck", "4ss", "fuck455", "bad", "fade", "xx", "é5é", "5h1t", "p0rn",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_span_is_a_word(text in any::<String>()) {
            for word in numeric_words(&text) {
                prop_assert!(text[word].chars().all(char::is_alphanumeric));
            }
        }
    }
}
