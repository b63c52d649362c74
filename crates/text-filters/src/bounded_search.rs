//! Bounded searches with patterns. One search takes linear time, but iterating over all matches may take
//! quadratic time (documentation of the crate `regex`, "Untrusted input"), so the number of searches is
//! bounded.

use regex::{Captures, Regex, bytes};

use super::steps;

/// Maximum number of matches of one pattern in one text. A message of 280 characters cannot have more,
/// because a match and its separator take two characters at least. Only an adversarial longer one does.
pub const MAX_MATCHES: usize = 140;
/// Maximum number of times that a filter is applied to its own result.
pub const MAX_PASSES: usize = 8;

/// There are more than [`MAX_MATCHES`] matches; the whole text is then treated as one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyMatches;

/// Returns the matches of a pattern, in order.
///
/// # Errors
/// [`TooManyMatches`] if there are more than [`MAX_MATCHES`].
pub fn captures<'t>(pattern: &Regex, text: &'t str) -> Result<Vec<Captures<'t>>, TooManyMatches> {
    collect_bounded(pattern.captures_iter(text), text.len())
}

/// Returns the matches of a pattern over bytes, in order.
///
/// # Errors
/// [`TooManyMatches`] if there are more than [`MAX_MATCHES`].
pub fn byte_captures<'t>(
    pattern: &bytes::Regex,
    text: &'t str,
) -> Result<Vec<bytes::Captures<'t>>, TooManyMatches> {
    collect_bounded(pattern.captures_iter(text.as_bytes()), text.len())
}

/// Collects the results of searches that may each read `text_bytes` bytes.
///
/// # Errors
/// [`TooManyMatches`] if there are more than [`MAX_MATCHES`].
fn collect_bounded<T>(matches: impl Iterator<Item = T>, text_bytes: usize) -> Result<Vec<T>, TooManyMatches> {
    let collected: Vec<T> = matches.take(MAX_MATCHES + 1).inspect(|_| steps::charge(text_bytes)).collect();
    steps::charge(text_bytes);
    if collected.len() > MAX_MATCHES { Err(TooManyMatches) } else { Ok(collected) }
}
