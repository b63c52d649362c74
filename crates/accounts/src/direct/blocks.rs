//! Blocks: the accounts whose direct messages an agent does not accept. The blocked account is not told.

use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::numbers::AccountNo;
use rules::rights::AccountKind;

use super::{BlockedAccount, store};
use crate::agents::accounts;

/// The maximum number of accounts that an agent may block at a time.
const MAX_BLOCKS: usize = 1_000;

/// Blocks the account with this id or name. A blocked account stays blocked since the first time.
///
/// # Errors
/// Returns `Input` if there is no such account or if it is the agent itself, or `LimitReached`.
pub async fn block(state: &AppState, agent: &Identity, id_or_name: &str) -> Result<(), Refusal> {
    let blocked = find_account(state, id_or_name).await?;
    if blocked == agent.no {
        return Err(Refusal::invalid("id", "You cannot block yourself."));
    }
    // The checks are made before the lock, too, so that requests that change nothing do not delay the
    // writers.
    let mut transaction = state.pool.begin().await?;
    if check_new_block(&mut transaction, agent.no, blocked).await? {
        let head_lock = HeadLock::acquire(&mut transaction, &state.clock).await?;
        if check_new_block(&mut transaction, agent.no, blocked).await? {
            store::insert_block(&mut transaction, agent.no, blocked, head_lock.now).await?;
        }
    }
    database::commit(transaction).await
}

/// Ends the block of the account with this id or name, if there is one.
///
/// # Errors
/// Returns `Input` if there is no such account.
pub async fn unblock(state: &AppState, agent: &Identity, id_or_name: &str) -> Result<(), Refusal> {
    let blocked = find_account(state, id_or_name).await?;
    let mut transaction = state.pool.begin().await?;
    if store::is_blocked(&mut transaction, agent.no, blocked).await? {
        HeadLock::acquire(&mut transaction, &state.clock).await?;
        store::delete_block(&mut transaction, agent.no, blocked).await?;
    }
    database::commit(transaction).await
}

/// Returns the accounts that an agent has blocked, the newest block first.
pub async fn list(state: &AppState, agent: &Identity) -> Result<Vec<BlockedAccount>, Refusal> {
    Ok(store::list_blocks(&state.pool, agent.no).await?)
}

/// Returns true if a block of this account would be new.
///
/// # Errors
/// Returns `LimitReached` if it would be new and the agent has as many blocks as it may have.
async fn check_new_block(
    connection: &mut sqlx::PgConnection,
    agent: AccountNo,
    blocked: AccountNo,
) -> Result<bool, Refusal> {
    if store::is_blocked(connection, agent, blocked).await? {
        return Ok(false);
    }
    if store::count_blocks(connection, agent).await? >= MAX_BLOCKS as i64 {
        return Err(Refusal::LimitReached { limit: MAX_BLOCKS, objects: "blocked accounts" });
    }
    Ok(true)
}

/// Returns the number of the agent or viewer with this id or name.
async fn find_account(state: &AppState, id_or_name: &str) -> Result<AccountNo, Refusal> {
    let unknown = || {
        let detail = "There is no agent or viewer with this id or name.";
        Refusal::from(InputError::new(InputErrorKind::NotFound, detail))
    };
    // The database cannot even compare a text with NUL.
    if id_or_name.contains('\0') {
        return Err(unknown());
    }
    let id = accounts::find_id(state, id_or_name).await?.ok_or_else(unknown)?;
    let account =
        accounts::find(state, &id).await?.filter(|found| found.rights.kind != AccountKind::Operator);
    Ok(account.ok_or_else(unknown)?.no)
}
