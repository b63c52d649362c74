//! Invitations: a link lets one person become an operator, once and within a week.

use std::net::IpAddr;

use caraplace_log::state::AppState;
use chrono::{DateTime, TimeDelta, Utc};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use platform::tokens::{hash, is_token, new_token};
use platform::{clock, database};
use rules::operators::{MAX_NAME_CHARS, MIN_NAME_CHARS, OperatorRole, is_valid_operator_name};
use serde_json::json;

use super::recording::{OperatorChange, record};
use super::sessions::StartedSession;
use super::store::accounts::{self, NewOperatorRow};
use super::store::invitations as store;
use super::{Operator, OperatorAuth, OperatorInvitation, new_password};

/// The prefix of an invitation's token.
const PREFIX: &str = "cpi_";
/// The path of the page on which an invitation is accepted, to which its token is added.
pub const PATH: &str = "/admin/invitation/";
/// The time for which an invitation can be accepted.
const LIFETIME: TimeDelta = TimeDelta::days(7);

/// A new invitation.
pub struct MadeInvitation {
    pub id: String,
    pub role: OperatorRole,
    /// The proposed name; `None` for none.
    pub name: Option<String>,
    pub expires_at: DateTime<Utc>,
    /// The token of the link. It is stored only as a hash.
    pub token: String,
}

/// The choices of the invited person.
pub struct AcceptedInvitation {
    pub token: String,
    pub name: String,
    pub password: String,
}

/// Invites a person to a role.
///
/// # Errors
/// `Input` for a proposed name that no operator may have, or `Operator` for a role with a scope that the
/// sender does not have.
pub async fn invite(
    state: &AppState,
    by: &Operator,
    role: OperatorRole,
    name: Option<String>,
) -> Result<MadeInvitation, Refusal> {
    if let Some(name) = &name {
        check_name(name)?;
    }
    by.check_may_give(role.scopes())?;
    let (id, token) = (clock::new_id("invitation"), format!("{PREFIX}{}", new_token()?));
    let now = state.clock.now();
    let expires_at = now + LIFETIME;
    let row = store::NewInvitationRow {
        id: &id,
        token_hash: &hash(&token),
        role,
        name: name.as_deref(),
        invited_by: &by.id,
        now,
        expires_at,
    };
    let mut transaction = state.pool.begin().await?;
    store::insert(&mut transaction, &row).await?;
    let after = json!({"role": role, "name": name, "expires_at": expires_at});
    let change = OperatorChange { after, ..OperatorChange::new("invite operator", &id) };
    record(state, &mut transaction, &by.name, change).await?;
    database::commit(transaction).await?;
    Ok(MadeInvitation { id, role, name, expires_at, token })
}

/// Returns the invitations that can still be accepted, newest first.
pub async fn list(state: &AppState) -> Result<Vec<OperatorInvitation>, Refusal> {
    Ok(store::list(&state.pool, state.clock.now()).await?)
}

/// Withdraws an invitation: its link no longer works. Returns false if there is none with this id.
pub async fn withdraw(state: &AppState, by: &Operator, id: &str) -> Result<bool, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let Some(role) = store::take(&mut transaction, id).await? else { return Ok(false) };
    let after = json!({"role": role});
    let change = OperatorChange { after, ..OperatorChange::new("withdraw invitation", id) };
    record(state, &mut transaction, &by.name, change).await?;
    database::commit(transaction).await?;
    Ok(true)
}

/// Checks the name of an operator.
///
/// # Errors
/// `Input` if no operator may have it.
fn check_name(name: &str) -> Result<(), Refusal> {
    let detail = || {
        format!(
            "A name must have {MIN_NAME_CHARS} to {MAX_NAME_CHARS} characters: letters from a to z, digits, \
             and spaces, dots, hyphens or underscores between them; and it must not name something else in \
             the audit log."
        )
    };
    if is_valid_operator_name(name) { Ok(()) } else { Err(Refusal::invalid("name", detail())) }
}

fn ended() -> Refusal {
    let detail = "This invitation has expired, was withdrawn or was used already. Ask for a new link.";
    InputError::new(InputErrorKind::NotFound, detail).into()
}

impl OperatorAuth {
    /// Returns the invitation of a token.
    ///
    /// # Errors
    /// `Input` if it has ended, or the console is disabled.
    pub async fn find_invitation(
        &self,
        state: &AppState,
        token: &str,
    ) -> Result<OperatorInvitation, Refusal> {
        if !self.is_open() || !token.strip_prefix(PREFIX).is_some_and(is_token) {
            return Err(ended());
        }
        store::find(&state.pool, &hash(token), state.clock.now()).await?.ok_or_else(ended)
    }

    /// Makes the operator of an invitation, which is used up, and signs it in. Of simultaneous requests one
    /// makes an operator.
    ///
    /// # Errors
    /// `Input` if the invitation has ended, or for name or password; `NameTaken`, with which it stays.
    pub async fn accept_invitation(
        &self,
        state: &AppState,
        accepted: AcceptedInvitation,
        address: IpAddr,
    ) -> Result<StartedSession, Refusal> {
        let AcceptedInvitation { token, name, password } = accepted;
        let invitation = self.find_invitation(state, &token).await?;
        check_name(&name)?;
        new_password::check_length(&password)?;
        let password_hash = self.hash_new_password(&self.unknown_devices, password).await?;
        let id = clock::new_id("operator");
        let now = state.clock.now();
        let mut transaction = state.pool.begin().await?;
        let role = store::take(&mut transaction, &invitation.id).await?.ok_or_else(ended)?;
        let row = NewOperatorRow {
            id: &id,
            name: &name,
            role,
            password_hash: password_hash.as_str(),
            invited_by: &invitation.invited_by,
            now,
        };
        accounts::insert(&mut transaction, &row).await?;
        let after = json!({"name": name, "role": role, "invited_by": invitation.invited_by});
        let change = OperatorChange { after, ..OperatorChange::new("accept invitation", &id) };
        record(state, &mut transaction, &name, change).await?;
        database::commit(transaction).await?;
        let device = self.devices.issue(self.hash_name(&name), now)?;
        let (address, password_hash) = (address.to_string(), Some(password_hash.as_str()));
        let started = self.sessions.start(state, &id, password_hash, &address, device).await?;
        started.ok_or(Refusal::KeyInvalid)
    }
}
