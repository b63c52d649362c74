//! One season's canvas, painted line by line, against the chains in the log and the canvas that was kept.

use rules::credits;
use rules::palette::{BLANK_COLOR, Color};

use super::report::Report;
use crate::live::event::compact_painter;
use crate::log::store::Fold;
use crate::log::store::check::Line;
use crate::log::world::Season;

/// The canvas so far.
pub(super) struct Canvas {
    season: Season,
    pixels: Vec<u8>,
    /// The number of each pixel's newest placement; 0 where nobody painted.
    latest: Vec<i64>,
    /// The number of each pixel's newest painter; 0 where nobody painted.
    painters: Vec<u32>,
    /// What was kept, until it is compared.
    kept: Option<Fold>,
}

impl Canvas {
    pub(super) fn new(season: Season, kept: Option<Fold>) -> Self {
        let area = season.size.area();
        Self {
            season,
            pixels: vec![BLANK_COLOR.index(); area],
            latest: vec![0; area],
            painters: vec![0; area],
            kept,
        }
    }

    /// Paints a line; returns whether an agent earns a credit by it.
    pub(super) fn paint(&mut self, line: &Line, report: &mut Report) -> bool {
        let (seq, x, y) = (line.seq, line.x.unwrap_or(-1), line.y.unwrap_or(-1));
        let color = line.color.unwrap_or(-1);
        let valid = Color::new(color.into());
        if valid.is_none() {
            report.differs("colour", || format!("event {seq} paints with the colour {color}"));
        }
        let Some(point) = self.season.size.point(x.into(), y.into()) else {
            report.differs("bounds", || format!("event {seq} paints ({x}, {y}), which is not on the canvas"));
            return true;
        };
        let place = self.season.size.index(point);
        let before = std::mem::replace(&mut self.latest[place], seq);
        report.compare(
            "chain",
            || format!("what event {seq} covers"),
            line.covers.unwrap_or_default(),
            before,
        );
        let painted = valid.map_or(self.pixels[place], Color::index);
        let same_color = std::mem::replace(&mut self.pixels[place], painted) == painted;
        let painter = compact_painter(line.agent.unwrap_or_default());
        let painter_before = std::mem::replace(&mut self.painters[place], painter);
        credits::earns_credit(same_color, painter, painter_before)
    }

    /// The next line has this number: compares what was kept, once everything is in that should be.
    pub(super) fn before(&mut self, next: i64, report: &mut Report) {
        if let Some(kept) = self.kept.take_if(|kept| kept.seq < next) {
            self.compare(&kept, report);
        }
    }

    /// There is no next line.
    pub(super) fn end(&mut self, head: i64, report: &mut Report) {
        self.before(head + 1, report);
        if let Some(Fold { seq, .. }) = self.kept {
            report.differs("canvas", || {
                format!("the canvas was kept as of event {seq}, beyond the head {head}")
            });
        }
    }

    fn compare(&self, kept: &Fold, report: &mut Report) {
        let (area, found) = (self.pixels.len(), kept.pixels.len());
        if found != area || kept.latest.len() != area {
            report.differs("canvas", || format!("the canvas was kept with {found} pixels; it has {area}"));
            return;
        }
        let (seq, width) = (kept.seq, usize::from(self.season.size.width));
        for place in 0..area {
            let at = || format!("({}, {}), kept as of event {seq},", place % width, place / width);
            let (stored, painted) = (kept.pixels[place], self.pixels[place]);
            report.compare("canvas", || format!("the colour at {}", at()), stored.into(), painted.into());
            let (stored, painted) = (kept.latest[place], self.latest[place]);
            report.compare("canvas", || format!("the newest placement at {}", at()), stored, painted);
            if let Some(painters) = &kept.painters {
                let stored = painters.get(place).copied().unwrap_or_default();
                let what = || format!("the painter at {}", at());
                report.compare("canvas", what, stored.into(), self.painters[place].into());
            }
        }
    }
}
