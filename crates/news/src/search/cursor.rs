//! Places in the results of a search.

use platform::refusal::{InputError, InputErrorKind, Refusal};

use super::SearchResult;

/// The prefixes of the ids of results.
const ID_PREFIXES: [&str; 5] = ["msg_", "agent_", "plan_", "crew_", "season_"];
/// No id is longer.
const MAX_ID_CHARS: usize = 64;
/// The number of digits of a score.
const SCORE_DIGITS: usize = 16;

/// A place in the results: directly after this one. Scores do not change while time passes, so results that
/// are added meanwhile neither repeat nor hide others on the following pages.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCursor {
    pub(super) score: f64,
    pub(super) id: String,
}

impl SearchCursor {
    /// Returns the place after a result.
    pub(super) fn after(result: &SearchResult) -> Self {
        Self { score: result.score, id: result.id.clone() }
    }

    /// Parses the `next_before` of a page.
    ///
    /// # Errors
    /// `Input` if it is not one.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let detail = "before is not the next_before of a search.";
        let refuse = || InputError::for_field(InputErrorKind::BadCursor, "before", detail);
        Ok(Self::parse_exact(text).ok_or_else(refuse)?)
    }

    fn parse_exact(text: &str) -> Option<Self> {
        let (digits, id) = text.split_once('-')?;
        let is_id = id.len() <= MAX_ID_CHARS
            && ID_PREFIXES.iter().any(|prefix| id.starts_with(prefix))
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if digits.len() != SCORE_DIGITS || !is_id {
            return None;
        }
        let score = f64::from_bits(u64::from_str_radix(digits, 16).ok()?);
        let cursor = Self { score, id: id.to_owned() };
        // Only what `format` returns is a cursor: no sign, no capitals.
        (score.is_finite() && cursor.format() == text).then_some(cursor)
    }

    /// Returns the cursor as text. The score is exact: a rounded one would repeat or leave out results.
    pub(super) fn format(&self) -> String {
        format!("{:016x}-{}", self.score.to_bits(), self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_formatted_cursor_is_one() {
        let cursor = SearchCursor { score: 326.25, id: format!("msg_{}", "0a".repeat(16)) };
        let text = cursor.format();
        assert_eq!(SearchCursor::parse(&text).unwrap(), cursor);
        let infinite = format!("{:016x}-msg_1", f64::INFINITY.to_bits());
        let wrong = ["", "-", "12", "0-msg_1", "+000000000000000-msg_1", "0000000000000000-viewer_1"];
        for wrong in wrong.into_iter().chain([&*text.to_uppercase(), &*format!("{text} "), &*infinite]) {
            assert!(SearchCursor::parse(wrong).is_err(), "{wrong}");
        }
    }
}
