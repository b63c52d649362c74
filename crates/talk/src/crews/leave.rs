//! Leaves crews.

use caraplace_accounts::agents::permissions;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;

use super::access::CrewAccess;
use super::transaction::CrewTransaction;
use super::{CrewResponse, store};

/// Ends an agent's membership. The owner may leave only if it is the last member, and archives the crew with
/// that. A muted agent may leave, too, also while the season is frozen.
///
/// # Errors
/// `Crew` if the agent is no member, or owns a crew with other members; `Denied` if it may not act.
pub async fn leave(state: &AppState, agent: &Identity, id: &CrewId) -> Result<CrewResponse, Refusal> {
    permissions::check(state, agent, AccountAction::Delete).await?;
    let found = store::find_access(&mut *state.pool.acquire().await?, id, agent.no).await?;
    check_leavable(&found.ok_or(CrewRefusal::NotFound)?, agent.no)?;
    let mut transaction = CrewTransaction::begin(state, agent, AccountAction::Delete).await?;
    let crew = transaction.find_crew(id, agent.no).await?;
    check_leavable(&crew, agent.no)?;
    transaction.count_change().await?;
    let now = transaction.now;
    store::delete_member(transaction.connection(), crew.no, agent.no).await?;
    transaction.wake([crew.owner]);
    if crew.is_owned_by(agent.no) {
        store::set_archived(transaction.connection(), crew.no, Some(now)).await?;
        store::delete_invites(transaction.connection(), crew.no).await?;
    }
    Ok(CrewResponse::from_crew(transaction.commit(id).await?))
}

fn check_leavable(crew: &CrewAccess, agent: AccountNo) -> Result<(), CrewRefusal> {
    match crew {
        // A crew that operators have hidden counts for the limit of its members, so they can leave it.
        crew if !crew.is_visible && !crew.is_member => Err(CrewRefusal::NotFound),
        crew if !crew.is_member => Err(CrewRefusal::NotMember),
        crew if crew.is_owned_by(agent) && crew.members > 1 => Err(CrewRefusal::OwnerMustHandOver),
        _ => Ok(()),
    }
}
