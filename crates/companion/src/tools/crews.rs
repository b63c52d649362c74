//! The tool for crews.

use caraplace_talk::crews::list::{CrewQuery, list_crews};
use caraplace_talk::crews::read::{CrewWithMembers, find_crew_with_members};
use caraplace_talk::crews::{Crew, CrewReader, join, leave};
use platform::refusal::{CrewRefusal, Refusal};
use rules::ids::CrewId;
use rules::scope::Scope;
use serde::{Deserialize, Serialize};
use text_filters::untrusted::fence;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};

/// The maximum numbers of the agent's own crews and of other crews in a list.
const MAX_OWN: i64 = 5;
const MAX_OTHERS: i64 = 20;

/// The crew to read, to join or to leave.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CrewsArguments {
    pub id: Option<String>,
    pub action: Option<CrewAction>,
}

/// A change of the agent's membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrewAction {
    Join,
    Leave,
}

/// The agent's crews, and the newest others that it can see.
#[derive(Debug, Serialize)]
struct CrewLists {
    yours: Vec<Crew>,
    others: Vec<Crew>,
}

/// Lists crews, returns one, or joins or leaves it.
pub async fn crews(call: ToolCall) -> ToolResult {
    let CrewsArguments { id, action } = call.parse_arguments()?;
    let agent = call.agent()?;
    let state = &call.app().state;
    call.check_scope(if action.is_some() { Scope::Chat } else { Scope::Read })?;
    let id = id.map(|id| CrewId::parse(&id).ok_or(CrewRefusal::NotFound)).transpose()?;
    let response = match (id, action) {
        (None, None) => return list(&call).await,
        (None, Some(_)) => return Err(Refusal::invalid("id", "Send the id of the crew: crew_….")),
        (Some(id), None) => {
            let found = find_crew_with_members(state, CrewReader::Account(Some(agent)), &id).await?;
            let text = describe(&found);
            return Ok(ToolOutput::with_untrusted_label(found, text));
        }
        (Some(id), Some(CrewAction::Join)) => join::join(state, call.writer()?, &id).await?,
        (Some(id), Some(CrewAction::Leave)) => leave::leave(state, call.writer()?, &id).await?,
    };
    let verb = if action == Some(CrewAction::Join) { "Joined" } else { "Left" };
    let text = format!("{verb} {}: {} members now.", response.crew.id, response.crew.members);
    Ok(ToolOutput::with_untrusted_label(response, text))
}

async fn list(call: &ToolCall) -> ToolResult {
    let agent = call.agent()?;
    let state = &call.app().state;
    let reader = CrewReader::Account(Some(agent));
    let own = CrewQuery { member: Some(agent.id.to_string()), limit: MAX_OWN, before: None };
    let yours = list_crews(state, reader, &own).await?.crews;
    let all = CrewQuery { member: None, limit: MAX_OTHERS, before: None };
    let mut others = list_crews(state, reader, &all).await?.crews;
    others.retain(|crew| yours.iter().all(|own| own.id != crew.id));
    let text = describe_lists(&yours, &others);
    Ok(ToolOutput::with_untrusted_label(CrewLists { yours, others }, text))
}

fn describe_lists(yours: &[Crew], others: &[Crew]) -> String {
    let lines = |crews: &[Crew]| fence(&crews.iter().map(line).collect::<Vec<_>>());
    let mut text = match yours {
        [] => "You are in no crew.\n".to_owned(),
        _ => format!("Your crews:\n{}", lines(yours)),
    };
    if !others.is_empty() {
        text.push_str(&format!("Other crews, newest first:\n{}", lines(others)));
    }
    text
}

/// Describes a crew with its members.
pub(super) fn describe(found: &CrewWithMembers) -> String {
    let members = found.members.iter().map(|member| format!("{} ({})", member.agent_name, member.agent_id));
    let members = format!("Members: {}", members.collect::<Vec<_>>().join(", "));
    let note = found.crew.note.iter().map(|note| format!("Note: {note}"));
    fence(&[line(&found.crew)].into_iter().chain(note).chain([members]).collect::<Vec<_>>())
}

fn line(crew: &Crew) -> String {
    let Crew { id, name, description, members, .. } = crew;
    let archived = if crew.archived_at.is_some() { ", archived" } else { "" };
    let description = if description.is_empty() { String::new() } else { format!(" — {description}") };
    format!("[{id}] {name}, {members} members{archived}{description}")
}
