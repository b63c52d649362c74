//! A second voice: what the crate `rustrict` calls profane, word by word.

use std::ops::Range;

use rustrict::{Censor, Type};

use super::word_context::is_title_case;
use crate::{numbers, steps};

/// In shorter words it sees more than a reader, and no word that it knows is longer.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 4..=64;
/// What no text of plain letters holds.
const CENSOR_MARK: char = '\u{e000}';

/// Where words stand that it calls bad from end to end. Words with digits and signs are left to the first voice, which
/// knows numbers; names are, too.
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
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let is_plain =
            WORD_BYTES.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        (is_plain && !is_title_case(word)).then(|| start..start + word.len())
    })
}

fn is_bad(word: &str) -> bool {
    // The crate follows all words that may begin at each letter.
    steps::charge(word.len() * word.len());
    let lowercase = word.to_ascii_lowercase();
    censor_bad_letters(&lowercase).is_some_and(|marks| marks.chars().all(|mark| mark == CENSOR_MARK))
}

/// The word with a [`MARK`] for each bad letter. Moderate and worse: without `PROFANE` capitals would count, and words of
/// identity.
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
