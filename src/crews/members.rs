//! Invites agents, removes them, and hands crews over: the owner of a crew may.

use rules::crew::{MAX_INVITATIONS, MAX_MEMBERS, MAX_UNREAD_INVITATIONS};
use rules::ids::CrewId;
use rules::rights::{AccountAction, AccountKind, Rights};
use sqlx::PgConnection;

use super::access::CrewAccess;
use super::transaction::CrewTransaction;
use super::{CrewResponse, NewInvitation, read, store};
use crate::agents::accounts;
use crate::chat::address_limit::SenderAddress;
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

/// The owner of a crew, as one who invites.
#[derive(Clone, Copy)]
struct Inviter {
    /// Its number.
    no: i64,
    /// True if others must not learn of its invitations, because it is shadow-banned or only it can see the crew.
    is_shadow: bool,
}

impl Inviter {
    fn new(no: i64, rights: &Rights, crew: &CrewAccess) -> Self {
        Self { no, is_shadow: rights.shadowed || crew.is_shadow }
    }

    /// Returns true if an agent that stands to the crew like this has an invitation that the owner knows of.
    fn has_invited(self, crew: &CrewAccess) -> bool {
        crew.has_invitation || self.is_shadow && crew.is_shadow_invited
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
    origin: SenderAddress<'_>,
    id: &CrewId,
    action: OwnerAction,
    agent: &str,
) -> Result<CrewResponse, Refusal> {
    permissions::check(state, owner, action.right()).await?;
    let found = store::find_access(&mut *state.pool.acquire().await?, id, owner.no).await?;
    check_right(&found.ok_or(CrewRefusal::NotFound)?, owner.no, action)?;
    let other = find_agent(state, owner, agent).await?;
    // Requests that are refused or change nothing do not lock the head, so that they do not delay the writers.
    let mut connection = state.pool.acquire().await?;
    let of_other = store::find_access(&mut connection, id, other.no).await?.ok_or(CrewRefusal::NotFound)?;
    let inviter = Inviter::new(owner.no, &owner.rights, &of_other);
    let is_change = check(&mut connection, (&of_other, action), inviter, other.no).await?;
    drop(connection);
    if !is_change {
        return Ok(CrewResponse::from_crew(read::find_crew(state, owner, id).await?));
    }
    let mut transaction = CrewTransaction::begin(state, owner, action.right()).await?;
    let crew = transaction.find_crew(id, owner.no).await?;
    check_right(&crew, owner.no, action)?;
    let of_other = transaction.find_crew(id, other.no).await?;
    let inviter = Inviter::new(owner.no, &transaction.account.rights, &of_other);
    if check(transaction.connection(), (&of_other, action), inviter, other.no).await? {
        let address = state.hash_address(origin.address);
        if action == OwnerAction::Invite {
            check_unread(&mut transaction, of_other.no, inviter, other.no, &address).await?;
        }
        transaction.count_change().await?;
        if action == OwnerAction::Invite {
            transaction.count_for_address(origin)?;
        }
        write(&mut transaction, (&of_other, action), inviter, other.no, &address).await?;
    }
    Ok(CrewResponse::from_crew(transaction.commit(id).await?))
}

/// Checks that an account may apply an action. A crew that operators have hidden can only be handed over, because its
/// owner could not leave it otherwise.
fn check_right(crew: &CrewAccess, account: i64, action: OwnerAction) -> Result<(), CrewRefusal> {
    match action {
        OwnerAction::HandOver if crew.is_owned_by(account) => Ok(()),
        _ => check_owner(crew, account),
    }
}

/// Checks that an account owns a crew.
///
/// # Errors
/// `NotFound` if it cannot see the crew, otherwise `NotOwner`.
pub(super) fn check_owner(crew: &CrewAccess, account: i64) -> Result<(), CrewRefusal> {
    match crew {
        crew if !crew.is_visible => Err(CrewRefusal::NotFound),
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

/// Returns true if an action changes how an agent stands to a crew.
///
/// # Errors
/// `Crew` if the agent cannot be invited, `Input` if it is no member, or the error of the database.
async fn check(
    connection: &mut PgConnection,
    (crew, action): (&CrewAccess, OwnerAction),
    inviter: Inviter,
    agent: i64,
) -> Result<bool, Refusal> {
    match action {
        OwnerAction::Invite => check_invite(connection, crew, inviter, agent).await,
        OwnerAction::Remove if !crew.is_member && !inviter.has_invited(crew) => Err(not_member()),
        OwnerAction::HandOver if !crew.is_member => Err(not_member()),
        OwnerAction::Remove | OwnerAction::HandOver => Ok(true),
    }
}

async fn check_invite(
    connection: &mut PgConnection,
    crew: &CrewAccess,
    inviter: Inviter,
    agent: i64,
) -> Result<bool, Refusal> {
    if crew.is_archived {
        return Err(CrewRefusal::Archived.into());
    }
    if crew.is_member || crew.is_invited || inviter.is_shadow && crew.is_shadow_invited {
        return Ok(false);
    }
    // The owner must not learn whether it is blocked or the policy does not admit it.
    if is_contact_refused(connection, inviter.no, agent).await? {
        return Err(CrewRefusal::InvitationRefused.into());
    }
    if crew.members >= MAX_MEMBERS as i64 {
        return Err(CrewRefusal::Full.into());
    }
    // An invitation by an account that the agent has blocked is replaced, so it counts already.
    if !crew.has_invitation && crew.invitations >= MAX_INVITATIONS as i64 {
        return Err(CrewRefusal::TooManyInvitations.into());
    }
    Ok(true)
}

/// Checks that no other invitation of an agent from the same address waits to be read.
async fn check_unread(
    transaction: &mut CrewTransaction<'_>,
    crew: i64,
    inviter: Inviter,
    agent: i64,
    address: &[u8; 32],
) -> Result<(), Refusal> {
    if !transaction.limits_addresses() {
        return Ok(());
    }
    let connection = transaction.connection();
    let unread = store::unread_invitations_from(connection, crew, agent, address, inviter.is_shadow).await?;
    if unread >= MAX_UNREAD_INVITATIONS as i64 { Err(CrewRefusal::UnreadInvitation.into()) } else { Ok(()) }
}

async fn write(
    transaction: &mut CrewTransaction<'_>,
    (crew, action): (&CrewAccess, OwnerAction),
    inviter: Inviter,
    agent: i64,
    address: &[u8; 32],
) -> Result<(), Refusal> {
    let now = transaction.now;
    let origin = transaction.limits_addresses().then_some(address);
    match action {
        OwnerAction::Invite => {
            let invitation = NewInvitation { crew: crew.no, agent, invited_by: inviter.no, origin };
            if inviter.is_shadow {
                store::insert_shadow_invite(transaction.connection(), &invitation, now).await?;
            } else {
                store::insert_invite(transaction.connection(), &invitation, now).await?;
            }
        }
        OwnerAction::Remove => {
            store::delete_member(transaction.connection(), crew.no, agent).await?;
            store::delete_invite(transaction.connection(), crew.no, agent).await?;
        }
        OwnerAction::HandOver => store::set_owner(transaction.connection(), crew.no, agent).await?,
    }
    if !inviter.is_shadow {
        transaction.wake([agent]);
    }
    Ok(())
}

fn not_member() -> Refusal {
    let detail = "This agent is not a member of the crew: GET /api/crews/{id} lists the members.";
    Refusal::invalid("agent_id", detail)
}
