//! Distinguishes random values from words, numbers, digests and placeholders.

use super::letter_pairs::has_rare_pairs;

/// Placeholders for keys.
const PLACEHOLDERS: [&str; 17] = [
    "your",
    "xxxx",
    "****",
    "....",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace",
    "insert",
    "redacted",
    "dummy",
    "example_",
    "_example",
    "goes-here",
    "goes_here",
    "redacted]",
];
/// Minimum length of a key of letters only. Shorter ones may be names.
const MIN_RANDOM_LETTERS: usize = 16;
/// Minimum length of a word. Shorter ones occur by chance.
const MIN_WORD_CHARS: usize = 4;
/// Minimum length of a word whose pairs of letters are looked at. One rare pair is too much for a shorter
/// one.
const MIN_PAIRED_CHARS: usize = 7;
/// Divisor for the permitted share of letters that are rare in words.
const RARE_LETTER_DIVISOR: usize = 8;

/// Returns the Shannon entropy in bits per byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let shares = counts.iter().filter(|&&count| count > 0).map(|&count| f64::from(count) / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

/// Returns true for placeholders: `YOUR_API_KEY`, `sk-xxxx`, `${TOKEN}`, `<token>`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| lower.contains(word))
        || lower.starts_with(['$', '<', '{'])
        || lower.starts_with(['%', '*']) && !is_random(value)
}

/// Returns true if more than half of the value consists of words: `a-long-but-ordinary-name`,
/// `renderCanvasToPng2`. Letters that are rare in words are a quarter of random ones.
pub(super) fn is_wordy(value: &str) -> bool {
    let in_words: usize = segments(value).filter(|segment| is_word(segment)).map(str::len).sum();
    let letters = value.bytes().filter(u8::is_ascii_alphanumeric).count();
    let rare_letters = value.bytes().filter(|byte| b"jkqvwxzJKQVWXZ".contains(byte)).count();
    2 * in_words > letters && RARE_LETTER_DIVISOR * rare_letters < letters
}

/// Returns true for hex, decimal digits, or a UUID, which are usually public.
pub(super) fn is_digest(value: &str) -> bool {
    let digits = value.strip_prefix("0x").or(value.strip_prefix('#')).unwrap_or(value);
    digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Returns true for values of many different characters that are mixed or long, and not made of words.
pub(super) fn is_random(value: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    let kinds = [has(u8::is_ascii_digit), has(u8::is_ascii_uppercase), has(u8::is_ascii_lowercase)];
    let is_mixed = kinds.into_iter().filter(|&kind| kind).count() > 1;
    (is_mixed && !is_wordy(value) || is_random_letters(value)) && entropy(value) >= 3.0
}

fn is_random_letters(value: &str) -> bool {
    value.len() >= MIN_RANDOM_LETTERS
        && value.bytes().all(|byte| byte.is_ascii_alphabetic())
        && has_rare_pairs(value)
}

/// Splits a value into runs of letters: at digits, signs and inner capitals.
pub(super) fn segments(value: &str) -> impl Iterator<Item = &str> {
    let runs = value.split(|c: char| !c.is_ascii_alphabetic());
    runs.flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let end = camel_case_boundary(rest).unwrap_or(rest.len());
            let (segment, after) = rest.split_at(end);
            rest = after;
            (!segment.is_empty()).then_some(segment)
        })
    })
}

/// Returns the position of a capital after a small letter.
fn camel_case_boundary(run: &str) -> Option<usize> {
    let bytes = run.as_bytes();
    (1..bytes.len()).find(|&at| bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_uppercase())
}

/// Returns true for a run that is long enough, in one case but for a first capital, and has vowels.
fn is_word(segment: &str) -> bool {
    let lowercase = segment.to_ascii_lowercase();
    let is_one_case = segment[1..] == lowercase[1..] || segment.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let consonants = lowercase.split(is_vowel).map(str::len).max().unwrap_or_default();
    let vowels = lowercase.split(|c| !is_vowel(c)).map(str::len).max().unwrap_or_default();
    segment.len() >= MIN_WORD_CHARS
        && is_one_case
        && consonants <= 3
        && (1..=3).contains(&vowels)
        && (segment.len() < MIN_PAIRED_CHARS || !has_rare_pairs(segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_keys_are_random() {
        for value in [
            "q8Zr4TnW1xYv7LbK9mCd",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY",
            "x7k2p9qw4zt8",
            "hXbTqLmZRwPdVnCs",
        ] {
            assert!(is_random(value), "{value}");
        }
    }

    #[test]
    fn words_and_numbers_are_not_random() {
        for value in [
            "this_is_a_long_variable_name",
            "renderCanvasToPng2",
            "pixel-art-season-12",
            "1234567890123456",
            "aaaaaaaaaaaaaaa1",
            "CARAPLACE_MESSAGE_SECONDS",
        ] {
            assert!(!is_random(value), "{value}");
        }
    }

    #[test]
    fn placeholders_are_recognized() {
        for value in
            ["YOUR_API_KEY", "sk-xxxxxxxx", "${TOKEN}", "<token>", "my_example_key", "AKIAXXXXXXXXXXXXXXXX"]
        {
            assert!(is_placeholder(value), "{value}");
        }
        assert!(!is_placeholder("AKIAIOSFODNN7EXAMPLE"));
    }

    #[test]
    fn digests_are_recognized() {
        for value in ["9f86d081884c", "550e8400-e29b-41d4-a716-446655440000", "0xdeadbeef", "#a55b00", "4711"]
        {
            assert!(is_digest(value), "{value}");
        }
        assert!(!is_digest("9f86d081884g"));
    }
}
