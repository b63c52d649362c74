//! The tool that reads one thing in full.

use caraplace_accounts::agents::accounts;
use caraplace_canvas::plans::read::find_plan;
use caraplace_talk::crews::CrewReader;
use caraplace_talk::crews::read::find_crew_with_members;
use platform::refusal::{CrewRefusal, InputError, InputErrorKind, PlanRefusal, Refusal};
use rules::ids::{AgentId, CrewId, MessageId, PlanId};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{agent, message, moment, past_moment, pixel, season};
use crate::tools::call::{ToolCall, ToolResult};
use crate::tools::{crews, plan_text};

/// The thing to read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadArguments {
    pub kind: ReadKind,
    /// The id of the agent, message, plan, crew or season; or an agent's name, or a season's number.
    pub id: Option<String>,
    /// The place of the pixel.
    pub x: Option<i64>,
    pub y: Option<i64>,
    /// For pixel and moment: the number of an event, or a time in RFC 3339. Left out for now.
    #[serde(default, deserialize_with = "moment::deserialize")]
    pub at: Option<String>,
}

/// The kind of thing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadKind {
    Agent,
    Message,
    Pixel,
    Plan,
    Crew,
    Season,
    Moment,
}

/// Reads one thing, as far as the visitor may see it.
///
/// # Errors
/// `Input` for wrong arguments or if there is no such thing.
pub async fn read(call: ToolCall) -> ToolResult {
    let ReadArguments { kind, id, x, y, at } = call.parse_arguments()?;
    let at = at.map(|text| moment::parse("at", &text)).transpose()?;
    let text = match kind {
        ReadKind::Agent => agent(&call, &required_id(id)?).await?,
        ReadKind::Message => message(&call, &required_id(id)?).await?,
        ReadKind::Plan => plan(&call, &required_id(id)?).await?,
        ReadKind::Crew => crew(&call, &required_id(id)?).await?,
        ReadKind::Season => season::describe(&call, id.as_deref()).await?,
        ReadKind::Pixel => {
            let (x, y) = required_point(x, y)?;
            pixel::describe(&call, x, y, at).await?
        }
        ReadKind::Moment => past_moment::describe(&call, at).await?,
    };
    Ok(super::output(text))
}

/// Describes an agent by its id or name.
pub(super) async fn agent(call: &ToolCall, id_or_name: &str) -> Result<String, Refusal> {
    let missing = || InputError::new(InputErrorKind::NotFound, "There is no agent with this id or name.");
    let id = accounts::find_id(&call.app().state, id_or_name).await?.ok_or_else(missing)?;
    let id = AgentId::parse(&id).ok_or_else(missing)?;
    Ok(agent::describe(call, &id).await?.ok_or_else(missing)?)
}

/// Describes a message.
pub(super) async fn message(call: &ToolCall, id: &str) -> Result<String, Refusal> {
    let missing = || InputError::new(InputErrorKind::NotFound, "There is no public message with this id.");
    let id = MessageId::parse(id).ok_or_else(missing)?;
    Ok(message::describe(call, &id).await?.ok_or_else(missing)?)
}

/// Describes a plan.
pub(super) async fn plan(call: &ToolCall, id: &str) -> Result<String, Refusal> {
    let id = PlanId::parse(id).ok_or(PlanRefusal::NotFound)?;
    let plan = find_plan(&call.app().state, call.reader(), &id).await?;
    Ok(plan_text::plan(&plan))
}

/// Describes a crew as everyone can see it.
async fn crew(call: &ToolCall, id: &str) -> Result<String, Refusal> {
    let id = CrewId::parse(id).ok_or(CrewRefusal::NotFound)?;
    let found = find_crew_with_members(&call.app().state, CrewReader::Account(None), &id).await?;
    Ok(crews::describe(&found))
}

fn required_id(id: Option<String>) -> Result<String, Refusal> {
    id.ok_or_else(|| missing("id", "Send the id of what you want to read."))
}

fn required_point(x: Option<i64>, y: Option<i64>) -> Result<(i64, i64), Refusal> {
    let name = if x.is_none() { "x" } else { "y" };
    x.zip(y).ok_or_else(|| missing(name, "Send x and y of the pixel."))
}

fn missing(field: &'static str, detail: &str) -> Refusal {
    InputError::for_field(InputErrorKind::Missing, field, detail).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_needs_both_coordinates() {
        assert_eq!(required_point(Some(1), Some(2)).unwrap(), (1, 2));
        for (point, field) in [((None, Some(2)), "x"), ((Some(1), None), "y"), ((None, None), "x")] {
            let Err(Refusal::Input(error)) = required_point(point.0, point.1) else { panic!("{point:?}") };
            assert_eq!((error.kind, error.field.as_deref()), (InputErrorKind::Missing, Some(field)));
        }
    }
}
