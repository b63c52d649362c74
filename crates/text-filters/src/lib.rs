//! Filters for text by strangers, as pure functions: cleaning, profanity, links, secrets, and fences for prompts.

pub mod content;
pub mod emoji;
pub mod fence;
pub mod links;
mod mask;
mod matches;
pub mod profanity;
pub mod redact;
pub mod steps;
pub mod text_limits;
#[cfg(test)]
mod text_passes_tests;

use profanity::Profanity;
use redact::SecretScanner;

/// Returns a cleaned text without secrets, links and profanity.
pub fn replace_unwanted(text: String, scanner: &dyn SecretScanner, profanity: &Profanity) -> String {
    let text = redact::redact(&text, scanner).unwrap_or(text);
    let text = links::strip(&text).unwrap_or(text);
    profanity.mask(&text).unwrap_or(text)
}
