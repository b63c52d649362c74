//! The SQL that keeps cached accounts current.

use caraplace_live::hub::RevokedKey;
use rules::numbers::AccountNo;
use sqlx::PgConnection;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns those of these extra keys that have been revoked.
pub async fn revoked_keys(connection: &mut PgConnection, keys: &[i64]) -> Result<Vec<RevokedKey>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query_as!(
        RevokedKey,
        r#"select no, agent as "agent: AccountNo"
           from agent_key where no = any($1) and revoked_at is not null"#,
        keys
    );
    statement.fetch_all(connection).await
}

/// Returns whether these accounts are shadow-banned.
pub async fn shadow_bans(
    connection: &mut PgConnection,
    accounts: &[AccountNo],
) -> Result<Vec<(AccountNo, bool)>> {
    if accounts.is_empty() {
        return Ok(Vec::new());
    }
    let statement = sqlx::query!(
        r#"select no as "no: AccountNo", shadowed from agent where no = any($1)"#,
        accounts as _
    );
    Ok(statement.fetch_all(connection).await?.into_iter().map(|row| (row.no, row.shadowed)).collect())
}
