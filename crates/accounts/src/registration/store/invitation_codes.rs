//! The SQL of invitation codes.

use chrono::{DateTime, Utc};
use platform::tokens::Blake3Hash;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::registration::InvitationCode;

/// A code to be stored.
pub(in crate::registration) struct NewCodeRow<'a> {
    pub id: &'a str,
    pub code_hash: &'a Blake3Hash,
    pub uses: i32,
    /// `None` for no end.
    pub until: Option<DateTime<Utc>>,
    /// The name of the operator who makes it.
    pub operator: &'a str,
    pub now: DateTime<Utc>,
}

/// Inserts a code.
pub(in crate::registration) async fn insert(
    connection: &mut PgConnection,
    row: &NewCodeRow<'_>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into invitation_code (id, code_hash, uses, until, operator, created_at)
           values ($1, $2, $3, $4, $5, $6)"#,
        row.id,
        &row.code_hash[..],
        row.uses,
        row.until,
        row.operator,
        row.now
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the codes that have a use left, have not ended and are not revoked, newest first.
pub(in crate::registration) async fn list(pool: &PgPool, now: DateTime<Utc>) -> Result<Vec<InvitationCode>> {
    let statement = sqlx::query_as!(
        InvitationCode,
        r#"select id, uses, used, until, operator, created_at from invitation_code
           where used < uses and revoked_at is null and (until is null or until > $1)
           order by created_at desc, id"#,
        now
    );
    statement.fetch_all(pool).await
}

/// Revokes the code with this id, and returns how often it was used. `None` if there is none, or if it is
/// revoked already.
pub(in crate::registration) async fn revoke(
    connection: &mut PgConnection,
    id: &str,
    now: DateTime<Utc>,
) -> Result<Option<i32>> {
    let statement = sqlx::query_scalar!(
        "update invitation_code set revoked_at = $2 where id = $1 and revoked_at is null returning used",
        id,
        now
    );
    statement.fetch_optional(connection).await
}
