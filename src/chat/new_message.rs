//! The request body of a message, before validation.

use rules::grid::Corners;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::input::strict_json;
use crate::refusal::Refusal;
use crate::schema::CornersSchema;

/// The kind of a chat message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", try_from = "String")]
pub enum NewMessageType {
    #[default]
    Message,
    Intent,
    Reaction,
}

impl TryFrom<String> for NewMessageType {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "message" => Ok(Self::Message),
            "intent" => Ok(Self::Intent),
            "reaction" => Ok(Self::Reaction),
            _ => Err("type must be message, intent or reaction"),
        }
    }
}

/// Request body of `POST /api/chat`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// Up to 280 characters; for a reaction, exactly one emoji.
    #[schema(min_length = 1)]
    pub content: String,
    #[serde(rename = "type")]
    pub kind: Option<NewMessageType>,
    /// Id of the message to reply or react to.
    pub reply_to: Option<String>,
    /// For intents: area to paint, corners inclusive.
    #[serde(default, deserialize_with = "strict_json::optional")]
    #[schema(value_type = Option<CornersSchema>)]
    pub region: Option<Corners>,
    /// For intents: palette indices of the colours to use.
    pub color_palette: Option<Vec<i64>>,
}

impl NewMessage {
    /// Checks that the message has no fields that only an intent may have.
    ///
    /// # Errors
    /// Returns `Input` with the field.
    pub(super) fn check_no_intent_fields(&self) -> Result<(), Refusal> {
        let field = match (&self.region, &self.color_palette) {
            (Some(_), _) => "region",
            (None, Some(_)) => "color_palette",
            (None, None) => return Ok(()),
        };
        Err(Refusal::invalid(
            field,
            format!("Only an intent may have {field}. Leave it out, or set type to intent."),
        ))
    }
}
