//! Masks bad words and leaves every other byte as it was.

mod letters;
mod reading;
mod second;
mod setting;
mod words;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use letters::{Run, runs};
use reading::Reading;
use setting::Setting;
use unicode_segmentation::UnicodeSegmentation;
pub use words::WordList;
use words::{Stands, Word};

use super::matches::MAX_PASSES;
use super::steps;

/// Judges words.
#[derive(Clone, Debug)]
pub struct Profanity(Arc<Dictionary>);

#[derive(Debug)]
struct Dictionary {
    /// Bad words by their first letter.
    bad: HashMap<char, Vec<Word>>,
    good: Vec<Vec<char>>,
}

impl Profanity {
    /// The dictionary with the operator's `words` on top.
    pub fn new(words: &WordList) -> Self {
        let all = words.on_top();
        let mut bad: HashMap<char, Vec<Word>> = HashMap::new();
        for word in all.bad {
            bad.entry(word.letters[0]).or_default().push(word);
        }
        Self(Arc::new(Dictionary { bad, good: all.good }))
    }

    /// The text with all but the first letter of each bad word masked; `None` when it has none. A second time changes
    /// nothing.
    pub fn mask(&self, text: &str) -> Option<String> {
        let mut masked = mask(text, &self.0.bad_words(text))?;
        // A masked word may make another one of its neighbours.
        for _ in 1..MAX_PASSES {
            match mask(&masked, &self.0.bad_words(&masked)).filter(|more| *more != masked) {
                Some(more) => masked = more,
                None => return Some(masked),
            }
        }
        Some(mask_everything(text))
    }

    /// Whether [`mask`](Self::mask) would find anything.
    pub fn is_profane(&self, text: &str) -> bool {
        !self.0.bad_words(text).is_empty()
    }
}

impl Dictionary {
    /// Where bad words stand, in bytes.
    fn bad_words(&self, text: &str) -> Vec<Range<usize>> {
        let runs = runs(text);
        let setting = Setting { text, runs: &runs };
        let mut found = Vec::new();
        for start in 0..runs.len() {
            let longest =
                self.words_from(&runs[start]).filter_map(|word| self.found(&setting, start, word)).max();
            found.extend(longest.map(|end| runs[start].start..runs[end - 1].end));
        }
        found.extend(second::bad_words(text).into_iter().filter(|word| !self.knows_better(&setting, word)));
        found.sort_by_key(|word| word.start);
        found
    }

    /// Whether the word stands in a good one or is one that this dictionary takes for bad only elsewhere.
    fn knows_better(&self, setting: &Setting, word: &Range<usize>) -> bool {
        let Some(found) = setting.runs_of(word) else { return true };
        let is_known = |known: &Word| {
            known.stands != Stands::Anywhere
                && reading::read(setting.runs, found.start, &known.letters)
                    .is_some_and(|(read, _)| setting.with_plural(read) == found)
        };
        self.is_good(setting, &found) || self.words_from(&setting.runs[found.start]).any(is_known)
    }

    fn words_from(&self, run: &Run) -> impl Iterator<Item = &Word> {
        run.letters().filter_map(|letter| self.bad.get(&letter)).flatten()
    }

    /// Where a bad word ends that begins here, if it is one to a reader.
    fn found(&self, setting: &Setting, start: usize, word: &Word) -> Option<usize> {
        let (found, reading) = reading::read(setting.runs, start, &word.letters)?;
        let found = setting.with_plural(found);
        let is_whole = setting.is_whole(&found);
        let is_bad = match word.stands {
            Stands::Anywhere => {
                is_whole || reading.is_plain() || reading.gaps == 0 && setting.begins_word(found.start)
            }
            Stands::Alone => is_whole && !setting.is_in_name(&found),
            Stands::NoName => is_whole && !setting.is_name(&found),
            Stands::ToSomebody => is_whole && reading.is_plain() && setting.is_said_to_somebody(&found),
            Stands::ToSomebodyLast => {
                is_whole
                    && reading.is_plain()
                    && setting.is_last(&found)
                    && setting.is_said_to_somebody(&found)
            }
        };
        let is_chance = word.stands != Stands::Anywhere && setting.is_drawn(&found);
        let is_bad = is_bad && !is_chance && is_readable(&reading, word, setting, &found);
        (is_bad && !self.is_good(setting, &found)).then_some(found.end)
    }

    fn is_good(&self, setting: &Setting, found: &Range<usize>) -> bool {
        steps::charge(self.good.len());
        self.good.iter().any(|good| setting.is_part_of(found, good))
    }
}

/// Whether a reader would see the word through this disguise rather than by ill will.
fn is_readable(reading: &Reading, word: &Word, setting: &Setting, found: &Range<usize>) -> bool {
    const SHORTEST: usize = 4;
    let length = word.letters.len();
    let is_long = length >= SHORTEST;
    let is_strong = word.stands == Stands::Anywhere;
    let is_spelled = reading.longest == 1 && !reading.is_uneven;
    let parted = match (reading.gaps, reading.spaces) {
        (0, _) => true,
        (gaps, 0) => is_long || is_spelled && gaps + 1 == length,
        (_, _) if is_spelled => {
            is_long && is_strong || !setting.goes_on_spelling(found) && !reading.has_brackets
        }
        (gaps, _) => is_strong && reading.has_bare_piece && gaps == 1,
    };
    let hidden = reading.stars + reading.hidden;
    parted && (hidden == 0 || is_long && 2 * hidden <= length && reading.hidden < 2 && reading.gaps == 0)
}

/// Returns stars for everything but spaces: for a text that goes on making bad words of what is left.
fn mask_everything(text: &str) -> String {
    steps::charge(text.len());
    let star = |seen| if str::trim(seen).is_empty() { seen } else { "*" };
    text.graphemes(true).map(star).collect()
}

/// The text with a star for each character of these words but their first.
fn mask(text: &str, words: &[Range<usize>]) -> Option<String> {
    steps::charge(text.len());
    let mut masked = String::with_capacity(text.len());
    let mut kept_to = 0;
    for word in words {
        let mut seen = text[word.clone()].grapheme_indices(true);
        let first = seen.next().map_or(0, |(_, first)| first.len());
        let stars_from = kept_to.max(word.start + first);
        if stars_from < word.end {
            masked.push_str(&text[kept_to..stars_from]);
            masked.extend(text[stars_from..word.end].graphemes(true).map(|_| '*'));
            kept_to = word.end;
        }
    }
    masked.push_str(&text[kept_to..]);
    (!words.is_empty()).then_some(masked)
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
    fn disguised_words_are_found() {
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
    fn innocent_words_with_bad_parts_pass() {
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
    fn words_of_identity_are_not_profane() {
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
    fn other_bytes_stay_unchanged() {
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
        fn a_second_time_changes_nothing(text in "([a-zA-Z0-9 .*-]{0,4}(fuck|shit|cunt|f u|dick|you idiot|s h i t|bitch)){0,4}[a-z*. ]{0,9}") {
            if let Some(masked) = BUILT_IN.mask(&text) {
                prop_assert_eq!(BUILT_IN.mask(&masked), None);
            }
        }

        #[test]
        fn numbers_are_never_profane(words in prop::collection::vec("[0-9]{1,4}|[0-9a-f]{6,40}|#[0-9a-f]{3}|x=[0-9]+|0x[0-9a-f]+", 1..20)) {
            prop_assert_eq!(BUILT_IN.mask(&words.join(" ")), None);
            prop_assert_eq!(BUILT_IN.mask(&words.join("-")), None);
        }

        #[test]
        fn mask_and_is_profane_agree_on_any_text(text in any::<String>()) {
            prop_assert_eq!(BUILT_IN.mask(&text).is_some(), BUILT_IN.is_profane(&text));
        }
    }
}
