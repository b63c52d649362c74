//! Counts by answer code, with times, for the summary and the progress line.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use parking_lot::Mutex;
use serde::Serialize;

use crate::{histogram::Histogram, route::Route};

/// What became of one request: the status and, where there is one, the problem code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    status: u16,
    note: String,
}

impl Outcome {
    const LOST: &'static str = "no answer";
    const GARBLED: &'static str = "unreadable";

    pub fn success(status: u16, replayed: bool) -> Self {
        Outcome { status, note: if replayed { "replayed" } else { "" }.to_owned() }
    }

    pub fn refused(status: u16, code: &str) -> Self {
        Outcome { status, note: code.to_owned() }
    }

    pub fn lost() -> Self {
        Outcome { status: 0, note: Self::LOST.to_owned() }
    }

    pub fn garbled(status: u16) -> Self {
        Outcome { status, note: Self::GARBLED.to_owned() }
    }

    fn is_success(&self) -> bool {
        (200..300).contains(&self.status) && self.note.is_empty()
    }

    fn is_garbled(&self) -> bool {
        self.note == Self::GARBLED
    }

    fn label(&self) -> String {
        match self.status {
            0 => self.note.clone(),
            status => format!("{status} {}", self.note).trim_end().to_owned(),
        }
    }
}

/// Sums that the progress line shows.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Sums {
    pub messages: usize,
    pub reactions: usize,
    pub refused: usize,
    pub busy: usize,
    pub lost: usize,
}

#[derive(Default)]
pub struct Tally {
    rows: Mutex<BTreeMap<(Route, Outcome), Histogram>>,
}

/// One kind of request with one kind of answer.
#[derive(Serialize)]
pub struct Row {
    pub request: String,
    pub answer: String,
    pub count: u64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub max_ms: f64,
}

impl Tally {
    pub fn note(&self, route: Route, outcome: Outcome, took: Duration) {
        self.rows.lock().entry((route, outcome)).or_default().add(took);
    }

    pub fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for ((route, outcome), times) in self.rows.lock().iter() {
            sums.add(*route, outcome, usize::try_from(times.count()).unwrap_or(usize::MAX));
        }
        sums
    }

    /// Answers that were not what the contract promises.
    pub fn garbled(&self) -> u64 {
        let rows = self.rows.lock();
        rows.iter().filter(|((_, outcome), _)| outcome.is_garbled()).map(|(_, times)| times.count()).sum()
    }

    pub fn rows(&self) -> Vec<Row> {
        let row = |((route, outcome), times): (&(Route, Outcome), &Histogram)| Row {
            request: route.label(),
            answer: outcome.label(),
            count: times.count(),
            p50_ms: times.millis(0.5),
            p90_ms: times.millis(0.9),
            p99_ms: times.millis(0.99),
            p999_ms: times.millis(0.999),
            max_ms: times.millis(1.0),
        };
        self.rows.lock().iter().map(row).collect()
    }
}

/// The rows for people: each request is named once.
pub fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<27} {:<26} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "request", "answer", "count", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"
    );
    let mut shown = None;
    for row in rows {
        let name = if shown == Some(&row.request) { "" } else { &row.request };
        shown = Some(&row.request);
        let Row { answer, count, p50_ms, p90_ms, p99_ms, p999_ms, max_ms, .. } = row;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name:<27} {answer:<26} {count:>9} {p50_ms:>9.1} {p90_ms:>9.1} {p99_ms:>9.1} {p999_ms:>9.1} {max_ms:>9.1}"
        );
    }
    text
}

impl Sums {
    fn add(&mut self, route: Route, outcome: &Outcome, count: usize) {
        match (route, outcome.status) {
            (Route::Say, _) if outcome.is_success() => self.messages += count,
            (Route::React, _) if outcome.is_success() => self.reactions += count,
            (_, 0) => self.lost += count,
            (_, 429 | 500..) => self.busy += count,
            (_, 400..) => self.refused += count,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn totals_separate_refusals_from_overload() {
        let tally = Tally::default();
        tally.note(Route::Say, Outcome::success(201, false), ms(1));
        tally.note(Route::Say, Outcome::success(201, true), ms(1));
        tally.note(Route::React, Outcome::success(201, false), ms(1));
        tally.note(Route::Pixel, Outcome::refused(429, "no_charges"), ms(1));
        tally.note(Route::Pixel, Outcome::refused(503, "overloaded"), ms(1));
        tally.note(Route::Pixel, Outcome::refused(409, "pixel_changed"), ms(1));
        tally.note(Route::Pixel, Outcome::lost(), ms(1));
        let expected = Sums { messages: 1, reactions: 1, refused: 1, busy: 2, lost: 1 };
        assert_eq!(tally.sums(), expected);
    }

    #[test]
    fn the_table_names_each_route_once() {
        let tally = Tally::default();
        tally.note(Route::Pixel, Outcome::success(201, false), ms(2));
        tally.note(Route::Pixel, Outcome::refused(400, "digest_stale"), ms(1));
        let table = table(&tally.rows());
        assert_eq!(table.matches("/api/pixel").count(), 1);
        assert!(table.contains("400 digest_stale"));
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn unreadable_answers_are_counted_apart() {
        let tally = Tally::default();
        tally.note(Route::Canvas, Outcome::garbled(200), ms(1));
        tally.note(Route::Canvas, Outcome::success(200, false), ms(1));
        assert_eq!(tally.garbled(), 1);
    }
}
