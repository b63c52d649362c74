//! The JSON types of plans, as far as agents need them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::api_types::PixelInput;

/// The request of a new plan.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct NewPlan {
    pub title: String,
    pub x: u32,
    pub y: u32,
    /// One hex digit per pixel, or `.` for a pixel to leave as it is.
    pub rows: Vec<String>,
    pub crew_id: Option<String>,
}

/// A plan.
#[derive(Deserialize, Clone, Debug)]
pub struct Plan {
    pub id: String,
    pub title: String,
    pub crew_id: Option<String>,
    pub state: PlanState,
    pub progress: PlanProgress,
}

/// The state of a plan.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PlanState {
    Open,
    Finished,
    Closed,
    Expired,
}

/// The numbers of pixels of a plan.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanProgress {
    pub total: usize,
    pub done: usize,
    pub left: usize,
}

/// The response to a claim.
#[derive(Deserialize)]
pub struct ClaimResponse {
    pub pixels: Vec<PixelInput>,
    /// `None` if no pixels are claimed.
    pub claims_expire_at: Option<DateTime<Utc>>,
}
