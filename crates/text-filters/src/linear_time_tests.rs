//! Proves that every pass over untrusted text takes linear time, by counting its steps on adversarial texts.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::contacts;
use crate::content::{MessageContent, clean_unchecked};
use crate::emoji::Emoji;
use crate::links;
use crate::profanity::{ProfanityFilter, WordList};
use crate::redact::{KnownTokens, redact};
use crate::steps;
use crate::steps::linear::{MAX_STEPS_PER_BYTE, REPEATED_PARTS, adversarial_texts, assert_linear};
use crate::text_limits::MAX_RAW_BYTES;
use crate::untrusted::fence;

/// The largest length of messages that a server can set, in grapheme clusters.
const MAX_GRAPHEMES: usize = 4_096;

static PROFANITY: LazyLock<ProfanityFilter> = LazyLock::new(|| ProfanityFilter::new(&WordList::default()));

#[test]
fn cleaning_is_linear() {
    assert_linear(1_024, |text| drop(clean_unchecked(text)));
}

#[test]
fn parsing_a_message_is_linear() {
    assert_linear(1_024, |text| {
        drop(MessageContent::parse(text, MAX_GRAPHEMES).map(|content| content.folded()));
    });
}

#[test]
fn searching_for_profanity_is_linear() {
    assert_linear(512, |text| drop(PROFANITY.mask(text)));
}

#[test]
fn searching_for_links_is_linear() {
    assert_linear(2_048, |text| drop(links::strip(text)));
}

#[test]
fn searching_for_secrets_is_linear() {
    assert_linear(4_096, |text| drop(redact(text, &KnownTokens)));
}

#[test]
fn searching_for_contacts_is_linear() {
    assert_linear(2_048, |text| drop(contacts::mask(text)));
}

#[test]
fn fencing_is_linear() {
    assert_linear(1_024, |text| drop(fence(&[text])));
}

#[test]
fn parsing_a_reaction_is_linear() {
    assert_linear(1_024, |text| assert_eq!(Emoji::parse(text), None));
}

/// Maximum number of steps for a text that is filtered on the event loop.
const MAX_INLINE_STEPS: u64 = 4_000_000;

#[test]
fn short_texts_take_few_steps() {
    for text in adversarial_texts(256) {
        let filters = || drop((PROFANITY.mask(&text), links::strip(&text), contacts::mask(&text)));
        let steps_taken = steps::count(filters);
        assert!(
            steps_taken <= MAX_INLINE_STEPS,
            "{:?}: {steps_taken} steps",
            text.chars().take(24).collect::<String>()
        );
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_takes_many_steps(parts in vec((select(REPEATED_PARTS), 1_usize..300), 1..6)) {
        let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        let passes = || {
            let _ = MessageContent::parse(&text, MAX_GRAPHEMES).map(|content| content.folded());
            let _ = (PROFANITY.mask(&text), links::strip(&text), redact(&text, &KnownTokens));
            let _ = (contacts::mask(&text), fence(&[&text]), Emoji::parse(&text));
        };
        let steps_taken = steps::count(passes);
        prop_assert!(steps_taken <= MAX_STEPS_PER_BYTE * text.len().max(64) as u64, "{steps_taken} steps");
    }
}

/// Runs few cases by default, and as many as `PROPTEST_CASES` says under `make fuzz`.
fn config() -> ProptestConfig {
    let has_custom_case_count = std::env::var_os("PROPTEST_CASES").is_some();
    if has_custom_case_count { ProptestConfig::default() } else { ProptestConfig::with_cases(16) }
}

#[test]
fn cleaning_looks_at_a_character_a_few_times_at_most() {
    for text in adversarial_texts(MAX_RAW_BYTES) {
        let steps_taken = steps::count(|| drop(clean_unchecked(&text)));
        assert!(steps_taken <= 8 * text.len() as u64, "{steps_taken} steps for {} bytes", text.len());
    }
}
