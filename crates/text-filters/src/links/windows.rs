//! Splits a text into windows for a search that does not take linear time.

use std::ops::Range;

/// Maximum length of a window in bytes. Hosts are shorter than half of it.
const MAX_WINDOW_BYTES: usize = 512;

/// Returns windows that together contain each word whole. A word longer than [`MAX_WINDOW_BYTES`] is
/// split into overlapping windows: each half window is in two of them, with the text before it and with the
/// text after it.
pub(super) fn windows(text: &str) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut start = 0;
    while text.len() - start > MAX_WINDOW_BYTES {
        let end = text.floor_char_boundary(start + MAX_WINDOW_BYTES);
        let space = text[start..end].rfind(char::is_whitespace).filter(|space| *space > 0);
        windows.push(start..space.map_or(end, |space| start + space));
        start = space
            .map_or_else(|| text.floor_char_boundary(start + MAX_WINDOW_BYTES / 2), |space| start + space);
    }
    windows.push(start..text.len());
    windows
}

/// Returns true if a window cuts a word at the start or end of this range, and another window contains the
/// range whole.
pub(super) fn is_cut(text: &str, window: &Range<usize>, part: &Range<usize>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    let cuts_start = part.start == window.start && is_word(text[..part.start].chars().next_back());
    let cuts_end = part.end == window.end && is_word(text[part.end..].chars().next());
    (cuts_start || cuts_end) && part.len() <= MAX_WINDOW_BYTES / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_window() {
        for text in ["", "example.com", &"a b ".repeat(128)] {
            assert_eq!(windows(text), vec![0..text.len(); 1]);
        }
    }

    #[test]
    fn words_stay_whole() {
        let text = "example.com ".repeat(200);
        let windows = windows(&text);
        let words = windows.iter().map(|window| text[window.clone()].matches("example.com").count());
        assert_eq!(words.sum::<usize>(), 200);
        assert!(windows.iter().all(|window| window.len() <= MAX_WINDOW_BYTES));
    }

    #[test]
    fn a_host_in_a_long_word_is_whole_in_some_window() {
        for before in 0..2 * MAX_WINDOW_BYTES {
            let text = format!("{}é.example.com{}", "é".repeat(before), "/".repeat(MAX_WINDOW_BYTES));
            assert!(
                windows(&text).iter().any(|window| text[window.clone()].contains("example.com")),
                "{before}"
            );
        }
    }
}
