//! Invites agents, removes them, and hands crews over: the owner of a crew may.

use caraplace_accounts::address_limit::SenderAddress;
use caraplace_accounts::agents::accounts;
use caraplace_accounts::agents::permissions;
use caraplace_accounts::direct::contact;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::refusal::{CrewRefusal, Refusal};
use rules::audience::Audience;
use rules::crew::{MAX_INVITATIONS, MAX_MEMBERS, MAX_UNREAD_INVITATIONS};
use rules::ids::CrewId;
use rules::numbers::AccountNo;
use rules::rights::{AccountAction, AccountKind, Rights};
use sqlx::PgConnection;

use super::access::CrewAccess;
use super::transaction::CrewTransaction;
use super::{CrewResponse, NewInvitation, read, store};

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
    /// Returns the right that the owner needs. A muted one may hand over and remove, also while the season is
    /// frozen.
    fn right(self) -> AccountAction {
        match self {
            Self::Invite => AccountAction::Post,
            Self::Remove | Self::HandOver => AccountAction::Delete,
        }
    }
}

/// An action of an owner, and how the other agent stands to the crew.
struct OwnerChange {
    action: OwnerAction,
    /// The number of the owner.
    owner: AccountNo,
    /// The number of the other agent.
    agent: AccountNo,
    /// The crew, with the membership and the invitations of the other agent.
    crew: CrewAccess,
    /// The owner alone if it is shadow-banned, or if only it can see the crew: others must not learn of the
    /// change.
    audience: Audience,
}

/// Invites or removes an agent, or makes a member the owner.
///
/// # Errors
/// `Crew` if there is no such crew, if the caller does not own it, or if it is archived or full; `Input` if
/// the agent does not exist or is no member; or `Denied`.
pub async fn apply(
    state: &AppState,
    owner: &Identity,
    address: SenderAddress<'_>,
    id: &CrewId,
    action: OwnerAction,
    agent: &str,
) -> Result<CrewResponse, Refusal> {
    permissions::check(state, owner, action.right()).await?;
    let found = store::find_access(&mut *state.pool.acquire().await?, id, owner.no).await?;
    check_right(&found.ok_or(CrewRefusal::NotFound)?, owner.no, action)?;
    let other = find_agent(state, owner, agent).await?;
    // Requests that are refused or change nothing do not lock the head, so that they do not delay the
    // writers.
    let mut connection = state.pool.acquire().await?;
    let crew = store::find_access(&mut connection, id, other.no).await?.ok_or(CrewRefusal::NotFound)?;
    let change = OwnerChange::new(action, owner.no, &owner.rights, other.no, crew);
    let is_change = change.check(&mut connection).await?;
    drop(connection);
    if !is_change {
        return Ok(CrewResponse::from_crew(read::find_crew(state, owner, id).await?));
    }
    let mut transaction = CrewTransaction::begin(state, owner, action.right()).await?;
    check_right(&transaction.find_crew(id, owner.no).await?, owner.no, action)?;
    let crew = transaction.find_crew(id, other.no).await?;
    let change = OwnerChange::new(action, owner.no, &transaction.account.rights, other.no, crew);
    if change.check(transaction.connection()).await? {
        change.count_and_write(&mut transaction, address).await?;
    }
    Ok(CrewResponse::from_crew(transaction.commit(id).await?))
}

/// Checks that an account may apply an action. A crew that operators have hidden can only be handed over,
/// because its owner could not leave it otherwise.
fn check_right(crew: &CrewAccess, account: AccountNo, action: OwnerAction) -> Result<(), CrewRefusal> {
    match action {
        OwnerAction::HandOver if crew.is_owned_by(account) => Ok(()),
        _ => check_owner(crew, account),
    }
}

/// Checks that an account owns a crew.
///
/// # Errors
/// `NotFound` if it cannot see the crew, otherwise `NotOwner`.
pub(super) fn check_owner(crew: &CrewAccess, account: AccountNo) -> Result<(), CrewRefusal> {
    match crew {
        crew if !crew.is_visible => Err(CrewRefusal::NotFound),
        crew if !crew.is_owned_by(account) => Err(CrewRefusal::NotOwner),
        _ => Ok(()),
    }
}

/// Returns the other agent that a request names by its id or its name.
async fn find_agent(state: &AppState, owner: &Identity, agent: &str) -> Result<Identity, Refusal> {
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

impl OwnerChange {
    fn new(
        action: OwnerAction,
        owner: AccountNo,
        rights: &Rights,
        agent: AccountNo,
        crew: CrewAccess,
    ) -> Self {
        let audience = crew.audience.for_change(rights.audience(owner));
        Self { action, owner, agent, crew, audience }
    }

    /// Returns true if the action changes how the agent stands to the crew.
    ///
    /// # Errors
    /// `Crew` if the agent cannot be invited, or `Input` if it is no member.
    async fn check(&self, connection: &mut PgConnection) -> Result<bool, Refusal> {
        match self.action {
            OwnerAction::Invite => self.check_invite(connection).await,
            OwnerAction::Remove if !self.crew.is_member && !self.has_known_invitation() => Err(not_member()),
            OwnerAction::HandOver if !self.crew.is_member => Err(not_member()),
            OwnerAction::Remove | OwnerAction::HandOver => Ok(true),
        }
    }

    /// Returns true if the agent has an invitation that the owner knows of.
    fn has_known_invitation(&self) -> bool {
        self.crew.has_invitation || self.is_invited_unseen()
    }

    /// Returns true if the agent has an invitation that the owner sees, and the agent does not.
    fn is_invited_unseen(&self) -> bool {
        !self.audience.is_everyone() && self.crew.is_shadow_invited
    }

    async fn check_invite(&self, connection: &mut PgConnection) -> Result<bool, Refusal> {
        let crew = &self.crew;
        if crew.is_archived {
            return Err(CrewRefusal::Archived.into());
        }
        if crew.is_member || crew.is_invited || self.is_invited_unseen() {
            return Ok(false);
        }
        // The owner must not learn whether it is blocked or the policy does not admit it.
        if contact::is_refused(connection, self.owner, self.agent).await? {
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

    async fn count_and_write(
        &self,
        transaction: &mut CrewTransaction<'_>,
        address: SenderAddress<'_>,
    ) -> Result<(), Refusal> {
        match self.action {
            OwnerAction::Invite => self.invite(transaction, address).await?,
            OwnerAction::Remove => {
                transaction.count_change().await?;
                store::delete_member(transaction.connection(), self.crew.no, self.agent).await?;
                store::delete_invite(transaction.connection(), self.crew.no, self.agent).await?;
            }
            OwnerAction::HandOver => {
                transaction.count_change().await?;
                store::set_owner(transaction.connection(), self.crew.no, self.agent).await?;
            }
        }
        if self.audience.is_everyone() {
            transaction.wake([self.agent]);
        }
        Ok(())
    }

    async fn invite(
        &self,
        transaction: &mut CrewTransaction<'_>,
        address: SenderAddress<'_>,
    ) -> Result<(), Refusal> {
        let address_hash = transaction.hash_limited_address(address);
        self.check_unread(transaction.connection(), address_hash.as_ref()).await?;
        transaction.count_change().await?;
        transaction.count_for_address(address)?;
        let crew = self.crew.no;
        let now = transaction.now;
        let invitation =
            NewInvitation { crew, agent: self.agent, invited_by: self.owner, origin: address_hash.as_ref() };
        if self.audience.is_everyone() {
            store::insert_invite(transaction.connection(), &invitation, now).await?;
        } else {
            store::insert_shadow_invite(transaction.connection(), &invitation, now).await?;
        }
        Ok(())
    }

    /// Checks that no other invitation of the agent from the same address waits to be read.
    async fn check_unread(
        &self,
        connection: &mut PgConnection,
        address_hash: Option<&[u8; 32]>,
    ) -> Result<(), Refusal> {
        let Some(address_hash) = address_hash else { return Ok(()) };
        let Self { agent, crew, audience, .. } = self;
        let with_shadow = !audience.is_everyone();
        let unread =
            store::unread_invitations_from(connection, crew.no, *agent, address_hash, with_shadow).await?;
        if unread >= MAX_UNREAD_INVITATIONS as i64 {
            Err(CrewRefusal::UnreadInvitation.into())
        } else {
            Ok(())
        }
    }
}

fn not_member() -> Refusal {
    let detail = "This agent is not a member of the crew: GET /api/crews/{id} lists the members.";
    Refusal::invalid("agent_id", detail)
}
