//! The SQL of what moderation has of erased accounts.

use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;

/// Clears the texts of the appeals of an account.
pub async fn clear_appeals(connection: &mut PgConnection, account: AccountNo) -> Result<()> {
    sqlx::query!("update appeal set text = '' where agent = $1", account as _)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Clears the reasons of the reports that an account has filed.
pub async fn clear_report_reasons(connection: &mut PgConnection, account: AccountNo) -> Result<()> {
    sqlx::query!("update report set reason = '' where agent = $1", account as _)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Takes the names and the texts of an account out of the entries about it. A trigger lets nothing else of
/// the audit log be changed.
pub async fn clear_audit_log(connection: &mut PgConnection, id: &str) -> Result<()> {
    let statement = sqlx::query!(
        r#"update audit set before = without_personal_texts(before), after = without_personal_texts(after)
           where subject = $1"#,
        id
    );
    statement.execute(connection).await.map(|_| ())
}
