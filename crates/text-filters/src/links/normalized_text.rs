//! Normalizes a text to find links that are disguised, and maps every byte to its source.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

use super::hosts::SpacedHost;
use super::top_level_domains;
use crate::bounded_search::{TooManyMatches, captures};
use crate::steps;

/// Spellings of a dot that no prose uses: `[.]`, `(dot)`, `{ . }`, and the same for `@`.
const BRACKETED_SEPARATOR_PATTERN: &str = concat!(
    r"(?i)(?P<open>\s?)[\[({<]\s?(?:(?P<dot>\.|dot|d0t|punkt|punto|point)|(?P<at>@|at))",
    r"\s?[\])}>](?P<close>\s?)"
);
/// Dots as words or between spaces, before a possible top-level domain.
const SPACED_HOST_PATTERN: &str = r"(?ix)
    \b (?P<labels> (?: [a-z0-9][a-z0-9-]* SEPARATOR ){1,3} ) (?P<tld> [a-z]{2,12} ) (?P<path> [/:\#?] | \b )";
const DOT_SEPARATOR_PATTERN: &str =
    r"(?: \s*[-_*~|/\\]\s*dot\s*[-_*~|/\\]\s* | \s+dot\s+ | (?-i:DOT) | \s+\.\s+ | \s+\. | \.\s+ )";
/// A host of single letters: `e x a m p l e . c o m`.
const SPELLED_HOST_PATTERN: &str = concat!(
    r"(?i)\b(?:[a-z0-9-] ){1,40}(?:(?:\.|dot) (?:[a-z0-9-] ){1,20}){0,3}",
    r"(?:\.|dot) (?:[a-z0-9-] ){1,11}[a-z]\b"
);
/// Schemes spelled so that software does not make links of them.
const DISGUISED_SCHEME_PATTERN: &str = concat!(
    r"(?i)h(?:xx|\*\*|__|--|tt|ttx|xt|tx)p(?P<s>s?)\s?(?:\[:\]|\(:\)|:|\[colon\])\s?",
    r"(?:[/\\]{2}|\[//\]|\[/\]\[/\])\s?"
);
/// Dots as programming languages, addresses and HTML escape them.
const ESCAPED_DOT_PATTERN: &str =
    r"(?i)(?P<slashes>\\{1,3}\.)|(?P<code>%(?:25)?2e|&#0*46;?|&#x0*2e;?|&period;?|\\u\{?0*2e\}?|\\x2e)";
/// Well-known short hosts with a space instead of the dot, before a path.
const SPACED_SHORTENER_PATTERN: &str = r"(?ix) (?: ^ | [\s(\[\x22>:] )
    (?: (?: bit | cutt | ow | buff | adf | rebrand ) (?P<ly> [\x20,_-]+ ) ly
      | (?: t | wa | fb ) (?P<me> [\x20,_-]+ ) me | youtu (?P<be> [\x20,_-]+ ) be
      | goo (?P<gl> [\x20,_-]+ ) gl
      | (?: tinyurl | discord | youtube | tiktok ) (?P<com> [\x20,_-]+ ) com | discord (?P<gg> [\x20,_-]+ ) gg
      | (?: is | v ) (?P<gd> [\x20,_-]+ ) gd | rb (?P<gy> [\x20,_-]+ ) gy | amzn (?P<to> [\x20,_-]+ ) to
      | tiny (?P<cc> [\x20,_-]+ ) cc | lnkd (?P<in> [\x20,_-]+ ) in | linktr (?P<ee> [\x20,_-]+ ) ee )
    / [a-z0-9@+_-]";
/// The groups of the space in [`SPACED_SHORTENER_PATTERN`].
const SHORTENER_ENDINGS: [&str; 12] =
    ["ly", "me", "be", "gl", "com", "gg", "gd", "gy", "to", "cc", "in", "ee"];

static DISGUISE_REGEXES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let spaced = SPACED_HOST_PATTERN.replace("SEPARATOR", DOT_SEPARATOR_PATTERN);
    [
        ESCAPED_DOT_PATTERN,
        SPACED_SHORTENER_PATTERN,
        DISGUISED_SCHEME_PATTERN,
        BRACKETED_SEPARATOR_PATTERN,
        SPELLED_HOST_PATTERN,
        &spaced,
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});
static DOT_SEPARATOR_REGEX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?ix){DOT_SEPARATOR_PATTERN}")).ok());

/// A text without disguises.
pub(super) struct NormalizedText {
    text: String,
    /// The source bytes that each byte of `text` stands for.
    sources: Vec<Range<usize>>,
    /// True for each byte of `text` that is a dot in a spelling that only links use.
    disguised_dots: Vec<bool>,
}

impl NormalizedText {
    pub(super) fn new(source: &str) -> Result<Self, TooManyMatches> {
        DISGUISE_REGEXES.iter().try_fold(Self::normalize(source), NormalizedText::without_disguise)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the source range of a range of the normalized text.
    pub(super) fn source_range(&self, range: Range<usize>) -> Range<usize> {
        let origins = self.sources.get(range).unwrap_or_default();
        let start = origins.first().map_or(0, |origin| origin.start);
        start..origins.last().map_or(start, |origin| origin.end)
    }

    /// Returns true if a range contains a disguise that only links have.
    pub(super) fn is_disguised(&self, range: &Range<usize>) -> bool {
        self.disguised_dots.get(range.clone()).is_some_and(|tells| tells.contains(&true))
    }

    fn empty(length: usize) -> Self {
        let text = String::with_capacity(length);
        let sources = Vec::with_capacity(length);
        let disguised_dots = Vec::with_capacity(length);
        Self { text, sources, disguised_dots }
    }

    /// Replaces compatibility forms as browsers do: `ｅｘａｍｐｌｅ．ｃｏｍ` is a host.
    fn normalize(source: &str) -> Self {
        let mut normalized = Self::empty(source.len());
        for (at, c) in source.char_indices() {
            steps::charge(1);
            let source_bytes = at..at + c.len_utf8();
            match c {
                '。' | '｡' | '．' | '․' | '‧' | '·' | '∙' | '・'
                    if separates_labels(source, &source_bytes) =>
                {
                    normalized.push(".", source_bytes, c == '．' || c == '。');
                }
                _ if c.is_ascii() || c == '…' => {
                    normalized.push(c.encode_utf8(&mut [0; 4]), source_bytes, false);
                }
                _ => normalized.push(&c.nfkc().collect::<String>(), source_bytes, false),
            }
        }
        normalized
    }

    fn push(&mut self, text: &str, source_bytes: Range<usize>, is_disguised: bool) {
        steps::charge(text.len());
        self.disguised_dots.extend(std::iter::repeat_n(is_disguised, text.len()));
        self.sources.extend(std::iter::repeat_n(source_bytes, text.len()));
        self.text.push_str(text);
    }

    fn without_disguise(self, disguise: &Regex) -> Result<Self, TooManyMatches> {
        steps::charge(self.text.len());
        if !disguise.is_match(&self.text) {
            return Ok(self);
        }
        let mut normalized = Self::empty(self.text.len());
        let mut copied_to = 0;
        for found in captures(disguise, &self.text)? {
            let Some(whole) = found.get(0).map(|whole| whole.range()) else { continue };
            normalized.copy(&self, copied_to..whole.start);
            for segment in undisguise(&self.text, &found) {
                match segment {
                    Segment::Copied(range) => normalized.copy(&self, range),
                    Segment::Replaced(text, is_disguised) => {
                        normalized.push(text, self.source_range(whole.clone()), is_disguised);
                    }
                }
            }
            copied_to = whole.end;
        }
        normalized.copy(&self, copied_to..self.text.len());
        Ok(normalized)
    }

    fn copy(&mut self, from: &Self, range: Range<usize>) {
        self.sources.extend_from_slice(&from.sources[range.clone()]);
        self.disguised_dots.extend_from_slice(&from.disguised_dots[range.clone()]);
        self.text.push_str(&from.text[range]);
    }
}

/// A part of a normalized text.
enum Segment {
    Copied(Range<usize>),
    /// Replacement text, and true if its disguise is used by links only.
    Replaced(&'static str, bool),
}

fn undisguise(text: &str, found: &Captures) -> Vec<Segment> {
    let named = |name| found.name(name).map(|group| group.range());
    let is_tight = |name| named(name).is_some_and(|space| space.is_empty());
    if let Some(escaped) = named("slashes").or(named("code")) {
        return undisguise_escaped_dot(text, escaped, named("code").is_some());
    }
    if let Some(space) = SHORTENER_ENDINGS.iter().find_map(|ending| named(ending)) {
        return undisguise_shortener(found, &space);
    }
    if named("labels").is_some() {
        return undisguise_spaced_host(text, found);
    }
    if named("s").is_some() {
        return vec![Segment::Replaced("http://", true)];
    }
    if named("at").is_some() {
        return vec![Segment::Replaced("@", false)];
    }
    if named("dot").is_some() {
        return vec![Segment::Replaced(".", is_tight("open") || is_tight("close"))];
    }
    undisguise_spelled_host(found)
}

/// Returns an escaped dot within a word as a dot. Only links have character codes there.
fn undisguise_escaped_dot(text: &str, escaped: Range<usize>, is_code: bool) -> Vec<Segment> {
    let is_within_word = text[..escaped.start].ends_with(char::is_alphanumeric)
        && text[escaped.end..].starts_with(char::is_alphabetic);
    vec![if is_within_word { Segment::Replaced(".", is_code) } else { Segment::Copied(escaped) }]
}

/// Returns `bit ly/x` with a dot instead of the space.
fn undisguise_shortener(found: &Captures, space: &Range<usize>) -> Vec<Segment> {
    let whole = found.get(0).map_or(space.clone(), |whole| whole.range());
    vec![
        Segment::Copied(whole.start..space.start),
        Segment::Replaced(".", true),
        Segment::Copied(space.end..whole.end),
    ]
}

/// Returns `example dot com` as a host if it is meant as one, otherwise unchanged.
fn undisguise_spaced_host(text: &str, found: &Captures) -> Vec<Segment> {
    let (Some(whole), Some(labels), Some(ending)) = (found.get(0), found.name("labels"), found.name("tld"))
    else {
        return Vec::new();
    };
    let separators =
        DOT_SEPARATOR_REGEX.as_ref().into_iter().flat_map(|separators| separators.find_iter(labels.as_str()));
    let separators: Vec<Range<usize>> = separators.map(|separator| separator.range()).collect();
    let has_path = found.name("path").is_some_and(|path| path.as_str() == "/");
    let first_label = &labels.as_str()[..separators.first().map_or(0, |separator| separator.start)];
    let has_one_sided_space = separators.iter().any(|separator| {
        let separator = &labels.as_str()[separator.clone()];
        separator.contains('.') && separator.trim().len() + 2 > separator.len()
    });
    let host = SpacedHost {
        first_label,
        tld: ending.as_str(),
        has_more_dots: separators.len() > 1,
        has_path,
        has_one_sided_space,
        has_uppercase_dot: labels.as_str().contains("DOT")
            && first_label.bytes().any(|byte| byte.is_ascii_lowercase()),
        before: &text[..whole.start()],
        after: &text[ending.end()..],
    };
    if !host.is_meant_as_host() {
        return vec![Segment::Copied(whole.range())];
    }
    let mut parts = Vec::new();
    let mut kept_to = whole.start();
    for separator in separators {
        parts.push(Segment::Copied(kept_to..labels.start() + separator.start));
        parts.push(Segment::Replaced(".", true));
        kept_to = labels.start() + separator.end;
    }
    parts.push(Segment::Copied(kept_to..whole.end()));
    parts
}

/// Returns `e x a m p l e . c o m` without the spaces if that is a host.
fn undisguise_spelled_host(found: &Captures) -> Vec<Segment> {
    let Some(whole) = found.get(0) else { return Vec::new() };
    let tokens: Vec<&str> = whole.as_str().split(' ').collect();
    let tld_start = tokens.iter().rposition(|token| token.len() != 1 || *token == ".").map_or(0, |at| at + 1);
    if !top_level_domains::is_top_level_domain(&tokens[tld_start..].concat()) {
        return vec![Segment::Copied(whole.range())];
    }
    let mut at = whole.start();
    let parts = tokens.iter().map(|token| {
        let start = at;
        at += token.len() + 1;
        match *token {
            "." | "dot" | "DOT" | "Dot" => Segment::Replaced(".", true),
            _ => Segment::Copied(start..start + token.len()),
        }
    });
    parts.collect()
}

/// Returns true if the ideographic full stop is between Latin letters. Elsewhere it ends a sentence.
fn separates_labels(source: &str, full_stop: &Range<usize>) -> bool {
    let is_latin =
        |c: Option<char>| c.and_then(|c| c.nfkc().next()).is_some_and(|c| c.is_ascii_alphanumeric());
    is_latin(source[..full_stop.start].chars().next_back())
        && is_latin(source[full_stop.end..].chars().next())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn disguises_are_removed() {
        for (source, expected) in [
            ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"),
            ("example。com", "example.com"),
            ("完成了。com", "完成了。com"),
            ("e x a m p l e . c o m now", "example.com now"),
            ("sub . example . co . uk/x", "sub.example.co.uk/x"),
            ("exampleDOTcom", "example.com"),
            ("example-dot-com", "example.com"),
            ("t dot me/room", "t.me/room"),
            ("example [.] com", "example.com"),
            ("example(dot)com", "example.com"),
            ("me [at] example{.}com", "me@example.com"),
            ("example dot com", "example.com"),
            ("example . io", "example.io"),
            ("example .com", "example.com"),
            ("example dot co dot uk", "example.co.uk"),
            ("hxxps[:]//x", "http://x"),
            ("https:// x", "http://x"),
        ] {
            assert_eq!(NormalizedText::new(source).unwrap().text(), expected, "{source}");
        }
    }

    #[test]
    fn prose_is_left_alone() {
        for text in [
            "a red dot in the corner",
            "a dot at 5",
            "done . now",
            "I like .net",
            "use .org files",
            "well…now",
            "the dot is blue",
            "a polka-dot-pattern",
            "a . b . c",
            "put a dot top left",
            "put a red dot top left",
            "blue dot live now",
            "white dot fun",
            "red dot page 2",
            "polka-dot-top",
            "nice . so it is",
        ] {
            assert_eq!(NormalizedText::new(text).unwrap().text(), text);
        }
    }

    #[test]
    fn a_range_maps_back_to_its_source() {
        let source = "é see ｘ dot com now";
        let view = NormalizedText::new("é see ｘx dot com now").unwrap();
        let at = view.text().find("xx.com").unwrap();
        let part = view.source_range(at..at + "xx.com".len());
        assert_eq!(&"é see ｘx dot com now"[part], "ｘx dot com");
        assert_eq!(NormalizedText::new(source).unwrap().source_range(0..0), 0..0);
    }

    proptest! {
        #[test]
        fn every_source_range_lies_on_char_boundaries(
            source in "[ a-zé．。｡①㎏ﬁ.@\\[\\]()]{0,10}( dot )?(com)?[h:/x]{0,4}",
        ) {
            let view = NormalizedText::new(&source).unwrap();
            prop_assert_eq!(view.sources.len(), view.text.len());
            for (at, c) in view.text().char_indices() {
                prop_assert!(source.get(view.source_range(at..at + c.len_utf8())).is_some());
            }
        }
    }
}
