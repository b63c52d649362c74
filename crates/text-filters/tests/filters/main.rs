//! Measures the content filters on corpora: rates, spans, and the time per message.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]

mod chain;
mod classes;
mod corpora;
mod disguise;
mod languages;
mod own_ids;
mod random_tokens;
mod report;
mod wide_disguise;

use classes::{CorpusSet, all_classes};
use languages::measure_languages;
use proptest::prelude::*;
use report::{ClassResult, ResultTable};

/// Measures with two seeds: the filters were tuned on the first and must pass with both.
fn measure_classes(half: CorpusSet, seed: u64) -> Vec<ClassResult> {
    all_classes(half, seed).into_iter().map(|class| report::measure(half, &class)).collect()
}

#[test]
fn every_class_meets_its_threshold() {
    let mut rows = measure_classes(CorpusSet::Tuned, 1);
    rows.extend(measure_classes(CorpusSet::HeldOut, 2));
    let table = ResultTable(rows);
    println!("{table}");
    assert!(table.passes(), "a class misses its threshold, see the table");
}

/// Minimum rate of the insults that are found in each language, in percent. A language has two or three
/// cases.
const MIN_LANGUAGE_RATE: f64 = 60.0;
/// Minimum rate of the insults that are found in all languages, in percent.
const MIN_RATE_OF_LANGUAGES: f64 = 95.0;

#[test]
fn insults_are_found_in_every_language() {
    for corpus_set in [CorpusSet::Tuned, CorpusSet::HeldOut] {
        let results = measure_languages(corpus_set);
        let mut cases = 0;
        let mut hits = 0;
        for (language, result) in &results {
            println!("{language:<4} {:>2} of {:>2} {:>6.1} %", result.hits, result.cases, result.rate());
            cases += result.cases;
            hits += result.hits;
        }
        let rate = 100.0 * hits as f64 / cases as f64;
        println!("all {hits:>3} of {cases:>2} {rate:>6.1} %");
        let missed: Vec<_> = results
            .iter()
            .filter(|(_, result)| result.rate() < MIN_LANGUAGE_RATE)
            .map(|(name, _)| name)
            .collect();
        assert!(missed.is_empty(), "below the floor: {missed:?}");
        assert!(rate >= MIN_RATE_OF_LANGUAGES, "{rate} %");
    }
}

#[test]
fn filtering_twice_changes_nothing() {
    for class in all_classes(CorpusSet::Tuned, 3) {
        for case in class.cases {
            let once = (class.filters)(&case.text);
            assert_eq!((class.filters)(&once), once, "{}: {}", class.name, case.text);
        }
    }
}

/// Maximum growth of a text by placeholders, in bytes.
const MAX_PLACEHOLDER_BYTES: usize = 64;

proptest! {
    /// One filter may produce what another would have found, so the chain runs only once. It must never
    /// panic.
    #[test]
    fn any_text_is_filtered_without_growing_much(
        text in "([a-zé.@/ :=]{0,6}(fuck|key|sk-|example|dot com|http://|password: |s h i t|\
                 [A-Za-z0-9]{20}|[0-9a-f]{32}|\\[|\\*)){0,5}",
    ) {
        let shown = chain::shown(&text);
        prop_assert!(shown.len() <= 8 * text.len() + MAX_PLACEHOLDER_BYTES, "{}", shown);
    }
}
