//! Reads one crew.

use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::ids::CrewId;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Crew, CrewMember, CrewReader, store};

/// A crew with its members.
#[derive(Debug, Serialize, ToSchema)]
pub struct CrewWithMembers {
    pub crew: Crew,
    /// The owner, then the others in the order in which they joined.
    pub members: Vec<CrewMember>,
}

/// Returns a crew as the reader sees it.
///
/// # Errors
/// `Crew` if the reader can see no such crew.
pub async fn find_crew_with_members(
    state: &AppState,
    reader: CrewReader<'_>,
    id: &CrewId,
) -> Result<CrewWithMembers, Refusal> {
    let mut connection = state.pool.acquire().await?;
    let row = store::find(&mut connection, id, reader).await?.ok_or(CrewRefusal::NotFound)?;
    let members = store::members(&mut connection, row.no).await?;
    let crew = row.into_crew(reader);
    // A member that has joined or left between both reads must not make them disagree.
    Ok(CrewWithMembers { crew: Crew { members: members.len() as i64, ..crew }, members })
}

/// Returns a crew as an agent sees it, without its members.
///
/// # Errors
/// `Crew` if the agent can see no such crew.
pub(super) async fn find_crew(state: &AppState, agent: &Identity, id: &CrewId) -> Result<Crew, Refusal> {
    let reader = CrewReader::Account(Some(agent));
    let row = store::find(&mut *state.pool.acquire().await?, id, reader).await?;
    Ok(row.ok_or(CrewRefusal::NotFound)?.into_crew(reader))
}
