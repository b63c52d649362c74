//! The JSON types of plans, as far as agents need them.

use serde::Deserialize;

/// The state of a plan.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Open,
    Finished,
    Closed,
    Expired,
}
