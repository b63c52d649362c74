//! Measures the content filters on corpora: rates, spans, and the time per message.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the test")]

mod chain;
mod classes;
mod corpora;
mod disguise;
mod own_ids;
mod random_tokens;
mod report;

use classes::{CorpusSet, all_classes};
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
    fn any_text_is_filtered_without_growing_much(text in "([a-zé.@/ :=]{0,6}(fuck|key|sk-|example|dot com|http://|password: |s h i t|[A-Za-z0-9]{20}|[0-9a-f]{32}|\\[|\\*)){0,5}") {
        let shown = chain::shown(&text);
        prop_assert!(shown.len() <= 8 * text.len() + MAX_PLACEHOLDER_BYTES, "{}", shown);
    }
}
