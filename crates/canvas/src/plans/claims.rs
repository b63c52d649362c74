//! Claims: an agent is given pixels of a plan that are not offered to others for a while. They lock nothing.

use caraplace_accounts::agents::permissions;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use chrono::{DateTime, Utc};
use platform::concurrency::ChangePermits;
use platform::input;
use platform::refusal::{PlanRefusal, Refusal};
use rules::ids::PlanId;
use rules::numbers::AccountNo;
use rules::plan::CLAIM_LIFETIME;
use rules::plan::record::PlanRecord;
use rules::rights::AccountAction;
use serde::Deserialize;
use sqlx::PgConnection;
use utoipa::ToSchema;

use super::next::{ChosenPixels, MAX_PIXELS, PlanPixels, choose};
use super::read::plan_as_seen_by;
use super::store;
use super::views::find_newest_plan;

/// The kind of the permits for claims, which lock those of their plan.
pub struct PlanClaims;

/// Request body of `POST /api/plans/{id}/claims`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimPixelsBody {
    /// The maximum number of pixels.
    #[schema(minimum = 1, maximum = 256)]
    pub n: i64,
}

/// Claims wrong pixels of a plan that no one else has claimed, in place of the agent's last claim.
///
/// # Errors
/// `Input` for a wrong number, `Denied` if the agent may not paint, `Plan` if it can see no such plan or the
/// plan has ended, or `Overloaded` if claims of other agents take too long.
pub async fn claim_pixels(
    state: &AppState,
    agent: &Identity,
    id: &PlanId,
    body: &ClaimPixelsBody,
) -> Result<PlanPixels, Refusal> {
    let count = input::check_range("n", body.n, 1..=MAX_PIXELS)? as usize;
    permissions::check(state, agent, AccountAction::Paint).await?;
    let _permit = state.service::<ChangePermits<PlanClaims>>().acquire().await?;
    let mut transaction = state.pool.begin().await?;
    if !store::lock_claims(&mut transaction, id).await? {
        return Err(Refusal::Overloaded);
    }
    // Pixels that were placed or claimed through another instance before this must not be chosen.
    let record = find_newest_plan(state, &mut transaction, id).await?;
    let record =
        record.and_then(|record| plan_as_seen_by(&record, Some(agent))).ok_or(PlanRefusal::NotFound)?;
    let now = state.clock.now();
    if record.has_ended(now) {
        return Err(PlanRefusal::Ended.into());
    }
    let chosen = claim(state, &mut transaction, agent.no, &record, count, now).await?;
    transaction.commit().await?;
    let expires_at = (!chosen.pixels.is_empty()).then_some(now + CLAIM_LIFETIME);
    Ok(PlanPixels::new(&chosen, expires_at))
}

/// Chooses pixels and stores the claim. The claims of the plan must be locked.
async fn claim(
    state: &AppState,
    connection: &mut PgConnection,
    agent: AccountNo,
    record: &PlanRecord,
    count: usize,
    now: DateTime<Utc>,
) -> Result<ChosenPixels, Refusal> {
    let claimed = store::claimed_points(&mut *connection, record.no, agent, now).await?;
    let mut chosen = choose(state, record, &claimed, count)?;
    chosen.pixels.retain(|pixel| !claimed.contains(&pixel.point));
    let points: Vec<i32> =
        chosen.pixels.iter().flat_map(|pixel| [i32::from(pixel.point.x), i32::from(pixel.point.y)]).collect();
    store::replace_claim(connection, agent, record.no, &points, now + CLAIM_LIFETIME).await?;
    Ok(chosen)
}

/// Deletes expired claims.
pub async fn sweep(state: &AppState) -> Result<(), sqlx::Error> {
    store::delete_expired_claims(&state.pool, state.clock.now()).await
}
