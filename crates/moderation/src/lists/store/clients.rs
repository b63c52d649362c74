//! The SQL of the operators' list of OAuth clients.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;

use super::Result;

/// An OAuth client in the operators' list: a program that has registered itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedClient {
    /// `client_…`.
    pub id: String,
    /// The name that the program gave itself.
    pub name: String,
    /// The addresses to which people return after their consent.
    pub redirect_uris: Vec<String>,
    /// The number of consents that are valid now.
    pub grants: i64,
    pub created_at: DateTime<Utc>,
    /// The time of the newest consent; null before the first.
    pub used_at: Option<DateTime<Utc>>,
}

/// Returns the clients before the one with the id `before`, the newest first.
pub async fn list(
    pool: &PgPool,
    before: Option<&str>,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ListedClient>> {
    let statement = sqlx::query_as!(
        ListedClient,
        r#"select c.id, c.name, c.redirect_uris,
                  (select count(*) from oauth_grant g join agent a on a.no = g.agent
                   where g.client = c.id and g.redeemed_at is not null and g.revoked_at is null
                     and g.key_generation = a.key_generation and g.expires_at > $1) as "grants!",
                  c.created_at, c.used_at
           from oauth_client c
           where $2::text is null
              or (c.created_at, c.id) < (select p.created_at, p.id from oauth_client p where p.id = $2)
           order by c.created_at desc, c.id desc limit $3"#,
        now,
        before,
        limit
    );
    statement.fetch_all(pool).await
}
