//! Compares the pictures of plans with the canvas.

use caraplace_log::canvas::{Canvas, NewestPlacement};
use rules::grid::Point;
use rules::numbers::Seq;
use rules::palette::Color;
use rules::plan::record::PlanRecord;

use super::store::WrongPixel;

/// Returns true if a plan belongs to the season of the canvas.
pub(super) fn is_of_season(canvas: &Canvas, record: &PlanRecord) -> bool {
    record.season == canvas.season && canvas.size.rect(record.target.area().corners()).is_some()
}

/// Returns true if all pixels of a plan of the current season are right.
pub(super) fn is_complete(canvas: &Canvas, record: &PlanRecord) -> bool {
    let is_right = |(point, wanted): (Point, Color)| canvas.color(point) == wanted.index();
    is_of_season(canvas, record) && record.target.pixels().all(is_right)
}

/// Returns the number of the newest placement on the picture of a plan; [`Seq::ZERO`] if it was never
/// painted.
pub(super) fn newest_seq_in(canvas: &Canvas, record: &PlanRecord) -> Seq {
    record.target.pixels().map(|(point, _)| canvas.newest_placement(point).seq).max().unwrap_or(Seq::ZERO)
}

/// Returns the wrong pixels of a plan that were painted since its picture was set; none if it belongs to
/// another season.
pub(super) fn wrong_pixels(canvas: &Canvas, record: &PlanRecord) -> Vec<WrongPixel> {
    if !is_of_season(canvas, record) {
        return Vec::new();
    }
    let pixels = record.target.pixels();
    let newest = pixels.map(|(point, wanted)| (canvas.newest_placement(point), wanted));
    let is_wrong = |(newest, wanted): &(NewestPlacement, Color)| {
        newest.color != wanted.index() && newest.seq > record.target_seq
    };
    let wrong = newest.filter(is_wrong);
    wrong.map(|(newest, wanted)| WrongPixel { newest_seq: newest.seq, wanted }).collect()
}
