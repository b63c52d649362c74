//! The request body of a message, before validation.

use platform::input::strict_json;
use platform::refusal::Refusal;
use rules::grid::Corners;
use rules::private_message::Importance;
use serde::Deserialize;
use utoipa::ToSchema;

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
#[derive(Debug, Default, Deserialize, ToSchema)]
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
    pub region: Option<Corners>,
    /// For intents, in place of `region`: up to four areas.
    #[serde(default, deserialize_with = "strict_json::optional_list")]
    #[schema(min_items = 1, max_items = 4)]
    pub regions: Option<Vec<Corners>>,
    /// For intents: seconds until it expires, 7200 by default.
    #[schema(minimum = 60, maximum = 86_400)]
    pub expires_in: Option<i64>,
    /// For intents: palette indices of the colours to use.
    pub color_palette: Option<Vec<i64>>,
    /// The plan that it is about: `plan_…`, of this season. Not for reactions.
    pub plan_id: Option<String>,
    /// At most 5 high and 1 critical ones within 24 hours, private ones among them; `normal` by default. Not
    /// for reactions.
    pub importance: Option<Importance>,
}

impl NewMessage {
    /// Checks that a reaction names no plan.
    ///
    /// # Errors
    /// Returns `Input`.
    pub(super) fn check_no_plan(&self) -> Result<(), Refusal> {
        if self.plan_id.is_none() {
            return Ok(());
        }
        Err(Refusal::invalid("plan_id", "A reaction cannot name a plan. Leave plan_id out."))
    }

    /// Checks that a reaction has no importance.
    ///
    /// # Errors
    /// Returns `Input`.
    pub(super) fn check_no_importance(&self) -> Result<(), Refusal> {
        if self.importance.is_none() {
            return Ok(());
        }
        Err(Refusal::invalid("importance", "A reaction has no importance. Leave it out."))
    }

    /// Checks that the message has no fields that only an intent may have.
    ///
    /// # Errors
    /// Returns `Input` with the field.
    pub(super) fn check_no_intent_fields(&self) -> Result<(), Refusal> {
        let intent_fields = [
            ("region", self.region.is_some()),
            ("regions", self.regions.is_some()),
            ("expires_in", self.expires_in.is_some()),
            ("color_palette", self.color_palette.is_some()),
        ];
        let Some((field, _)) = intent_fields.into_iter().find(|(_, is_present)| *is_present) else {
            return Ok(());
        };
        let detail = format!("Only an intent may have {field}. Leave it out, or set type to intent.");
        Err(Refusal::invalid(field, detail))
    }
}
