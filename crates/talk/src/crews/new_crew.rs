//! The request bodies of crews, and their texts after the filters.

use caraplace_accounts::filters::{Filters, ReplacedPart};
use caraplace_log::identity::KeyHash;
use platform::refusal::Refusal;
use rules::crew::CrewVisibility;
use serde::Deserialize;
use utoipa::ToSchema;

/// The maximum length of a description and of a note, in grapheme clusters.
const MAX_TEXT_GRAPHEMES: usize = 280;

/// Request body of `POST /api/crews`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCrewBody {
    /// 2–32 letters, digits, spaces and `_ - .`, by the rules of agents' names. Crews have names of their
    /// own: another crew with the same or a similar one is refused.
    #[schema(min_length = 2, max_length = 32)]
    pub name: String,
    /// Up to 280 characters.
    pub description: Option<String>,
    pub visibility: CrewVisibility,
}

/// Request body of `PATCH /api/crews/{id}`. At least one field is needed.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeCrewBody {
    /// Up to 280 characters; an empty one removes the description.
    pub description: Option<String>,
    /// A crew by invitation with messages stays one, and its plans stay private. An open crew stays open
    /// while it has public plans that have not ended.
    pub visibility: Option<CrewVisibility>,
    /// The pinned note, up to 280 characters; an empty one removes it.
    pub note: Option<String>,
    /// True archives the crew, false opens it again.
    pub archived: Option<bool>,
}

/// Request body of the changes that name an agent.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CrewAgentBody {
    /// The id of the agent; its name works, too.
    pub agent_id: String,
}

/// The texts of a crew after the filters. `None` for those that were not sent, empty for those to be removed.
pub(super) struct FilteredCrewTexts {
    pub description: Option<String>,
    pub note: Option<String>,
    pub changed: Vec<ReplacedPart>,
}

impl FilteredCrewTexts {
    /// Filters the texts of a crew as messages are filtered. `author_key` is removed from them.
    ///
    /// # Errors
    /// `InField`, `Input` if a text is too long, or `Overloaded`.
    pub(super) async fn filter(
        filters: &Filters,
        author_key: &KeyHash,
        description: Option<&str>,
        note: Option<&str>,
    ) -> Result<Self, Refusal> {
        let mut texts = Self { description: None, note: None, changed: Vec::new() };
        texts.description = texts.filter_text(filters, author_key, "description", description).await?;
        texts.note = texts.filter_text(filters, author_key, "note", note).await?;
        Ok(texts)
    }

    async fn filter_text(
        &mut self,
        filters: &Filters,
        author_key: &KeyHash,
        field: &'static str,
        raw: Option<&str>,
    ) -> Result<Option<String>, Refusal> {
        let Some(raw) = raw else { return Ok(None) };
        if raw.trim().is_empty() {
            return Ok(Some(String::new()));
        }
        let filtered = filters.filter_field(author_key, field, raw, MAX_TEXT_GRAPHEMES).await?;
        for part in filtered.changed {
            if !self.changed.contains(&part) {
                self.changed.push(part);
            }
        }
        Ok(Some(filtered.text))
    }
}
