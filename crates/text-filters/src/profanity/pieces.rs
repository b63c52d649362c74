//! Pieces of a text: their positions and their case.

use std::ops::Range;

/// Returns the position of a piece that was cut out of a text, in bytes.
pub(super) fn range_of(text: &str, piece: &str) -> Range<usize> {
    let start = piece.as_ptr().addr() - text.as_ptr().addr();
    start..start + piece.len()
}

/// Returns true for a capital followed by small letters.
pub(super) fn is_title_case(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase)
        && letters.all(char::is_lowercase)
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

    #[test]
    fn names_begin_with_one_capital() {
        assert_eq!(
            ["Ada", "É", "Ab", "ADA", "ada", ""].map(is_title_case),
            [true, false, true, false, false, false]
        );
    }
}
