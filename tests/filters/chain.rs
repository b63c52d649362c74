//! The filters in the order in which the server applies them.

use std::sync::LazyLock;

use caraplace::rules::content::clean;
use caraplace::rules::links;
use caraplace::rules::profanity::{Profanity, WordList};
use caraplace::rules::redact::{self, KnownTokens};

pub static PROFANITY: LazyLock<Profanity> = LazyLock::new(|| Profanity::new(&WordList::default()));

/// What is left of secrets alone.
pub fn without_secrets(raw: &str) -> String {
    let text = clean(raw);
    redact::redact(&text, &KnownTokens).unwrap_or(text)
}

/// What is shown of a message.
pub fn shown(raw: &str) -> String {
    let text = clean(raw);
    let text = redact::redact(&text, &KnownTokens).unwrap_or(text);
    let text = links::strip(&text).unwrap_or(text);
    PROFANITY.mask(&text).unwrap_or(text)
}
