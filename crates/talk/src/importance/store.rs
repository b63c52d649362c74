//! The SQL of important messages.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use platform::database::column;
use rules::numbers::AccountNo;
use rules::private_message::{IMPORTANCE_PERIOD, Importance};
use sqlx::PgConnection;

use super::ImportanceUse;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// Returns the times of these authors' important messages within the last day.
pub(super) async fn importance_uses(
    connection: &mut PgConnection,
    authors: &[AccountNo],
    now: DateTime<Utc>,
) -> Result<HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>>> {
    let mut uses: HashMap<(AccountNo, Importance), Vec<DateTime<Utc>>> = HashMap::new();
    let statement = sqlx::query!(
        r#"select account as "account: AccountNo", importance, at
           from importance_use where account = any($1) and at > $2"#,
        authors as _,
        now - IMPORTANCE_PERIOD
    );
    for row in statement.fetch_all(connection).await? {
        uses.entry((row.account, Importance::from_stored(&row.importance))).or_default().push(row.at);
    }
    Ok(uses)
}

/// Inserts the uses of a batch. The head must be locked.
pub(super) async fn insert_importance_uses(
    connection: &mut PgConnection,
    uses: &[ImportanceUse],
    now: DateTime<Utc>,
) -> Result<()> {
    let statement = sqlx::query!(
        r#"insert into importance_use (account, importance, at)
           select u.account, u.importance, $3
           from unnest($1::bigint[], $2::text[]) as u (account, importance)"#,
        &column(uses, |used| used.account) as _,
        &column(uses, |used| used.importance.name().to_owned()),
        now
    );
    statement.execute(connection).await.map(|_| ())
}
