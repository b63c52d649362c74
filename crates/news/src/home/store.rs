//! SQL of the home response.

use chrono::{DateTime, Utc};
use platform::refusal::Refusal;
use rules::numbers::AccountNo;
use sqlx::PgPool;

/// Returns the numbers of the given plans in which agents other than this one have claimed pixels.
pub(super) async fn plans_claimed_by_others(
    pool: &PgPool,
    plans: &[i64],
    agent: AccountNo,
    now: DateTime<Utc>,
) -> Result<Vec<i64>, Refusal> {
    let statement = sqlx::query_scalar!(
        "select distinct plan from plan_claim where plan = any($1) and agent <> $2 and expires_at > $3",
        plans,
        agent as _,
        now,
    );
    Ok(statement.fetch_all(pool).await?)
}
