//! The operators: listed, and changed by owners and on the command line.

use caraplace_log::state::AppState;
use platform::concurrency::run_blocking;
use platform::refusal::{InputError, InputErrorKind, OperatorRefusal, Refusal};
use platform::{database, tokens};
use rules::operators::{FIRST_OWNER_ID, OperatorRole, OperatorScope};
use serde_json::json;
use sqlx::PgConnection;

use super::recording::{OperatorChange, record};
use super::store::{self, accounts, invitations};
use super::{Operator, OperatorInfo, new_password};

/// An operator that is being changed. Its row is locked.
struct LockedOperator {
    name: String,
    role: OperatorRole,
}

/// Returns all operators, the first owner first, then in the order of their names.
pub async fn list(state: &AppState) -> Result<Vec<OperatorInfo>, Refusal> {
    Ok(accounts::list(&state.pool).await?)
}

/// Changes an operator's role, at once and on every instance. One who may no longer invite loses the open
/// invitations.
///
/// # Errors
/// `Input` for an unknown id, `FirstOwner`, or `Operator` for a role with a scope that the caller does not
/// have.
pub async fn change_role(
    state: &AppState,
    by: &Operator,
    id: &str,
    role: OperatorRole,
) -> Result<OperatorInfo, Refusal> {
    by.check_may_give(role.scopes())?;
    let mut transaction = state.pool.begin().await?;
    let changed = lock_changeable(&mut transaction, id).await?;
    accounts::set_role(&mut transaction, id, role).await?;
    if !role.scopes().contains(OperatorScope::Own) {
        invitations::delete_of_sender(&mut transaction, id).await?;
    }
    let (before, after) = (json!({"role": changed.role}), json!({"role": role}));
    let change = OperatorChange { before, after, ..OperatorChange::new("change role", id) };
    record_named(state, &mut transaction, by, &changed.name, change).await?;
    database::commit(transaction).await?;
    find(state, id).await
}

/// Disables an operator: its sessions end, and its keys and invitations are no longer valid.
///
/// # Errors
/// `Input` for an unknown id, or `FirstOwner`.
pub async fn disable(state: &AppState, by: &Operator, id: &str) -> Result<OperatorInfo, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let changed = lock_changeable(&mut transaction, id).await?;
    accounts::set_disabled(&mut transaction, id, Some(state.clock.now())).await?;
    store::delete_other_sessions(&mut transaction, id, None).await?;
    invitations::delete_of_sender(&mut transaction, id).await?;
    let change = OperatorChange::new("disable operator", id);
    record_named(state, &mut transaction, by, &changed.name, change).await?;
    database::commit(transaction).await?;
    find(state, id).await
}

/// Enables an operator that was disabled, with the keys that it had.
///
/// # Errors
/// `Input` for an unknown id, or `FirstOwner`.
pub async fn enable(state: &AppState, by: &Operator, id: &str) -> Result<OperatorInfo, Refusal> {
    let mut transaction = state.pool.begin().await?;
    let changed = lock_changeable(&mut transaction, id).await?;
    accounts::set_disabled(&mut transaction, id, None).await?;
    let change = OperatorChange::new("enable operator", id);
    record_named(state, &mut transaction, by, &changed.name, change).await?;
    database::commit(transaction).await?;
    find(state, id).await
}

/// Switches off the codes of an operator who has lost app and recovery codes.
///
/// # Errors
/// `Input` for an unknown id, or for the operator's own codes in a session: under Account, that needs the
/// password.
pub async fn reset_codes(state: &AppState, by: &Operator, id: &str) -> Result<OperatorInfo, Refusal> {
    if by.session_id.is_some() && by.id == id {
        let detail = "Switch off your own codes under Account.";
        return Err(InputError::new(InputErrorKind::Invalid, detail).into());
    }
    let mut transaction = state.pool.begin().await?;
    let changed = lock(&mut transaction, id).await?;
    accounts::switch_off_codes(&mut transaction, id).await?;
    let change = OperatorChange::new("reset codes", id);
    record_named(state, &mut transaction, by, &changed.name, change).await?;
    database::commit(transaction).await?;
    find(state, id).await
}

/// Replaces an operator's password by a random one, ends its sessions, revokes its keys, and returns the
/// password.
///
/// # Errors
/// `Input` for an unknown id, or `FirstOwner`.
pub async fn reset_password(state: &AppState, by: &Operator, id: &str) -> Result<String, Refusal> {
    let password = tokens::new_token()?;
    let hash = run_blocking("hashing a password", new_password::hash(password.clone())?).await?;
    let mut transaction = state.pool.begin().await?;
    let changed = lock_changeable(&mut transaction, id).await?;
    accounts::set_password(&mut transaction, id, hash.as_str()).await?;
    store::delete_other_sessions(&mut transaction, id, None).await?;
    let keys = store::revoke_keys(&mut transaction, id, state.clock.offset()).await?;
    let change =
        OperatorChange { before: json!({"keys": keys}), ..OperatorChange::new("reset password", id) };
    record_named(state, &mut transaction, by, &changed.name, change).await?;
    database::commit(transaction).await?;
    Ok(password)
}

fn not_found() -> Refusal {
    InputError::new(InputErrorKind::NotFound, "There is no operator with this id.").into()
}

async fn find(state: &AppState, id: &str) -> Result<OperatorInfo, Refusal> {
    list(state).await?.into_iter().find(|operator| operator.id == id).ok_or_else(not_found)
}

async fn lock(connection: &mut PgConnection, id: &str) -> Result<LockedOperator, Refusal> {
    let (name, role) = accounts::lock(connection, id).await?.ok_or_else(not_found)?;
    Ok(LockedOperator { name, role })
}

/// Locks the row of an operator that is not the first owner.
///
/// # Errors
/// `Input` for an unknown id, or `FirstOwner`.
async fn lock_changeable(connection: &mut PgConnection, id: &str) -> Result<LockedOperator, Refusal> {
    if id == FIRST_OWNER_ID {
        return Err(OperatorRefusal::FirstOwner.into());
    }
    lock(connection, id).await
}

/// Writes a change of an operator to the audit log. The values before and after name the operator.
async fn record_named(
    state: &AppState,
    connection: &mut PgConnection,
    by: &Operator,
    name: &str,
    mut change: OperatorChange<'_>,
) -> Result<(), sqlx::Error> {
    change.before["name"] = json!(name);
    change.after["name"] = json!(name);
    record(state, connection, &by.name, change).await
}
