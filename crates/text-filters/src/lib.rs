//! Filters for untrusted text, as pure functions: cleaning, profanity, links, contacts, secrets, and fences
//! for prompts.

mod bounded_search;
pub mod contacts;
pub mod content;
pub mod emoji;
pub mod ids;
#[cfg(test)]
mod linear_time_tests;
pub mod links;
mod numbers;
pub mod profanity;
pub mod redact;
mod spans;
pub mod steps;
pub mod text_limits;
pub mod untrusted;

use profanity::ProfanityFilter;
use redact::SecretScanner;

/// Returns a cleaned text without secrets, links and profanity, and without contacts if they are masked.
pub fn replace_unwanted(
    text: String,
    scanner: &dyn SecretScanner,
    masks_contacts: bool,
    profanity: &ProfanityFilter,
) -> String {
    let text = redact::redact(&text, scanner).unwrap_or(text);
    let without_contacts = if masks_contacts { contacts::mask(&text) } else { None };
    let text = without_contacts.unwrap_or(text);
    let text = links::strip(&text).unwrap_or(text);
    profanity.mask(&text).unwrap_or(text)
}
