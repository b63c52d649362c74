//! The filters as the server applies them.

use std::sync::LazyLock;

use text_filters::content::clean;
use text_filters::profanity::{ProfanityFilter, WordList};
use text_filters::redact::{self, KnownTokens};
use text_filters::replace_unwanted;

static PROFANITY: LazyLock<ProfanityFilter> = LazyLock::new(|| ProfanityFilter::new(&WordList::default()));

/// What is left of secrets alone.
pub fn without_secrets(raw: &str) -> String {
    let text = clean(raw).unwrap();
    redact::redact(&text, &KnownTokens).unwrap_or(text)
}

/// What is shown of a message.
pub fn shown(raw: &str) -> String {
    replace_unwanted(clean(raw).unwrap(), &KnownTokens, &PROFANITY)
}
