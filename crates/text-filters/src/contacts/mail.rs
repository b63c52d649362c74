//! Mail addresses, also disguised ones.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::bounded_search::{TooManyMatches, captures};
use crate::links::is_top_level_domain;

/// Matches an address with `@`, with `(at)`, or in words, which needs a word about mail before it.
const MAIL_PATTERN: &str = r"(?xi)
    (?P<plain> (?P<user>[\p{L}\p{N}] [\p{L}\p{N}._%+'-]*) @
        (?P<host>[\p{L}\p{N}-]+ (?: \.[\p{L}\p{N}-]+ )+) )
    | (?P<bracketed> [\p{L}\p{N}] [\p{L}\p{N}._%+'-]*
        \s* [(\[{<]\s* (?:at|@) \s*[)\]}>] \s*
        (?P<bracketed_host>[\p{L}\p{N}-]+
            (?: (?: \. | \s*[(\[{<]\s*(?:dot|\.)\s*[)\]}>]\s* | \s+dot\s+ ) [\p{L}\p{N}-]+ )+) )
    | (?: \b (?:e-?mail|mail|contact|write|reach|schreib|mailto)
        (?:\s+(?:me|us|is|to|at|address|an|mir))* [\s:=]+
        (?P<spoken> [\p{L}\p{N}] [\p{L}\p{N}._%+'-]* \s+ at \s+
        (?P<spoken_host>[\p{L}\p{N}-]+ (?: \s+dot\s+ [\p{L}\p{N}-]+ )+) ) )";

static MAIL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(MAIL_PATTERN).ok());

/// Users that stand for a protocol: `git@github.com:a/b`.
const PROTOCOL_USERS: [&str; 1] = ["git"];

/// Returns the positions of mail addresses.
///
/// # Errors
/// [`TooManyMatches`].
pub(super) fn find(text: &str) -> Result<Vec<Range<usize>>, TooManyMatches> {
    let Some(mail) = MAIL.as_ref() else { return Ok(Vec::new()) };
    Ok(captures(mail, text)?.iter().filter_map(address).collect())
}

fn address(found: &Captures<'_>) -> Option<Range<usize>> {
    let forms = [("plain", "host"), ("bracketed", "bracketed_host"), ("spoken", "spoken_host")];
    let (address, host) =
        forms.into_iter().find_map(|(address, host)| found.name(address).zip(found.name(host)))?;
    let is_protocol = found
        .name("user")
        .is_some_and(|user| PROTOCOL_USERS.contains(&user.as_str().to_lowercase().as_str()));
    let label =
        host.as_str().rsplit(|c: char| !c.is_alphanumeric() && c != '-').find(|label| !label.is_empty())?;
    (!is_protocol && is_top_level_domain(label)).then(|| address.range())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).unwrap().into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn addresses_of_every_form_are_found() {
        for (text, expected) in [
            ("ada.lovelace+art@mail.example.co.uk, please", "ada.lovelace+art@mail.example.co.uk"),
            ("ada (at) example.org", "ada (at) example.org"),
            ("ada [at] example [dot] org", "ada [at] example [dot] org"),
            ("mail me: ada at example dot com", "ada at example dot com"),
            ("jörg@müller.de", "jörg@müller.de"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn mentions_versions_and_files_are_no_addresses() {
        for text in [
            "@Ada look",
            "hi@Ada",
            "react@18.2.0",
            "icon@2x.png",
            "git@github.com:a/b",
            "look at example dot com",
            "meet at (4, 5)",
            "user@localhost",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
