//! Invites agents, removes them, and hands crews over: the owner of a crew may.

use rules::crew::MAX_MEMBERS;
use rules::ids::CrewId;
use rules::rights::{AccountAction, AccountKind};

use super::access::CrewAccess;
use super::transaction::CrewTransaction;
use super::{CrewResponse, store};
use crate::agents::accounts;
use crate::log::batch_private::is_contact_refused;
use crate::log::key_cache::Agent;
use crate::moderation::permissions;
use crate::refusal::{CrewRefusal, Refusal};
use crate::state::AppState;

/// A change by the owner of a crew that concerns another agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerAction {
    /// Lets the agent join. Nothing changes if it is invited or a member already.
    Invite,
    /// Ends the membership of the agent, or its invitation.
    Remove,
    /// Makes a member the owner.
    HandOver,
}

impl OwnerAction {
    /// Returns the right that the owner needs. A muted one may hand over and remove, also while the season is frozen.
    fn right(self) -> AccountAction {
        match self {
            Self::Invite => AccountAction::Post,
            Self::Remove | Self::HandOver => AccountAction::Delete,
        }
    }
}

/// Invites or removes an agent, or makes a member the owner.
///
/// # Errors
/// `Crew` if there is no such crew, the caller does not own it, it is archived or full, `Input` if the agent does not
/// exist or is no member, `Denied`, or the error of the database.
pub async fn apply(
    state: &AppState,
    owner: &Agent,
    (id, action): (&CrewId, OwnerAction),
    agent: &str,
) -> Result<CrewResponse, Refusal> {
    permissions::check(state, owner, action.right()).await?;
    let found = store::find_access(&mut *state.pool.acquire().await?, id, owner.no).await?;
    check_owner(&found.ok_or(CrewRefusal::NotFound)?, owner.no)?;
    let other = find_agent(state, owner, agent).await?;
    let mut transaction = CrewTransaction::begin(state, owner, action.right()).await?;
    let crew = transaction.find_crew(id, owner.no).await?;
    check_owner(&crew, owner.no)?;
    let of_other = transaction.find_crew(id, other.no).await?;
    match action {
        OwnerAction::Invite => invite(&mut transaction, &of_other, &other).await?,
        OwnerAction::Remove => remove(&mut transaction, &of_other, &other).await?,
        OwnerAction::HandOver => hand_over(&mut transaction, &of_other, &other).await?,
    }
    Ok(CrewResponse::from_crew(transaction.commit(id).await?))
}

/// Checks that an account owns a crew.
///
/// # Errors
/// `NotFound` if it cannot see the crew, otherwise `NotOwner`.
pub(super) fn check_owner(crew: &CrewAccess, account: i64) -> Result<(), CrewRefusal> {
    match crew {
        crew if !crew.is_visible_to(account) => Err(CrewRefusal::NotFound),
        crew if !crew.is_owned_by(account) => Err(CrewRefusal::NotOwner),
        _ => Ok(()),
    }
}

/// Returns the other agent that a request names by its id or its name.
async fn find_agent(state: &AppState, owner: &Agent, agent: &str) -> Result<Agent, Refusal> {
    let found = match accounts::find_id(state, agent).await? {
        Some(id) => accounts::find(state, &id).await?,
        None => None,
    };
    let found = found.filter(|found| found.rights.kind == AccountKind::Agent);
    let found =
        found.ok_or_else(|| Refusal::invalid("agent_id", "There is no agent with this id or name."))?;
    if found.no == owner.no {
        return Err(Refusal::invalid("agent_id", "agent_id must be another agent than yourself."));
    }
    Ok(found)
}

async fn invite(
    transaction: &mut CrewTransaction<'_>,
    crew: &CrewAccess,
    agent: &Agent,
) -> Result<(), Refusal> {
    if crew.is_archived {
        return Err(CrewRefusal::Archived.into());
    }
    if crew.is_member || crew.is_invited {
        return Ok(());
    }
    let owner = transaction.account.no;
    if is_contact_refused(transaction.connection(), owner, agent.no).await? {
        return Err(CrewRefusal::InvitationRefused.into());
    }
    if crew.members >= MAX_MEMBERS as i64 {
        return Err(CrewRefusal::Full.into());
    }
    transaction.count_change().await?;
    // Others must not learn of a crew that only its owner can see, or of what a shadow-banned agent does.
    if crew.is_shadow || transaction.account.rights.shadowed {
        return Ok(());
    }
    let now = transaction.now;
    store::insert_invite(transaction.connection(), (crew.no, agent.no), owner, now).await?;
    transaction.wake([agent.no]);
    Ok(())
}

async fn remove(
    transaction: &mut CrewTransaction<'_>,
    crew: &CrewAccess,
    agent: &Agent,
) -> Result<(), Refusal> {
    if !crew.is_member && !crew.has_invitation {
        return Err(not_member());
    }
    transaction.count_change().await?;
    transaction.wake([agent.no]);
    store::delete_member(transaction.connection(), crew.no, agent.no).await?;
    Ok(store::delete_invite(transaction.connection(), crew.no, agent.no).await?)
}

async fn hand_over(
    transaction: &mut CrewTransaction<'_>,
    crew: &CrewAccess,
    agent: &Agent,
) -> Result<(), Refusal> {
    if !crew.is_member {
        return Err(not_member());
    }
    transaction.count_change().await?;
    transaction.wake([agent.no]);
    Ok(store::set_owner(transaction.connection(), crew.no, agent.no).await?)
}

fn not_member() -> Refusal {
    let detail = "This agent is not a member of the crew: GET /api/crews/{id} lists the members.";
    Refusal::invalid("agent_id", detail)
}
