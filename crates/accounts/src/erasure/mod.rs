//! Erases accounts. An account is closed at once, in one transaction: its name, its profile, its keys,
//! sessions, pass and mail address are gone. What it has written follows within a moment, by a task that
//! begins again after a restart. Pixels, numbers and counts stay, under the name of all erased accounts.

mod store;

use caraplace_log::control;
use caraplace_log::control_entry::ControlEntry;
use caraplace_log::head_lock::HeadLock;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::clock;
use platform::database;
use platform::refusal::{Refusal, internal};
use rules::names::{NameKeys, REMOVED_NAME};
use rules::numbers::AccountNo;
use rules::rights::AccountKind;
use serde::Serialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use crate::gallery::forget::forget_viewer;
use crate::gallery::tiers::Tiers;

/// The response to an erasure.
#[derive(Debug, Serialize, ToSchema)]
pub struct EraseResponse {
    pub success: bool,
    /// `agent_…` or `viewer_…`: the account whose name and texts are gone.
    pub erased: String,
    /// The name under which its pixels stay.
    pub shown_as: &'static str,
}

impl EraseResponse {
    /// Returns the response for an account with this id.
    pub fn new(id: &str) -> Self {
        Self { success: true, erased: id.to_owned(), shown_as: REMOVED_NAME }
    }
}

/// An erased account that still has texts.
pub struct UnfinishedErasure {
    /// The number of the account.
    pub no: AccountNo,
    /// `agent_…` or `viewer_…`.
    pub id: String,
    /// Its name before; `None` if it was not stored.
    pub former_name: Option<String>,
    /// The time of its registration.
    pub created_at: DateTime<Utc>,
}

/// Checks that the name of an account was written, to confirm that it is erased.
///
/// # Errors
/// `Input` if `confirm` is not that name.
pub fn check_confirmation(confirm: &str, name: &str) -> Result<(), Refusal> {
    if confirm.trim() == name {
        return Ok(());
    }
    Err(Refusal::invalid("confirm", format!("confirm must be the name of the account, {name}.")))
}

/// Erases the account of a caller. A ban does not keep it from that.
///
/// # Errors
/// `Input` if `confirm` is not its present name, or `KeyInvalid` if the key was changed meanwhile.
pub async fn erase_own(
    state: &AppState,
    tiers: &Tiers,
    caller: &Identity,
    confirm: &str,
) -> Result<EraseResponse, Refusal> {
    let (_, account) = state.log.account(caller).await?;
    check_confirmation(confirm, &account.name)?;
    let mut transaction = state.pool.begin().await?;
    let head_lock = lock(state, &mut transaction, tiers, caller).await?;
    let account = head_lock.find_account(&mut transaction, caller).await?;
    close_account(state, &mut transaction, account.no, &account.name, head_lock.now).await?;
    state.log.commit(transaction).await?;
    Ok(EraseResponse::new(&caller.id))
}

/// Erases an account in a transaction that the caller commits with the log. Returns its name before; `None`
/// if it is erased already.
pub async fn erase_in_transaction(
    state: &AppState,
    connection: &mut PgConnection,
    tiers: &Tiers,
    account: &Identity,
) -> Result<Option<String>, Refusal> {
    if store::is_erased(connection, account.no).await? {
        return Ok(None);
    }
    let head_lock = lock(state, connection, tiers, account).await?;
    // Another request may have erased it meanwhile, and its name may have changed.
    if store::is_erased(connection, account.no).await? {
        return Ok(None);
    }
    let name = store::find_name(connection, account.no).await?;
    close_account(state, connection, account.no, &name, head_lock.now).await?;
    Ok(Some(name))
}

/// Returns true if the account with this id is erased.
pub async fn is_erased(state: &AppState, id: &str) -> Result<bool, Refusal> {
    Ok(store::is_id_erased(&state.pool, id).await?)
}

/// Returns the erased accounts that still have texts, the first one to be erased first.
pub async fn list_unfinished(state: &AppState, limit: i64) -> Result<Vec<UnfinishedErasure>, Refusal> {
    Ok(store::list_unfinished(&state.pool, limit).await?)
}

/// Deletes what this area has of an erased account beside its row: consents, blocks and acquaintances.
pub async fn delete_relations(state: &AppState, account: AccountNo) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    // The writer checks blocks.
    HeadLock::acquire(&mut transaction, &state.clock).await?;
    store::delete_relations(&mut transaction, account).await?;
    database::commit(transaction).await
}

/// Records that nothing of an erased account is left to be deleted, and forgets its former name.
pub async fn finish(state: &AppState, account: AccountNo) -> Result<(), Refusal> {
    Ok(store::finish(&state.pool, account, state.clock.now()).await?)
}

/// Ends the pass of a viewer as a revocation does, and locks the head of the log. Payments lock in the same
/// order.
async fn lock(
    state: &AppState,
    connection: &mut PgConnection,
    tiers: &Tiers,
    account: &Identity,
) -> Result<HeadLock, Refusal> {
    if account.rights.kind == AccountKind::Viewer {
        forget_viewer(state, connection, tiers, account).await?;
    }
    Ok(HeadLock::acquire(connection, &state.clock).await?)
}

/// Takes the name, the texts and the keys from an account. The head must be locked.
async fn close_account(
    state: &AppState,
    connection: &mut PgConnection,
    no: AccountNo,
    name: &str,
    now: DateTime<Utc>,
) -> Result<(), Refusal> {
    // Nobody knows a key with this hash.
    let key_hash = clock::random_bytes::<32>().map_err(internal("shutting an account"))?;
    let taken = state.hash_name_keys(&NameKeys::from_name(name));
    store::insert(connection, no, name, now).await?;
    store::clear_account(connection, no, REMOVED_NAME, &key_hash).await?;
    store::keep_name_taken(connection, no, &taken).await?;
    store::revoke_extra_keys(connection, no, now).await?;
    control::append(connection, ControlEntry::KeyChanged(no), state.clock.offset()).await?;
    Ok(())
}
