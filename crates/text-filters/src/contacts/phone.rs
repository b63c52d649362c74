//! Phone numbers: international ones, national ones in the usual groups, and others after a word that
//! announces one. Coordinates, rows of pixels, hashes, identifiers, dates and plain numbers are none.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::steps;

/// The number of digits of an international number (E.164) and of a national one after a word.
const INTERNATIONAL_DIGITS: std::ops::RangeInclusive<usize> = 9..=15;
const ANNOUNCED_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
const TRUNK_DIGITS: std::ops::RangeInclusive<usize> = 9..=12;
/// The smallest number of digits of an international number without separators.
const MIN_UNBROKEN_DIGITS: usize = 10;
/// The maximum number of groups of digits.
const MAX_GROUPS: usize = 7;
/// The number of bytes before a number in which a word may announce it.
const MAX_ANNOUNCEMENT_BYTES: usize = 48;

/// Words that announce a phone number.
const ANNOUNCEMENT_PATTERN: &str = r"(?xi)
    (?: ^ | [^\p{L}] )
    (?: tel(?:ephone)? | phone | mobile | cell-?\s?phone | my\ cell | (?:call|text|ring|phone)\ (?:me|us)
      | whats-?app | sms | fax | my\ number | telefon | handy(?:nummer)? | mobil(?:nummer)? | ruf\ mich
      | t[ée]l[ée]phone | mon\ portable | appelle-?\s?moi | tel[ée]fono | m[óo]vil | celular | ll[áa]mame
      | cellulare | telefoon | телефон | тел | 电话 | 電話 | 手机 | 携帯 | 전화 )
    \.? (?: [\s:=\#.]*
          | \s+ (?:number|no|nr|nummer|num|numéro|número|numero|is|ist|at|on|unter|an|au|al|es|est) \b )*
    [\s:=\#]* $";

static ANNOUNCEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ANNOUNCEMENT_PATTERN).ok());

/// Groups of digits with the signs between them.
struct DigitRun {
    /// The position of the sign or bracket before the digits, or of the first digit.
    start: usize,
    has_plus: bool,
    has_bracket: bool,
    /// The groups, each with the text between the group before it and itself.
    groups: Vec<DigitGroup>,
}

struct DigitGroup {
    range: Range<usize>,
    separator: Range<usize>,
    count: usize,
}

/// Returns the positions of phone numbers.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    // Two steps to find the digits, two to read them; the words before them are read at most once per run.
    steps::charge(4 * text.len());
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(run) = next_run(text, at) {
        at = run.groups.last().map_or(text.len(), |group| group.range.end);
        steps::charge(MAX_ANNOUNCEMENT_BYTES);
        found.extend(run.phone_number(text));
    }
    found
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || ('０'..='９').contains(&c) || ('٠'..='٩').contains(&c)
}

/// Returns the next run of digits, with a plus sign or a bracket directly before it.
fn next_run(text: &str, from: usize) -> Option<DigitRun> {
    let first = from + text[from..].find(is_digit)?;
    let before = &text[from..first];
    // A bracket around more than an area code does not belong to the number.
    let digits_end = first + text[first..].find(|c| !is_digit(c)).unwrap_or(text.len() - first);
    let has_bracket = before.ends_with('(') && text[digits_end..].starts_with(')');
    let before = if has_bracket { before.strip_suffix('(').unwrap_or(before) } else { before };
    let has_plus = before.ends_with(['+', '＋']);
    let before = before.strip_suffix(['+', '＋']).unwrap_or(before);
    let start = from + before.len();
    let mut groups = vec![digit_group(text, first, first)];
    while let Some(group) = next_group(text, &groups) {
        groups.push(group);
    }
    Some(DigitRun { start, has_plus, has_bracket, groups })
}

fn digit_group(text: &str, separator_start: usize, start: usize) -> DigitGroup {
    let length = text[start..].find(|c| !is_digit(c)).unwrap_or(text.len() - start);
    let range = start..start + length;
    DigitGroup { separator: separator_start..start, count: text[range.clone()].chars().count(), range }
}

/// Returns the group after these, if it belongs to the same run.
fn next_group(text: &str, groups: &[DigitGroup]) -> Option<DigitGroup> {
    const SEPARATORS: [&str; 11] = [" ", "-", ".", "/", ") ", ")", " (", " - ", ")-", " / ", "(0)"];
    let end = groups.last()?.range.end;
    let length = text[end..].find(is_digit)?;
    let separator = text[end..end + length].replace(['\u{a0}', '\u{202f}'], " ");
    let is_trunk_zero = separator.trim() == "(" && text[end + length..].starts_with("0)");
    let is_known = SEPARATORS.contains(&separator.as_str()) || is_trunk_zero;
    (is_known && groups.len() < 2 * MAX_GROUPS).then(|| digit_group(text, end, end + length))
}

impl DigitRun {
    /// Returns the position of the phone number, if the run is one.
    fn phone_number(&self, text: &str) -> Option<Range<usize>> {
        if !self.starts_freely(text) {
            return None;
        }
        let count = self.international_groups(text).or_else(|| self.national_groups(text))?;
        let end = self.groups.get(count - 1)?.range.end;
        ends_freely(text, end).then_some(self.start..end)
    }

    /// Returns true if no word, number, colour or path goes on in the run.
    fn starts_freely(&self, text: &str) -> bool {
        let before = text[..self.start].chars().next_back();
        let is_joined = |c: char| {
            c.is_alphanumeric() || matches!(c, '_' | '#' | '-' | '.' | '/' | ',' | '@' | '%' | '&' | '?')
        };
        before.is_none_or(|c| !is_joined(c) && (c != '=' || self.has_plus))
    }

    /// Returns the number of groups that together have as many digits as allowed. `None` if all have too few.
    fn groups_within(&self, range: &std::ops::RangeInclusive<usize>) -> Option<usize> {
        let mut total = 0;
        let fitting = self.groups.iter().take(MAX_GROUPS).take_while(|group| {
            total += group.count;
            total <= *range.end()
        });
        let count = fitting.count();
        let digits: usize = self.groups[..count].iter().map(|group| group.count).sum();
        (digits >= *range.start()).then_some(count)
    }

    /// Returns the number of groups of an international number: a plus sign and 9 to 15 digits.
    fn international_groups(&self, text: &str) -> Option<usize> {
        let first = self.groups.first()?;
        let starts_with_zero = text[first.range.clone()].starts_with('0');
        if !self.has_plus || starts_with_zero {
            return None;
        }
        let is_unbroken = self.groups.len() == 1;
        self.groups_within(&INTERNATIONAL_DIGITS)
            .filter(|_| !is_unbroken || first.count >= MIN_UNBROKEN_DIGITS)
    }

    fn national_groups(&self, text: &str) -> Option<usize> {
        if self.has_plus {
            return None;
        }
        let all = self.groups.len();
        if self.is_north_american(text) || self.has_trunk_prefix(text) {
            return Some(all);
        }
        if self.is_announced(text) && !self.is_date(text) {
            return self.groups_within(&ANNOUNCED_DIGITS);
        }
        None
    }

    /// Returns true for `(415) 555-2671`, `415-555-2671` and `1-415-555-2671`.
    fn is_north_american(&self, text: &str) -> bool {
        let counts: Vec<usize> = self.groups.iter().map(|group| group.count).collect();
        let groups = match counts[..] {
            [3, 3, 4] => &self.groups[..],
            [1, 3, 3, 4] if text[self.groups[0].range.clone()] == *"1" => &self.groups[1..],
            _ => return false,
        };
        let can_start =
            |group: &DigitGroup| text[group.range.clone()].starts_with(|c| ('2'..='9').contains(&c));
        let separators: Vec<&str> = groups[1..].iter().map(|group| &text[group.separator.clone()]).collect();
        let is_written_so = match separators[..] {
            ["-", "-"] | [".", "."] => true,
            [first, "-" | " " | "."] => first.starts_with(')') && self.has_bracket,
            _ => false,
        };
        groups[..2].iter().all(can_start) && is_written_so
    }

    /// Returns true for `0170-1234567` and `030/1234567`: an area code with its zero, and a sign after it.
    fn has_trunk_prefix(&self, text: &str) -> bool {
        let [first, second, ..] = &self.groups[..] else { return false };
        let digits: usize = self.groups.iter().map(|group| group.count).sum();
        let mut start = text[first.range.clone()].chars();
        let is_area_code =
            start.next() == Some('0') && start.next().is_some_and(|c| ('1'..='9').contains(&c));
        let separator = &text[second.separator.clone()];
        let is_separated = matches!(separator, "-" | "/" | " - " | " / ") || separator.starts_with(')');
        is_area_code
            && (3..=6).contains(&first.count)
            && is_separated
            && self.groups.len() <= 5
            && TRUNK_DIGITS.contains(&digits)
            && !self.is_date(text)
    }

    /// Returns true if a word before the run announces a phone number.
    fn is_announced(&self, text: &str) -> bool {
        let from = text.ceil_char_boundary(self.start.saturating_sub(MAX_ANNOUNCEMENT_BYTES));
        ANNOUNCEMENT.as_ref().is_some_and(|announcement| announcement.is_match(&text[from..self.start]))
    }

    /// Returns true for dates, as in `2026-11-23` and `23.11.2026`.
    fn is_date(&self, text: &str) -> bool {
        let counts: Vec<usize> = self.groups.iter().take(3).map(|group| group.count).collect();
        let separators: Vec<&str> =
            self.groups.iter().take(3).skip(1).map(|group| &text[group.separator.clone()]).collect();
        let is_date = matches!(counts[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4]);
        is_date && matches!(separators[..], ["-", "-"] | [".", "."] | ["/", "/"])
    }
}

/// Returns true if no word or number goes on at `end`.
fn ends_freely(text: &str, end: usize) -> bool {
    let mut after = text[end..].chars();
    match after.next() {
        Some(c) if c.is_alphanumeric() || matches!(c, '_' | '%' | '@') => false,
        Some('-' | '.' | ',' | ':' | '/' | '+') => after.next().is_none_or(|c| !c.is_alphanumeric()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn numbers_of_every_form_are_found() {
        for (text, expected) in [
            ("call +49 170 1234567 now", "+49 170 1234567"),
            ("+442071838750", "+442071838750"),
            ("+1 (415) 555-2671.", "+1 (415) 555-2671"),
            ("+49 (0)30 123456", "+49 (0)30 123456"),
            ("at (415) 555-2671", "(415) 555-2671"),
            ("(415-555-2671)", "415-555-2671"),
            ("415-555-2671", "415-555-2671"),
            ("1-415-555-2671", "1-415-555-2671"),
            ("0170-1234567", "0170-1234567"),
            ("030/12345678", "030/12345678"),
            ("tel: 06 12 34 56 78", "06 12 34 56 78"),
            ("my number is 5551234", "5551234"),
            ("WhatsApp 0049 170 1234567", "0049 170 1234567"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_phone_numbers() {
        for text in [
            "x=455 y=69, (120, 45)-(130, 50)",
            "rows 00055500a55 0055 0000 5500",
            "+1000 pixels, +12345678 points",
            "2026-11-23 14:10:59 and 23.11.2026",
            "550e8400-e29b-41d4-a716-446655440000",
            "12345678-1234-1234-1234-123456789012",
            "version 1.10.10, 415.5, 3.14159265",
            "#123456 #1234567890",
            "call place_pixels 1234567 times",
            "pixels 415 555 2671",
            "phone booth at 120-45 130-50",
            "call me on 2026-11-23",
            "192.168.100.200:8080",
            "9f86d081884c 123456789012",
            "msg_0049170123456700",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
