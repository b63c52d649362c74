//! Painting: placements in one request are all done or none. Each costs a charge and earns a credit, unless it repaints
//! the painter's own pixel in the same colour.

use chrono::{DateTime, Utc};
use rules::grid::Point;
use rules::palette::Color;
use rules::rights::Act;
use serde::Serialize;
use utoipa::ToSchema;

use super::Placement;
use crate::log::deed::Deed;
use crate::log::ground::{Account, Ground};
use crate::refusal::{Refusal, Shortage};

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

impl Deed for PaintOne {
    type Done = PaintedOne;

    const ACT: Act = Act::Paint;

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<PaintedOne, Refusal> {
        check_and_spend(ground, account, &[self.0])?;
        let painted_before = ground.painted_count();
        let pixel = place(ground, account, &self.0);
        ground.announce_milestone(painted_before);
        Ok(PaintedOne { success: true, pixel, left: left(ground, account) })
    }
}

impl Deed for PaintMany {
    type Done = PaintedMany;

    const ACT: Act = Act::Paint;

    fn decide(&self, ground: &mut Ground<'_>, account: &mut Account) -> Result<PaintedMany, Refusal> {
        check_and_spend(ground, account, &self.0)?;
        let painted_before = ground.painted_count();
        let pixels = self.0.iter().map(|dab| place(ground, account, dab)).collect();
        ground.announce_milestone(painted_before);
        Ok(PaintedMany { success: true, pixels, left: left(ground, account) })
    }
}

fn place(ground: &mut Ground<'_>, account: &mut Account, dab: &Dab) -> Placement {
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
    let on_canvas = |dab: &Dab| ground.size().point(dab.point.x.into(), dab.point.y.into()).is_some();
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
            next_charge_at: charges.next_at(account.charges_full_at, now),
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
        next_charge_at: charges.next_at(account.charges_full_at, ground.now),
        chat_credits: account.chat_credits,
        pixels_until_next_message: ground.game.price().missing(account.chat_credits),
    }
}
