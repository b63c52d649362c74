//! Finds links, also disguised ones, and applies a policy to messages that contain one.

mod cues;
mod hosts;
mod normalized_text;
mod own_origin;
#[cfg(test)]
mod tests;
mod top_level_domains;
mod windows;

use std::ops::Range;
use std::sync::LazyLock;

use cues::{is_suggested_site, lacks_cue};
use hosts::{is_link, is_unlike_code, is_unlike_file};
use linkify::{LinkFinder, LinkKind};
use normalized_text::NormalizedText;
pub use own_origin::OwnOrigin;
use regex::Regex;
pub(crate) use top_level_domains::is_top_level_domain;
use windows::{is_cut, windows};

use super::bounded_search::{MAX_MATCHES, TooManyMatches, captures};
use super::{spans, steps};

/// The text that replaces a link.
pub const LINK_PLACEHOLDER: &str = "[link removed]";

/// The policy for messages that contain a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// The link is replaced by [`LINK_PLACEHOLDER`].
    Strip,
    /// The message is refused.
    Reject,
    Allow,
}

/// Matches certain links: any scheme, also without `//`, numeric hosts with a port or a path, and hosts of
/// East Asian scripts whose dot is an ideographic full stop.
const CERTAIN_LINK_PATTERN: &str = r"(?xi)
    [a-z][a-z0-9+.-]+:// \S* [\p{L}\p{N}*]\S*
    | \b (?: (?: mailto: | javascript: ) [^\s.,;:!?)\]]\S* | magnet: \?? [^\s.,;:!?)\]]\S* )
    | \b (?:[0-9]{1,3}\.){3} [0-9]{1,3} (?: :[0-9]{2,5}\b (?:/\S*)? | /\S* )
    | [\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]+ 。
      (?: com | net | org | io | dev | xyz | jp | cn | kr | tw | hk ) (?-u:\b) (?: [/:?\#]\S* )?";
/// Matches possible hosts in any script.
const HOST_PATTERN: &str = r"[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}";

/// Punctuation that may end the sentence around a link and does not belong to the link.
const CLOSING_PUNCTUATION: [char; 8] = ['.', ',', ';', ':', '!', '?', ')', ']'];

/// Matches links that linkify does not find.
static OTHER_LINKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?P<certain>{CERTAIN_LINK_PATTERN})|(?:{HOST_PATTERN})")).ok());

/// Replaces each link by [`LINK_PLACEHOLDER`]; `None` if there are no links. A second application changes
/// nothing.
pub fn strip(text: &str) -> Option<String> {
    strip_foreign(text, None)
}

/// Replaces each link by [`LINK_PLACEHOLDER`] but those to this server's `own` pages; `None` if there are no
/// such links. A second application changes nothing.
pub fn strip_foreign(text: &str, own: Option<&OwnOrigin>) -> Option<String> {
    let strip_once = |text: &str| spans::replace(text, &find_foreign_links(text, own), LINK_PLACEHOLDER);
    spans::replace_repeatedly(text, LINK_PLACEHOLDER, strip_once)
}

fn find_foreign_links(text: &str, own: Option<&OwnOrigin>) -> Vec<Range<usize>> {
    let is_own =
        |link: &Range<usize>| own.is_some_and(|own| own.contains(&text[link.clone()], &text[link.end..]));
    find_links(text).into_iter().filter(|link| !is_own(link)).collect()
}

/// Returns the positions of the links of `text`, in order and without overlaps.
fn find_links(text: &str) -> Vec<Range<usize>> {
    if !may_hold_link(text) {
        return Vec::new();
    }
    find_all_links(text).unwrap_or_else(|TooManyMatches| spans::whole(text))
}

fn find_all_links(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let normalized = NormalizedText::new(text)?;
    let mut links = find_with_linkify(&normalized)?;
    links.extend(find_with_patterns(&normalized, &links)?);
    Ok(merge_overlapping(links.into_iter().map(|link| normalized.source_range(link)).collect()))
}

/// Returns true if the text contains a character that could separate a host's labels or end a scheme. Most do
/// not.
fn may_hold_link(text: &str) -> bool {
    steps::charge(text.len());
    text.contains(['.', ':', '@', '/', '%', '&', '\\'])
        || !text.is_ascii()
        || text.to_ascii_lowercase().contains("dot")
}

/// Returns the links that linkify finds with ASCII hosts, so that `見てexample.comを` ends correctly.
fn find_with_linkify(normalized: &NormalizedText) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let text = normalized.text();
    let mut finder = LinkFinder::new();
    finder.url_must_have_scheme(false).url_can_be_iri(false);
    let mut links = Vec::new();
    for window in windows(text) {
        // The finder searches back and ahead from each character that may be part of a link.
        steps::charge(window.len() * window.len());
        for link in finder.links(&text[window.clone()]) {
            let range = window.start + link.start()..window.start + link.end();
            // A link within two windows is found twice; a link cut by one window is found whole in the other.
            let is_known = links.iter().rev().take(MAX_MATCHES).any(|(known, _)| *known == range);
            if !is_known && !is_cut(text, &window, &range) {
                links.push((range, link));
            }
        }
        if links.len() > MAX_MATCHES {
            return Err(TooManyMatches);
        }
    }
    let accepted = links.into_iter().filter(|(range, link)| {
        is_accepted(normalized, range, link.as_str(), *link.kind() == LinkKind::Email)
    });
    Ok(accepted.map(|(range, _)| extend_to_label(text, range)).collect())
}

/// Returns true if something that looks like an address is one where it stands.
fn is_accepted(normalized: &NormalizedText, range: &Range<usize>, address: &str, is_email: bool) -> bool {
    let before = &normalized.text()[..range.start];
    let after = &normalized.text()[range.end..];
    let is_disguised = normalized.is_disguised(range);
    (is_link(address, is_email, is_disguised) || is_suggested_site(address, before))
        && !continues_as_code(address, after)
        && !is_assigned(address, after)
        && !is_file_path(address, before)
        && (is_disguised || !lacks_cue(address, before))
}

/// Extends a link to its whole label: `münchen.de` is found from its `n` on. Scripts written without spaces
/// are not part of a label.
fn extend_to_label(text: &str, link: Range<usize>) -> Range<usize> {
    let is_in_label = |c: char| c.is_alphabetic() && c < '\u{e00}';
    let before = text[..link.start].trim_end_matches(is_in_label);
    before.len()..link.end
}

/// Returns further links that do not overlap the `known` ones, and extensions of those: URLs whose host is
/// not ASCII.
fn find_with_patterns(
    normalized: &NormalizedText,
    known: &[Range<usize>],
) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let text = normalized.text();
    let Some(pattern) = OTHER_LINKS.as_ref() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for captured in captures(pattern, text)? {
        let Some(whole) = captured.get(0) else { continue };
        let is_certain = captured.name("certain").is_some();
        let link = whole.start()..whole.start() + whole.as_str().trim_end_matches(CLOSING_PUNCTUATION).len();
        let is_known = |known: &Range<usize>| {
            known.start < link.end && link.start < known.end && (!is_certain || known.start == link.start)
        };
        let is_host = || is_accepted(normalized, &whole.range(), whole.as_str(), false);
        if (is_certain && !is_address_range(whole.as_str()) || is_host()) && !known.iter().any(is_known) {
            found.push(link);
        }
    }
    Ok(found)
}

/// Returns true for a range of addresses, such as `10.0.0.0/8`.
fn is_address_range(address: &str) -> bool {
    let is_short_number =
        |part: &str| !part.is_empty() && part.len() < 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    address.split_once('/').is_some_and(|(host, rest)| !host.contains(':') && is_short_number(rest))
}

/// Returns true for code such as `list.run(f)` and `self.io_queue`. No method is called `com`.
fn continues_as_code(address: &str, rest: &str) -> bool {
    let has_common_tld = [".com", ".org", ".net"].iter().any(|ending| address.ends_with(ending));
    rest.starts_with(|c: char| c.is_ascii_digit())
        || !has_common_tld && rest.starts_with('_')
        || !is_unlike_code(address) && rest.starts_with('(')
}

/// Returns true if code assigns to it or calculates with it: `player.team = 5`.
fn is_assigned(address: &str, rest: &str) -> bool {
    let rest = rest.trim_start_matches(' ');
    let operators = ["=", "+=", "-=", "*", "/ ", "%", "+ ", "< ", "> ", "<=", ">=", "[", "!=", "&&", "||"];
    !is_unlike_code(address) && operators.iter().any(|operator| rest.starts_with(operator))
}

/// Returns true for the end of a path: `src/proto/main.pro`.
fn is_file_path(address: &str, before: &str) -> bool {
    let has_common_tld = [".com", ".org", ".net"].iter().any(|ending| address.ends_with(ending));
    // A masked word belongs to the word next to it, as it did before masking.
    let unmasked = before.trim_end_matches('*');
    let word_before = before.strip_suffix('_').or((unmasked != before).then_some(unmasked));
    let folder = before.strip_suffix(['/', '\\']).filter(|_| !is_unlike_file(address)).or(word_before);
    !has_common_tld
        && !address.contains('/')
        && folder
            .is_some_and(|folder| folder.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | ']')))
}

fn merge_overlapping(mut links: Vec<Range<usize>>) -> Vec<Range<usize>> {
    links.sort_by_key(|link| (link.start, link.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for link in links {
        match merged.last_mut() {
            Some(last) if link.start < last.end => last.end = last.end.max(link.end),
            _ => merged.push(link),
        }
    }
    merged
}
