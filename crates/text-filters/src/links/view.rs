//! A text as a browser or a determined reader would take it, every byte with where it came from.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

use super::hosts::{self, Spaced};
use crate::matches::{TooManyMatches, captures};
use crate::steps;

/// Ways to write a dot that no prose uses: `[.]`, `(dot)`, `{ . }`, and the same for `@`.
const BRACKETED: &str = r"(?i)(?P<open>\s?)[\[({<]\s?(?:(?P<dot>\.|dot|d0t|punkt|punto|point)|(?P<at>@|at))\s?[\])}>](?P<close>\s?)";
/// Dots as words or between spaces, before what may be a top-level domain.
const SPACED: &str = r"(?ix)
    \b (?P<labels> (?: [a-z0-9][a-z0-9-]* SEPARATOR ){1,3} ) (?P<tld> [a-z]{2,12} ) (?P<path> [/:\#?] | \b )";
const SEPARATOR: &str =
    r"(?: \s*[-_*~|/\\]\s*dot\s*[-_*~|/\\]\s* | \s+dot\s+ | (?-i:DOT) | \s+\.\s+ | \s+\. | \.\s+ )";
/// A host of single letters: `e x a m p l e . c o m`.
const SPELLED: &str = r"(?i)\b(?:[a-z0-9-] ){1,40}(?:(?:\.|dot) (?:[a-z0-9-] ){1,20}){0,3}(?:\.|dot) (?:[a-z0-9-] ){1,11}[a-z]\b";
/// Schemes spelled so that nothing links them.
const SCHEME: &str = r"(?i)h(?:xx|\*\*|__|--|tt|ttx|xt|tx)p(?P<s>s?)\s?(?:\[:\]|\(:\)|:|\[colon\])\s?(?:[/\\]{2}|\[//\]|\[/\]\[/\])\s?";

static DISGUISES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let spaced = SPACED.replace("SEPARATOR", SEPARATOR);
    [SCHEME, BRACKETED, SPELLED, &spaced].into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});
static SEPARATORS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("(?ix){SEPARATOR}")).ok());

/// The text without disguises.
pub(super) struct View {
    text: String,
    /// For each byte of `text` the bytes of the source that it stands for.
    origins: Vec<Range<usize>>,
    /// For each byte of `text` whether it is a dot that only a link is written with.
    tells: Vec<bool>,
}

impl View {
    pub(super) fn of(source: &str) -> Result<Self, TooManyMatches> {
        DISGUISES.iter().try_fold(Self::plain(source), View::without)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What part of the source a part of the view stands for.
    pub(super) fn in_source(&self, part: Range<usize>) -> Range<usize> {
        let origins = self.origins.get(part).unwrap_or_default();
        let start = origins.first().map_or(0, |origin| origin.start);
        start..origins.last().map_or(start, |origin| origin.end)
    }

    /// Whether a part was disguised as only links are.
    pub(super) fn tells(&self, part: &Range<usize>) -> bool {
        self.tells.get(part.clone()).is_some_and(|tells| tells.contains(&true))
    }

    fn empty(length: usize) -> Self {
        let (text, origins, tells) =
            (String::with_capacity(length), Vec::with_capacity(length), Vec::with_capacity(length));
        Self { text, origins, tells }
    }

    /// Compatibility forms become what browsers make of them: `ｅｘａｍｐｌｅ．ｃｏｍ` is a host.
    fn plain(source: &str) -> Self {
        let mut view = Self::empty(source.len());
        for (at, c) in source.char_indices() {
            steps::charge(1);
            let origin = at..at + c.len_utf8();
            match c {
                '。' | '｡' | '．' | '․' | '‧' | '·' | '∙' | '・' if parts_labels(source, &origin) =>
                {
                    view.push(".", origin, c == '．' || c == '。');
                }
                _ if c.is_ascii() || c == '…' => view.push(c.encode_utf8(&mut [0; 4]), origin, false),
                _ => view.push(&c.nfkc().collect::<String>(), origin, false),
            }
        }
        view
    }

    fn push(&mut self, text: &str, origin: Range<usize>, tells: bool) {
        steps::charge(text.len());
        self.tells.extend(std::iter::repeat_n(tells, text.len()));
        self.origins.extend(std::iter::repeat_n(origin, text.len()));
        self.text.push_str(text);
    }

    fn without(self, disguise: &Regex) -> Result<Self, TooManyMatches> {
        steps::charge(self.text.len());
        if !disguise.is_match(&self.text) {
            return Ok(self);
        }
        let mut view = Self::empty(self.text.len());
        let mut copied_to = 0;
        for found in captures(disguise, &self.text)? {
            let Some(whole) = found.get(0).map(|whole| whole.range()) else { continue };
            view.copy(&self, copied_to..whole.start);
            for part in undisguised(&self.text, &found) {
                match part {
                    Part::Kept(range) => view.copy(&self, range),
                    Part::New(text, tells) => view.push(text, self.in_source(whole.clone()), tells),
                }
            }
            copied_to = whole.end;
        }
        view.copy(&self, copied_to..self.text.len());
        Ok(view)
    }

    fn copy(&mut self, from: &Self, range: Range<usize>) {
        self.origins.extend_from_slice(&from.origins[range.clone()]);
        self.tells.extend_from_slice(&from.tells[range.clone()]);
        self.text.push_str(&from.text[range]);
    }
}

/// A piece of what replaces a disguise.
enum Part {
    Kept(Range<usize>),
    /// New text, and whether it tells a link.
    New(&'static str, bool),
}

fn undisguised(text: &str, found: &Captures) -> Vec<Part> {
    let named = |name| found.name(name).map(|group| group.range());
    let is_tight = |name| named(name).is_some_and(|space| space.is_empty());
    if named("labels").is_some() {
        return unspaced(text, found);
    }
    if named("s").is_some() {
        return vec![Part::New("http://", true)];
    }
    if named("at").is_some() {
        return vec![Part::New("@", false)];
    }
    if named("dot").is_some() {
        return vec![Part::New(".", is_tight("open") || is_tight("close"))];
    }
    unspelled(found)
}

/// `example dot com` when a reader takes it for a host; else as it stands.
fn unspaced(text: &str, found: &Captures) -> Vec<Part> {
    let (Some(whole), Some(labels), Some(ending)) = (found.get(0), found.name("labels"), found.name("tld"))
    else {
        return Vec::new();
    };
    let separators =
        SEPARATORS.as_ref().into_iter().flat_map(|separators| separators.find_iter(labels.as_str()));
    let separators: Vec<Range<usize>> = separators.map(|separator| separator.range()).collect();
    let has_path = found.name("path").is_some_and(|path| path.as_str() == "/");
    let first = &labels.as_str()[..separators.first().map_or(0, |separator| separator.start)];
    let is_loose = separators.iter().any(|separator| {
        let separator = &labels.as_str()[separator.clone()];
        separator.contains('.') && separator.trim().len() + 2 > separator.len()
    });
    let host = Spaced {
        first,
        ending: ending.as_str(),
        has_more: separators.len() > 1,
        has_path,
        is_loose,
        is_loud: labels.as_str().contains("DOT") && first.bytes().any(|byte| byte.is_ascii_lowercase()),
        before: &text[..whole.start()],
        after: &text[ending.end()..],
    };
    if !host.is_host() {
        return vec![Part::Kept(whole.range())];
    }
    let mut parts = Vec::new();
    let mut kept_to = whole.start();
    for separator in separators {
        parts.push(Part::Kept(kept_to..labels.start() + separator.start));
        parts.push(Part::New(".", true));
        kept_to = labels.start() + separator.end;
    }
    parts.push(Part::Kept(kept_to..whole.end()));
    parts
}

/// `e x a m p l e . c o m` without the spaces when that is a host.
fn unspelled(found: &Captures) -> Vec<Part> {
    let Some(whole) = found.get(0) else { return Vec::new() };
    let tokens: Vec<&str> = whole.as_str().split(' ').collect();
    let last = tokens.iter().rposition(|token| token.len() != 1 || *token == ".").map_or(0, |at| at + 1);
    if !hosts::is_top_level(&tokens[last..].concat()) {
        return vec![Part::Kept(whole.range())];
    }
    let mut at = whole.start();
    let parts = tokens.iter().map(|token| {
        let start = at;
        at += token.len() + 1;
        match *token {
            "." | "dot" | "DOT" | "Dot" => Part::New(".", true),
            _ => Part::Kept(start..start + token.len()),
        }
    });
    parts.collect()
}

/// The ideographic full stop parts labels only between Latin letters; elsewhere it ends sentences.
fn parts_labels(source: &str, stop: &Range<usize>) -> bool {
    let latin = |c: Option<char>| c.and_then(|c| c.nfkc().next()).is_some_and(|c| c.is_ascii_alphanumeric());
    latin(source[..stop.start].chars().next_back()) && latin(source[stop.end..].chars().next())
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
            assert_eq!(View::of(source).unwrap().text(), expected, "{source}");
        }
    }

    #[test]
    fn prose_stays() {
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
            assert_eq!(View::of(text).unwrap().text(), text);
        }
    }

    #[test]
    fn a_range_maps_back_to_its_source() {
        let source = "é see ｘ dot com now";
        let view = View::of("é see ｘx dot com now").unwrap();
        let at = view.text().find("xx.com").unwrap();
        let part = view.in_source(at..at + "xx.com".len());
        assert_eq!(&"é see ｘx dot com now"[part], "ｘx dot com");
        assert_eq!(View::of(source).unwrap().in_source(0..0), 0..0);
    }

    proptest! {
        #[test]
        fn every_source_range_lies_on_char_boundaries(source in "[ a-zé．。｡①㎏ﬁ.@\\[\\]()]{0,10}( dot )?(com)?[h:/x]{0,4}") {
            let view = View::of(&source).unwrap();
            prop_assert_eq!(view.origins.len(), view.text.len());
            for (at, c) in view.text().char_indices() {
                prop_assert!(source.get(view.in_source(at..at + c.len_utf8())).is_some());
            }
        }
    }
}
