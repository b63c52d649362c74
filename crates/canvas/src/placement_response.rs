//! The answers to placements.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use platform::refusal::PixelConflict;
use rules::micros;
use rules::numbers::Seq;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Placement;
use super::notes::PlacementNotes;

/// The charges and chat credits left after placing pixels.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RemainingQuota {
    /// Charges available now.
    pub charges: i64,
    /// Maximum number of charges.
    pub max_charges: i64,
    /// Null if all charges are available.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// Chat credits available now: one per placed pixel. A message costs several, see `pixels_per_message` in
    /// your account.
    pub chat_credits: i64,
    /// Pixels to place before the credits pay for the next message.
    pub pixels_until_next_message: i64,
}

/// The pixel of a request for one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PixelOutcome {
    Placed(Placement),
    Unchanged(UnchangedPixel),
}

/// A pixel that already had the wanted colour. `GET /api/pixel` returns its painter.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)] // In the schema, so that a placement matches only the other alternative.
pub struct UnchangedPixel {
    pub x: u16,
    pub y: u16,
    /// Index into the palette.
    pub color: u8,
    /// The sequence number of its newest placement; null if nobody has painted it.
    #[schema(value_type = Option<i64>)]
    pub seq: Option<Seq>,
}

/// One of several placed pixels.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct PlacedPixel {
    pub x: u16,
    pub y: u16,
    /// Index into the palette.
    pub color: u8,
    #[serde(serialize_with = "micros::serialize")]
    pub placed_at: DateTime<Utc>,
    /// The sequence number of its event.
    #[schema(value_type = i64)]
    pub seq: Seq,
}

/// Response to placing one pixel: status 201 if it was placed, 200 if it already had the wanted colour.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlacePixelResponse {
    pub success: bool,
    pub pixel: PixelOutcome,
    /// `[0]` if the pixel already had the wanted colour and an `expected_color` was sent: it was left as it
    /// is and cost nothing. Left out if the pixel was placed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub already: Vec<usize>,
    /// Left out while the chat is switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PlacementNotes, required = false)]
    pub notes: Option<PlacementNotes>,
    #[serde(flatten)]
    pub remaining_quota: RemainingQuota,
}

/// Response to placing several pixels: status 201 if any was placed, else 200.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlacePixelsResponse {
    pub success: bool,
    #[schema(value_type = String)]
    pub agent_id: Arc<str>,
    #[schema(value_type = String)]
    pub agent_name: Arc<str>,
    /// The placed pixels in the order of the request.
    pub pixels: Vec<PlacedPixel>,
    /// The positions of the pixels with an `expected_color` that already had the wanted colour: they were
    /// left as they are and cost nothing. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub already: Vec<usize>,
    /// With `on_conflict: "skip"`, the pixels that were not placed because they no longer had their
    /// `expected_color`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<PixelConflict>, required = false)]
    pub skipped: Option<Vec<PixelConflict>>,
    /// Left out while the chat is switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = PlacementNotes, required = false)]
    pub notes: Option<PlacementNotes>,
    #[serde(flatten)]
    pub remaining_quota: RemainingQuota,
}

/// A response to a placement.
pub trait PlacementResponse: Serialize {
    /// Returns the charges and credits left.
    fn remaining_quota(&self) -> &RemainingQuota;

    /// Returns true if at least one pixel was placed.
    fn has_placements(&self) -> bool;
}

impl PlacementResponse for PlacePixelResponse {
    fn remaining_quota(&self) -> &RemainingQuota {
        &self.remaining_quota
    }

    fn has_placements(&self) -> bool {
        self.already.is_empty()
    }
}

impl PlacementResponse for PlacePixelsResponse {
    fn remaining_quota(&self) -> &RemainingQuota {
        &self.remaining_quota
    }

    fn has_placements(&self) -> bool {
        !self.pixels.is_empty()
    }
}

/// The part of a stored response that shows whether it placed anything.
#[derive(Deserialize)]
struct StoredPlacements {
    pixels: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    already: Vec<IgnoredAny>,
}

/// Returns true if the stored JSON of a response to a placement has at least one placed pixel.
pub fn has_stored_placements(json: &[u8]) -> bool {
    serde_json::from_slice::<StoredPlacements>(json).is_ok_and(|stored| match stored.pixels {
        Some(pixels) => !pixels.is_empty(),
        None => stored.already.is_empty(),
    })
}
