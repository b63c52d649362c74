//! Writes what operators did.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::{Result, column};
use crate::log::audit::Act;

/// Adds to the audit log, in this order.
pub async fn insert_acts(connection: &mut PgConnection, acts: &[Act], now: DateTime<Utc>) -> Result<()> {
    if acts.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        r#"insert into audit (at, operator, act, subject, why, before, after)
           select $1, a.operator, a.act, a.subject, a.why, a.before::jsonb, a.after::jsonb
           from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                with ordinality as a (operator, act, subject, why, before, after, place)
           order by a.place"#,
        now,
        &column(acts, |act| act.operator.clone()),
        &column(acts, |act| act.act.to_owned()),
        &column(acts, |act| act.subject.clone()),
        &column(acts, |act| act.why.clone()),
        &column(acts, |act| act.before.to_string()),
        &column(acts, |act| act.after.to_string())
    )
    .execute(connection)
    .await
    .map(|_| ())
}
