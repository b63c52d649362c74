//! The SQL of what moderation has of erased accounts.

use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::Result;

/// Returns the names that the account with this id had before operators renamed it, without those that other
/// accounts have now.
pub async fn earlier_names(pool: &PgPool, id: &str) -> Result<Vec<String>> {
    let statement = sqlx::query_scalar!(
        r#"select distinct before ->> 'name' as "name!" from audit
           where subject = $1 and act = 'rename' and before ->> 'name' is not null
             and not exists (select from agent a where a.name = before ->> 'name')"#,
        id
    );
    statement.fetch_all(pool).await
}

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

/// Replaces the name of an account in the sanctions of the decisions about it.
pub async fn replace_decided_names(
    connection: &mut PgConnection,
    account: AccountNo,
    name: &str,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"update decision
           set sanctions_before = sanctions_before || jsonb_build_object('name', $2::text),
               sanctions_after = sanctions_after || jsonb_build_object('name', $2::text)
           where account = $1"#,
        account as _,
        name
    );
    statement.execute(connection).await.map(|_| ())
}

/// Takes the names and the texts of an account out of the entries about it, its appeals, its plans and the
/// decisions about it. A trigger lets nothing else of the audit log be changed.
pub async fn clear_audit_log(connection: &mut PgConnection, account: AccountNo, id: &str) -> Result<()> {
    let statement = sqlx::query!(
        r#"update audit set before = without_personal_texts(before), after = without_personal_texts(after)
           where no in (
               select no from audit where subject = $1
               union all
               select e.no from appeal p join audit e on e.subject = p.id where p.agent = $2
               union all
               select e.no from plan p join audit e on e.subject = p.id where p.author = $2
               union all
               select e.no from decision d join report_case c on c.no = d.case_no
                   join audit e on e.subject = c.id and e.after ->> 'id' = d.id
               where d.account = $2
           )"#,
        id,
        account as _
    );
    statement.execute(connection).await.map(|_| ())
}
