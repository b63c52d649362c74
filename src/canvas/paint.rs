//! Painting: placements in one request are all done or none. Each costs a charge and earns a credit, unless it repaints
//! the painter's own pixel in the same colour.

use chrono::{DateTime, Utc};
use rules::grid::{Point, Size};
use rules::palette::Color;
use rules::rights::AccountAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Placement;
use crate::input;
use crate::input::strict_json;
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground};
use crate::refusal::{InputError, Refusal, Shortage};
use crate::state::AppState;

/// `POST /api/pixel`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPixel {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// From `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
    /// The colour that must still be there.
    pub expected_color: Option<i64>,
}

/// `POST /api/pixels`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPixels {
    /// All of them are placed, or none.
    #[serde(deserialize_with = "strict_json::several")]
    pub pixels: Vec<OneOfMany>,
    /// From `GET /api/chat`; not needed while the chat is switched off.
    pub chat_digest: Option<String>,
}

/// One of several pixels.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OneOfMany {
    pub x: i64,
    pub y: i64,
    /// Index into the palette.
    pub color: i64,
    /// The colour that must still be there.
    pub expected_color: Option<i64>,
}

/// One pixel to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Dab {
    pub point: Point,
    pub color: Color,
    /// The colour that must still be there.
    pub expected: Option<Color>,
}

/// What is left after painting.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Left {
    pub charges: i64,
    pub max_charges: i64,
    /// Null while all charges are there.
    pub next_charge_at: Option<DateTime<Utc>>,
    pub chat_credits: i64,
    pub pixels_until_next_message: i64,
}

/// The answer to one pixel.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PaintedOne {
    pub success: bool,
    pub pixel: Placement,
    #[serde(flatten)]
    pub left: Left,
}

/// The answer to several pixels, in the order in which they were asked for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PaintedMany {
    pub success: bool,
    pub pixels: Vec<Placement>,
    #[serde(flatten)]
    pub left: Left,
}

/// Places one pixel.
pub struct PaintOne(pub Dab);

/// Places several pixels with consecutive numbers, or none.
pub struct PaintMany(pub Vec<Dab>);

/// Checks one pixel, then awaits the proof that its painter has read the chat.
///
/// # Errors
/// Why it cannot be placed.
pub async fn draft_one(
    state: &AppState,
    form: &NewPixel,
    proof: impl Future<Output = Result<(), Refusal>>,
) -> Result<PaintOne, Refusal> {
    let size = state.snapshot(|world| world.season.size);
    let dab = dab(size, (form.x, form.y), form.color, form.expected_color)?;
    proof.await?;
    Ok(PaintOne(dab))
}

/// Checks several pixels, then awaits the proof that their painter has read the chat.
///
/// # Errors
/// Why they cannot be placed.
pub async fn draft_many(
    state: &AppState,
    form: &NewPixels,
    proof: impl Future<Output = Result<(), Refusal>>,
) -> Result<PaintMany, Refusal> {
    let (pixels, most) = (&form.pixels, state.game().max_batch());
    if !(1..=most).contains(&pixels.len()) {
        let detail = format!("pixels has {} entries; 1 to {most} are allowed.", pixels.len());
        return Err(Refusal::invalid("pixels", detail));
    }
    let size = state.snapshot(|world| world.season.size);
    let one = |(position, pixel): (usize, &OneOfMany)| {
        let dab = dab(size, (pixel.x, pixel.y), pixel.color, pixel.expected_color);
        dab.map_err(|error| error.at(position))
    };
    let dabs = pixels.iter().enumerate().map(one).collect::<Result<_, _>>()?;
    proof.await?;
    Ok(PaintMany(dabs))
}

fn dab(size: Size, at: (i64, i64), color: i64, expected: Option<i64>) -> Result<Dab, InputError> {
    let point = input::point(size, at)?;
    let expected = expected.map(|index| input::color("expected_color", index)).transpose()?;
    Ok(Dab { point, color: input::color("color", color)?, expected })
}

impl Deed for PaintOne {
    type Done = PaintedOne;

    const ACT: AccountAction = AccountAction::Paint;

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<PaintedOne, Refusal> {
        check_and_spend(ground, account, &[self.0])?;
        let painted_before = ground.painted_count;
        let pixel = place(ground, account, self.0);
        ground.announce_milestone(painted_before);
        Ok(PaintedOne { success: true, pixel, left: left(ground, account) })
    }
}

impl Deed for PaintMany {
    type Done = PaintedMany;

    const ACT: AccountAction = AccountAction::Paint;

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<PaintedMany, Refusal> {
        check_and_spend(ground, account, &self.0)?;
        let painted_before = ground.painted_count;
        let pixels = self.0.iter().map(|dab| place(ground, account, *dab)).collect();
        ground.announce_milestone(painted_before);
        Ok(PaintedMany { success: true, pixels, left: left(ground, account) })
    }
}

fn place(ground: &mut Ground<'_>, account: &mut Account, dab: Dab) -> Placement {
    let placed = ground.paint(account, dab.point, dab.color);
    account.chat_credits += i64::from(placed.earns_credit);
    Placement {
        seq: placed.seq,
        x: dab.point.x,
        y: dab.point.y,
        color: dab.color.index(),
        agent_id: account.id.clone(),
        agent_name: account.name.clone(),
        placed_at: ground.now,
    }
}

fn check_and_spend(ground: &Ground<'_>, account: &mut Account, dabs: &[Dab]) -> Result<(), Refusal> {
    check_bounds(ground, dabs)?;
    check_expected(ground, dabs)?;
    spend(ground, account, dabs.len() as i64)
}

/// A new season may have a smaller canvas than the one that was aimed at.
fn check_bounds(ground: &Ground<'_>, dabs: &[Dab]) -> Result<(), Refusal> {
    let on_canvas = |dab: &Dab| ground.season.size.point(dab.point.x.into(), dab.point.y.into()).is_some();
    if dabs.iter().all(on_canvas) { Ok(()) } else { Err(Refusal::OffCanvas) }
}

/// Each dab expects what was there before the request, or what an earlier dab of it has left.
fn check_expected(ground: &Ground<'_>, dabs: &[Dab]) -> Result<(), Refusal> {
    for (position, dab) in dabs.iter().enumerate() {
        let Some(expected) = dab.expected else { continue };
        let earlier = dabs[..position].iter().rev().find(|earlier| earlier.point == dab.point);
        let color = earlier.map_or_else(|| ground.color(dab.point), |earlier| earlier.color.index());
        if color != expected.index() {
            return Err(Refusal::PixelChanged { x: dab.point.x, y: dab.point.y, color });
        }
    }
    Ok(())
}

fn spend(ground: &Ground<'_>, account: &mut Account, count: i64) -> Result<(), Refusal> {
    let (charges, now) = (ground.game.charges(), ground.now);
    let Some(full_at) = charges.spend(account.charges_full_at, now, count) else {
        return Err(Refusal::NoCharges(Shortage {
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

fn left(ground: &Ground<'_>, account: &Account) -> Left {
    let charges = ground.game.charges();
    Left {
        charges: charges.available(account.charges_full_at, ground.now),
        max_charges: charges.max(),
        next_charge_at: charges.next_charge_at(account.charges_full_at, ground.now),
        chat_credits: account.chat_credits,
        pixels_until_next_message: ground.game.price().missing_credits(account.chat_credits),
    }
}
