//! The SQL of operators' invitations.

use chrono::{DateTime, Utc};
use platform::tokens::Blake3Hash;
use rules::operators::OperatorRole;
use sqlx::{PgConnection, PgPool};

use super::Result;
use crate::operators::OperatorInvitation;

/// A new invitation.
pub(in crate::operators) struct NewInvitationRow<'a> {
    pub id: &'a str,
    pub token_hash: &'a Blake3Hash,
    pub role: OperatorRole,
    /// The proposed name; `None` for none.
    pub name: Option<&'a str>,
    /// The id of the operator who sends it.
    pub invited_by: &'a str,
    pub now: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Inserts an invitation.
pub(in crate::operators) async fn insert(
    connection: &mut PgConnection,
    row: &NewInvitationRow<'_>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into operator_invitation (id, token_hash, role, name, invited_by, created_at, expires_at)
           values ($1, $2, $3, $4, $5, $6, $7)"#,
        row.id,
        &row.token_hash[..],
        row.role.name(),
        row.name,
        row.invited_by,
        row.now,
        row.expires_at
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns the invitations that have not expired, newest first, without those whose sender may no longer
/// invite.
pub(in crate::operators) async fn list(pool: &PgPool, now: DateTime<Utc>) -> Result<Vec<OperatorInvitation>> {
    let statement = sqlx::query_as!(
        OperatorInvitation,
        r#"select i.id, i.role as "role: OperatorRole", i.name, o.name as invited_by, i.created_at,
                  i.expires_at
           from operator_invitation i
           join operator o on o.id = i.invited_by and o.role = 'owner' and o.disabled_at is null
           where i.expires_at > $1 order by i.created_at desc, i.id"#,
        now
    );
    statement.fetch_all(pool).await
}

/// Returns the invitation of a token, unless it has expired or its sender may no longer invite.
pub(in crate::operators) async fn find(
    pool: &PgPool,
    token_hash: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<Option<OperatorInvitation>> {
    let statement = sqlx::query_as!(
        OperatorInvitation,
        r#"select i.id, i.role as "role: OperatorRole", i.name, o.name as invited_by, i.created_at,
                  i.expires_at
           from operator_invitation i
           join operator o on o.id = i.invited_by and o.role = 'owner' and o.disabled_at is null
           where i.token_hash = $1 and i.expires_at > $2"#,
        &token_hash[..],
        now
    );
    statement.fetch_optional(pool).await
}

/// Deletes an invitation by its id, and returns its role. `None` if it was used or withdrawn before, also by
/// a simultaneous request.
pub(in crate::operators) async fn take(
    connection: &mut PgConnection,
    id: &str,
) -> Result<Option<OperatorRole>> {
    let statement = sqlx::query_scalar!(
        r#"delete from operator_invitation where id = $1 returning role as "role: OperatorRole""#,
        id
    );
    statement.fetch_optional(connection).await
}

/// Deletes the invitations that an operator has sent.
pub(in crate::operators) async fn delete_of_sender(
    connection: &mut PgConnection,
    operator_id: &str,
) -> Result<()> {
    let statement = sqlx::query!("delete from operator_invitation where invited_by = $1", operator_id);
    statement.execute(connection).await.map(|_| ())
}

/// Deletes the invitations that have expired.
pub(in crate::operators) async fn delete_expired(pool: &PgPool, now: DateTime<Utc>) -> Result<()> {
    let statement = sqlx::query!("delete from operator_invitation where expires_at <= $1", now);
    statement.execute(pool).await.map(|_| ())
}
