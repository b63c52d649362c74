//! The SQL that a registration is admitted with.

use chrono::{DateTime, Utc};
use platform::tokens::Blake3Hash;
use rules::registration::{ESTABLISHED_AGE, ESTABLISHED_PIXELS, NetworkHistory};
use sqlx::PgConnection;

use super::Result;

/// Locks the registrations from a network until the transaction ends.
pub(in crate::registration) async fn lock_network(
    connection: &mut PgConnection,
    network: &Blake3Hash,
) -> Result<()> {
    let statement = sqlx::query!(
        "select pg_advisory_xact_lock(hashtextextended('registrations from ' || encode($1, 'hex'), 0))",
        &network[..]
    );
    statement.execute(connection).await.map(|_| ())
}

/// Returns what is known of the agents that have registered from a network.
pub(in crate::registration) async fn find_history(
    connection: &mut PgConnection,
    network: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<NetworkHistory> {
    let statement = sqlx::query_as!(
        NetworkHistory,
        r#"select coalesce(bool_or(created_at <= $2 and pixels_placed >= $3
                                   and coalesce(banned_until <= $4, true)), false) as "is_established!",
                  max(created_at) as newest
           from agent where registered_network = $1"#,
        &network[..],
        now - ESTABLISHED_AGE,
        ESTABLISHED_PIXELS,
        now
    );
    statement.fetch_one(connection).await
}

/// Uses a code once more. Returns false if it has no use left, has ended, is revoked or does not exist. Of
/// simultaneous requests for the last use, one gets it: the others wait for the end of its transaction.
pub(in crate::registration) async fn use_code(
    connection: &mut PgConnection,
    code_hash: &Blake3Hash,
    now: DateTime<Utc>,
) -> Result<bool> {
    let statement = sqlx::query!(
        r#"update invitation_code set used = used + 1
           where code_hash = $1 and used < uses and revoked_at is null and (until is null or until > $2)"#,
        &code_hash[..],
        now
    );
    Ok(statement.execute(connection).await?.rows_affected() > 0)
}
