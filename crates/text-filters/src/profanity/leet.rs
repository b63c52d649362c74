//! Finds bad words among the numbers of a text: words in which most letters are digits, such as `4r53h013`.

use std::ops::Range;

use super::deobfuscate::read_disguised;
use super::index::WordIndex;
use super::letters::split_token;
use super::words::{BadWord, WordScope};
use crate::spans::range_of;
use crate::steps;

/// Lengths of the words that are compared, in bytes. Shorter ones are cells, units and versions.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 6..=16;
/// Minimum number of digits and of letters. With one digit, the other rules find the word.
const MIN_DIGITS: usize = 2;
const MIN_LETTERS: usize = 2;

/// Returns the positions of words with digits that are bad as a whole, in bytes. Hex digits alone are never a
/// word.
pub(super) fn find_bad_words(text: &str, bad_words: &WordIndex) -> Vec<Range<usize>> {
    steps::charge(text.len());
    if text.bytes().filter(u8::is_ascii_digit).nth(MIN_DIGITS - 1).is_none() {
        return Vec::new();
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| may_be_word(word));
    let bad = words.filter(|word| is_bad(word, bad_words));
    bad.map(|word| range_of(text, word)).collect()
}

fn may_be_word(word: &str) -> bool {
    let count = |kind: fn(&u8) -> bool| word.bytes().filter(kind).count();
    WORD_BYTES.contains(&word.len())
        && word.is_ascii()
        && count(u8::is_ascii_digit) >= MIN_DIGITS
        && count(u8::is_ascii_alphabetic) >= MIN_LETTERS
        && !word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_bad(word: &str, bad_words: &WordIndex) -> bool {
    let runs = split_token(word);
    let is_strong = |known: &BadWord| {
        matches!(known.scope, WordScope::Anywhere | WordScope::Alone)
            && known.script.is_none()
            && known.letters.len() >= *WORD_BYTES.start()
    };
    let is_whole = |known: &BadWord| {
        read_disguised(&runs, 0, &known.letters).is_some_and(|(read, _)| read.end == runs.len())
    };
    bad_words.starting_at(&runs, 0).any(|known| is_strong(known) && is_whole(known))
}

#[cfg(test)]
mod tests {
    use super::super::{ProfanityFilter, WordList};
    use super::*;

    #[test]
    fn words_of_digits_and_letters_are_found() {
        let filter = ProfanityFilter::new(&WordList::default());
        for text in ["4r53h013", "you j4ck455", "dum8455!", "doUcH3849", "J4CK455"] {
            assert_eq!(filter.0.find_bad_words(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn numbers_and_ids_pass() {
        let list = WordList::parse("facade\n~abbess");
        let index = WordIndex::new(list.bad);
        for text in ["f4c4d3", "F4CADE", "x455y69", "agent4551", "4551b32", "00055500a55"] {
            assert_eq!(find_bad_words(text, &index), Vec::<Range<usize>>::new(), "{text}");
        }
    }
}
