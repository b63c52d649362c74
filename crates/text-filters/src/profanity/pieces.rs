//! The case of words.

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
    fn names_begin_with_one_capital() {
        assert_eq!(
            ["Ada", "É", "Ab", "ADA", "ada", ""].map(is_title_case),
            [true, false, true, false, false, false]
        );
    }
}
