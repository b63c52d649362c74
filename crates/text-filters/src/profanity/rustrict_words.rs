//! A second word list: the crate `rustrict`, applied word by word.

use std::ops::Range;

use rustrict::{Censor, Type};

use super::pieces::is_title_case;
use crate::spans::range_of;
use crate::{numbers, steps};

/// Lengths of the words that are checked. In shorter ones it has false positives, and it knows no longer
/// ones.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 4..=64;
/// A character that no text of plain letters contains.
const CENSOR_MARK: char = '\u{e000}';

/// Returns the positions of words that `rustrict` considers bad as a whole. Words with digits and signs are
/// left to our own dictionary, which recognizes numbers; so are names.
pub(super) fn find_bad_words(text: &str) -> Vec<Range<usize>> {
    let numbers = numbers::numbers(text);
    let is_number =
        |word: &Range<usize>| numbers.binary_search_by_key(&word.start, |number| number.start).is_ok();
    words(text).filter(|word| !is_number(word) && is_bad(&text[word.clone()])).collect()
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    steps::charge(text.len());
    text.split_whitespace().filter_map(move |token| {
        let word = token.trim_matches(|c: char| c.is_ascii_punctuation());
        let is_plain =
            WORD_BYTES.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        (is_plain && !is_title_case(word)).then(|| range_of(text, word))
    })
}

fn is_bad(word: &str) -> bool {
    // The crate follows all words that may start at each letter.
    steps::charge(word.len() * word.len());
    let lowercase = word.to_ascii_lowercase();
    censor_bad_letters(&lowercase).is_some_and(|marks| marks.chars().all(|mark| mark == CENSOR_MARK))
}

/// Returns the word with a [`CENSOR_MARK`] for each bad letter. It uses the severities moderate and worse:
/// with the whole of `PROFANE`, capitals and words of identity would count.
fn censor_bad_letters(lowercase: &str) -> Option<String> {
    let threshold = Type::PROFANE & Type::MODERATE_OR_HIGHER;
    let mut censor = Censor::from_str(lowercase);
    censor
        .with_censor_threshold(threshold)
        .with_censor_first_character_threshold(threshold)
        .with_censor_replacement(CENSOR_MARK);
    let (marks, found) = censor.censor_and_analyze();
    found.is(threshold).then_some(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find_bad_words(text).into_iter().map(|word| &text[word]).collect()
    }

    #[test]
    fn whole_bad_words_are_found() {
        assert_eq!(found("a bumboclat, MIERDA and (merda)!"), ["bumboclat", "MIERDA", "merda"]);
    }

    #[test]
    fn names_numbers_parts_and_signs_are_ignored() {
        for text in
            ["Merda", "sh1t", "merda5", "cockpit cocker debugger", "deadbeef facade", "me:rda", "fuk", "gay"]
        {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
