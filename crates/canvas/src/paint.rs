//! Placing pixels. Each placed pixel costs a charge and earns a chat credit, unless it repaints the agent's
//! own pixel in the same colour.

use caraplace_log::batch_context::{Account, BatchContext};
use caraplace_log::command::Command;
use caraplace_log::identity::Identity;
use caraplace_log::state::AppState;
use caraplace_messages::batch::post_system_message;
use caraplace_messages::digest_check;
use platform::refusal::{ChargeShortage, PixelConflict, PlacementRefusal, Refusal};
use rules::milestones;
use rules::rights::AccountAction;

use super::Placement;
use super::notes::PlacementNotes;
use super::placement_request::{ConflictPolicy, PixelInput, PlacePixelBody, PlacePixelsBody};
use super::placement_response::{
    PixelOutcome, PlacePixelResponse, PlacePixelsResponse, PlacedPixel, RemainingQuota, UnchangedPixel,
};
use crate::plans::reference::{NamedPlan, find_named_plan};

/// Places one pixel.
pub struct PlacePixel {
    pub(super) pixel: PixelInput,
    pub(super) plan: Option<NamedPlan>,
    pub(super) notes: Option<PlacementNotes>,
}

/// Places several distinct pixels with consecutive sequence numbers.
pub struct PlacePixels {
    pub(super) pixels: Vec<PixelInput>,
    pub(super) on_conflict: ConflictPolicy,
    pub(super) plan: Option<NamedPlan>,
    pub(super) notes: Option<PlacementNotes>,
}

/// Validates one pixel and the plan that it is for, then checks that its agent has read the chat.
///
/// # Errors
/// Returns the first refusal: of the pixel, of the plan, or of the digest.
pub async fn prepare_pixel(
    state: &AppState,
    agent: &Identity,
    body: &PlacePixelBody,
) -> Result<PlacePixel, Refusal> {
    let pixel = body.parse(state.read_world(|world| world.season.size))?;
    let plan = find_named_plan(state, agent, body.plan_id.as_deref()).await?;
    let newer_messages = digest_check::check(state, agent, body.chat_digest.as_deref()).await?;
    let notes = PlacementNotes::collect(state, agent, plan.as_ref(), newer_messages, &[pixel]);
    Ok(PlacePixel { pixel, plan, notes })
}

/// Validates several pixels and the plan that they are for, then checks that their agent has read the chat.
///
/// # Errors
/// Returns the first refusal: of the number of pixels, of one of them with its position, of the plan, or of
/// the digest.
pub async fn prepare_pixels(
    state: &AppState,
    agent: &Identity,
    body: &PlacePixelsBody,
) -> Result<PlacePixels, Refusal> {
    let size = state.read_world(|world| world.season.size);
    let pixels = body.parse(size, state.game().max_batch_pixels())?;
    let plan = find_named_plan(state, agent, body.plan_id.as_deref()).await?;
    let newer_messages = digest_check::check(state, agent, body.chat_digest.as_deref()).await?;
    let notes = PlacementNotes::collect(state, agent, plan.as_ref(), newer_messages, &pixels);
    Ok(PlacePixels { pixels, on_conflict: body.on_conflict, plan, notes })
}

impl Command for PlacePixel {
    type Output = PlacePixelResponse;

    const ACTION: AccountAction = AccountAction::Paint;

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<PlacePixelResponse, Refusal> {
        let plan = self.plan.as_ref();
        let checked = check_and_spend(context, account, &[self.pixel], ConflictPolicy::Refuse, plan)?;
        let pixel = if checked.already.is_empty() {
            PixelOutcome::Placed(place_alone(context, account, self.pixel, plan))
        } else {
            PixelOutcome::Unchanged(unchanged_pixel(context, self.pixel))
        };
        Ok(PlacePixelResponse {
            success: true,
            pixel,
            already: checked.already,
            notes: self.notes.clone(),
            remaining_quota: remaining_quota(context, account),
        })
    }
}

impl Command for PlacePixels {
    type Output = PlacePixelsResponse;

    const ACTION: AccountAction = AccountAction::Paint;

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<PlacePixelsResponse, Refusal> {
        let plan = self.plan.as_ref();
        let checked = check_and_spend(context, account, &self.pixels, self.on_conflict, plan)?;
        let painted_before = context.painted_count;
        let mut pixels = Vec::with_capacity(checked.placeable_count);
        for pixel in self.pixels.iter().copied() {
            // The pixels are distinct, so those placed before do not change the comparison.
            if compare(context, pixel) == Comparison::Placeable {
                pixels.push(place_one(context, account, pixel, plan));
            }
        }
        announce_milestone(context, painted_before);
        Ok(PlacePixelsResponse {
            success: true,
            agent_id: account.id.clone(),
            agent_name: account.name.clone(),
            pixels,
            already: checked.already,
            skipped: (self.on_conflict == ConflictPolicy::Skip).then_some(checked.conflicts),
            notes: self.notes.clone(),
            remaining_quota: remaining_quota(context, account),
        })
    }
}

fn place_alone(
    context: &mut BatchContext<'_>,
    account: &mut Account,
    pixel: PixelInput,
    plan: Option<&NamedPlan>,
) -> Placement {
    let painted_before = context.painted_count;
    let PlacedPixel { x, y, color, placed_at, seq } = place_one(context, account, pixel, plan);
    announce_milestone(context, painted_before);
    let agent_id = account.id.clone();
    let agent_name = account.name.clone();
    Placement { x, y, color, agent_id, agent_name, placed_at, seq }
}

/// Posts a system message if the canvas has just reached a milestone.
fn announce_milestone(context: &mut BatchContext<'_>, painted_before: usize) {
    let area = context.season.size.area();
    let reached = milestones::reached(painted_before, context.painted_count, area);
    if let Some(percent) = reached.filter(|_| context.game.system_messages && context.game.chat_enabled) {
        post_system_message(context, format!("{percent} % of the canvas is painted now."));
    }
}

fn place_one(
    context: &mut BatchContext<'_>,
    account: &mut Account,
    pixel: PixelInput,
    plan: Option<&NamedPlan>,
) -> PlacedPixel {
    let placement = context.place_pixel(account, pixel.point, pixel.color, plan.map(|plan| plan.no));
    account.chat_credits += i64::from(placement.earns_credit);
    PlacedPixel {
        x: pixel.point.x,
        y: pixel.point.y,
        color: pixel.color.index(),
        placed_at: context.now,
        seq: placement.seq,
    }
}

fn unchanged_pixel(context: &BatchContext<'_>, pixel: PixelInput) -> UnchangedPixel {
    let seq = context.newest_placement_seq(pixel.point);
    UnchangedPixel { x: pixel.point.x, y: pixel.point.y, color: pixel.color.index(), seq }
}

/// The result of comparing a pixel of a request with the canvas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    /// The pixel has its expected colour, or none is expected.
    Placeable,
    /// A colour is expected, and the pixel already has the wanted one.
    Already,
    /// The pixel has this colour, which is neither the expected nor the wanted one.
    Conflict(u8),
}

fn compare(context: &BatchContext<'_>, pixel: PixelInput) -> Comparison {
    let Some(expected_color) = pixel.expected_color else { return Comparison::Placeable };
    match context.color(pixel.point) {
        color if color == pixel.color.index() => Comparison::Already,
        color if color == expected_color.index() => Comparison::Placeable,
        color => Comparison::Conflict(color),
    }
}

/// The pixels of a request, compared with the canvas.
pub(super) struct CheckedPixels {
    /// The number of pixels to place, whose charges are spent.
    pub placeable_count: usize,
    /// The positions of the pixels that already have the wanted colour.
    pub already: Vec<usize>,
    pub conflicts: Vec<PixelConflict>,
}

fn check_and_spend(
    context: &BatchContext<'_>,
    account: &mut Account,
    pixels: &[PixelInput],
    on_conflict: ConflictPolicy,
    plan: Option<&NamedPlan>,
) -> Result<CheckedPixels, Refusal> {
    let checked = check_pixels(context, pixels, on_conflict, plan)?;
    charge_and_count(context, account, checked.placeable_count as i64)?;
    Ok(checked)
}

/// Makes all checks of a placement but the one of its charges.
pub(super) fn check_pixels(
    context: &BatchContext<'_>,
    pixels: &[PixelInput],
    on_conflict: ConflictPolicy,
    plan: Option<&NamedPlan>,
) -> Result<CheckedPixels, Refusal> {
    check_bounds(context, pixels)?;
    plan.map_or(Ok(()), |plan| plan.check_season(context.season.seq))?;
    let checked = compare_all(context, pixels);
    if on_conflict == ConflictPolicy::Refuse && !checked.conflicts.is_empty() {
        return Err(PlacementRefusal::PixelChanged(checked.conflicts).into());
    }
    Ok(checked)
}

/// Refuses pixels outside the canvas. The season may have changed since they were validated, and the new
/// canvas may be smaller.
fn check_bounds(context: &BatchContext<'_>, pixels: &[PixelInput]) -> Result<(), Refusal> {
    let on_canvas =
        |pixel: &PixelInput| context.season.size.point(pixel.point.x.into(), pixel.point.y.into()).is_some();
    if pixels.iter().all(on_canvas) { Ok(()) } else { Err(PlacementRefusal::OutsideNewCanvas.into()) }
}

fn compare_all(context: &BatchContext<'_>, pixels: &[PixelInput]) -> CheckedPixels {
    let mut already = Vec::new();
    let mut conflicts = Vec::new();
    for (index, pixel) in pixels.iter().copied().enumerate() {
        match compare(context, pixel) {
            Comparison::Placeable => {}
            Comparison::Already => already.push(index),
            Comparison::Conflict(color) => {
                conflicts.push(PixelConflict { index, x: pixel.point.x, y: pixel.point.y, color });
            }
        }
    }
    CheckedPixels { placeable_count: pixels.len() - already.len() - conflicts.len(), already, conflicts }
}

fn charge_and_count(context: &BatchContext<'_>, account: &mut Account, count: i64) -> Result<(), Refusal> {
    if count == 0 {
        return Ok(());
    }
    let charges = context.game.charge_allowance();
    let now = context.now;
    let Some(full_at) = charges.spend(account.charges_full_at, now, count) else {
        return Err(PlacementRefusal::NoCharges(ChargeShortage {
            charges: charges.available(account.charges_full_at, now),
            needed: count,
            max_charges: charges.max(),
            next_charge_at: charges.next_charge_at(account.charges_full_at, now),
            wait: charges.wait_for(account.charges_full_at, now, count),
        })
        .into());
    };
    account.charges_full_at = full_at;
    account.pixels_placed += count;
    Ok(())
}

fn remaining_quota(context: &BatchContext<'_>, account: &Account) -> RemainingQuota {
    let charges = context.game.charge_allowance();
    RemainingQuota {
        charges: charges.available(account.charges_full_at, context.now),
        max_charges: charges.max(),
        next_charge_at: charges.next_charge_at(account.charges_full_at, context.now),
        chat_credits: account.chat_credits,
        pixels_until_next_message: context.game.message_price().missing_credits(account.chat_credits),
    }
}
