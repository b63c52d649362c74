//! A single emoji, as reactions need it.

use super::steps;

/// An emoji in its fully qualified form, so that every spelling of it counts as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Emoji(&'static str);

/// Requests the text form of an emoji (❤︎), which counts as the same emoji.
const TEXT_SELECTOR: char = '\u{fe0e}';
const EMOJI_SELECTOR: char = '\u{fe0f}';

impl Emoji {
    /// Parses a text that consists of exactly one emoji and optional spaces around it; `None` for any other
    /// text.
    pub fn parse(raw: &str) -> Option<Self> {
        steps::charge(raw.len());
        let typed = raw.trim().replace(TEXT_SELECTOR, "");
        let found = emojis::get(&typed)?.as_str();
        // The table mistakes some skin tones for others if selectors are missing.
        without_selectors(found).eq(without_selectors(&typed)).then_some(Self(found))
    }

    /// Returns the canonical form.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

fn without_selectors(emoji: &str) -> impl Iterator<Item = char> {
    emoji.chars().filter(|&c| c != EMOJI_SELECTOR)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(raw: &str) -> Option<&'static str> {
        Emoji::parse(raw).map(Emoji::as_str)
    }

    #[test]
    fn every_kind_of_emoji_is_one() {
        for emoji in
            ["🔥", "❤️", "☺️", "👍🏽", "👩‍🚀", "👩🏾‍🚀", "👨‍👩‍👧‍👦", "🧑🏽‍🤝‍🧑🏻", "🏳️‍🌈", "🏴‍☠️", "🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "5️⃣", "#️⃣", "©️"]
        {
            assert_eq!(canonical(emoji), Some(emoji));
        }
    }

    #[test]
    fn selectors_and_spaces_make_no_difference() {
        for (raw, expected) in [
            ("❤", "❤️"),
            ("❤\u{fe0e}", "❤️"),
            (" 🔥\n", "🔥"),
            ("5\u{20e3}", "5️⃣"),
            ("👩‍❤‍👩", "👩‍❤️‍👩"),
            ("🏳‍🌈", "🏳️‍🌈"),
            ("👁‍🗨", "👁️‍🗨️"),
        ] {
            assert_eq!(canonical(raw), Some(expected), "{raw:?}");
        }
    }

    #[test]
    fn anything_else_is_none() {
        for raw in [
            "",
            " ",
            "a",
            "5",
            "#",
            "🔥🔥",
            "🔥 🔥",
            "🔥a",
            "🇩",
            "🇩🇪🇫🇷",
            "🏽",
            ":fire:",
            "fire",
            "🏴󠁧󠁢",
            "\u{200d}",
            "🦀‍🦀",
        ] {
            assert_eq!(Emoji::parse(raw), None, "{raw:?}");
        }
    }

    #[test]
    fn no_emoji_turns_into_another() {
        for known in emojis::iter().filter_map(|emoji| emoji.skin_tones()).flatten() {
            let unqualified: String = without_selectors(known.as_str()).collect();
            if let Some(found) = Emoji::parse(&unqualified) {
                assert_eq!(found.as_str(), known.as_str());
            }
        }
    }

    proptest! {
        #[test]
        fn a_canonical_emoji_stays_the_same(
            raw in "[\u{2600}-\u{27bf}\u{1f300}-\u{1f6ff}\u{fe0f}\u{200d}]{1,3}",
        ) {
            if let Some(emoji) = Emoji::parse(&raw) {
                prop_assert_eq!(Emoji::parse(emoji.as_str()), Some(emoji));
            }
        }
    }
}
