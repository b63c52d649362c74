//! Cleaned message texts, in a type that contains only valid ones.

mod invisible;

use caseless::Caseless;
use invisible::Cleaner;
pub use invisible::is_invisible;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::steps;
use super::text_limits::{MAX_MESSAGE_BYTES, RawTextTooLong, check_raw_length};

/// The text of a message, cleaned and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageContent(String);

/// The reason why a text cannot be a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentRefusal {
    /// No visible character is left.
    #[error("the message contains no visible characters")]
    Empty,
    /// The text has more than [`MAX_RAW_BYTES`](super::text_limits::MAX_RAW_BYTES) before cleaning.
    #[error(transparent)]
    RawTooLong(#[from] RawTextTooLong),
    /// The text has more than `max_graphemes` characters or [`MAX_MESSAGE_BYTES`] after cleaning.
    #[error("the message has {graphemes} characters and {bytes} bytes")]
    TooLong { graphemes: usize, bytes: usize, max_graphemes: usize },
}

impl MessageContent {
    /// Cleans and checks a text of at most `max_graphemes` characters.
    ///
    /// # Errors
    /// If no visible character is left or the text is too long.
    pub fn parse(raw: &str, max_graphemes: usize) -> Result<Self, ContentRefusal> {
        let text = clean(raw)?;
        if text.chars().all(is_blank) {
            return Err(ContentRefusal::Empty);
        }
        let graphemes = text.graphemes(true).count();
        let bytes = text.len();
        steps::charge(bytes);
        if graphemes > max_graphemes || bytes > MAX_MESSAGE_BYTES {
            return Err(ContentRefusal::TooLong { graphemes, bytes, max_graphemes });
        }
        Ok(Self(text))
    }

    /// Returns the cleaned text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a form that is equal for texts that differ only in case or in the width of their spaces.
    pub fn folded(&self) -> String {
        let folded: String = self.0.chars().nfd().default_case_fold().nfc().collect();
        folded.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the text as one line of NFC, trimmed, without invisible and bidirectional control characters.
/// Joiners and selectors stay where an emoji or a script needs them.
///
/// # Errors
/// [`RawTextTooLong`], which is checked first.
pub fn clean(raw: &str) -> Result<String, RawTextTooLong> {
    check_raw_length(raw).map(|()| clean_unchecked(raw))
}

/// Cleans a text without checking its length, for instance one that was cleaned before it was stored.
pub fn clean_unchecked(text: &str) -> String {
    let visible = Cleaner::new(text).run();
    steps::charge(visible.len());
    let normal: String = visible.nfc().collect();
    normal.trim().to_owned()
}

/// Returns true for spaces, and for the blank braille cell: a message of these alone looks empty.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text_limits::MAX_RAW_BYTES;

    /// The longest text that the tests accept, in characters.
    const MAX_GRAPHEMES: usize = 280;

    fn parse(raw: &str) -> Result<MessageContent, ContentRefusal> {
        MessageContent::parse(raw, MAX_GRAPHEMES)
    }

    fn parsed(raw: &str) -> String {
        parse(raw).unwrap().as_str().to_owned()
    }

    #[test]
    fn ordinary_text_comes_back_unchanged() {
        for text in [
            "x=455 y=69  #a55b00",
            "Zażółć gęślą jaźń",
            "日本語のテキスト、です。",
            "سلام دنیا",
            "👩🏽‍🚀 & 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 5️⃣ ❤️ ☎︎",
            "a\u{a0}b — “c”…",
        ] {
            assert_eq!(parsed(text), text);
        }
    }

    #[test]
    fn it_is_trimmed_composed_and_on_one_line() {
        for (raw, expected) in [
            ("  hi \u{3000}", "hi"),
            ("e\u{301}te\u{301}", "été"),
            ("a\nb\tc", "a b c"),
            ("a\r\nb\n\nc", "a b  c"),
            ("a\u{2028}b\u{2029}c\u{85}d\u{b}e", "a b c d e"),
        ] {
            assert_eq!(parsed(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn a_text_without_visible_characters_is_empty() {
        for raw in
            ["", " \n\t ", "\u{200b}\u{200d}\u{feff}", "\u{202e}", "\u{2800}\u{2800}", "\u{3164}", "\0"]
        {
            assert_eq!(parse(raw), Err(ContentRefusal::Empty), "{raw:?}");
        }
    }

    #[test]
    fn length_is_counted_in_graphemes_and_bytes() {
        let too_long =
            |graphemes, bytes| ContentRefusal::TooLong { graphemes, bytes, max_graphemes: MAX_GRAPHEMES };
        let family = "👨‍👩‍👧‍👦";
        assert!(parse(&family.repeat(280)).is_ok());
        let refused = parse(&family.repeat(281));
        assert_eq!(refused, Err(too_long(281, 281 * family.len())));
        let zalgo = format!("a{}", "\u{315}".repeat(4_095));
        assert_eq!(zalgo.len(), 8_191);
        assert!(parse(&zalgo).is_ok());
        let refused = parse(&format!("bb{zalgo}"));
        assert_eq!(refused, Err(too_long(3, 8_193)));
    }

    #[test]
    fn raw_text_is_bounded_before_it_is_cleaned() {
        let longest = "\u{200d}".repeat(MAX_RAW_BYTES / 3);
        assert_eq!(parse(&longest), Err(ContentRefusal::Empty));
        let longer = format!("{longest}\u{200d}");
        let refused = ContentRefusal::RawTooLong(RawTextTooLong { bytes: longer.len() });
        assert_eq!(parse(&longer), Err(refused));
        assert_eq!(clean(&longer), Err(RawTextTooLong { bytes: longer.len() }));
    }

    #[test]
    fn removed_characters_do_not_count() {
        let raw = format!("{}{}", " ".repeat(300), "a\u{200b}".repeat(280));
        assert_eq!(parsed(&raw).len(), 280);
    }

    #[test]
    fn duplicates_fold_case_and_spaces() {
        let folded = |raw| parse(raw).unwrap().folded();
        assert_eq!(folded("Hello   World"), folded("hello\tWORLD"));
        assert_eq!(folded("STRASSE é"), folded("straße E\u{301}"));
        assert_eq!(folded("a\u{a0}b"), folded("a b"));
        assert_ne!(folded("Hello World"), folded("HelloWorld"));
    }

    proptest! {
        #[test]
        fn cleaning_twice_changes_nothing(
            raw in "(?s)[a-z👩🏽❤5\u{20e3}\u{fe0f}\u{fe0e}\u{200d}\u{200c}\u{200b}\u{94d}क\u{6cc}\u{301}\
                    \u{202e}\u{1f3f4}\u{e0067}\u{e007f}\r\n ]{0,24}",
        ) {
            let once = clean(&raw).unwrap();
            prop_assert_eq!(clean(&once).unwrap(), once);
        }

        #[test]
        fn any_text_is_accepted_or_refused(raw in any::<String>()) {
            if let Ok(content) = parse(&raw) {
                prop_assert!(content.as_str().len() <= MAX_MESSAGE_BYTES);
                prop_assert!(!content.as_str().chars().any(char::is_control));
            }
        }
    }
}
