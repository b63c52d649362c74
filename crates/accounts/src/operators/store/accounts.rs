//! The SQL of operators' accounts.

use chrono::{DateTime, Utc};
use rules::operators::OperatorRole;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::operators::OperatorInfo;

/// An operator as stored, with what a sign-in checks.
pub(in crate::operators) struct StoredOperator {
    pub id: String,
    pub name: String,
    /// The password's hash; `None` for the first owner.
    pub password_hash: Option<String>,
    /// The encrypted secret of the codes; `None` if they were never set up.
    pub totp_secret: Option<Vec<u8>>,
    /// True if a sign-in needs a code.
    pub uses_codes: bool,
    pub recovery_hashes: Vec<Vec<u8>>,
}

/// A new operator.
pub(in crate::operators) struct NewOperatorRow<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub role: OperatorRole,
    pub password_hash: &'a str,
    /// The name of the operator who has sent the invitation.
    pub invited_by: &'a str,
    pub now: DateTime<Utc>,
}

/// Returns the operator with this name, in any case, unless it is disabled.
pub(in crate::operators) async fn find_by_name(pool: &PgPool, name: &str) -> Result<Option<StoredOperator>> {
    let statement = sqlx::query_as!(
        StoredOperator,
        r#"select id, name, password_hash, totp_secret, totp_enabled_at is not null as "uses_codes!",
                  recovery_hashes
           from operator where lower(name) = lower($1) and disabled_at is null"#,
        name
    );
    statement.fetch_optional(pool).await
}

/// Returns the operator with this id, unless it is disabled.
pub(in crate::operators) async fn find(pool: &PgPool, id: &str) -> Result<Option<StoredOperator>> {
    let statement = sqlx::query_as!(
        StoredOperator,
        r#"select id, name, password_hash, totp_secret, totp_enabled_at is not null as "uses_codes!",
                  recovery_hashes
           from operator where id = $1 and disabled_at is null"#,
        id
    );
    statement.fetch_optional(pool).await
}

/// Returns all operators, the first owner first, then in the order of their names.
pub(in crate::operators) async fn list(pool: &PgPool) -> Result<Vec<OperatorInfo>> {
    let statement = sqlx::query_as!(
        OperatorInfo,
        r#"select id, name, role as "role: OperatorRole", password_hash is null as "is_first_owner!",
                  totp_enabled_at is not null as "uses_codes!", created_at, invited_by, disabled_at
           from operator order by password_hash is not null, lower(name)"#
    );
    statement.fetch_all(pool).await
}

/// Locks an operator's row, and returns its name and role. `None` if there is no operator with this id.
pub(in crate::operators) async fn lock(
    connection: &mut PgConnection,
    id: &str,
) -> Result<Option<(String, OperatorRole)>> {
    let statement = sqlx::query!(
        r#"select name, role as "role: OperatorRole" from operator where id = $1 for update"#,
        id
    );
    let row = statement.fetch_optional(connection).await?;
    Ok(row.map(|row| (row.name, row.role)))
}

/// Inserts an operator. Fails if another one has its name.
pub(in crate::operators) async fn insert(
    connection: &mut PgConnection,
    row: &NewOperatorRow<'_>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into operator (id, name, role, password_hash, invited_by, created_at)
           values ($1, $2, $3, $4, $5, $6)"#,
        row.id,
        row.name,
        row.role.name(),
        row.password_hash,
        row.invited_by,
        row.now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Changes an operator's role.
pub(in crate::operators) async fn set_role(
    connection: &mut PgConnection,
    id: &str,
    role: OperatorRole,
) -> Result<()> {
    let statement = sqlx::query!("update operator set role = $2 where id = $1", id, role.name());
    statement.execute(connection).await.map(|_| ())
}

/// Disables an operator at a time, or enables it with `None`.
pub(in crate::operators) async fn set_disabled(
    connection: &mut PgConnection,
    id: &str,
    disabled_at: Option<DateTime<Utc>>,
) -> Result<()> {
    let statement = sqlx::query!("update operator set disabled_at = $2 where id = $1", id, disabled_at);
    statement.execute(connection).await.map(|_| ())
}

/// Replaces an operator's password.
pub(in crate::operators) async fn set_password(
    connection: &mut PgConnection,
    id: &str,
    password_hash: &str,
) -> Result<()> {
    let statement = sqlx::query!("update operator set password_hash = $2 where id = $1", id, password_hash);
    statement.execute(connection).await.map(|_| ())
}

/// Stores the encrypted secret of codes that are not switched on yet. Returns false if they are on.
pub(in crate::operators) async fn prepare_codes(
    connection: &mut PgConnection,
    id: &str,
    secret: &[u8],
) -> Result<bool> {
    let statement = sqlx::query!(
        "update operator set totp_secret = $2 where id = $1 and totp_enabled_at is null",
        id,
        secret
    );
    Ok(statement.execute(connection).await?.rows_affected() == 1)
}

/// Switches on the codes with this secret, and stores the step of the code that was sent as used. Returns
/// false if they are on already, or have another secret meanwhile.
pub(in crate::operators) async fn switch_on_codes(
    connection: &mut PgConnection,
    id: &str,
    secret: &[u8],
    step: i64,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update operator set totp_enabled_at = $4, totp_last_step = $3
           where id = $1 and totp_secret = $2 and totp_enabled_at is null"#,
        id,
        secret,
        step,
        now
    );
    Ok(statement.execute(connection).await?.rows_affected() == 1)
}

/// Switches off an operator's codes, and deletes its recovery codes.
pub(in crate::operators) async fn switch_off_codes(connection: &mut PgConnection, id: &str) -> Result<()> {
    let statement = sqlx::query!(
        r#"update operator set totp_secret = null, totp_enabled_at = null, recovery_hashes = '{}'
           where id = $1"#,
        id
    );
    statement.execute(connection).await.map(|_| ())
}

/// Replaces an operator's recovery codes.
pub(in crate::operators) async fn set_recovery_hashes(
    connection: &mut PgConnection,
    id: &str,
    hashes: &[Vec<u8>],
) -> Result<()> {
    let statement = sqlx::query!("update operator set recovery_hashes = $2 where id = $1", id, hashes);
    statement.execute(connection).await.map(|_| ())
}

/// Marks the code of a step as used. Returns false if that code or a newer one was used before, also by a
/// simultaneous attempt: the row's lock lets only one of them find an older step. A step that is further
/// ahead than a code may be was stored by a server whose clock was wrong; it must not block codes until then.
pub(in crate::operators) async fn use_step(pool: &PgPool, id: &str, step: i64) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update operator set totp_last_step = $2
           where id = $1 and (totp_last_step < $2 or totp_last_step > $2 + 2)"#,
        id,
        step
    );
    Ok(statement.execute(pool).await?.rows_affected() == 1)
}

/// Deletes a recovery code. Returns false if it was used before, also by a simultaneous attempt.
pub(in crate::operators) async fn use_recovery_code(pool: &PgPool, id: &str, hash: &[u8]) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update operator set recovery_hashes = array_remove(recovery_hashes, $2::bytea)
           where id = $1 and $2::bytea = any (recovery_hashes)"#,
        id,
        hash
    );
    Ok(statement.execute(pool).await?.rows_affected() == 1)
}
