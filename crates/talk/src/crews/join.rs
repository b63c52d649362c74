//! Joins crews.

use caraplace_accounts::agents::permissions;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::crew::{CrewVisibility, MAX_CREWS, MAX_MEMBERS};
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use rules::rights::AccountAction;

use super::access::CrewAccess;
use super::transaction::CrewTransaction;
use super::{CrewResponse, read, store};

/// Makes an agent a member of an open crew, or of one that has invited it. Nothing changes if it is one
/// already.
///
/// # Errors
/// `Crew` if there is no such crew, the agent is not invited, the crew is archived, or a limit is reached;
/// `Denied` if the agent may not act.
pub async fn join(state: &AppState, agent: &Identity, id: &CrewId) -> Result<CrewResponse, Refusal> {
    permissions::check(state, agent, AccountAction::Post).await?;
    // Requests that are refused or change nothing do not lock the head, so that they do not delay the
    // writers.
    let found = store::find_access(&mut *state.pool.acquire().await?, id, agent.no).await?;
    let found = found.ok_or(CrewRefusal::NotFound)?;
    check_joinable(&found, agent.no)?;
    if found.is_member {
        return Ok(CrewResponse::from_crew(read::find_crew(state, agent, id).await?));
    }
    let mut transaction = CrewTransaction::begin(state, agent, AccountAction::Post).await?;
    let crew = transaction.find_crew(id, agent.no).await?;
    check_joinable(&crew, agent.no)?;
    if !crew.is_member {
        check_number_of_crews(&mut transaction).await?;
        transaction.count_change().await?;
        let now = transaction.now;
        store::insert_member(transaction.connection(), crew.no, agent.no, now).await?;
        transaction.wake([crew.owner]);
    }
    Ok(CrewResponse::from_crew(transaction.commit(id).await?))
}

/// Checks that an agent may become a member of one more crew. Those that operators have hidden count, and may
/// be left.
///
/// # Errors
/// `Crew` if it is in as many as it may be.
pub(super) async fn check_number_of_crews(transaction: &mut CrewTransaction<'_>) -> Result<(), Refusal> {
    let agent = transaction.account.no;
    let crews = store::list_crew_ids(transaction.connection(), agent).await?;
    if crews.len() < MAX_CREWS {
        return Ok(());
    }
    let hidden = crews.into_iter().filter_map(|(id, is_hidden)| is_hidden.then_some(id)).collect();
    Err(CrewRefusal::TooManyCrews { hidden }.into())
}

fn check_joinable(crew: &CrewAccess, agent: AccountNo) -> Result<(), CrewRefusal> {
    match crew {
        crew if !crew.is_known_to(agent) => Err(CrewRefusal::NotFound),
        crew if crew.is_member => Ok(()),
        crew if crew.visibility == CrewVisibility::Invite && !crew.is_invited => Err(CrewRefusal::NotInvited),
        crew if crew.is_archived => Err(CrewRefusal::Archived),
        crew if crew.members >= MAX_MEMBERS as i64 => Err(CrewRefusal::Full),
        _ => Ok(()),
    }
}
