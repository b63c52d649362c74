//! The SQL of stored responses of idempotency keys.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use rules::numbers::AccountNo;
use sqlx::{PgConnection, PgPool};

use super::{Result, column};
use crate::batch_effects::{IdempotencyKey, StoredResponse};

/// The lifetime of a stored response.
const ANSWER_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Returns the stored responses of these keys that have not expired.
pub async fn answers(
    connection: &mut PgConnection,
    keys: &[IdempotencyKey],
    now: DateTime<Utc>,
) -> Result<HashMap<IdempotencyKey, StoredResponse>> {
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let statement = sqlx::query!(
        r#"select i.position as "position!", s.body_hash, s.answer
           from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality
                as i (agent, route, key, position)
           join idempotency s using (agent, route, key)
           where s.created_at > $4"#,
        &column(keys, |key| key.agent) as _,
        &column(keys, |key| key.route.to_owned()),
        &column(keys, |key| key.key.clone()),
        now - ANSWER_LIFETIME
    );
    let stored = statement.fetch_all(connection).await?.into_iter().filter_map(|row| {
        let key = keys.get(usize::try_from(row.position - 1).ok()?)?.clone();
        let body_hash = row.body_hash.try_into().ok()?;
        Some((key, StoredResponse { body_hash, json: row.answer.into() }))
    });
    Ok(stored.collect())
}

/// Deletes the stored responses that have expired, and returns their number.
pub async fn delete_expired_responses(pool: &PgPool, now: DateTime<Utc>) -> Result<u64> {
    let deleted = sqlx::query!("delete from idempotency where created_at <= $1", now - ANSWER_LIFETIME)
        .execute(pool)
        .await?;
    Ok(deleted.rows_affected())
}

/// Deletes the stored responses to the requests of an account.
pub async fn delete_responses_of(pool: &PgPool, account: AccountNo) -> Result<()> {
    sqlx::query!("delete from idempotency where agent = $1", account as _).execute(pool).await.map(|_| ())
}
