//! The search lines of the console's lists.

use caraplace_http::request::query::QueryParams;

/// The name of the parameter that continues a list.
const BEFORE: &str = "before";

/// A word of a select field.
pub(super) struct SearchOption {
    pub word: &'static str,
    pub is_chosen: bool,
}

/// Returns these words as those of a select field.
pub(super) fn options(words: &[&'static str], chosen: Option<&str>) -> Vec<SearchOption> {
    words.iter().map(|&word| SearchOption { word, is_chosen: chosen == Some(word) }).collect()
}

/// Returns the address of the next page of a list with the same conditions.
pub(super) fn next_page(path: &str, params: &QueryParams, before: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(params.pairs().filter(|(name, _)| *name != BEFORE)).append_pair(BEFORE, before);
    format!("{path}?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn next_page_has_the_same_conditions() {
        let params = QueryParams::from_form(b"name=a%26b&before=7&state=").unwrap().without_empty();
        assert_eq!(next_page("/admin/agents", &params, "12,7"), "/admin/agents?name=a%26b&before=12%2C7");
    }
}
