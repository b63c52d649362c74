//! Removes invisible characters, and keeps those that emoji and scripts need.

use unicode_normalization::char::canonical_combining_class;
use unicode_properties::UnicodeEmoji;
use unicode_script::{Script, UnicodeScript};

use crate::steps;

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const TEXT_SELECTOR: char = '\u{fe0e}';
const EMOJI_SELECTOR: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';
/// The combining class of the signs that remove a letter's inherent vowel.
const VIRAMA_COMBINING_CLASS: u8 = 9;

/// Returns true for characters without a glyph: controls, zero-width characters, selectors, bidi marks,
/// fillers.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// One pass over a text. The decision on a character depends on the characters kept before it, so a second
/// pass changes nothing.
///
/// A joiner is kept or removed by its neighbours, with any number of invisible characters or marks between.
/// Both neighbours are remembered rather than searched again, so a pass takes linear time.
pub(super) struct Cleaner<'a> {
    raw: &'a str,
    /// The byte of `raw` after the current character.
    position: usize,
    output: String,
    preceding: PrecedingChars,
    next_visible: Lookahead,
    next_base: Lookahead,
}

impl<'a> Cleaner<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        Self {
            raw,
            position: 0,
            output: String::with_capacity(raw.len()),
            preceding: PrecedingChars::default(),
            next_visible: Lookahead::default(),
            next_base: Lookahead::default(),
        }
    }

    pub(super) fn run(mut self) -> String {
        while let Some(c) = self.rest().chars().next() {
            steps::charge(1);
            self.position += c.len_utf8();
            self.process(c);
        }
        self.output
    }

    fn rest(&self) -> &'a str {
        &self.raw[self.position..]
    }

    fn process(&mut self, c: char) {
        if is_break(c) {
            self.process_break(c);
        } else if c == BLACK_FLAG {
            self.process_flag();
        } else if !is_invisible(c) || self.is_needed(c) {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        self.output.push(c);
        self.preceding.add(c);
    }

    /// Replaces every line break and tab by one space; CR LF is one break.
    fn process_break(&mut self, c: char) {
        if !(c == '\r' && self.rest().starts_with('\n')) {
            self.push(' ');
        }
    }

    /// Keeps the tag characters of flags such as England's. Elsewhere they are hidden text and are removed.
    fn process_flag(&mut self) {
        self.push(BLACK_FLAG);
        let rest = self.rest();
        let end = rest.find(|c| !is_tag(c)).unwrap_or(rest.len());
        steps::charge(end);
        let tags = &rest[..end];
        if tags.ends_with(END_OF_TAGS) && emojis::get(&format!("{BLACK_FLAG}{tags}")).is_some() {
            tags.chars().for_each(|tag| self.push(tag));
            self.position += end;
        }
    }

    fn is_needed(&mut self, c: char) -> bool {
        match c {
            ZWJ => self.joins_emoji() || self.joins_letters(),
            ZWNJ => self.joins_letters(),
            TEXT_SELECTOR | EMOJI_SELECTOR => self.selects_emoji(),
            '\u{180b}'..='\u{180f}' => {
                self.preceding.last.is_some_and(|last| last.script() == Script::Mongolian)
            }
            _ => false,
        }
    }

    fn joins_emoji(&mut self) -> bool {
        self.preceding.last_non_selector.is_some_and(is_pictograph)
            && self.next_visible.find(self.raw, self.position, is_visible).is_some_and(is_pictograph)
    }

    /// Returns true between letters of a joining script, or after a virama, where a joiner selects the form.
    /// The order of marks is ignored, because normalization may change it.
    fn joins_letters(&mut self) -> bool {
        self.preceding.has_virama
            || self.preceding.base.is_some_and(is_joining)
                && self
                    .next_base
                    .find(self.raw, self.position, |c| is_visible(c) && !changes_visibility(c))
                    .is_some_and(is_joining)
    }

    /// Returns true after an emoji. A digit counts as one only within a keycap.
    fn selects_emoji(&self) -> bool {
        let is_keycap_base = |last: char| last.is_ascii() && self.rest().starts_with(KEYCAP);
        self.preceding
            .last
            .is_some_and(|last| is_pictograph(last) || last.is_emoji_char() && is_keycap_base(last))
    }
}

/// The kept characters on which the decision on the next one depends. Each is `None` if there is none.
#[derive(Default)]
struct PrecedingChars {
    last: Option<char>,
    /// The last one that is not an emoji or text selector.
    last_non_selector: Option<char>,
    /// The last one that is not a mark.
    base: Option<char>,
    /// True if the marks after `base` include a virama.
    has_virama: bool,
}

impl PrecedingChars {
    fn add(&mut self, c: char) {
        self.last = Some(c);
        if c != EMOJI_SELECTOR {
            self.last_non_selector = Some(c);
        }
        if changes_visibility(c) {
            self.has_virama |= canonical_combining_class(c) == VIRAMA_COMBINING_CLASS;
        } else {
            self.base = Some(c);
            self.has_virama = false;
        }
    }
}

/// The next character with some property, searched once and cached until the pass has passed it.
#[derive(Default)]
struct Lookahead {
    /// The byte after the character that was found. Everything before it has been searched.
    searched_to: usize,
    found: Option<char>,
}

impl Lookahead {
    fn find(&mut self, text: &str, from: usize, has_property: impl Fn(char) -> bool) -> Option<char> {
        let is_in_future = self.found.is_some_and(|found| self.searched_to - found.len_utf8() >= from);
        if is_in_future || self.searched_to == text.len() && self.found.is_none() {
            return self.found;
        }
        let mut ahead = text[from..].char_indices();
        let next = ahead.find(|(_, c)| has_property(*c));
        self.searched_to = next.map_or(text.len(), |(at, c)| from + at + c.len_utf8());
        self.found = next.map(|(_, c)| c);
        steps::charge(self.searched_to - from);
        self.found
    }
}

/// Returns true if the character, or what it is replaced by, is visible.
fn is_visible(c: char) -> bool {
    is_break(c) || !is_invisible(c)
}

fn is_break(c: char) -> bool {
    matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0020}'..='\u{e007f}')
}

fn is_pictograph(c: char) -> bool {
    !c.is_ascii() && c.is_emoji_char()
}

fn changes_visibility(c: char) -> bool {
    canonical_combining_class(c) != 0
}

/// Returns true for letters of scripts whose letters change form next to each other.
fn is_joining(c: char) -> bool {
    use Script::*;
    matches!(
        c.script(),
        Arabic
            | Syriac
            | Nko
            | Mandaic
            | Mongolian
            | Adlam
            | Hanifi_Rohingya
            | Devanagari
            | Bengali
            | Gurmukhi
            | Gujarati
            | Oriya
            | Tamil
            | Telugu
            | Kannada
            | Malayalam
            | Sinhala
            | Tibetan
            | Myanmar
            | Khmer
            | Balinese
            | Javanese
            | Grantha
            | Newa
            | Tirhuta
            | Brahmi
            | Kaithi
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(raw: &str) -> String {
        Cleaner::new(raw).run()
    }

    #[test]
    fn hidden_characters_are_removed() {
        for c in [
            '\0',
            '\u{7}',
            '\u{7f}',
            '\u{9f}',
            '\u{ad}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{fe0f}',
            '\u{fe00}',
            '\u{fff9}',
            '\u{3164}',
            '\u{e0061}',
            '\u{e0100}',
            '\u{34f}',
            '\u{180e}',
            '\u{61c}',
        ] {
            assert_eq!(cleaned(&format!("a{c}b")), "ab", "{c:?}");
        }
    }

    #[test]
    fn emoji_keep_their_joiners() {
        for text in ["👩‍❤️‍💋‍👩", "🏳️‍🌈", "👁️‍🗨️", "🧑🏽‍🤝‍🧑🏻", "#️⃣", "❤︎", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴‍☠️", "☺️!"]
        {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn joiners_without_emoji_are_removed() {
        for (raw, expected) in [
            ("👩\u{200d}", "👩"),
            ("\u{200d}👩", "👩"),
            ("👩\u{200d}a", "👩a"),
            ("👩\u{200d}\u{200d}👩", "👩\u{200d}👩"),
            ("👩\u{200d} 👩", "👩 👩"),
            ("5\u{fe0f}", "5"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}"),
            ("🏴\u{e0068}\u{e0069}\u{e007f}", "🏴"),
            ("🏴\u{e0067}", "🏴"),
        ] {
            assert_eq!(cleaned(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn scripts_keep_their_joiners() {
        for text in [
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "ക്\u{200c}ഷ",
            "ശ്രീമാന\u{d4d}\u{200d}",
            "ශ්\u{200d}රී",
            "ᠪᠣᠯ\u{180b}",
        ] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn joiners_elsewhere_are_removed() {
        for (raw, expected) in [
            ("a\u{200c}b", "ab"),
            ("م\u{200c} م", "م م"),
            ("م\u{200c}a", "مa"),
            ("م\u{200c}\u{200c}م", "م\u{200c}م"),
            ("ж\u{200d}ж", "жж"),
            ("\u{200c}م", "م"),
        ] {
            assert_eq!(cleaned(raw), expected, "{raw:?}");
        }
    }
}
