//! The forms of the ids that the server generates. They are public, so no filter may take them for secrets.

use std::borrow::Cow;
use std::ops::Range;

use crate::steps;

/// The form of one kind of id: a prefix, an underscore and hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdForm {
    /// The text before the underscore.
    pub prefix: &'static str,
    pub hex_digits: usize,
}

/// Every kind of id that the server generates.
pub const ID_FORMS: [IdForm; 23] = [
    with_random_digits("agent"),
    with_random_digits("msg"),
    with_random_digits("season"),
    with_random_digits("viewer"),
    with_random_digits("plan"),
    with_random_digits("crew"),
    with_random_digits("hook"),
    with_random_digits("delivery"),
    with_random_digits("client"),
    with_random_digits("report"),
    with_random_digits("rollback"),
    with_random_digits("draft"),
    with_random_digits("appeal"),
    with_random_digits("decision"),
    with_random_digits("dm"),
    with_random_digits("key"),
    with_random_digits("guidemsg"),
    with_random_digits("operator"),
    with_random_digits("invitation"),
    with_random_digits("block"),
    with_random_digits("invitecode"),
    // A hash, whose digits look random, too.
    with_random_digits("thread"),
    IdForm { prefix: "req", hex_digits: 20 },
];
/// The greatest number of hex digits of a form.
const MAX_HEX_DIGITS: usize = 32;
/// The digit that replaces each digit of an id, so that nothing about the id looks random.
const BLANK_DIGIT: &str = "a";
/// Minimum number of letters and digits of a secret next to an id.
const MIN_REMAINING_CHARS: usize = 6;

const fn with_random_digits(prefix: &'static str) -> IdForm {
    IdForm { prefix, hex_digits: MAX_HEX_DIGITS }
}

impl IdForm {
    /// Returns the position of the id of this form around an underscore; `None` if there is none, or if it is
    /// a part of a longer word.
    fn find_around(self, text: &str, underscore: usize) -> Option<Range<usize>> {
        let before = text[..underscore].strip_suffix(self.prefix)?;
        let after = &text[underscore + 1..];
        let is_hex_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let digits = after.bytes().take(self.hex_digits).filter(is_hex_digit).count();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let ends_here = digits == self.hex_digits && !after[digits..].starts_with(is_word);
        let starts_here = !before.ends_with(is_word) || ends_with_escape(before);
        (ends_here && starts_here).then_some(before.len()..underscore + 1 + digits)
    }
}

/// Returns true if a text is an id in the form in which the server generates it.
pub fn is_id(text: &str) -> bool {
    find(text).first().is_some_and(|id| *id == (0..text.len()))
}

/// Returns true if a text ends with a percent-encoded byte.
fn ends_with_escape(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 3
        && bytes[bytes.len() - 3] == b'%'
        && bytes[bytes.len() - 2..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns the positions of the server's ids, in order.
pub(crate) fn find(text: &str) -> Vec<Range<usize>> {
    steps::charge(text.len());
    let around = |underscore| ID_FORMS.iter().find_map(|form| form.find_around(text, underscore));
    text.match_indices('_').filter_map(|(underscore, _)| around(underscore)).collect()
}

/// Returns the text with ids of the same length that are not random.
pub(crate) fn blank<'t>(text: &'t str, ids: &[Range<usize>]) -> Cow<'t, str> {
    if ids.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    for id in ids {
        let underscore = text[id.clone()].find('_').unwrap_or_default();
        blanked.push_str(&text[blanked.len()..=id.start + underscore]);
        blanked.push_str(&BLANK_DIGIT.repeat(id.end - blanked.len()));
    }
    blanked.push_str(&text[blanked.len()..]);
    Cow::Owned(blanked)
}

/// Returns the parts of `spans` that are outside of ids and long enough for a secret.
pub(crate) fn subtract(text: &str, spans: Vec<Range<usize>>, ids: &[Range<usize>]) -> Vec<Range<usize>> {
    if ids.is_empty() {
        return spans;
    }
    spans.into_iter().flat_map(|span| split_at_ids(text, span, ids)).collect()
}

fn split_at_ids(text: &str, span: Range<usize>, ids: &[Range<usize>]) -> Vec<Range<usize>> {
    let from = ids.partition_point(|id| id.end <= span.start);
    let to = ids.partition_point(|id| id.start < span.end);
    let inner = ids.get(from..to).unwrap_or_default();
    if inner.is_empty() {
        return vec![span];
    }
    steps::charge(span.len());
    let starts = std::iter::once(span.start).chain(inner.iter().map(|id| id.end));
    let ends = inner.iter().map(|id| id.start).chain([span.end]);
    let parts = starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end);
    let is_long = |part: &Range<usize>| {
        text.get(part.clone()).is_none_or(|part| {
            part.chars().filter(|c| c.is_alphanumeric()).take(MIN_REMAINING_CHARS).count()
                >= MIN_REMAINING_CHARS
        })
    };
    parts.filter(is_long).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn ids_are_found_in_exactly_their_form() {
        for form in ID_FORMS {
            let id = format!("{}_{}", form.prefix, &DIGITS[..form.hex_digits]);
            for context in ["{}", "id={}&x", "\"{}\",", "/plans/{}/edit", "見{}を", "%2F{}", "{}-{}", "{}."]
            {
                let text = context.replace("{}", &id);
                assert_eq!(found(&text), vec![id.as_str(); context.matches("{}").count()], "{text}");
            }
            assert!(is_id(&id) && !is_id(&format!("{id} ")), "{id}");
            for context in ["x{}", "my_{}", "{}0", "{}f", "{}_x", "{}Z"] {
                assert_eq!(found(&context.replace("{}", &id)), Vec::<&str>::new(), "{context} {id}");
            }
            for wrong in [id.to_uppercase(), id.replace('_', "-"), id[..id.len() - 1].to_owned()] {
                assert_eq!(found(&wrong), Vec::<&str>::new(), "{wrong}");
            }
        }
    }

    #[test]
    fn spans_lose_the_ids_within_them() {
        let text = format!("a=plan_{DIGITS} and plan_{DIGITS}:hunter2");
        let ids = find(&text);
        assert_eq!(ids, [2..39, 44..81]);
        assert_eq!(blank(&text, &ids), text.replace(DIGITS, &"a".repeat(32)));
        for (span, expected) in [
            (0..2, vec![0..2; 1]),
            (2..39, vec![]),
            (10..20, vec![]),
            (0..39, vec![]),
            (0..89, vec![81..89; 1]),
            (50..89, vec![81..89; 1]),
        ] {
            assert_eq!(subtract(&text, vec![span.clone()], &ids), expected, "{span:?}");
        }
    }
}
