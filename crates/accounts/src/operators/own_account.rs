//! Changes that operators make to their own account: password, codes and sessions.

use caraplace_log::state::AppState;
use platform::database;
use platform::refusal::{InputError, InputErrorKind, OperatorRefusal, Refusal};
use rules::operators::FIRST_OWNER_ID;
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::codes::{CodeSecret, CodeSetup, TypedCode, generate_recovery_codes, hash_recovery_code};
use super::recording::{OperatorChange, record};
use super::sign_in::{Confirmation, SignInError};
use super::store::accounts;
use super::{Operator, OperatorAuth, OperatorKey, OperatorSession, new_password, store};

/// The state of an operator's own account.
pub struct OwnAccount {
    /// True if a sign-in needs a code.
    pub uses_codes: bool,
    /// The number of recovery codes that are left.
    pub recovery_codes: usize,
    /// The operator's sessions, the one that was used last first.
    pub sessions: Vec<OperatorSession>,
}

/// Returns the state of an operator's own account.
pub async fn find(state: &AppState, operator: &Operator) -> Result<OwnAccount, Refusal> {
    let stored = accounts::find(&state.pool, &operator.id).await?.ok_or(Refusal::KeyInvalid)?;
    let sessions = store::list_sessions(&state.pool, &operator.id, state.clock.now()).await?;
    Ok(OwnAccount { uses_codes: stored.uses_codes, recovery_codes: stored.recovery_hashes.len(), sessions })
}

/// Returns the names of the operator's own keys that are valid, newest first.
pub async fn list_live_key_names(state: &AppState, operator: &Operator) -> Result<Vec<String>, Refusal> {
    let keys = store::list_keys(&state.pool, Some(&operator.id)).await?;
    let is_live = |key: &OperatorKey| key.revoked_at.is_none();
    Ok(keys.into_iter().filter(is_live).map(|key| key.name).collect())
}

/// Ends one of the operator's own sessions, on every instance.
pub async fn end_session(state: &AppState, operator: &Operator, id: &str) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    if store::delete_session_by_id(&mut transaction, &operator.id, id).await? {
        record_own(state, &mut transaction, operator, "end session", json!(null)).await?;
    }
    database::commit(transaction).await
}

/// Ends all sessions of the operator but this one, on every instance.
pub async fn end_other_sessions(state: &AppState, operator: &Operator) -> Result<(), Refusal> {
    let mut transaction = state.pool.begin().await?;
    store::delete_other_sessions(&mut transaction, &operator.id, operator.session_id.as_deref()).await?;
    record_own(state, &mut transaction, operator, "end other sessions", json!(null)).await?;
    database::commit(transaction).await
}

impl OperatorAuth {
    /// Replaces the operator's own password, and ends all other sessions. Its keys stay valid.
    ///
    /// # Errors
    /// `FirstOwner`, that of the confirmation, or `Input` for a password that is too short or too long.
    pub async fn change_password(
        &self,
        state: &AppState,
        operator: &Operator,
        confirmation: Confirmation,
        password: String,
    ) -> Result<(), SignInError> {
        if operator.id == FIRST_OWNER_ID {
            return Err(Refusal::from(OperatorRefusal::FirstOwner).into());
        }
        // The confirmation may use up a code.
        new_password::check_length(&password)?;
        self.confirm(state, operator, confirmation).await?;
        let hash = self.hash_new_password(&self.known_devices, password).await?;
        let mut transaction = state.pool.begin().await?;
        accounts::set_password(&mut transaction, &operator.id, hash.as_str()).await?;
        let kept = operator.session_id.as_deref();
        store::delete_other_sessions(&mut transaction, &operator.id, kept).await?;
        record_own(state, &mut transaction, operator, "change password", json!(null)).await?;
        Ok(database::commit(transaction).await?)
    }

    /// Draws a secret for codes, which count once they are switched on with one of them.
    ///
    /// # Errors
    /// `Input` if codes are switched on already.
    pub async fn prepare_codes(&self, state: &AppState, operator: &Operator) -> Result<CodeSetup, Refusal> {
        let stored = accounts::find(&state.pool, &operator.id).await?.ok_or(Refusal::KeyInvalid)?;
        let secret = CodeSecret::generate()?;
        let encrypted = self.encryption.encrypt(secret.as_bytes(), &operator.id)?;
        let mut transaction = state.pool.begin().await?;
        if !accounts::prepare_codes(&mut transaction, &operator.id, &encrypted).await? {
            return Err(already_on());
        }
        record_own(state, &mut transaction, operator, "prepare codes", json!(null)).await?;
        database::commit(transaction).await?;
        Ok(secret.setup(&stored.name))
    }

    /// Returns the secret of the codes that are prepared.
    ///
    /// # Errors
    /// `Input` if none are prepared, or codes are switched on already.
    pub async fn find_prepared_codes(
        &self,
        state: &AppState,
        operator: &Operator,
    ) -> Result<CodeSetup, Refusal> {
        let stored = accounts::find(&state.pool, &operator.id).await?.ok_or(Refusal::KeyInvalid)?;
        if stored.uses_codes {
            return Err(already_on());
        }
        let secret = self.decrypt_secret(&stored).ok_or_else(not_prepared)?;
        Ok(secret.setup(&stored.name))
    }

    /// Switches on the prepared codes with one of them, and returns the recovery codes, which are shown only
    /// once.
    ///
    /// # Errors
    /// That of the confirmation, or `Input` if no codes are prepared.
    pub async fn switch_on_codes(
        &self,
        state: &AppState,
        operator: &Operator,
        confirmation: Confirmation,
    ) -> Result<Vec<String>, SignInError> {
        let code = confirmation.code.clone();
        let stored = self.confirm(state, operator, confirmation).await?;
        if stored.uses_codes {
            return Err(already_on().into());
        }
        let secret = self.decrypt_secret(&stored).ok_or_else(not_prepared)?;
        let TypedCode::OfApp(digits) = TypedCode::parse(&code) else {
            return Err(SignInError::WrongCredentials);
        };
        let now = state.clock.now();
        let step = secret.find_step(&digits, now).ok_or(SignInError::WrongCredentials)?;
        let codes = generate_recovery_codes()?;
        let encrypted = stored.totp_secret.unwrap_or_default();
        let mut transaction = state.pool.begin().await?;
        if !accounts::switch_on_codes(&mut transaction, &operator.id, &encrypted, step, now).await? {
            return Err(already_on().into());
        }
        save_recovery_codes(&mut transaction, &operator.id, &codes).await?;
        record_own(state, &mut transaction, operator, "switch on codes", json!(null)).await?;
        database::commit(transaction).await?;
        Ok(codes)
    }

    /// Switches off codes. Those that are prepared are dropped, too.
    ///
    /// # Errors
    /// That of the confirmation.
    pub async fn switch_off_codes(
        &self,
        state: &AppState,
        operator: &Operator,
        confirmation: Confirmation,
    ) -> Result<(), SignInError> {
        self.confirm(state, operator, confirmation).await?;
        let mut transaction = state.pool.begin().await?;
        accounts::switch_off_codes(&mut transaction, &operator.id).await?;
        record_own(state, &mut transaction, operator, "switch off codes", json!(null)).await?;
        Ok(database::commit(transaction).await?)
    }

    /// Replaces the recovery codes, and returns the new ones, which are shown only once.
    ///
    /// # Errors
    /// That of the confirmation, or `Input` if codes are switched off.
    pub async fn renew_recovery_codes(
        &self,
        state: &AppState,
        operator: &Operator,
        confirmation: Confirmation,
    ) -> Result<Vec<String>, SignInError> {
        let stored = self.confirm(state, operator, confirmation).await?;
        if !stored.uses_codes {
            return Err(not_prepared().into());
        }
        let codes = generate_recovery_codes()?;
        let mut transaction = state.pool.begin().await?;
        save_recovery_codes(&mut transaction, &operator.id, &codes).await?;
        let after = json!({"recovery_codes": codes.len()});
        record_own(state, &mut transaction, operator, "renew recovery codes", after).await?;
        database::commit(transaction).await?;
        Ok(codes)
    }
}

fn already_on() -> Refusal {
    InputError::new(InputErrorKind::Invalid, "Codes are switched on already. Switch them off first.").into()
}

fn not_prepared() -> Refusal {
    InputError::new(InputErrorKind::Invalid, "Codes are not set up. Begin under Account.").into()
}

async fn save_recovery_codes(
    connection: &mut PgConnection,
    operator_id: &str,
    codes: &[String],
) -> Result<(), sqlx::Error> {
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| hash_recovery_code(code)).collect();
    accounts::set_recovery_hashes(connection, operator_id, &hashes).await
}

/// Writes a change of the operator's own account to the audit log.
async fn record_own(
    state: &AppState,
    connection: &mut PgConnection,
    operator: &Operator,
    action: &'static str,
    after: Value,
) -> Result<(), sqlx::Error> {
    let change = OperatorChange { after, ..OperatorChange::new(action, &operator.id) };
    record(state, connection, &operator.name, change).await
}
