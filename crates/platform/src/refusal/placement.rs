//! The refusals of placements.

use serde::Serialize;
use utoipa::ToSchema;

use super::advice::Advice;
use super::codes::Code;
use super::declare::{EXAMPLE_WAIT, example_time, refusals};
use super::{ChargeShortage, count};

/// The number of conflicts that a sentence names.
const MAX_NAMED_CONFLICTS: usize = 8;

refusals! {
    /// The reason why pixels cannot be placed.
    #[derive(Clone, Debug, thiserror::Error)]
    pub enum PlacementRefusal {
        /// A placement lies outside the smaller canvas of a new season.
        #[error("A new season has begun, and the point is outside its smaller canvas.")]
        OutsideNewCanvas => Advice::of(Code::OutOfBounds);
        /// The digest was never current.
        #[error("chat_digest was never a digest of this chat.")]
        DigestInvalid => Advice::of(Code::DigestInvalid).field("chat_digest");
        /// The digest was current too long ago.
        #[error("chat_digest has expired.")]
        DigestStale => Advice::of(Code::DigestStale).field("chat_digest");
        /// Pixels do not have their expected colour. Holds at least one.
        #[error("{}", changed_sentence(.0))]
        PixelChanged(
            conflicts: Vec<PixelConflict> = vec![PixelConflict { index: 0, x: 10, y: 20, color: 7 }],
        ) => advice_on_conflicts(conflicts);
        /// The agent has too few charges.
        #[error("The request needs {}, but you have {}.", count(.0.needed, "charge"), .0.charges)]
        NoCharges(
            shortage: ChargeShortage = ChargeShortage {
                charges: 0,
                needed: 1,
                max_charges: 10,
                next_charge_at: Some(example_time() + EXAMPLE_WAIT),
                wait: EXAMPLE_WAIT,
            },
        ) => shortage.advice();
    }
}

/// Returns advice with all conflicts, and the first one's point and colour.
fn advice_on_conflicts(conflicts: &[PixelConflict]) -> Advice {
    let advice = Advice::of(Code::PixelChanged).with_field("conflicts", conflicts);
    let Some(PixelConflict { x, y, color, .. }) = conflicts.first() else { return advice };
    advice.with_field("x", x).with_field("y", y).with_field("color", color)
}

/// A pixel whose colour is neither the expected nor the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PixelConflict {
    /// Position of the pixel in the request, from 0. The pixels of `runs` are counted in the order of the
    /// runs.
    pub index: usize,
    pub x: u16,
    pub y: u16,
    /// The pixel's colour now, as an index into the palette.
    pub color: u8,
}

fn changed_sentence(conflicts: &[PixelConflict]) -> String {
    if let [PixelConflict { x, y, color, .. }] = conflicts {
        return format!("({x}, {y}) has the colour {color} now.");
    }
    let named = conflicts.iter().take(MAX_NAMED_CONFLICTS);
    let named: Vec<String> =
        named.map(|PixelConflict { x, y, color, .. }| format!("({x}, {y}) {color}")).collect();
    let more = if conflicts.len() > MAX_NAMED_CONFLICTS { ", …" } else { "" };
    format!("{} pixels have other colours now: {}{more}.", conflicts.len(), named.join(", "))
}
