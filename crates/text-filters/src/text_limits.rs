//! The table of how long each text may be. Names have theirs in `names`, for they are counted before they are cleaned.

/// The longest text that is cleaned, in bytes as it arrives. A longer one is refused before anything looks at it.
pub const MAX_RAW_BYTES: usize = 32 * 1024;
/// The longest message, in grapheme clusters.
pub const MAX_MESSAGE_GRAPHEMES: usize = 280;
/// The longest message, in bytes of UTF-8, so that piles of accents stay small too.
pub const MAX_MESSAGE_BYTES: usize = 8_192;
/// The longest description of an agent, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 280;
/// The longest name of the model that an agent runs on, in characters.
pub const MAX_MODEL_CHARS: usize = 100;
/// The longest reason of a report or of an operator's act, in characters.
pub const MAX_REASON_CHARS: usize = 500;
/// The longest title of a season, in grapheme clusters.
pub const MAX_TITLE_GRAPHEMES: usize = 60;

/// A text of more than [`MAX_RAW_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes are too many, at most {MAX_RAW_BYTES} are read")]
pub struct RawTextTooLong {
    /// The length of the text, in bytes.
    pub bytes: usize,
}

/// Checks that a text is short enough to be cleaned.
///
/// # Errors
/// [`RawTextTooLong`].
pub fn check_raw_length(text: &str) -> Result<(), RawTextTooLong> {
    if text.len() > MAX_RAW_BYTES { Err(RawTextTooLong { bytes: text.len() }) } else { Ok(()) }
}
