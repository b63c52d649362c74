//! Masks bad words and leaves every other byte as it was.

mod letters;
mod words;

use std::ops::Range;

use letters::Letters;
use rustrict::{Censor, Trie, Type};
pub use words::WordList;

/// What the dictionary writes over a bad letter: one that no text holds once it is made plain.
const MARK: char = '\u{e000}';

/// What the crate's dictionary gets wrong.
const CORRECTIONS: &str = include_str!("profanity/words.txt");

/// Judges words.
#[derive(Clone, Copy, Debug)]
pub struct Profanity {
    /// What is bad where it stands alone, and the good words that only look so.
    words: &'static Trie,
    /// What is bad even inside another word: `fuck`, but not the `cock` of `Hancock`.
    parts: &'static Trie,
}

impl Profanity {
    /// The crate's dictionary, corrected, with the operator's `words` on top. Make one at the
    /// start and keep it: it takes some 20 MB that are never given back.
    pub fn new(words: &WordList) -> Self {
        let (mut alone, mut parts) = (Trie::default(), Trie::new());
        for list in [&WordList::parse(CORRECTIONS), words] {
            list.teach_words(&mut alone, threshold());
            list.teach_parts(&mut parts, threshold());
        }
        Self { words: Box::leak(Box::new(alone)), parts: Box::leak(Box::new(parts)) }
    }

    /// The text with all but the first letter of each bad word masked; `None` when it has none.
    pub fn mask(&self, text: &str) -> Option<String> {
        let letters = Letters::of(text);
        self.bad_letters(&letters).map(|bad| letters.masked(&bad))
    }

    /// Whether [`mask`](Self::mask) would find anything.
    pub fn is_profane(&self, text: &str) -> bool {
        self.bad_letters(&Letters::of(text)).is_some()
    }

    /// For each character whether to mask it.
    fn bad_letters(&self, letters: &Letters) -> Option<Vec<bool>> {
        let plain = letters.plain();
        let mut bad = letters.marked(&marks(self.words, &plain)?);
        let sure = marks(self.parts, &plain).map(|marks| letters.marked(&marks));
        for run in runs(&bad) {
            let word = run.start.saturating_sub(1)..run.end;
            let is_sure = sure.as_ref().is_some_and(|sure| sure[run.clone()].contains(&true));
            if let Some(parts) = self.bad_between_gaps(letters, &word) {
                bad[word].copy_from_slice(&parts);
            } else if !letters.is_found(word, is_sure) {
                bad[run].fill(false);
            }
        }
        bad.contains(&true).then_some(bad)
    }

    /// The dictionary reads on across gaps. Where a part between them is bad by itself, the rest is its neighbours'.
    fn bad_between_gaps(&self, letters: &Letters, word: &Range<usize>) -> Option<Vec<bool>> {
        let parts = letters.between_gaps(word);
        if parts.len() < 2 {
            return None;
        }
        let mut bad = vec![false; word.len()];
        for part in parts {
            if let Some(found) = self.bad_letters(&letters.part(&part)) {
                bad[part.start - word.start..part.end - word.start].copy_from_slice(&found);
            }
        }
        bad.contains(&true).then_some(bad)
    }
}

/// The text with a [`MARK`] over each bad letter but the first of a word.
fn marks(trie: &'static Trie, plain: &str) -> Option<String> {
    let mut censor = Censor::from_str(plain);
    censor
        .with_trie(trie)
        .with_censor_threshold(threshold())
        .with_censor_first_character_threshold(Type::NONE)
        .with_censor_replacement(MARK);
    let (marks, found) = censor.censor_and_analyze();
    found.is(threshold()).then_some(marks)
}

/// Moderate and worse. Without `PROFANE` capitals would count, and words of identity.
fn threshold() -> Type {
    Type::PROFANE & Type::MODERATE_OR_HIGHER
}

/// Where letters to mask stand side by side.
fn runs(bad: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..bad.len()).filter(|&at| bad[at]) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static BUILT_IN: LazyLock<Profanity> = LazyLock::new(|| Profanity::new(&WordList::default()));

    fn assert_clean(texts: &[&str]) {
        for text in texts {
            assert_eq!(BUILT_IN.mask(text), None, "{text}");
            assert!(!BUILT_IN.is_profane(text), "{text}");
        }
    }

    #[test]
    fn bad_words_keep_their_first_letter() {
        for (text, expected) in [
            ("what the fuck?", "what the f***?"),
            ("FUCK", "F***"),
            ("Bullshit, really", "B*******, really"),
            ("you bitch", "you b****"),
            ("cunts", "c****"),
            ("dick", "d***"),
            ("asshole!", "a******!"),
            ("FuckBot", "F***Bot"),
            ("absofuckinglutely", "absof******lutely"),
        ] {
            assert_eq!(BUILT_IN.mask(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn disguises_are_seen_through() {
        for text in [
            "f.u.c.k",
            "f u c k",
            "f_u_c_k",
            "fuuuck",
            "FuUuCk",
            "f*ck",
            "f**k",
            "fvck",
            "fück",
            "f\u{338}u\u{338}c\u{338}k",
            "ｆｕｃｋ",
            "ⓕⓤⓒⓚ",
            "𝓯𝓾𝓬𝓴",
            "fuсk",
            "phuck",
            "sh1t",
            "sh!t",
            "$hit",
            "5h1t",
            "b1tch",
            "a$$hole",
            "@sshole",
            "a55hole",
            "d1ck",
            "c0ck",
            "n1gg3r",
            "f4gg0t",
            "fuck455",
            "s h i t",
            "xx_fuck_xx",
            "fcuk",
        ] {
            assert!(BUILT_IN.is_profane(text), "{text}");
        }
    }

    #[test]
    fn names_and_words_that_hold_one_pass() {
        assert_clean(&[
            "Scunthorpe",
            "Penistone",
            "Essex",
            "Sussex",
            "Clitheroe",
            "Cockermouth",
            "Lightwater",
            "Cockburn",
            "Dickinson",
            "Dickens",
            "Hancock",
            "Hitchcock",
            "Babcock",
            "Cummings",
            "Matsushita",
            "Yamashita",
            "Fukuoka",
            "Fukushima",
            "Phuket",
            "Niger",
            "Nigeria",
            "Arsenal",
            "Assad",
            "Lipshitz",
            "Fuchs",
            "Schwarzenegger",
            "Phúc Yên",
            "Umm as Sahik",
            "San Gregorio di Catania",
            "class",
            "grass",
            "cocktail",
            "peacock",
            "shiitake",
            "snigger",
            "debugger",
            "saltwater",
            "smartwatch",
            "analysis",
            "document",
            "assassin",
            "therapist",
            "Titicaca",
            "fire retardant",
        ]);
    }

    #[test]
    fn identity_is_not_profane() {
        assert_clean(&[
            "gay",
            "lesbian",
            "queer",
            "trans",
            "black",
            "white",
            "Jew",
            "Muslim",
            "I AM SHOUTING AT YOU",
        ]);
    }

    #[test]
    fn talk_about_the_canvas_passes() {
        assert_clean(&[
            "x=455 y=69 #a55b00 0xdeadbeef ass 5",
            "(4,5)-(5,5) then 455,455 and 69,69; f(u), g(x)",
            "rows 0005550055a 455a55 b00b5 at [69][420]",
            "3f786850e387550fdab836ed7e6dc881de23001b 9f86d081884c",
            "550e8400-e29b-41d4-a716-446655440a55",
            "agent-455 and bot_a55 push it to finish (it was *n* pixels)",
            "a 32-bit char, a \"hole\", crates/tiny",
            "finish. The fish it caught",
        ]);
    }

    #[test]
    fn the_rest_stays_to_the_byte() {
        let text = "Zażółć e\u{301} 数 \u{e000} 455 fück 👩🏽‍🚀  naïve";
        let masked = text.replace("fück", "f***");
        assert_eq!(BUILT_IN.mask(text), Some(masked));
    }

    #[test]
    fn an_operator_may_add_and_allow_words() {
        let own = Profanity::new(&WordList::parse("zorg\n~plop\n-dick\n-zorgon"));
        for (text, expected) in [
            ("you Zörg", Some("you Z***")),
            ("superzorg", Some("superz***")),
            ("zorgon", None),
            ("plop", Some("p***")),
            ("plopped", None),
            ("Philip K. Dick", None),
            ("fuck", Some("f***")),
        ] {
            assert_eq!(own.mask(text).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn only_stars_are_new(text in "[a-zA-Z0-9 .*fuckshit@\u{301}é数]{0,40}") {
            if let Some(masked) = BUILT_IN.mask(&text) {
                prop_assert!(masked.contains('*'));
                prop_assert!(masked.len() <= text.len());
            }
        }

        #[test]
        fn numbers_are_never_profane(words in prop::collection::vec("[0-9]{1,4}|[0-9a-f]{6,40}|#[0-9a-f]{3}|x=[0-9]+|0x[0-9a-f]+", 1..20)) {
            prop_assert_eq!(BUILT_IN.mask(&words.join(" ")), None);
            prop_assert_eq!(BUILT_IN.mask(&words.join("-")), None);
        }

        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            prop_assert_eq!(BUILT_IN.mask(&text).is_some(), BUILT_IN.is_profane(&text));
        }
    }
}
