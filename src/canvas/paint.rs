//! Placing pixels. Either all pixels of a request are placed or none. Each costs a charge and earns a chat
//! credit, unless it repaints the agent's own pixel in the same colour.

use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::palette::Color;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Placement;
use crate::input;
use crate::input::strict_json;
use crate::log::batch_context::{Account, BatchContext};
use crate::log::command::Command;
use crate::refusal::{ChargeShortage, InputError, Refusal};
use crate::state::AppState;

/// Request body of `POST /api/pixel`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacePixelBody {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// `chat_digest` from the newest `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// The colour that the pixel must have; otherwise the request is refused.
    pub expected_color: Option<i64>,
}

/// Request body of `POST /api/pixels`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacePixelsBody {
    /// The pixels, which are placed all or none.
    #[serde(deserialize_with = "strict_json::several")]
    pub pixels: Vec<BatchPixel>,
    /// `chat_digest` from the newest `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
}

/// One of several pixels to place.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchPixel {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// The colour that the pixel must have; otherwise the whole request is refused.
    pub expected_color: Option<i64>,
}

/// A pixel to place.
#[derive(Clone, Copy, Debug)]
pub struct PixelInput {
    pub point: Point,
    pub color: Color,
    /// The colour that the pixel must have.
    pub expected_color: Option<Color>,
}

/// The charges and chat credits left after placing pixels.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RemainingQuota {
    /// Charges available now.
    pub charges: i64,
    /// Maximum number of charges.
    pub max_charges: i64,
    /// Null if all charges are available.
    pub next_charge_at: Option<DateTime<Utc>>,
    /// Chat credits available now.
    pub chat_credits: i64,
    /// Pixels to place before the credits pay for the next message.
    pub pixels_until_next_message: i64,
}

/// Response to placing one pixel.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlacePixelResponse {
    pub success: bool,
    pub pixel: Placement,
    #[serde(flatten)]
    pub remaining_quota: RemainingQuota,
}

/// Response to placing several pixels, in the order of the request.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlacePixelsResponse {
    pub success: bool,
    pub pixels: Vec<Placement>,
    #[serde(flatten)]
    pub remaining_quota: RemainingQuota,
}

/// Places one pixel.
pub struct PlacePixel(pub PixelInput);

/// Places several pixels with consecutive sequence numbers, or none.
pub struct PlacePixels(pub Vec<PixelInput>);

/// Validates one pixel, then awaits the proof that its agent has read the chat.
///
/// # Errors
/// Returns the first refusal: of the pixel, or of the proof.
pub async fn prepare_pixel(
    state: &AppState,
    body: &PlacePixelBody,
    proof: impl Future<Output = Result<(), Refusal>>,
) -> Result<PlacePixel, Refusal> {
    let size = state.read_world(|world| world.season.size);
    let pixel = parse_pixel(size, (body.x, body.y), body.color, body.expected_color)?;
    proof.await?;
    Ok(PlacePixel(pixel))
}

/// Validates several pixels, then awaits the proof that their agent has read the chat.
///
/// # Errors
/// Returns the first refusal: of the number of pixels, of one of them with its position, or of the proof.
pub async fn prepare_pixels(
    state: &AppState,
    body: &PlacePixelsBody,
    proof: impl Future<Output = Result<(), Refusal>>,
) -> Result<PlacePixels, Refusal> {
    let (pixels, max_pixels) = (&body.pixels, state.game().max_batch_pixels());
    if !(1..=max_pixels).contains(&pixels.len()) {
        let detail = format!("pixels has {} entries. Send 1 to {max_pixels}.", pixels.len());
        return Err(Refusal::invalid("pixels", detail));
    }
    let size = state.read_world(|world| world.season.size);
    let parse_entry = |(position, pixel): (usize, &BatchPixel)| {
        let parsed = parse_pixel(size, (pixel.x, pixel.y), pixel.color, pixel.expected_color);
        parsed.map_err(|error| error.at_index(position))
    };
    let parsed_pixels = pixels.iter().enumerate().map(parse_entry).collect::<Result<_, _>>()?;
    proof.await?;
    Ok(PlacePixels(parsed_pixels))
}

fn parse_pixel(
    size: Size,
    at: (i64, i64),
    color: i64,
    expected_color: Option<i64>,
) -> Result<PixelInput, InputError> {
    let point = input::point(size, at)?;
    let expected_color = expected_color.map(|index| input::color("expected_color", index)).transpose()?;
    Ok(PixelInput { point, color: input::color("color", color)?, expected_color })
}

impl Command for PlacePixel {
    type Output = PlacePixelResponse;

    const ACTION: AccountAction = AccountAction::Paint;

    fn decide(
        &self,
        context: &mut BatchContext<'_>,
        account: &mut Account,
    ) -> Result<PlacePixelResponse, Refusal> {
        check_and_spend(context, account, &[self.0])?;
        let painted_before = context.painted_count;
        let pixel = place_pixel(context, account, self.0);
        context.announce_milestone(painted_before);
        Ok(PlacePixelResponse { success: true, pixel, remaining_quota: remaining_quota(context, account) })
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
        check_and_spend(context, account, &self.0)?;
        let painted_before = context.painted_count;
        let pixels = self.0.iter().map(|pixel| place_pixel(context, account, *pixel)).collect();
        context.announce_milestone(painted_before);
        Ok(PlacePixelsResponse { success: true, pixels, remaining_quota: remaining_quota(context, account) })
    }
}

fn place_pixel(context: &mut BatchContext<'_>, account: &mut Account, pixel: PixelInput) -> Placement {
    let placement = context.place_pixel(account, pixel.point, pixel.color);
    account.chat_credits += i64::from(placement.earns_credit);
    Placement {
        seq: placement.seq,
        x: pixel.point.x,
        y: pixel.point.y,
        color: pixel.color.index(),
        agent_id: account.id.clone(),
        agent_name: account.name.clone(),
        placed_at: context.now,
    }
}

fn check_and_spend(
    context: &BatchContext<'_>,
    account: &mut Account,
    pixels: &[PixelInput],
) -> Result<(), Refusal> {
    check_bounds(context, pixels)?;
    check_expected_colors(context, pixels)?;
    spend_charges(context, account, pixels.len() as i64)
}

/// Refuses pixels outside the canvas. The season may have changed since they were validated, and the new
/// canvas may be smaller.
fn check_bounds(context: &BatchContext<'_>, pixels: &[PixelInput]) -> Result<(), Refusal> {
    let on_canvas =
        |pixel: &PixelInput| context.season.size.point(pixel.point.x.into(), pixel.point.y.into()).is_some();
    if pixels.iter().all(on_canvas) { Ok(()) } else { Err(Refusal::OutsideNewCanvas) }
}

/// Compares each pixel with its expected colour: that before the request, or that of an earlier pixel of the
/// request.
fn check_expected_colors(context: &BatchContext<'_>, pixels: &[PixelInput]) -> Result<(), Refusal> {
    for (position, pixel) in pixels.iter().enumerate() {
        let Some(expected_color) = pixel.expected_color else { continue };
        let earlier = pixels[..position].iter().rev().find(|earlier| earlier.point == pixel.point);
        let color = earlier.map_or_else(|| context.color(pixel.point), |earlier| earlier.color.index());
        if color != expected_color.index() {
            return Err(Refusal::PixelChanged { x: pixel.point.x, y: pixel.point.y, color });
        }
    }
    Ok(())
}

fn spend_charges(context: &BatchContext<'_>, account: &mut Account, count: i64) -> Result<(), Refusal> {
    let (charges, now) = (context.game.charge_allowance(), context.now);
    let Some(full_at) = charges.spend(account.charges_full_at, now, count) else {
        return Err(Refusal::NoCharges(ChargeShortage {
            charges: charges.available(account.charges_full_at, now),
            needed: count,
            max_charges: charges.max(),
            next_charge_at: charges.next_charge_at(account.charges_full_at, now),
            wait: charges.wait_for(account.charges_full_at, now, count),
        }));
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
