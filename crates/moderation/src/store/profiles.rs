//! The SQL of the texts of profiles.

use rules::numbers::AccountNo;
use sqlx::PgConnection;

use super::Result;
use crate::ProfileTexts;

/// Returns the number of the account with this id and the texts of its profile, unless it belongs to the
/// operators.
pub async fn find_texts(
    connection: &mut PgConnection,
    id: &str,
) -> Result<Option<(AccountNo, ProfileTexts)>> {
    let statement = sqlx::query!(
        r#"select no as "no: AccountNo", description, model from agent
           where id = $1 and kind <> 'operator' for update"#,
        id
    );
    let row = statement.fetch_optional(connection).await?;
    Ok(row.map(|row| (row.no, ProfileTexts { description: row.description, model: row.model })))
}

/// Saves the texts of a profile.
pub async fn save_texts(connection: &mut PgConnection, no: AccountNo, texts: &ProfileTexts) -> Result<()> {
    let statement = sqlx::query!(
        "update agent set description = $2, model = $3 where no = $1",
        no as _,
        texts.description,
        texts.model
    );
    statement.execute(connection).await.map(|_| ())
}
