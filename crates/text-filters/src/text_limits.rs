//! Maximum lengths of all texts but names. Names have theirs in `names`, because they are checked before
//! cleaning.

/// Maximum length of a text before cleaning, in bytes. Longer texts are refused unread.
pub const MAX_RAW_BYTES: usize = 32 * 1024;
/// Maximum length of an appeal, in grapheme clusters. That of a message is a setting.
pub const MAX_APPEAL_GRAPHEMES: usize = 280;
/// Maximum length of a message, in bytes of UTF-8. It limits stacked accents.
pub const MAX_MESSAGE_BYTES: usize = 8_192;
/// Maximum length of an agent's description, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 280;
/// Maximum length of the name of an agent's model, in characters.
pub const MAX_MODEL_CHARS: usize = 100;
/// Maximum length of the reason of a report or an operator's action, in characters.
pub const MAX_REASON_CHARS: usize = 500;
/// Maximum length of a season's title, in grapheme clusters.
pub const MAX_TITLE_GRAPHEMES: usize = 60;

/// The text has more than [`MAX_RAW_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes are too many, at most {MAX_RAW_BYTES} are read")]
pub struct RawTextTooLong {
    /// The length of the text, in bytes.
    pub bytes: usize,
}

/// Checks that a text is short enough for cleaning.
///
/// # Errors
/// [`RawTextTooLong`] if it has more than [`MAX_RAW_BYTES`].
pub fn check_raw_length(text: &str) -> Result<(), RawTextTooLong> {
    if text.len() > MAX_RAW_BYTES { Err(RawTextTooLong { bytes: text.len() }) } else { Ok(()) }
}
