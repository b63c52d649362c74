//! The log folded line by line: its numbers, its times, its seasons, and what each painter placed.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use super::canvas::Canvas;
use super::report::Report;
use crate::log::store::check::Line;
use crate::log::store::{Fold as Kept, Head};
use crate::log::world::Season;

/// What the log says of one painter.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub pixels: i64,
    /// The newest placement, and its time.
    pub newest: i64,
    pub at: DateTime<Utc>,
    /// How many of the pixels earned no credit.
    pub unearned: i64,
}

/// What has been folded so far.
#[derive(Default)]
pub(super) struct Fold {
    head: Head,
    /// Up to this event, repainting one's own pixel in the same colour earned a credit.
    older_rule_until: i64,
    /// Those whose event has not come yet, by its number, with the canvas that was kept of each.
    seasons: BTreeMap<i64, (Season, Option<Kept>)>,
    canvas: Option<Canvas>,
    /// The newest number that was read…
    pub reached: i64,
    /// …and the newest that lies within the log.
    last: i64,
    reached_at: DateTime<Utc>,
    version: i64,
    lines: i64,
    /// By the painter's number.
    pub tallies: HashMap<i64, Tally>,
    /// Messages that were said.
    pub messages: i64,
}

impl Fold {
    pub(super) fn new(head: Head, older_rule_until: i64, seasons: Vec<(Season, Option<Kept>)>) -> Self {
        Self {
            head,
            older_rule_until,
            seasons: seasons.into_iter().map(|(season, kept)| (season.seq, (season, kept))).collect(),
            reached: i64::MIN,
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, line: &Line, report: &mut Report) {
        self.number(line.seq, report);
        if line.at < self.reached_at {
            report.differs("time", || format!("event {} is older than the one before it", line.seq));
        }
        self.reached_at = self.reached_at.max(line.at);
        self.lines += 1;
        if let Some(canvas) = &mut self.canvas {
            canvas.before(line.seq, report);
        }
        match line.kind.as_deref() {
            None => self.paint(line, report),
            Some("season") => self.open(line, report),
            Some("chat") => self.messages += 1,
            Some("reaction" | "hidden" | "restored") => {}
            Some(kind) => report.differs("kind", || format!("event {} is of the kind {kind}", line.seq)),
        }
    }

    fn number(&mut self, seq: i64, report: &mut Report) {
        if seq < 1 || seq > self.head.seq {
            let head = self.head.seq;
            report.differs("stray", || {
                format!("event {seq} lies outside the log, which goes from 1 to {head}")
            });
        } else if seq == self.last {
            report.differs("double", || format!("number {seq} was given twice"));
        } else {
            self.miss(seq - 1, report);
            self.last = seq;
        }
        self.reached = seq;
    }

    /// The log must have come as far as this.
    fn miss(&self, before: i64, report: &mut Report) {
        if self.last < before {
            report.differs("hole", || missing(self.last + 1, before));
        }
    }

    fn open(&mut self, line: &Line, report: &mut Report) {
        self.version = line.seq;
        match self.seasons.remove(&line.seq) {
            Some((season, kept)) if Some(&season.id) == line.id.as_ref() => {
                self.close(report);
                self.canvas = Some(Canvas::new(season, kept));
            }
            _ => report.differs("season", || format!("event {} opens a season that is not there", line.seq)),
        }
    }

    fn paint(&mut self, line: &Line, report: &mut Report) {
        self.version = line.seq;
        let tally = self.tallies.entry(line.agent.unwrap_or_default()).or_default();
        let previous = line.previous.unwrap_or_default();
        let what = || format!("its painter's placement before event {}", line.seq);
        report.compare("chain", what, previous, tally.newest);
        *tally = Tally { pixels: tally.pixels + 1, newest: line.seq, at: line.at, ..*tally };
        match &mut self.canvas {
            Some(canvas) => {
                let earns = canvas.paint(line, report) || line.seq <= self.older_rule_until;
                tally.unearned += i64::from(!earns);
            }
            None => report.differs("season", || format!("event {} paints before any season", line.seq)),
        }
    }

    fn close(&mut self, report: &mut Report) {
        if let Some(canvas) = &mut self.canvas {
            canvas.end(self.head.seq, report);
        }
    }

    /// Everything was taken.
    pub(super) fn end(&mut self, report: &mut Report) {
        self.miss(self.head.seq, report);
        self.close(report);
        let version = || "the newest change of a pixel".to_owned();
        report.compare("version", version, self.head.version, self.version);
        if self.head.at != self.reached_at && self.lines > 0 {
            let (stored, folded) = (self.head.at, self.reached_at);
            report.differs("head", || format!("the head's time is {stored}; the log says {folded}"));
        }
        for seq in self.seasons.keys() {
            report.differs("season", || format!("no event {seq} opens the season that begins there"));
        }
        let (lines, painters, messages) = (self.lines, self.tallies.len(), self.messages);
        report.note(format!("{lines} events, {painters} painters, {messages} messages"));
    }
}

fn missing(first: i64, last: i64) -> String {
    if first == last {
        format!("number {first} is missing")
    } else {
        format!("numbers {first} to {last} are missing")
    }
}

#[cfg(test)]
mod tests {
    use rules::grid::Size;

    use super::*;

    fn line(seq: i64, kind: Option<&str>, covers: Option<i64>) -> Line {
        Line {
            seq,
            at: DateTime::UNIX_EPOCH,
            kind: kind.map(str::to_owned),
            id: kind.map(|_| "season_a".to_owned()),
            x: Some(3),
            y: Some(2),
            color: Some(4),
            agent: Some(1),
            covers,
            previous: covers,
        }
    }

    fn kept(seq: i64, newest: i64) -> Kept {
        let mut kept = Kept { seq, pixels: vec![0; 64], latest: vec![0; 64], painters: None };
        (kept.pixels[2 * 8 + 3], kept.latest[2 * 8 + 3]) = (4, newest);
        kept
    }

    fn folded(lines: &[Line], head: i64, kept: Option<Kept>) -> String {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: 8, height: 8 },
            seq: 1,
            opened_at: DateTime::UNIX_EPOCH,
        };
        let head = Head { seq: head, version: head, control: 0, at: DateTime::UNIX_EPOCH };
        let (mut fold, mut report) = (Fold::new(head, 0, vec![(season, kept)]), Report::default());
        lines.iter().for_each(|line| fold.take(line, &mut report));
        fold.end(&mut report);
        report.to_string()
    }

    #[test]
    fn compares_canvas_snapshot_as_of_its_own_event() {
        let lines = [line(1, Some("season"), None), line(2, None, None), line(3, None, Some(2))];
        let in_order = "note: 3 events, 1 painters, 0 messages\n";
        for (seq, newest) in [(2, 2), (3, 3)] {
            assert_eq!(folded(&lines, 3, Some(kept(seq, newest))), in_order);
        }
        for (kept, sentence) in [
            (kept(2, 3), "canvas: the newest placement at (3, 2), kept as of event 2, is 3; the log says 2"),
            (kept(1, 0), "canvas: the colour at (3, 2), kept as of event 1, is 4; the log says 0"),
            (kept(9, 3), "canvas: the canvas was kept as of event 9, beyond the head 3"),
            (
                Kept { seq: 2, pixels: vec![0; 63], latest: vec![0; 64], painters: None },
                "canvas: the canvas was kept with 63 pixels; it has 64",
            ),
        ] {
            let text = folded(&lines, 3, Some(kept));
            assert!(text.contains(sentence), "{text}");
        }
    }

    #[test]
    fn reports_gaps_duplicates_and_events_outside_the_log() {
        let lines = [
            line(0, None, None),
            line(1, Some("season"), None),
            line(3, None, Some(0)),
            line(3, None, Some(3)),
        ];
        let text = folded(&lines, 5, None);
        for sentence in [
            "stray: event 0 lies outside the log, which goes from 1 to 5",
            "season: event 0 paints before any season",
            "hole: number 2 is missing",
            "double: number 3 was given twice",
            "hole: numbers 4 to 5 are missing",
        ] {
            assert!(text.contains(sentence), "{text}");
        }
    }
}
