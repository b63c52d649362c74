//! Replays the log row by row: checks its numbers, times and seasons, and sums up the placements of each
//! painter.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use rules::numbers::{AccountNo, Seq};

use super::canvas::CanvasReplay;
use super::noun_check::{CheckedLog, PainterTotals};
use super::report::CheckReport;
use crate::season::Season;
use crate::store::check::LogRow;
use crate::store::{Head, ReplaySnapshot};

/// The state of the replay.
pub(super) struct LogReplay {
    head: Head,
    /// The event up to which repainting one's own pixel in the same colour earned a credit.
    old_credit_rule_until: Seq,
    /// The events at which times step back, because the clock had been ahead.
    clock_steps: HashSet<Seq>,
    /// The seasons that have not been opened yet, by the number of their event, with their stored snapshots.
    seasons: BTreeMap<Seq, (Season, Option<ReplaySnapshot>)>,
    canvas: Option<CanvasReplay>,
    /// The newest number that was read.
    pub reached_seq: Seq,
    /// The newest number up to the head.
    last_valid_seq: Seq,
    reached_at: DateTime<Utc>,
    canvas_version: Seq,
    event_count: i64,
    /// The totals by the painter's number.
    painters: HashMap<AccountNo, PainterTotals>,
    /// The number of events of each kind that nouns have.
    counts_by_kind: HashMap<&'static str, i64>,
}

impl LogReplay {
    /// Returns a replay before the first row, which knows these kinds of events of nouns.
    pub(super) fn new(
        head: Head,
        old_credit_rule_until: Seq,
        clock_steps: Vec<Seq>,
        seasons: Vec<(Season, Option<ReplaySnapshot>)>,
        kinds: impl Iterator<Item = &'static str>,
    ) -> Self {
        Self {
            head,
            old_credit_rule_until,
            clock_steps: clock_steps.into_iter().collect(),
            seasons: seasons.into_iter().map(|(season, snapshot)| (season.seq, (season, snapshot))).collect(),
            canvas: None,
            reached_seq: Seq(i64::MIN),
            last_valid_seq: Seq::ZERO,
            reached_at: DateTime::default(),
            canvas_version: Seq::ZERO,
            event_count: 0,
            painters: HashMap::new(),
            counts_by_kind: kinds.map(|kind| (kind, 0)).collect(),
        }
    }

    /// Applies the next row.
    pub(super) fn apply_row(&mut self, row: &LogRow, report: &mut CheckReport) {
        self.check_seq(row.seq, report);
        if self.clock_steps.contains(&row.seq) {
            self.reached_at = row.at;
        }
        if row.at < self.reached_at {
            report.add_difference("time", || format!("event {} is older than the one before it", row.seq));
        }
        self.reached_at = self.reached_at.max(row.at);
        self.event_count += 1;
        if let Some(canvas) = &mut self.canvas {
            canvas.compare_snapshot_before(row.seq, report);
        }
        match row.kind.as_deref() {
            None => self.apply_placement(row, report),
            Some("season") => self.open_season(row, report),
            Some(kind) => match self.counts_by_kind.get_mut(kind) {
                Some(count) => *count += 1,
                None => {
                    report
                        .add_difference("kind", || format!("event {} has the unknown kind {kind}", row.seq));
                }
            },
        }
    }

    fn check_seq(&mut self, seq: Seq, report: &mut CheckReport) {
        if seq <= Seq::ZERO || seq > self.head.seq {
            let head = self.head.seq;
            report.add_difference("outside", || {
                format!("event {seq} lies outside the log, which goes from 1 to {head}")
            });
        } else if seq == self.last_valid_seq {
            report.add_difference("duplicate", || format!("number {seq} was assigned twice"));
        } else {
            self.check_gap_before(seq.previous(), report);
            self.last_valid_seq = seq;
        }
        self.reached_seq = seq;
    }

    /// Adds a difference if the log has a gap before this number.
    fn check_gap_before(&self, seq: Seq, report: &mut CheckReport) {
        if self.last_valid_seq < seq {
            report.add_difference("gap", || describe_gap(self.last_valid_seq.next(), seq));
        }
    }

    fn open_season(&mut self, row: &LogRow, report: &mut CheckReport) {
        self.canvas_version = row.seq;
        match self.seasons.remove(&row.seq) {
            Some((season, snapshot)) if Some(&season.id) == row.id.as_ref() => {
                self.finish_canvas(report);
                self.canvas = Some(CanvasReplay::new(season, snapshot));
            }
            _ => report
                .add_difference("season", || format!("event {} opens a season that does not exist", row.seq)),
        }
    }

    fn apply_placement(&mut self, row: &LogRow, report: &mut CheckReport) {
        self.canvas_version = row.seq;
        let totals = self.painters.entry(row.agent.unwrap_or(AccountNo::OPERATOR)).or_default();
        let previous = row.previous.unwrap_or(Seq::ZERO);
        let label = || format!("its painter's placement before event {}", row.seq);
        report.compare("chain", label, previous, totals.newest_placement_seq);
        *totals = PainterTotals {
            pixels: totals.pixels + 1,
            newest_placement_seq: row.seq,
            newest_placement_at: row.at,
            ..*totals
        };
        match &mut self.canvas {
            Some(canvas) => {
                let earns = canvas.apply_placement(row, report) || row.seq <= self.old_credit_rule_until;
                totals.without_credit += i64::from(!earns);
            }
            None => report.add_difference("season", || format!("event {} paints before any season", row.seq)),
        }
    }

    fn finish_canvas(&mut self, report: &mut CheckReport) {
        if let Some(canvas) = &mut self.canvas {
            canvas.finish(self.head.seq, report);
        }
    }

    /// Makes the final comparisons after the last row.
    pub(super) fn finish(&mut self, report: &mut CheckReport) {
        self.check_gap_before(self.head.seq, report);
        self.finish_canvas(report);
        let version = || "the newest change of a pixel".to_owned();
        report.compare("version", version, self.head.version, self.canvas_version);
        if self.head.at != self.reached_at && self.event_count > 0 {
            let stored = self.head.at;
            let replayed = self.reached_at;
            report.add_difference("head", || format!("the head's time is {stored}; the log says {replayed}"));
        }
        for seq in self.seasons.keys() {
            report.add_difference("season", || format!("no event {seq} opens the season that begins there"));
        }
    }

    /// Returns what the checks of nouns see.
    pub(super) fn into_checked_log(self) -> CheckedLog {
        let Self { painters, event_count, counts_by_kind, .. } = self;
        CheckedLog { painters, event_count, counts_by_kind }
    }
}

fn describe_gap(first: Seq, last: Seq) -> String {
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

    fn row(seq: i64, kind: Option<&str>, covers: Option<i64>) -> LogRow {
        LogRow {
            seq: Seq(seq),
            at: DateTime::UNIX_EPOCH,
            kind: kind.map(str::to_owned),
            id: kind.map(|_| "season_a".to_owned()),
            x: Some(3),
            y: Some(2),
            color: Some(4),
            agent: Some(AccountNo(1)),
            restored_agent: None,
            covers: covers.map(Seq),
            previous: covers.map(Seq),
        }
    }

    fn blank_snapshot(seq: i64, pixel_count: usize) -> ReplaySnapshot {
        ReplaySnapshot {
            seq: Seq(seq),
            pixels: vec![0; pixel_count],
            placement_seqs: vec![Seq::ZERO; 64],
            painters: None,
        }
    }

    fn snapshot(seq: i64, newest: i64) -> ReplaySnapshot {
        let mut snapshot = blank_snapshot(seq, 64);
        (snapshot.pixels[2 * 8 + 3], snapshot.placement_seqs[2 * 8 + 3]) = (4, Seq(newest));
        snapshot
    }

    fn replay_report(rows: &[LogRow], head: i64, snapshot: Option<ReplaySnapshot>) -> String {
        let season = Season {
            id: "season_a".into(),
            title: "One".into(),
            size: Size { width: 8, height: 8 },
            seq: Seq(1),
            opened_at: DateTime::UNIX_EPOCH,
        };
        let head = Head {
            seq: Seq(head),
            version: Seq(head),
            control: 0,
            at: DateTime::UNIX_EPOCH,
            clock: DateTime::UNIX_EPOCH,
        };
        let kinds = ["noted"].into_iter();
        let mut replay = LogReplay::new(head, Seq::ZERO, Vec::new(), vec![(season, snapshot)], kinds);
        let mut report = CheckReport::default();
        rows.iter().for_each(|row| replay.apply_row(row, &mut report));
        replay.finish(&mut report);
        let log = replay.into_checked_log();
        let [events, noted] = [log.event_count, log.count("noted")];
        format!("{report}{events} events, {} painters, {noted} noted\n", log.painters.len())
    }

    #[test]
    fn compares_canvas_snapshot_as_of_its_own_event() {
        let rows = [row(1, Some("season"), None), row(2, None, None), row(3, None, Some(2))];
        let in_order = "3 events, 1 painters, 0 noted\n";
        for (seq, newest) in [(2, 2), (3, 3)] {
            assert_eq!(replay_report(&rows, 3, Some(snapshot(seq, newest))), in_order);
        }
        for (snapshot, sentence) in [
            (
                snapshot(2, 3),
                "canvas: the newest placement at (3, 2), in the snapshot of event 2, is 3; the log says 2",
            ),
            (
                snapshot(1, 0),
                "canvas: the colour at (3, 2), in the snapshot of event 1, is 4; the log says 0",
            ),
            (snapshot(9, 3), "canvas: the snapshot is of event 9, beyond the head 3"),
            (blank_snapshot(2, 63), "canvas: the snapshot has 63 pixels; the canvas has 64"),
        ] {
            let text = replay_report(&rows, 3, Some(snapshot));
            assert!(text.contains(sentence), "{text}");
        }
    }

    #[test]
    fn counts_events_of_known_kinds() {
        let rows = [row(1, Some("season"), None), row(2, Some("noted"), None), row(3, Some("odd"), None)];
        let text = replay_report(&rows, 3, None);
        assert!(text.contains("kind: event 3 has the unknown kind odd\n"), "{text}");
        assert!(text.ends_with("3 events, 0 painters, 1 noted\n"), "{text}");
    }

    #[test]
    fn reports_gaps_duplicates_and_events_outside_the_log() {
        let rows =
            [row(0, None, None), row(1, Some("season"), None), row(3, None, Some(0)), row(3, None, Some(3))];
        let text = replay_report(&rows, 5, None);
        for sentence in [
            "outside: event 0 lies outside the log, which goes from 1 to 5",
            "season: event 0 paints before any season",
            "gap: number 2 is missing",
            "duplicate: number 3 was assigned twice",
            "gap: numbers 4 to 5 are missing",
        ] {
            assert!(text.contains(sentence), "{text}");
        }
    }
}
