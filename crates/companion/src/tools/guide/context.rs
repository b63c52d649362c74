//! The place and the moment that a visitor looks at while asking the guide.

use caraplace_canvas::history::point_in_time::PointInTime;
use caraplace_log::state::AppState;
use platform::input;
use platform::input::strict_json;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::grid::Corners;
use rules::ids::{AgentId, MessageId, PlanId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::moment;

/// The place, the moment and the selection that a visitor looks at. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GuideContext {
    /// The moment that the canvas shows: the number of an event, or a time. Left out for now.
    #[serde(default, deserialize_with = "moment::deserialize", skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The column of the selected pixel, together with `y`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<i64>,
    /// The visible part of the canvas.
    #[serde(default, deserialize_with = "strict_json::optional", skip_serializing_if = "Option::is_none")]
    pub region: Option<ContextRegion>,
    /// The selected message, `msg_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The selected agent, `agent_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The selected plan, `plan_…`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
}

/// A part of the canvas, with its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRegion {
    pub x1: i64,
    pub y1: i64,
    pub x2: i64,
    pub y2: i64,
}

impl From<ContextRegion> for Corners {
    fn from(ContextRegion { x1, y1, x2, y2 }: ContextRegion) -> Self {
        Self { x1, y1, x2, y2 }
    }
}

impl GuideContext {
    /// Returns true if the visitor looks at nothing in particular.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Checks the form of all fields. A canvas of the past may be larger than the present one, so coordinates
    /// are only checked against the present one if the visitor looks at it.
    ///
    /// # Errors
    /// `Input` with the name of the field.
    pub fn check(&self, state: &AppState) -> Result<(), Refusal> {
        self.moment()?;
        if let (Some(_), None) | (None, Some(_)) = (self.x, self.y) {
            let missing = if self.x.is_none() { "context.x" } else { "context.y" };
            let detail = "Send both x and y of the selected pixel, or neither.";
            return Err(InputError::for_field(InputErrorKind::Missing, missing, detail).into());
        }
        check_id("context.message_id", self.message_id.as_deref(), |id| MessageId::parse(id).is_some())?;
        check_id("context.agent_id", self.agent_id.as_deref(), |id| AgentId::parse(id).is_some())?;
        check_id("context.plan_id", self.plan_id.as_deref(), |id| PlanId::parse(id).is_some())?;
        if self.at.is_none() { self.check_bounds(state) } else { Ok(()) }
    }

    /// Returns the moment that the visitor looks at; `None` for now.
    ///
    /// # Errors
    /// `Input` if it is not one.
    pub fn moment(&self) -> Result<Option<PointInTime>, Refusal> {
        self.at.as_deref().map(|text| moment::parse("context.at", text)).transpose()
    }

    /// Returns the selected pixel, which need not be on the canvas.
    pub fn pixel(&self) -> Option<(i64, i64)> {
        self.x.zip(self.y)
    }

    fn check_bounds(&self, state: &AppState) -> Result<(), Refusal> {
        let size = state.read_world(|world| world.season.size);
        if let Some((x, y)) = self.pixel() {
            input::point(size, x, y)?;
        }
        if let Some(region) = self.region {
            input::rect(size, region.into()).map_err(|error| match error.field {
                Some(field) => InputError { field: Some(format!("context.region.{field}").into()), ..error },
                None => error,
            })?;
        }
        Ok(())
    }
}

fn check_id(
    field: &'static str,
    id: Option<&str>,
    is_valid: impl FnOnce(&str) -> bool,
) -> Result<(), Refusal> {
    if id.is_none_or(is_valid) {
        Ok(())
    } else {
        Err(Refusal::invalid(field, format!("{field} is not an id.")))
    }
}

#[cfg(test)]
mod tests {
    use rules::numbers::Seq;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_context_keeps_its_form() {
        let sent = json!({
            "at": "12", "x": 3, "y": 4, "region": {"x1": 0, "y1": 0, "x2": 9, "y2": 9},
            "plan_id": format!("plan_{}", "0a".repeat(16)),
        });
        let context: GuideContext = serde_json::from_value(sent.clone()).unwrap();
        assert_eq!((context.pixel(), context.is_empty()), (Some((3, 4)), false));
        assert_eq!(context.moment().unwrap(), Some(PointInTime::Seq(Seq(12))));
        assert_eq!(json!(context), sent);
        assert!(serde_json::from_value::<GuideContext>(json!({})).unwrap().is_empty());
        for wrong in [json!({"page": "/"}), json!({"region": [0, 0, 9, 9]})] {
            assert!(serde_json::from_value::<GuideContext>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
