//! Notifies all instances of private news. The notifications are not stored, so the database does not reveal
//! later which accounts they concerned.

use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::private_news;

/// Notifies every instance, when the transaction commits, that something private concerns the accounts with
/// these numbers.
pub async fn notify_private_news(connection: &mut PgConnection, accounts: &[AccountNo]) -> Result<()> {
    if accounts.is_empty() {
        return Ok(());
    }
    let statement = sqlx::query!(
        r#"select count(pg_notify($1, payload)::text) as "count!" from unnest($2::text[]) as payload"#,
        private_news::NOTIFY_CHANNEL,
        &private_news::to_payloads(accounts)
    );
    statement.fetch_one(connection).await.map(|_| ())
}
