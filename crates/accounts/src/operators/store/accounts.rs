//! The SQL of operators' accounts.

use sqlx::PgPool;

use super::Result;

/// An operator as stored, with what a sign-in checks.
pub(in crate::operators) struct StoredOperator {
    pub id: String,
    /// The password's hash; `None` for the first owner.
    pub password_hash: Option<String>,
}

/// Returns the operator with this name, in any case, unless it is disabled.
pub(in crate::operators) async fn find_by_name(pool: &PgPool, name: &str) -> Result<Option<StoredOperator>> {
    let statement = sqlx::query_as!(
        StoredOperator,
        "select id, password_hash from operator where lower(name) = lower($1) and disabled_at is null",
        name
    );
    statement.fetch_optional(pool).await
}
