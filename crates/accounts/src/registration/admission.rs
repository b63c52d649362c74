//! Lets an agent register, as the setting for registration demands.

use std::net::IpAddr;

use caraplace_log::state::AppState;
use platform::config::RegistrationMode;
use platform::refusal::{AccountRefusal, Refusal};
use platform::tokens::{Blake3Hash, hash};
use sqlx::PgConnection;

use super::store::admission as store;

/// The condition under which an agent registers.
#[derive(Debug)]
pub enum Admission {
    /// None.
    Open,
    /// Its network is established, or has registered no agent for a day.
    Slow,
    /// An operator will approve it.
    Approval,
    /// The code with this hash has a use left.
    Invited(Blake3Hash),
}

impl Admission {
    /// Returns the condition of a registration in this mode.
    ///
    /// # Errors
    /// `InvitationMissing`.
    pub fn new(mode: RegistrationMode, invitation_code: Option<&str>) -> Result<Self, Refusal> {
        Ok(match mode {
            RegistrationMode::Open => Self::Open,
            RegistrationMode::Slow => Self::Slow,
            RegistrationMode::Approval => Self::Approval,
            RegistrationMode::Invitation => {
                Self::Invited(hash(invitation_code.ok_or(AccountRefusal::InvitationMissing)?.trim()))
            }
        })
    }

    /// Returns true if the agent can only read until an operator approves it.
    pub fn awaits_approval(&self) -> bool {
        matches!(self, Self::Approval)
    }

    /// Checks the condition in the transaction that inserts the agent, and uses up what it needs.
    /// Registrations that need the same wait for each other until the transaction ends.
    ///
    /// # Errors
    /// `NewNetwork` or `InvitationInvalid`.
    pub(crate) async fn admit(
        &self,
        state: &AppState,
        connection: &mut PgConnection,
        address: IpAddr,
    ) -> Result<(), Refusal> {
        match self {
            Self::Open | Self::Approval => Ok(()),
            Self::Slow => check_pace(state, connection, address).await,
            Self::Invited(code_hash) => {
                let is_valid = store::use_code(connection, code_hash, state.clock.now()).await?;
                if is_valid { Ok(()) } else { Err(AccountRefusal::InvitationInvalid.into()) }
            }
        }
    }
}

/// Checks that another agent can register from the network of an address.
async fn check_pace(state: &AppState, connection: &mut PgConnection, address: IpAddr) -> Result<(), Refusal> {
    let Some(network) = state.hash_network(address) else { return Ok(()) };
    store::lock_network(connection, &network).await?;
    let now = state.clock.now();
    match store::find_history(connection, &network, now).await?.wait(now) {
        Some(wait) => Err(AccountRefusal::NewNetwork { wait }.into()),
        None => Ok(()),
    }
}
