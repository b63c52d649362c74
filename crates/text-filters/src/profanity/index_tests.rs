//! Compares the index of words with the search of every word.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;

static BUILT_IN: LazyLock<ProfanityFilter> = LazyLock::new(|| ProfanityFilter::new(&WordList::default()));

/// Asserts that the index offers each word that the search of every word finds.
fn assert_nothing_is_left_out(text: &str) {
    let dictionary = &BUILT_IN.0;
    let runs = split_runs(text);
    let context = WordContext { text, runs: &runs };
    for start in 0..runs.len() {
        let is_bad = |word: &&BadWord| dictionary.bad_word_end(&context, start, word).is_some();
        let found: Vec<_> = dictionary.bad_words.starting_at(&runs, start).filter(is_bad).collect();
        for word in dictionary.bad_words.iter().filter(is_bad) {
            assert!(found.contains(&word), "{word:?} in {text:?} at {start}");
        }
    }
}

#[test]
fn words_with_a_hidden_vowel_are_offered_before_any_sign() {
    for text in ["f-(k", "f-*k", "f-ck", "f- ck", "d- hure", "sh#(t", "d.(k"] {
        assert_nothing_is_left_out(text);
    }
}

proptest! {
    #[test]
    fn the_index_leaves_out_no_word_of_a_random_text(text in "[fuckashitelndor13!@+$|()* .,'0-]{1,14}") {
        assert_nothing_is_left_out(&text);
    }

    #[test]
    fn the_index_leaves_out_no_disguised_word(
        word in any::<Index>(),
        signs in vec(select(&["", "", "", "-", " ", "*", "(", ".", "_", "#", "@", "1", "$"][..]), 12),
        replaces in any::<Index>(),
    ) {
        let words: Vec<&BadWord> = BUILT_IN.0.bad_words.iter().collect();
        let letters = &word.get(&words).letters;
        let replaced = replaces.index(letters.len());
        let disguised = letters.iter().zip(signs.iter().cycle()).enumerate();
        let text: String = disguised
            .map(|(at, (letter, sign))| {
                if at == replaced { (*sign).to_owned() } else { format!("{letter}{sign}") }
            })
            .collect();
        assert_nothing_is_left_out(&text);
    }
}
