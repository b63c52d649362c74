//! The operators' lists of accounts, messages, webhooks and OAuth clients, each with the conditions by which
//! it is searched. Those of crews and plans are in `crew_review.rs` and `plan_review.rs`.

pub mod accounts;
pub mod clients;
pub mod messages;
mod store;
pub mod webhooks;

/// Returns the pattern of `ilike` for texts that contain a text, in which no character has a special meaning.
pub(crate) fn contains_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 2);
    pattern.push('%');
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_has_no_wildcards_from_the_text() {
        for (text, pattern) in
            [("ada", "%ada%"), ("", "%%"), ("100%", r"%100\%%"), ("a_b", r"%a\_b%"), (r"\", r"%\\%")]
        {
            assert_eq!(contains_pattern(text), pattern);
        }
    }
}
