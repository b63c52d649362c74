//! Positions of what was found in a text, and their replacement.

use std::ops::Range;

use super::bounded_search::MAX_PASSES;
use super::steps;

/// Returns the whole text as one span, for texts with too many matches.
pub fn whole(text: &str) -> Vec<Range<usize>> {
    std::iter::once(0..text.len()).collect()
}

/// Returns the position of a piece that was cut out of a text, in bytes.
pub fn range_of(text: &str, piece: &str) -> Range<usize> {
    let start = piece.as_ptr().addr() - text.as_ptr().addr();
    start..start + piece.len()
}

/// Replaces spans, which are in order and do not overlap; `None` if there are none.
pub fn replace(text: &str, spans: &[Range<usize>], placeholder: &str) -> Option<String> {
    steps::charge(text.len());
    let mut replaced = String::with_capacity(text.len());
    let mut copied_to = 0;
    for span in spans {
        replaced.push_str(&text[copied_to..span.start]);
        replaced.push_str(placeholder);
        copied_to = span.end;
    }
    replaced.push_str(&text[copied_to..]);
    (!spans.is_empty()).then_some(replaced)
}

/// Applies `replace_once` to its own results until it replaces nothing, so that a second application changes
/// nothing: the texts before and after a placeholder may together form what is replaced. Returns the
/// placeholder alone if that takes too many passes, and `None` if there is nothing to replace.
pub fn replace_repeatedly(
    text: &str,
    placeholder: &str,
    replace_once: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut replaced = replace_once(text)?;
    for _ in 1..MAX_PASSES {
        match replace_once(&replaced) {
            Some(more) => replaced = more,
            None => return Some(replaced),
        }
    }
    Some(placeholder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_where_they_were_cut_out() {
        let text = "é one one";
        let pieces: Vec<_> = text.split(' ').map(|piece| range_of(text, piece)).collect();
        assert_eq!(pieces, [0..2, 3..6, 7..10]);
    }
}
