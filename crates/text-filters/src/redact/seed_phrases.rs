//! Finds seed phrases of wallets: 12 to 24 words of the list of BIP 39 in a row.

use std::ops::Range;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use crate::spans::range_of;
use crate::steps;

/// The list, in alphabetical order.
const WORD_LIST: &str = include_str!("../../assets/secrets/bip39-english.txt");
/// Numbers of words that a phrase may have.
const PHRASE_WORDS: [usize; 5] = [12, 15, 18, 21, 24];
/// Number of words in a row from which on no ordinary text is assumed, so that no checksum is computed.
const MAX_CHECKED_WORDS: usize = 48;
/// Number of bits of a word, and number of bits of a phrase for each bit of its checksum.
const WORD_BITS: usize = 11;
const BITS_PER_CHECKSUM_BIT: usize = 33;
/// Maximum length of what separates two words: spaces, a comma, the number of a line.
const MAX_SEPARATOR_BYTES: usize = 6;
/// Words that announce a phrase, and their maximum distance before it in bytes.
const ANNOUNCEMENTS: [&str; 8] =
    ["seed", "mnemonic", "recovery", "wallet", "backup", "metamask", "ledger", "passphrase"];
const ANNOUNCEMENT_DISTANCE_BYTES: usize = 64;

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| WORD_LIST.lines().collect());

/// A word of the list in a text.
struct ListedWord {
    /// The position in the list.
    index: u16,
    bytes: Range<usize>,
}

/// Returns the positions of seed phrases.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    steps::charge(text.len());
    let is_long_enough = |run: &Vec<ListedWord>| run.len() >= PHRASE_WORDS[0];
    let runs = listed_runs(text).into_iter().filter(is_long_enough);
    runs.filter(|run| is_phrase(text, run))
        .map(|run| run[0].bytes.start..run[run.len() - 1].bytes.end)
        .collect()
}

/// Returns the runs of words of the list.
fn listed_runs(text: &str) -> Vec<Vec<ListedWord>> {
    let mut runs: Vec<Vec<ListedWord>> = Vec::new();
    let mut last_end = None;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        let bytes = range_of(text, word);
        let follows = last_end.is_some_and(|end| is_separator(&text[end..bytes.start]));
        let Some(index) = list_index(word) else {
            last_end = None;
            continue;
        };
        last_end = Some(bytes.end);
        match runs.last_mut().filter(|_| follows) {
            Some(run) => run.push(ListedWord { index, bytes }),
            None => runs.push(vec![ListedWord { index, bytes }]),
        }
    }
    runs
}

/// Returns true for spaces, a comma or the number of a line. A colon without a number ends an introduction.
fn is_separator(between: &str) -> bool {
    between.len() <= MAX_SEPARATOR_BYTES
        && (!between.contains(':') || between.contains(|c: char| c.is_ascii_digit()))
}

fn list_index(word: &str) -> Option<u16> {
    const MAX_WORD_BYTES: usize = 8;
    let word = (word.len() <= MAX_WORD_BYTES).then(|| word.to_ascii_lowercase())?;
    WORDS.binary_search(&word.as_str()).ok().and_then(|index| u16::try_from(index).ok())
}

/// Returns true if the words are announced as a phrase, or if they are no list of things (which has commas)
/// and are exactly as many as a phrase has or contain the checksum of one.
fn is_phrase(text: &str, run: &[ListedWord]) -> bool {
    let separators = || run.windows(2).map(|pair| &text[pair[0].bytes.end..pair[1].bytes.start]);
    let has_plain_spaces = || separators().all(|separator| separator.chars().all(char::is_whitespace));
    let has_commas = || separators().any(|separator| separator.contains([',', ';']));
    run.len() > MAX_CHECKED_WORDS
        || is_announced(&text[..run[0].bytes.start])
        || PHRASE_WORDS.contains(&run.len()) && has_plain_spaces()
        || !has_commas() && PHRASE_WORDS.iter().any(|&words| run.windows(words).any(has_checksum))
}

fn is_announced(before: &str) -> bool {
    steps::charge(ANNOUNCEMENT_DISTANCE_BYTES);
    let from = before.ceil_char_boundary(before.len().saturating_sub(ANNOUNCEMENT_DISTANCE_BYTES));
    let near = before[from..].to_lowercase();
    ANNOUNCEMENTS.iter().any(|word| near.contains(word))
}

/// Returns true if the last bits of a phrase are the first bits of the hash of the others, as BIP 39 defines
/// it.
fn has_checksum(phrase: &[ListedWord]) -> bool {
    let bit_count = phrase.len() * WORD_BITS;
    steps::charge(bit_count);
    let checksum_bits = bit_count / BITS_PER_CHECKSUM_BIT;
    let bit = |at: usize| phrase[at / WORD_BITS].index >> (WORD_BITS - 1 - at % WORD_BITS) & 1 == 1;
    let entropy_bits = bit_count - checksum_bits;
    let byte = |at: usize| (at..at + 8).fold(0_u8, |byte, at| byte << 1 | u8::from(bit(at)));
    let entropy: Vec<u8> = (0..entropy_bits).step_by(8).map(byte).collect();
    let hash = Sha256::digest(&entropy);
    (0..checksum_bits).all(|at| bit(entropy_bits + at) == (hash[0] >> (7 - at) & 1 == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    // The phrases of the test vectors of BIP 39.
    const PHRASES: [&str; 3] = [
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
        "letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor \
         acoustic avoid letter advice cage absurd amount doctor acoustic bless",
    ];

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn the_list_is_complete_and_sorted() {
        assert_eq!(WORDS.len(), 2_048);
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn phrases_are_found() {
        for phrase in PHRASES {
            for text in
                [format!("it is {phrase}!"), format!("x: {}", phrase.to_uppercase()), phrase.to_owned()]
            {
                assert_eq!(found(&text).len(), 1, "{text}");
            }
            assert_eq!(found(&format!("the {phrase} the")), [phrase]);
        }
        let wrong = PHRASES[1].replace(' ', ", ").replace("yellow", "zebra");
        assert_eq!(found(&format!("my seed phrase: {wrong}")), [&wrong]);
        let numbered: String =
            PHRASES[1].split(' ').enumerate().map(|(at, word)| format!("{}. {word} ", at + 1)).collect();
        assert_eq!(found(&numbered).len(), 1);
    }

    #[test]
    fn sentences_and_short_lists_are_not_found() {
        for text in [
            "legal winner thank year wave sausage worth useful legal winner thank",
            "legal winner thank year wave sausage and worth useful legal winner thank yellow",
            "cat, dog, bird, fish, tree, river, ocean, hill, sun, moon, cloud, rabbit",
            "will you paint this blue wave with a silver fish and one orange sun above the ocean",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
