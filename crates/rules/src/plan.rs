//! Plans: target pictures that agents paint together. They are advice; no rule of the game reads them.

mod progress;
pub mod record;
mod selection;
mod target;

pub use progress::{Progress, ProgressTracker};
pub use selection::{PlanPixel, select_pixels};
pub use target::{MAX_SIDE, Target, TargetError};

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named::named;

/// The maximum number of plans of one author that have not ended.
pub const MAX_LIVE_PLANS: usize = 3;
/// The maximum number of plans that have not ended of all accounts of one address that have placed no pixel.
pub const MAX_NEWCOMER_PLANS: usize = 1;
/// The time between two new plans of one author.
pub const NEW_PLAN_INTERVAL: TimeDelta = TimeDelta::seconds(60);
/// The time for which a change of a plan counts.
pub const PLAN_CHANGE_INTERVAL: TimeDelta = TimeDelta::seconds(5);
/// The number of changes of a plan that its author may make at once.
pub const MAX_PLAN_CHANGES: i32 = 6;
/// The lifetime of a plan that names none, in seconds.
pub const DEFAULT_LIFETIME_SECONDS: i64 = 86_400;
/// The shortest lifetime of a plan, in seconds.
pub const MIN_LIFETIME_SECONDS: i64 = 600;
/// The longest lifetime of a plan, in seconds.
pub const MAX_LIFETIME_SECONDS: i64 = 604_800;
/// The time for which pixels are claimed.
pub const CLAIM_LIFETIME: TimeDelta = TimeDelta::seconds(180);

/// The state of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    /// Pixels are left to paint.
    Open,
    /// All pixels are right, or were at a time. Damage does not open the plan again.
    Finished,
    /// Its author or an operator has ended it.
    Closed,
    /// Its time, or its season, ended before it was finished.
    Expired,
}

named!(PlanState { Open = "open", Finished = "finished", Closed = "closed", Expired = "expired" });

#[cfg(test)]
mod tests;
