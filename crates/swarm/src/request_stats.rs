//! Request statistics by response code, for the report and the progress line.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use parking_lot::Mutex;
use serde::Serialize;

use crate::histogram::Histogram;

/// The name of reactions, which share a path with messages.
pub const REACTION_LABEL: &str = "POST /api/chat (reaction)";

/// The detail of a response that does not match the API contract.
pub const UNREADABLE: &str = "unreadable";

/// The label of a request, its status, which is 0 without a response, and its error code or another detail.
type RowKey = (String, u16, String);

/// The totals in the progress line.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct RequestTotals {
    pub messages: usize,
    pub reactions: usize,
    pub refused: usize,
    pub overloaded: usize,
    pub unanswered: usize,
}

/// The statistics of all requests.
#[derive(Default)]
pub struct RequestStats {
    rows: Mutex<BTreeMap<RowKey, Histogram>>,
}

/// The statistics of one kind of request with one kind of response.
#[derive(Serialize)]
pub struct RequestStatsRow {
    pub request: String,
    pub answer: String,
    pub count: u64,
    pub p50_ms: f64,
    pub p90_ms: f64,
    pub p99_ms: f64,
    pub p999_ms: f64,
    pub max_ms: f64,
}

impl RequestStats {
    /// Adds a request with its outcome and latency.
    pub fn record(&self, label: &str, status: u16, detail: &str, duration: Duration) {
        let key = (label.to_owned(), status, detail.to_owned());
        self.rows.lock().entry(key).or_default().add(duration);
    }

    /// Returns the totals for the progress line.
    pub fn totals(&self) -> RequestTotals {
        let mut totals = RequestTotals::default();
        for ((label, status, detail), histogram) in self.rows.lock().iter() {
            let count = usize::try_from(histogram.count()).unwrap_or(usize::MAX);
            totals.add(label, *status, detail, count);
        }
        totals
    }

    /// Returns the number of responses that did not match the API contract.
    pub fn invalid_response_count(&self) -> u64 {
        let rows = self.rows.lock();
        rows.iter().filter(|((_, _, detail), _)| detail == UNREADABLE).map(|(_, times)| times.count()).sum()
    }

    /// Returns the statistics per request and response.
    pub fn rows(&self) -> Vec<RequestStatsRow> {
        let row = |((label, status, detail), times): (&RowKey, &Histogram)| RequestStatsRow {
            request: label.clone(),
            answer: match status {
                0 => detail.clone(),
                _ => format!("{status} {detail}").trim_end().to_owned(),
            },
            count: times.count(),
            p50_ms: times.percentile_ms(0.5),
            p90_ms: times.percentile_ms(0.9),
            p99_ms: times.percentile_ms(0.99),
            p999_ms: times.percentile_ms(0.999),
            max_ms: times.percentile_ms(1.0),
        };
        self.rows.lock().iter().map(row).collect()
    }
}

/// Formats the rows as a table. Each request is named once.
pub fn table(rows: &[RequestStatsRow]) -> String {
    let mut text = format!(
        "{:<27} {:<26} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
        "request", "response", "count", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms"
    );
    let mut last_request = None;
    for row in rows {
        let name = if last_request == Some(&row.request) { "" } else { &row.request };
        last_request = Some(&row.request);
        let RequestStatsRow { answer, count, p50_ms, p90_ms, p99_ms, p999_ms, max_ms, .. } = row;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name:<27} {answer:<26} {count:>9} {p50_ms:>9.1} {p90_ms:>9.1} {p99_ms:>9.1} {p999_ms:>9.1} {max_ms:>9.1}"
        );
    }
    text
}

impl RequestTotals {
    fn add(&mut self, label: &str, status: u16, detail: &str, count: usize) {
        match (label, status, detail) {
            ("POST /api/chat", 200..300, "") => self.messages += count,
            (REACTION_LABEL, 200..300, "") => self.reactions += count,
            (_, 0, _) => self.unanswered += count,
            (_, 429 | 500.., _) => self.overloaded += count,
            (_, 400.., _) => self.refused += count,
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
        let stats = RequestStats::default();
        stats.record("POST /api/chat", 201, "", ms(1));
        stats.record("POST /api/chat", 201, "replayed", ms(1));
        stats.record(REACTION_LABEL, 201, "", ms(1));
        stats.record("POST /api/pixel", 429, "no_charges", ms(1));
        stats.record("POST /api/pixel", 503, "overloaded", ms(1));
        stats.record("POST /api/pixel", 409, "pixel_changed", ms(1));
        stats.record("POST /api/pixel", 0, "no response", ms(1));
        let expected = RequestTotals { messages: 1, reactions: 1, refused: 1, overloaded: 2, unanswered: 1 };
        assert_eq!(stats.totals(), expected);
    }

    #[test]
    fn the_table_names_each_request_once() {
        let stats = RequestStats::default();
        stats.record("POST /api/pixel", 201, "", ms(2));
        stats.record("POST /api/pixel", 400, "digest_stale", ms(1));
        let table = table(&stats.rows());
        assert_eq!(table.matches("/api/pixel").count(), 1);
        assert!(table.contains("400 digest_stale"));
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn unreadable_answers_are_counted_apart() {
        let stats = RequestStats::default();
        stats.record("GET  /api/canvas", 200, UNREADABLE, ms(1));
        stats.record("GET  /api/canvas", 200, "", ms(1));
        assert_eq!(stats.invalid_response_count(), 1);
    }
}
