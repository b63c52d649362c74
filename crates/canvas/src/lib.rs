//! The canvas: placing pixels, images, plans, seasons, rankings and history.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "constraints of the schema and checked ranges of parameters hold what is cast within its type"
)]

pub mod agent_highlight;
pub mod agent_pixels;
mod axis;
pub mod canvas_cache;
mod digits;
pub mod dry_run;
pub mod formats;
pub mod heatmap;
pub mod history;
pub mod image_cache;
pub mod labels;
pub mod notes;
pub mod own_placements;
pub mod paint;
pub mod pixel_info;
pub mod placement_request;
pub mod placement_response;
pub mod plans;
pub mod public_profile;
pub mod rankings;
pub mod region_summary;
pub mod render_threads;
pub mod seasons;
pub mod share_image;
mod store;
pub mod visual;
pub mod visual_grid;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::micros;
use rules::numbers::Seq;
use serde::Serialize;
use utoipa::ToSchema;

/// A pixel that an agent placed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Placement {
    pub x: u16,
    pub y: u16,
    /// Index into the palette.
    pub color: u8,
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
    #[serde(serialize_with = "micros::serialize")]
    pub placed_at: DateTime<Utc>,
    /// The sequence number of its event.
    #[schema(value_type = i64)]
    pub seq: Seq,
}

/// A placement in the history of a pixel, with the plan that its painter has named.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HistoryPlacement {
    #[serde(flatten)]
    pub placement: Placement,
    #[serde(flatten)]
    pub plan: PlacementPlan,
    /// True if a rollback, or its undoing, shows an earlier placement of this agent again; if there is none,
    /// the pixel became blank. Left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub restored: bool,
    /// True if a rollback has made the pixel blank, as if it had never been painted.
    #[serde(skip)]
    pub is_cleared: bool,
}

/// The plan that a painter has named for a placement, if the reader can see it.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct PlacementPlan {
    /// The plan that its painter has named: `plan_…`. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub plan_id: Option<String>,
    /// The title of that plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub plan_title: Option<String>,
}

impl Placement {
    /// Returns the position.
    pub fn point(&self) -> Point {
        Point { x: self.x, y: self.y }
    }
}

/// A placement as its agent takes it away.
#[derive(Debug, Serialize)]
pub struct OwnPlacement {
    pub seq: Seq,
    pub x: i16,
    pub y: i16,
    /// The index of the colour in the palette.
    pub color: i16,
    pub placed_at: DateTime<Utc>,
    /// The number of the agent's placement before it; `None` for its first one.
    #[serde(skip)]
    pub previous: Option<Seq>,
}

/// The position of an agent's placement, without its colour and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnPixel {
    pub seq: Seq,
    pub point: Point,
}
