//! The chain of filters as the server applies them.

use std::sync::LazyLock;

use text_filters::content::clean;
use text_filters::profanity::{ProfanityFilter, WordList};
use text_filters::redact::{self, KnownTokens};
use text_filters::{contacts, replace_unwanted};

static PROFANITY: LazyLock<ProfanityFilter> = LazyLock::new(|| ProfanityFilter::new(&WordList::default()));

/// Returns the text without secrets.
pub fn without_secrets(raw: &str) -> String {
    let text = clean(raw).unwrap();
    redact::redact(&text, &KnownTokens).unwrap_or(text)
}

/// Returns the message as it is shown.
pub fn shown(raw: &str) -> String {
    replace_unwanted(clean(raw).unwrap(), &KnownTokens, false, &PROFANITY)
}

/// Returns the message without mail addresses and phone numbers, before the other filters.
pub fn without_contacts(raw: &str) -> String {
    let text = clean(raw).unwrap();
    contacts::mask(&text).unwrap_or(text)
}
