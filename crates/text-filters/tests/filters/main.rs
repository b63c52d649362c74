//! How well the content filters tell, on corpora of our own: rates, spans, and what a message costs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot look must fail")]

mod chain;
mod classes;
mod corpora;
mod disguise;
mod random_tokens;
mod report;

use classes::{CorpusSet, all_classes};
use proptest::prelude::*;
use report::{ClassResult, ResultTable};

/// Two draws: the filters were tuned on the first and are judged on both.
fn measure_classes(half: CorpusSet, seed: u64) -> Vec<ClassResult> {
    all_classes(half, seed).into_iter().map(|class| report::measure(half, &class)).collect()
}

#[test]
fn every_class_meets_its_threshold() {
    let mut rows = measure_classes(CorpusSet::Tuned, 1);
    rows.extend(measure_classes(CorpusSet::HeldOut, 2));
    let table = ResultTable(rows);
    println!("{table}");
    assert!(table.passes(), "a class fell short, see the table");
}

#[test]
fn filtering_twice_changes_nothing() {
    for class in all_classes(CorpusSet::Tuned, 3) {
        for case in class.cases {
            let once = chain::shown(&case.text);
            assert_eq!(chain::shown(&once), once, "{}: {}", class.name, case.text);
        }
    }
}

/// As much longer as the longest stand-ins can make a text.
const MAX_PLACEHOLDER_BYTES: usize = 64;

proptest! {
    /// One filter may make what another would have found, so the chain is run once only, and never breaks.
    #[test]
    fn any_text_is_filtered_without_growing_much(text in "([a-zé.@/ :=]{0,6}(fuck|key|sk-|example|dot com|http://|password: |s h i t|[A-Za-z0-9]{20}|[0-9a-f]{32}|\\[|\\*)){0,5}") {
        let shown = chain::shown(&text);
        prop_assert!(shown.len() <= 8 * text.len() + MAX_PLACEHOLDER_BYTES, "{}", shown);
    }
}
