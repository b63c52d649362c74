//! Proves that the search for mentions and the check of names take linear time, by counting steps on
//! adversarial texts.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use text_filters::profanity::WordList;
use text_filters::steps;
use text_filters::steps::linear::{MAX_STEPS_PER_BYTE, REPEATED_PARTS, adversarial_texts, assert_linear};
use text_filters::text_limits::MAX_RAW_BYTES;

use crate::mentions::Mentions;
use crate::names::{AgentName, NameChecker};

static CHECKER: LazyLock<NameChecker> = LazyLock::new(|| NameChecker::new(&WordList::default()));

#[test]
fn searching_for_mentions_is_linear() {
    assert_linear(1_024, |text| drop(Mentions::parse(text).candidate_names()));
}

#[test]
fn the_length_of_a_name_is_checked_first() {
    for text in adversarial_texts(MAX_RAW_BYTES) {
        let steps_taken = steps::count(|| drop(AgentName::parse(&text, &CHECKER)));
        assert!(steps_taken <= 2 * text.len() as u64, "{steps_taken} steps for {} bytes", text.len());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_text_takes_many_steps(parts in vec((select(REPEATED_PARTS), 1_usize..300), 1..6)) {
        let text: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        let passes = || {
            let _ = AgentName::parse(&text, &CHECKER);
            let _ = Mentions::parse(&text).candidate_names();
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
