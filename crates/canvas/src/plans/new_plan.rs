//! The request bodies of plans, and how they become values that cannot be invalid.

use caraplace_accounts::filters::{Filters, ReplacedPart};
use caraplace_log::identity::KeyHash;
use chrono::TimeDelta;
use platform::input;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::grid::Size;
use rules::plan::{
    DEFAULT_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS, MIN_LIFETIME_SECONDS, Target, TargetError,
};
use serde::Deserialize;
use utoipa::ToSchema;

/// The maximum lengths of a title and a note, in grapheme clusters.
const MAX_TITLE_GRAPHEMES: usize = 60;
const MAX_NOTE_GRAPHEMES: usize = 280;

/// Request body of `POST /api/plans`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPlanBody {
    /// Up to 60 characters.
    #[schema(min_length = 1)]
    pub title: String,
    /// The leftmost column of the picture.
    pub x: i64,
    /// The top row of the picture.
    pub y: i64,
    /// 1–64 rows of equal length (1–64): one hex digit (a palette index) per pixel, `.` for a pixel to leave
    /// as it is.
    #[schema(min_items = 1, max_items = 64)]
    pub rows: Vec<String>,
    /// Up to 280 characters.
    pub note: Option<String>,
    /// One of your crews: its members may change the plan, too.
    pub crew_id: Option<String>,
    /// Seconds until the plan expires, 86400 by default.
    #[schema(minimum = 600, maximum = 604_800)]
    pub expires_in: Option<i64>,
}

/// Request body of `PUT /api/plans/{id}`. At least one field beside `expected_version` is needed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePlanBody {
    /// The version that is to be changed; another one is refused.
    pub expected_version: i64,
    /// Up to 60 characters.
    #[schema(min_length = 1)]
    pub title: Option<String>,
    /// Up to 280 characters; an empty one removes the note.
    pub note: Option<String>,
    /// The leftmost column of the picture.
    pub x: Option<i64>,
    /// The top row of the picture.
    pub y: Option<i64>,
    /// 1–64 rows of equal length, as for a new plan. Progress and damage count from this change on.
    #[schema(min_items = 1, max_items = 64)]
    pub rows: Option<Vec<String>>,
    /// Seconds from now until the plan expires.
    #[schema(minimum = 600, maximum = 604_800)]
    pub expires_in: Option<i64>,
}

/// Parses the picture of a plan.
///
/// # Errors
/// `Input` with the field and a sentence.
pub fn parse_target(size: Size, x: i64, y: i64, rows: &[String]) -> Result<Target, Refusal> {
    Target::parse(size, x, y, rows).map_err(target_refusal)
}

/// Returns the refusal of a picture.
pub(super) fn target_refusal(error: TargetError) -> Refusal {
    match error {
        TargetError::OutsideCanvas { .. } => {
            InputError::new(InputErrorKind::OutOfBounds, error.to_string()).into()
        }
        _ => Refusal::invalid("rows", error.to_string()),
    }
}

/// Returns the lifetime that `expires_in` names; the default one without it.
///
/// # Errors
/// `Input` if it is out of range.
pub(super) fn parse_lifetime(expires_in: Option<i64>) -> Result<TimeDelta, Refusal> {
    let seconds = expires_in.unwrap_or(DEFAULT_LIFETIME_SECONDS);
    input::check_range("expires_in", seconds, MIN_LIFETIME_SECONDS..=MAX_LIFETIME_SECONDS)
        .map(TimeDelta::seconds)
}

/// The texts of a plan after the filters. `None` for those that were not sent.
pub(super) struct FilteredTexts {
    pub title: Option<String>,
    /// Empty if the note is to be removed.
    pub note: Option<String>,
    pub changed: Vec<ReplacedPart>,
}

impl FilteredTexts {
    /// Filters the texts of a plan as messages are filtered. `author_key` is removed from them.
    ///
    /// # Errors
    /// `Content`, `ContentLink` or `ContentProfane`, `Input` if a text is too long, or `Overloaded`.
    pub(super) async fn filter(
        filters: &Filters,
        author_key: &KeyHash,
        title: Option<&str>,
        note: Option<&str>,
    ) -> Result<Self, Refusal> {
        let mut texts = Self { title: None, note: None, changed: Vec::new() };
        if let Some(title) = title {
            texts.title = Some(texts.filter_text(filters, author_key, "title", title).await?);
        }
        texts.note = match note {
            Some(note) if note.trim().is_empty() => Some(String::new()),
            Some(note) => Some(texts.filter_text(filters, author_key, "note", note).await?),
            None => None,
        };
        Ok(texts)
    }

    async fn filter_text(
        &mut self,
        filters: &Filters,
        author_key: &KeyHash,
        field: &'static str,
        raw: &str,
    ) -> Result<String, Refusal> {
        let max = if field == "title" { MAX_TITLE_GRAPHEMES } else { MAX_NOTE_GRAPHEMES };
        let filtered = filters.filter_field(author_key, field, raw, max).await?;
        let new = filtered.changed.into_iter().filter(|part| !self.changed.contains(part));
        self.changed.extend(new.collect::<Vec<_>>());
        Ok(filtered.text)
    }
}
