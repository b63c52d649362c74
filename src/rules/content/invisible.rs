//! Takes out the characters that nobody sees, and leaves those that hold emoji and scripts together.

use unicode_normalization::char::canonical_combining_class;
use unicode_properties::UnicodeEmoji;
use unicode_script::{Script, UnicodeScript};

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';
/// How Unicode marks the signs that take a letter's own vowel away.
const VIRAMA: u8 = 9;

/// Whether a character leaves no ink: controls, zero-width characters, selectors, bidi marks, fillers.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// One pass over a text; what is kept decides what may follow it, so a second pass changes nothing.
pub(super) struct Cleaner<'a> {
    rest: &'a str,
    kept: String,
}

impl<'a> Cleaner<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        Self { rest: raw, kept: String::with_capacity(raw.len()) }
    }

    pub(super) fn run(mut self) -> String {
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            self.take(c);
        }
        self.kept
    }

    fn take(&mut self, c: char) {
        if is_break(c) {
            self.take_break(c);
        } else if c == BLACK_FLAG {
            self.take_flag();
        } else if !is_invisible(c) || self.is_needed(c) {
            self.kept.push(c);
        }
    }

    /// Every line break and tab becomes one space; CR LF is one break.
    fn take_break(&mut self, c: char) {
        if !(c == '\r' && self.rest.starts_with('\n')) {
            self.kept.push(' ');
        }
    }

    /// The tag characters that make a flag England's stay; anywhere else they are hidden text.
    fn take_flag(&mut self) {
        self.kept.push(BLACK_FLAG);
        let end = self.rest.find(|c| !is_tag(c)).unwrap_or(self.rest.len());
        let tags = &self.rest[..end];
        if tags.ends_with(END_OF_TAGS) && emojis::get(&format!("{BLACK_FLAG}{tags}")).is_some() {
            self.kept.push_str(tags);
            self.rest = &self.rest[end..];
        }
    }

    fn is_needed(&self, c: char) -> bool {
        match c {
            ZWJ => self.joins_emoji() || self.joins_letters(),
            ZWNJ => self.joins_letters(),
            '\u{fe0e}' | '\u{fe0f}' => self.selects_emoji(),
            '\u{180b}'..='\u{180f}' => self.last_has(|last| last.script() == Script::Mongolian),
            _ => false,
        }
    }

    fn joins_emoji(&self) -> bool {
        let before = self.kept.trim_end_matches('\u{fe0f}').chars().next_back();
        before.is_some_and(is_pictograph) && self.seen().next().is_some_and(is_pictograph)
    }

    /// Between letters of a script that joins, or after a virama, whose form it chooses. Marks are
    /// looked at in no order, for normalisation may change it.
    fn joins_letters(&self) -> bool {
        let mut marks = self.kept.chars().rev().take_while(|&c| is_mark(c));
        if marks.any(|mark| canonical_combining_class(mark) == VIRAMA) {
            return true;
        }
        let before = self.kept.chars().rev().find(|&c| !is_mark(c));
        let after = self.seen().find(|&c| !is_mark(c));
        before.is_some_and(is_joining) && after.is_some_and(is_joining)
    }

    /// After an emoji; a digit is one only as a keycap.
    fn selects_emoji(&self) -> bool {
        let digit = |last: char| last.is_ascii() && self.rest.starts_with(KEYCAP);
        self.last_has(|last| is_pictograph(last) || last.is_emoji_char() && digit(last))
    }

    fn last_has(&self, property: impl Fn(char) -> bool) -> bool {
        self.kept.chars().next_back().is_some_and(property)
    }

    /// The rest without what nobody sees.
    fn seen(&self) -> impl Iterator<Item = char> {
        self.rest.chars().filter(|&c| is_break(c) || !is_invisible(c))
    }
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

fn is_mark(c: char) -> bool {
    canonical_combining_class(c) != 0
}

/// A letter of a script whose letters change where they meet.
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
    fn hidden_characters_go() {
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
    fn emoji_keep_their_joints() {
        for text in ["👩‍❤️‍💋‍👩", "🏳️‍🌈", "👁️‍🗨️", "🧑🏽‍🤝‍🧑🏻", "#️⃣", "❤︎", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴‍☠️", "☺️!"]
        {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn joints_that_hold_nothing_go() {
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
    fn joiners_elsewhere_go() {
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
