//! Blocks of networks: from a blocked one no agent can register, while those that it has go on.

use std::net::IpAddr;

use caraplace_log::audit;
use caraplace_log::audit_reason::AuditReason;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::refusal::{AccountRefusal, InputError, InputErrorKind, Refusal};
use platform::{clock, database};
use rules::ids::AccountId;
use rules::numbers::AccountNo;
use serde_json::json;

use super::store::network_blocks::{self as store, NewBlockRow};
use super::{AccountNetwork, NetworkBlock, NetworkBlockResponse};
use crate::agents::end_time::parse_end;

/// Blocks the network that an account was registered from, until a time or without an end, or changes the end
/// of its block. `None` if there is no such account.
///
/// # Errors
/// `Input` if the end is invalid, or if the network of the account is not known; `BlockHasEnd` if the network
/// is blocked until a time, and no new end is given.
pub async fn block(
    state: &AppState,
    audit_reason: &AuditReason,
    account: &AccountId,
    until: Option<DateTime<Utc>>,
) -> Result<Option<NetworkBlockResponse>, Refusal> {
    let until = until.map(|until| parse_end(state, Some(until))).transpose()?;
    let mut transaction = state.pool.begin().await?;
    let Some(found) = store::find_network(&mut transaction, account.as_str()).await? else {
        return Ok(None);
    };
    let network = found.registered_network.ok_or_else(unknown_network)?;
    let now = state.clock.now();
    if until.is_none() {
        let present = store::find_end(&mut *transaction, &network, now).await?;
        if let Some(until) = present.and_then(|block| block.until) {
            return Err(AccountRefusal::BlockHasEnd { until }.into());
        }
    }
    let row = NewBlockRow {
        id: &clock::new_id("block"),
        network: &network,
        until,
        reason: &audit_reason.reason,
        operator: &audit_reason.operator,
        now,
    };
    let block_id = store::save(&mut transaction, &row).await?;
    let after = json!({"until": until, "account": account.as_str()});
    let entry = audit_reason.audit_entry("block network", &block_id, json!(null), after);
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(Some(NetworkBlockResponse { success: true, block_id, until }))
}

/// Ends a block. `None` if there is none with this id that an operator has not ended.
pub async fn unblock(
    state: &AppState,
    audit_reason: &AuditReason,
    id: &str,
) -> Result<Option<NetworkBlockResponse>, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let now = state.clock.now();
    if !store::end(&mut transaction, id, now).await? {
        return Ok(None);
    }
    let entry = audit_reason.audit_entry("unblock network", id, json!(null), json!({"ended_at": now}));
    audit::record(&mut transaction, &entry, state.clock.offset()).await?;
    database::commit(transaction).await?;
    Ok(Some(NetworkBlockResponse { success: true, block_id: id.to_owned(), until: Some(now) }))
}

/// Returns the blocks that are in force, newest first.
pub async fn list(state: &AppState) -> Result<Vec<NetworkBlock>, Refusal> {
    Ok(store::list(&state.pool, state.clock.now()).await?)
}

/// Returns the network that an account was registered from. `None` if it is not known.
pub async fn find_network(state: &AppState, account: AccountNo) -> Result<Option<AccountNetwork>, Refusal> {
    Ok(store::find_account_network(&state.pool, account, state.clock.now()).await?)
}

/// Checks that agents can register from an address.
///
/// # Errors
/// `NetworkBlocked`.
pub async fn check(state: &AppState, address: IpAddr) -> Result<(), Refusal> {
    let Some(network) = state.hash_network(address) else { return Ok(()) };
    match store::find_end(&state.pool, &network, state.clock.now()).await? {
        Some(block) => Err(AccountRefusal::NetworkBlocked { until: block.until }.into()),
        None => Ok(()),
    }
}

fn unknown_network() -> Refusal {
    let detail = "The network of this account is not known, so it cannot be blocked.";
    InputError::new(InputErrorKind::NotFound, detail).into()
}
