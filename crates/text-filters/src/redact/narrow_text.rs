//! Texts whose wide and bold letters are replaced by plain ones. A reader turns them back just as easily.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::steps;

/// The distance of the wide forms of ASCII from ASCII.
const WIDE_OFFSET: u32 = 0xfee0;
/// The signs that keys have besides letters and digits.
const KEY_SIGNS: &str = "_-.+/";

/// A text in plain letters, and where each of its bytes stands in the original.
pub struct NarrowText {
    pub text: String,
    /// The position in the original of each byte, and of the end.
    sources: Vec<usize>,
}

impl NarrowText {
    /// Returns the text in plain letters; `None` if the original has no others.
    pub fn of(original: &str) -> Option<Self> {
        steps::charge(original.len());
        if original.is_ascii() || original.chars().all(|c| narrow(c).is_none()) {
            return None;
        }
        let mut narrowed = Self { text: String::with_capacity(original.len()), sources: Vec::new() };
        for (source, c) in original.char_indices() {
            let plain = narrow(c).unwrap_or(c);
            narrowed.text.push(plain);
            narrowed.sources.extend((source..).take(plain.len_utf8()));
        }
        narrowed.sources.push(original.len());
        Some(narrowed)
    }

    /// Returns the position in the original of a position in the text.
    pub fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        let end = self.sources.last().copied().unwrap_or_default();
        let source = |position: usize| self.sources.get(position).copied().unwrap_or(end);
        source(range.start)..source(range.end)
    }
}

/// Returns the letter, digit or sign of keys that this character is a wide or bold form of; `None` if it is
/// none.
fn narrow(c: char) -> Option<char> {
    let plain = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - WIDE_OFFSET)?,
        '\u{1d400}'..='\u{1d7ff}' => c.nfkc().next()?,
        _ => return None,
    };
    (plain.is_ascii_alphanumeric() || KEY_SIGNS.contains(plain)).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_original() {
        let narrow = NarrowText::of("é ｋey－𝐚1").unwrap();
        assert_eq!(narrow.text, "é key-a1");
        assert_eq!(narrow.source_range(&(0..2)), 0..2);
        assert_eq!(narrow.source_range(&(3..7)), 3..11);
        assert_eq!(narrow.source_range(&(7..9)), 11..16);
        assert!(NarrowText::of("é key： 描く ½ ①").is_none());
    }
}
