//! A text as a browser or a determined reader would take it, every byte with where it came from.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use unicode_normalization::UnicodeNormalization;

/// Ways to write a dot that no prose uses: `[.]`, `(dot)`, `{ . }`, and the same for `@`.
const BRACKETED: &str = r"(?i)\s?[\[({<]\s?(?:(?P<dot>\.|dot)|(?P<at>@|at))\s?[\])}>]\s?";
/// A dot between spaces, or as a word, before an ending that no sentence goes on with; beside one
/// space only before `com`.
const SPACED: &str = r"(?ix)
    \b (?P<host>[a-z0-9][a-z0-9-]+)
    (?: (?: \s+dot\s+ | \s+\.\s+ ) (?P<tld> com | org | io | xyz | co\s*(?:\.|dot)\s*uk | net | dev | app | gg | ai | edu | gov | ru )
      | (?: \s+\. | \.\s+ ) (?P<com> com ) )
    \b";
/// Schemes spelled so that nothing links them.
const SCHEME: &str = r"(?i)\bh(?:xx|\*\*|__|tt)p(?P<s>s?)\s?(?:\[:\]|:)\s?(?:[/\\]{2}|\[//\])\s?";

static DISGUISES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [SCHEME, BRACKETED, SPACED].into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});

/// The text without disguises.
pub(super) struct View {
    text: String,
    /// For each byte of `text` the bytes of the source that it stands for.
    origins: Vec<Range<usize>>,
}

impl View {
    pub(super) fn of(source: &str) -> Self {
        DISGUISES.iter().fold(Self::plain(source), |view, disguise| view.without(disguise))
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

    /// Compatibility forms become what browsers make of them: `ｅｘａｍｐｌｅ．ｃｏｍ` is a host.
    fn plain(source: &str) -> Self {
        let mut view =
            Self { text: String::with_capacity(source.len()), origins: Vec::with_capacity(source.len()) };
        for (at, c) in source.char_indices() {
            let origin = at..at + c.len_utf8();
            match c {
                '。' | '｡' if parts_labels(source, &origin) => view.push(".", origin),
                _ if c.is_ascii() || c == '…' => view.push(c.encode_utf8(&mut [0; 4]), origin),
                _ => view.push(&c.nfkc().collect::<String>(), origin),
            }
        }
        view
    }

    fn push(&mut self, text: &str, origin: Range<usize>) {
        self.origins.extend(std::iter::repeat_n(origin, text.len()));
        self.text.push_str(text);
    }

    fn without(self, disguise: &Regex) -> Self {
        if !disguise.is_match(&self.text) {
            return self;
        }
        let mut view = Self { text: String::with_capacity(self.text.len()), origins: Vec::new() };
        let mut copied_to = 0;
        for found in disguise.captures_iter(&self.text) {
            let Some(whole) = found.get(0).map(|whole| whole.range()) else { continue };
            view.copy(&self, copied_to..whole.start);
            for part in undisguised(&found) {
                match part {
                    Part::Kept(range) => view.copy(&self, range),
                    Part::New(text) => view.push(text, self.in_source(whole.clone())),
                }
            }
            copied_to = whole.end;
        }
        view.copy(&self, copied_to..self.text.len());
        view
    }

    fn copy(&mut self, from: &Self, range: Range<usize>) {
        self.origins.extend_from_slice(&from.origins[range.clone()]);
        self.text.push_str(&from.text[range]);
    }
}

/// A piece of what replaces a disguise.
enum Part {
    Kept(Range<usize>),
    New(&'static str),
}

fn undisguised(found: &Captures) -> Vec<Part> {
    let named = |name| found.name(name).map(|group| group.range());
    match (named("host"), named("tld").or(named("com"))) {
        (Some(host), Some(tld)) if tld.len() > "com".len() => vec![Part::Kept(host), Part::New(".co.uk")],
        (Some(host), Some(tld)) => vec![Part::Kept(host), Part::New("."), Part::Kept(tld)],
        _ if named("s").is_some() => vec![Part::New("http://")],
        _ if named("at").is_some() => vec![Part::New("@")],
        _ => vec![Part::New(".")],
    }
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
    fn disguises_fall() {
        for (source, expected) in [
            ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"),
            ("example。com", "example.com"),
            ("完成了。com", "完成了。com"),
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
            assert_eq!(View::of(source).text(), expected, "{source}");
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
        ] {
            assert_eq!(View::of(text).text(), text);
        }
    }

    #[test]
    fn a_part_knows_its_source() {
        let source = "é see ｘ dot com now";
        let view = View::of("é see ｘx dot com now");
        let at = view.text().find("xx.com").unwrap();
        let part = view.in_source(at..at + "xx.com".len());
        assert_eq!(&"é see ｘx dot com now"[part], "ｘx dot com");
        assert_eq!(View::of(source).in_source(0..0), 0..0);
    }

    proptest! {
        #[test]
        fn every_part_lies_on_characters(source in "[ a-zé．。｡①㎏ﬁ.@\\[\\]()]{0,10}( dot )?(com)?[h:/x]{0,4}") {
            let view = View::of(&source);
            prop_assert_eq!(view.origins.len(), view.text.len());
            for (at, c) in view.text().char_indices() {
                prop_assert!(source.get(view.in_source(at..at + c.len_utf8())).is_some());
            }
        }
    }
}
