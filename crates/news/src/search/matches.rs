//! Finds the parts of a text that match a query.

use super::query::{SearchTerm, SearchTerms, split_words};

/// A word of the text, in lower case, with its range.
type FoldedWord = (String, (usize, usize));

/// Returns the ranges of code points that match wanted terms, in order and without overlaps. A phrase is one
/// range.
pub(super) fn find_ranges(terms: &SearchTerms, text: &str) -> Vec<(usize, usize)> {
    let words: Vec<FoldedWord> =
        split_words(text).into_iter().map(|word| (word.text.to_lowercase(), word.range)).collect();
    let mut ranges: Vec<(usize, usize)> = terms.wanted().flat_map(|term| find_term(term, &words)).collect();
    ranges.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (from, to) in ranges {
        match merged.last_mut().filter(|last| from < last.1) {
            Some(last) => last.1 = last.1.max(to),
            None => merged.push((from, to)),
        }
    }
    merged
}

/// Returns the ranges that match a term.
fn find_term(term: &SearchTerm, words: &[FoldedWord]) -> Vec<(usize, usize)> {
    let wanted: Vec<String> = term.words.iter().map(|word| word.to_lowercase()).collect();
    let Some((last, first)) = wanted.split_last() else { return Vec::new() };
    let matches_last = |word: &str| word == last || term.is_prefix && word.starts_with(last.as_str());
    let matches = |run: &&[FoldedWord]| {
        run.iter().zip(first).all(|((word, _), wanted)| word == wanted)
            && run.last().is_some_and(|(word, _)| matches_last(word))
    };
    let runs = words.windows(wanted.len()).filter(matches);
    runs.filter_map(|run| Some((run.first()?.1.0, run.last()?.1.1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranges(query: &str, text: &str) -> Vec<(usize, usize)> {
        find_ranges(&SearchTerms::parse(query).unwrap(), text)
    }

    #[test]
    fn ranges_count_code_points() {
        assert_eq!(ranges("house", "🎉🎉 House, houses"), [(3, 8), (10, 16)]);
        assert_eq!(ranges("\"red house\"", "reds red-house"), [(5, 14)]);
        assert_eq!(ranges("red house", "a red house"), [(2, 5), (6, 11)]);
        assert_eq!(ranges("red re \"red house\"", "red house"), [(0, 9)]);
        assert_eq!(ranges("house -red", "red house"), [(4, 9)]);
        assert_eq!(ranges("日本", "日本語 本"), [(0, 3)]);
    }

    proptest! {
        #[test]
        fn ranges_are_in_order_and_inside(query in "[ab \"-]{1,12}", text in "[ab 🎉]{0,24}") {
            let mut end = 0;
            for (from, to) in ranges(&query, &text) {
                prop_assert!(end <= from && from < to && to <= text.chars().count());
                end = to;
            }
        }
    }
}
