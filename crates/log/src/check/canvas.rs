//! Replays the canvas of one season, row by row, and compares it with the links in the log and with the
//! stored snapshot.

use caraplace_live::event::compact_painter;
use rules::credits;
use rules::numbers::{AccountNo, Seq};
use rules::palette::{BLANK_COLOR, Color};

use super::report::CheckReport;
use crate::season::Season;
use crate::store::ReplaySnapshot;
use crate::store::check::LogRow;

/// The canvas replayed so far.
pub(super) struct CanvasReplay {
    season: Season,
    pixels: Vec<u8>,
    /// The number of each pixel's newest placement; [`Seq::ZERO`] if the pixel was never painted.
    placement_seqs: Vec<Seq>,
    /// The number of each pixel's newest painter; 0 if the pixel was never painted.
    painters: Vec<u32>,
    /// The stored snapshot, until it is compared.
    snapshot: Option<ReplaySnapshot>,
}

impl CanvasReplay {
    /// Returns a season's blank canvas, with its stored snapshot.
    pub(super) fn new(season: Season, snapshot: Option<ReplaySnapshot>) -> Self {
        let area = season.size.area();
        Self {
            season,
            pixels: vec![BLANK_COLOR.index(); area],
            placement_seqs: vec![Seq::ZERO; area],
            painters: vec![0; area],
            snapshot,
        }
    }

    /// Applies a placement. Returns true if its agent earns a credit for it.
    pub(super) fn apply_placement(&mut self, row: &LogRow, report: &mut CheckReport) -> bool {
        let seq = row.seq;
        let x = row.x.unwrap_or(-1);
        let y = row.y.unwrap_or(-1);
        let color = row.color.unwrap_or(-1);
        let valid_color = Color::new(color.into());
        if valid_color.is_none() {
            report.add_difference("colour", || format!("event {seq} paints with the colour {color}"));
        }
        let Some(point) = self.season.size.point(x.into(), y.into()) else {
            report.add_difference("bounds", || {
                format!("event {seq} paints ({x}, {y}), which is not on the canvas")
            });
            return true;
        };
        let index = self.season.size.index(point);
        let previous_seq = std::mem::replace(&mut self.placement_seqs[index], seq);
        report.compare(
            "chain",
            || format!("what event {seq} covers"),
            row.covers.unwrap_or(Seq::ZERO),
            previous_seq,
        );
        let color_index = valid_color.map_or(self.pixels[index], Color::index);
        let same_color = std::mem::replace(&mut self.pixels[index], color_index) == color_index;
        let painter = compact_painter(row.restored_agent.or(row.agent).unwrap_or(AccountNo::OPERATOR));
        let previous_painter = std::mem::replace(&mut self.painters[index], painter);
        credits::earns_credit(same_color, painter, previous_painter)
    }

    /// Compares the snapshot before the row with this number, if the replay has reached the snapshot's event.
    pub(super) fn compare_snapshot_before(&mut self, next_seq: Seq, report: &mut CheckReport) {
        if let Some(snapshot) = self.snapshot.take_if(|snapshot| snapshot.seq < next_seq) {
            self.compare_snapshot(&snapshot, report);
        }
    }

    /// Compares the snapshot at the end of the season.
    pub(super) fn finish(&mut self, head: Seq, report: &mut CheckReport) {
        self.compare_snapshot_before(head.next(), report);
        if let Some(ReplaySnapshot { seq, .. }) = self.snapshot {
            report.add_difference("canvas", || {
                format!("the snapshot is of event {seq}, beyond the head {head}")
            });
        }
    }

    fn compare_snapshot(&self, snapshot: &ReplaySnapshot, report: &mut CheckReport) {
        let area = self.pixels.len();
        let found = snapshot.pixels.len();
        if found != area || snapshot.placement_seqs.len() != area {
            report.add_difference("canvas", || {
                format!("the snapshot has {found} pixels; the canvas has {area}")
            });
            return;
        }
        let seq = snapshot.seq;
        let width = usize::from(self.season.size.width);
        for index in 0..area {
            let position =
                || format!("({}, {}), in the snapshot of event {seq},", index % width, index / width);
            let stored = snapshot.pixels[index];
            let painted = self.pixels[index];
            report.compare("canvas", || format!("the colour at {}", position()), stored, painted);
            let stored = snapshot.placement_seqs[index];
            let painted = self.placement_seqs[index];
            report.compare("canvas", || format!("the newest placement at {}", position()), stored, painted);
            if let Some(painters) = &snapshot.painters {
                let stored = painters.get(index).copied().unwrap_or_default();
                let label = || format!("the painter at {}", position());
                report.compare("canvas", label, stored, self.painters[index]);
            }
        }
    }
}
