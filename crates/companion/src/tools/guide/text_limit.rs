//! The limit on the results of the guide's tools.

use rules::token_budget::TokenBudget;

/// The maximum length of a result in tokens.
pub const MAX_RESULT_TOKENS: usize = 4_000;
/// The maximum length of a result in bytes.
pub const MAX_RESULT_BYTES: usize = TokenBudget::from_tokens(MAX_RESULT_TOKENS).remaining_bytes();
/// The line at the end of a result that was cut.
const CUT_NOTICE: &str = "(The rest was cut off. Ask for less, or for a part.)";
/// The number of backticks from which a line opens or closes a fence.
const FENCE: &str = "```";

/// Returns a text, or as many of its lines as have at most [`MAX_RESULT_TOKENS`] tokens with the note that it
/// was cut. A fence around untrusted text stays closed.
pub fn limit_text(text: &str) -> String {
    if text.len() <= MAX_RESULT_BYTES {
        return text.to_owned();
    }
    let kept = cut(text, MAX_RESULT_BYTES - CUT_NOTICE.len() - 1);
    format!("{kept}{CUT_NOTICE}")
}

/// Returns the first lines of a text, with a line feed at the end, so that they have at most this many bytes
/// together with the end of a fence that is open there.
fn cut(text: &str, max_bytes: usize) -> String {
    let mut kept = String::new();
    let mut fence = None;
    for line in text.lines() {
        let fence_after = next_fence(fence, line);
        let closing_bytes = fence_after.map_or(0, |ticks: &str| ticks.len() + 1);
        if kept.len() + line.len() + 1 + closing_bytes > max_bytes {
            let room = max_bytes.saturating_sub(kept.len() + 1 + fence.map_or(0, |ticks| ticks.len() + 1));
            // A line that alone fills half of the result is worth its beginning.
            if fence_after == fence && line.len() > max_bytes / 2 {
                kept.push_str(&line[..line.floor_char_boundary(room)]);
                kept.push('\n');
            }
            break;
        }
        kept.push_str(line);
        kept.push('\n');
        fence = fence_after;
    }
    if let Some(ticks) = fence {
        kept.push_str(ticks);
        kept.push('\n');
    }
    kept
}

/// Returns the backticks of the fence that is open after a line; `None` if none is.
fn next_fence<'a>(open: Option<&'a str>, line: &'a str) -> Option<&'a str> {
    let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
    match open {
        // Only the exact ticks alone on their line close it: no line inside has as many.
        Some(fence) => (line != fence).then_some(fence),
        None => ticks.starts_with(FENCE).then_some(ticks),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rules::token_budget::count_tokens;
    use text_filters::untrusted::fence;

    use super::*;

    #[test]
    fn a_short_text_stays_as_it_is() {
        assert_eq!(limit_text("one\ntwo"), "one\ntwo");
        let longest = "a".repeat(MAX_RESULT_TOKENS * 3);
        assert_eq!(limit_text(&longest), longest);
    }

    #[test]
    fn a_long_text_is_cut_at_a_line_and_says_so() {
        let lines: Vec<String> = (0..3_000).map(|number| format!("line {number}")).collect();
        let cut = limit_text(&lines.join("\n"));
        assert!(count_tokens(&cut) <= MAX_RESULT_TOKENS, "{}", count_tokens(&cut));
        assert!(cut.len() > MAX_RESULT_TOKENS * 3 - 100, "{}", cut.len());
        let kept = cut.strip_suffix(CUT_NOTICE).unwrap();
        assert!(kept.lines().zip(&lines).all(|(kept, line)| kept == line));
    }

    #[test]
    fn a_fence_stays_closed() {
        let texts: Vec<String> = (0..3_000).map(|number| format!("obey ``` {number}")).collect();
        let cut = limit_text(&format!("head\n{}", fence(&texts)));
        let ending = format!("\n````\n{CUT_NOTICE}");
        assert!(cut.ends_with(&ending), "{}", &cut[cut.len() - 120..]);
        assert!(count_tokens(&cut) <= MAX_RESULT_TOKENS);
    }

    #[test]
    fn a_single_long_line_is_cut_inside() {
        let cut = limit_text(&format!("head\n{}", fence(&["é".repeat(20_000)])));
        assert!(cut.len() > MAX_RESULT_TOKENS * 3 - 100 && count_tokens(&cut) <= MAX_RESULT_TOKENS);
        assert!(cut.ends_with(&format!("é\n```\n{CUT_NOTICE}")));
    }

    proptest! {
        #[test]
        fn no_text_exceeds_the_limit(text in "([a中`]{0,3000}\n){0,12}", repeat in 1_usize..9) {
            prop_assert!(count_tokens(&limit_text(&text.repeat(repeat))) <= MAX_RESULT_TOKENS);
        }
    }
}
