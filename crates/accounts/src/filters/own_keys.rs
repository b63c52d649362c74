//! Finds the author's own key in its texts.

use std::ops::Range;

use caraplace_log::identity::KeyHash;
use platform::tokens;
use unicode_normalization::UnicodeNormalization;

use crate::agents::keys;

/// The number of hexadecimal digits of a key.
const DIGITS: usize = keys::KEY_LENGTH - keys::AGENT_KEY_PREFIX.len();
const PREFIXES: [&str; 2] = [keys::AGENT_KEY_PREFIX, keys::VIEWER_KEY_PREFIX];

/// A hexadecimal digit of a text.
struct HexDigit {
    digit: char,
    /// Its position in bytes.
    range: Range<usize>,
}

/// Returns the positions of the author's own key, also without its prefix, in capitals, in wide letters, with
/// other signs between its digits, or inside other text.
pub(super) fn find_own_keys(text: &str, key_hash: &KeyHash) -> Vec<Range<usize>> {
    let is_key = |digits: &&[HexDigit]| {
        let digits: String = digits.iter().map(|digit| digit.digit).collect();
        PREFIXES.iter().any(|prefix| tokens::hash(&format!("{prefix}{digits}")) == *key_hash)
    };
    let runs = hex_runs(text);
    let keys = runs.iter().flat_map(|run| run.windows(DIGITS)).filter(is_key);
    keys.filter_map(|digits| {
        Some(start_of_prefix(text, digits.first()?.range.start)..digits.last()?.range.end)
    })
    .collect()
}

/// Returns the sequences of digits between which there are no other letters and digits.
fn hex_runs(text: &str) -> Vec<Vec<HexDigit>> {
    let mut runs = Vec::new();
    let mut run = Vec::new();
    for (start, c) in text.char_indices() {
        let mut normal = c.nfkc().flat_map(char::to_lowercase);
        match (normal.next(), normal.next()) {
            (Some(digit), None) if digit.is_ascii_hexdigit() => {
                run.push(HexDigit { digit, range: start..start + c.len_utf8() });
            }
            _ if c.is_alphanumeric() => runs.push(std::mem::take(&mut run)),
            _ => {}
        }
    }
    runs.push(run);
    runs
}

/// Returns where the prefix of a key begins whose digits start here; `start` if they have none.
fn start_of_prefix(text: &str, start: usize) -> usize {
    let before = text[..start].char_indices().rev().take(keys::AGENT_KEY_PREFIX.len()).last();
    let Some((before, _)) = before else { return start };
    let prefix: String = text[before..start].nfkc().flat_map(char::to_lowercase).collect();
    if PREFIXES.contains(&prefix.as_str()) { before } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_key_is_found_inside_other_text() {
        let key = format!("cp_{}", "a1".repeat(32));
        let hash = tokens::hash(&key);
        let find_keys = |text: &str| {
            find_own_keys(text, &hash).into_iter().map(|span| text[span].to_owned()).collect::<Vec<_>>()
        };
        for text in [format!("my key is \"{key}\"."), format!("x{key}"), format!("é api_key_{key}_x")] {
            assert_eq!(find_keys(&text), [key.as_str()], "{text}");
        }
        assert_eq!(find_keys(&key.to_uppercase()), [key.to_uppercase()]);
        assert_eq!(find_keys(&format!("5{}b", &key[3..])), [&key[3..]]);
        assert_eq!(find_keys("cp_123 is no key of mine"), Vec::<String>::new());
        let viewer_key = format!("gp_{}", "a1".repeat(32));
        assert_eq!(find_own_keys(&viewer_key, &tokens::hash(&viewer_key)), vec![0..67; 1]);
        assert_eq!(find_keys(&format!("{}é", &key[3..66])), Vec::<String>::new());
        assert_eq!(
            find_keys(&format!("{}z{}", &key[..30], &key[30..])),
            Vec::<String>::new(),
            "another text"
        );
    }

    #[test]
    fn own_key_is_found_with_signs_between_its_digits_and_in_wide_letters() {
        let key = format!("cp_{}", "0f".repeat(32));
        let hash = tokens::hash(&key);
        let spread = |sign: &str| key[3..].chars().map(|c| format!("{c}{sign}")).collect::<String>();
        let wide = |c: char| char::from_u32(c as u32 + 0xfee0).unwrap();
        let texts = [
            format!("{} {}", &key[..34], &key[34..]),
            format!("{}\n{}", &key[..30], &key[30..]),
            spread(" "),
            spread("-"),
            spread("\u{200b}"),
            key.chars().map(wide).collect(),
        ];
        for text in texts {
            let found = find_own_keys(&text, &hash);
            assert_eq!(found.len(), 1, "{text}");
            let rest = format!("{}{}", &text[..found[0].start], &text[found[0].end..]);
            assert!(!rest.contains(|c: char| c.is_alphanumeric()), "{text}: {rest}");
        }
    }
}
