//! Request statistics by response code, for the report and the progress line.

use std::{collections::BTreeMap, fmt::Write, time::Duration};

use parking_lot::Mutex;
use serde::Serialize;

use crate::histogram::Histogram;

/// The name of reactions, which share a path with messages.
pub const REACTION_LABEL: &str = "POST /api/chat (reaction)";

/// The outcome of one request: the status and, if there is one, the error code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestOutcome {
    status: u16,
    detail: String,
}

impl RequestOutcome {
    const NO_RESPONSE: &'static str = "no response";
    const INVALID_RESPONSE: &'static str = "unreadable";

    /// Returns the outcome of a successful response.
    pub fn success(status: u16, replayed: bool) -> Self {
        RequestOutcome { status, detail: if replayed { "replayed" } else { "" }.to_owned() }
    }

    /// Returns the outcome of a refusal.
    pub fn refused(status: u16, code: &str) -> Self {
        RequestOutcome { status, detail: code.to_owned() }
    }

    /// Returns the outcome of a request without a response.
    pub fn no_response() -> Self {
        RequestOutcome { status: 0, detail: Self::NO_RESPONSE.to_owned() }
    }

    /// Returns the outcome of an invalid response.
    pub fn invalid_response(status: u16) -> Self {
        RequestOutcome { status, detail: Self::INVALID_RESPONSE.to_owned() }
    }

    fn is_success(&self) -> bool {
        (200..300).contains(&self.status) && self.detail.is_empty()
    }

    fn is_invalid_response(&self) -> bool {
        self.detail == Self::INVALID_RESPONSE
    }

    fn label(&self) -> String {
        match self.status {
            0 => self.detail.clone(),
            status => format!("{status} {}", self.detail).trim_end().to_owned(),
        }
    }
}

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
    /// The latencies by the request's label and its outcome.
    rows: Mutex<BTreeMap<(String, RequestOutcome), Histogram>>,
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
    pub fn record(&self, label: &str, outcome: RequestOutcome, duration: Duration) {
        self.rows.lock().entry((label.to_owned(), outcome)).or_default().add(duration);
    }

    /// Returns the totals for the progress line.
    pub fn totals(&self) -> RequestTotals {
        let mut totals = RequestTotals::default();
        for ((label, outcome), histogram) in self.rows.lock().iter() {
            totals.add(label, outcome, usize::try_from(histogram.count()).unwrap_or(usize::MAX));
        }
        totals
    }

    /// Returns the number of responses that did not match the API contract.
    pub fn invalid_response_count(&self) -> u64 {
        let rows = self.rows.lock();
        rows.iter()
            .filter(|((_, outcome), _)| outcome.is_invalid_response())
            .map(|(_, times)| times.count())
            .sum()
    }

    /// Returns the statistics per request and response.
    pub fn rows(&self) -> Vec<RequestStatsRow> {
        let row = |((label, outcome), times): (&(String, RequestOutcome), &Histogram)| RequestStatsRow {
            request: label.clone(),
            answer: outcome.label(),
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
    fn add(&mut self, label: &str, outcome: &RequestOutcome, count: usize) {
        match (label, outcome.status) {
            ("POST /api/chat", _) if outcome.is_success() => self.messages += count,
            (REACTION_LABEL, _) if outcome.is_success() => self.reactions += count,
            (_, 0) => self.unanswered += count,
            (_, 429 | 500..) => self.overloaded += count,
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
        let stats = RequestStats::default();
        stats.record("POST /api/chat", RequestOutcome::success(201, false), ms(1));
        stats.record("POST /api/chat", RequestOutcome::success(201, true), ms(1));
        stats.record(REACTION_LABEL, RequestOutcome::success(201, false), ms(1));
        stats.record("POST /api/pixel", RequestOutcome::refused(429, "no_charges"), ms(1));
        stats.record("POST /api/pixel", RequestOutcome::refused(503, "overloaded"), ms(1));
        stats.record("POST /api/pixel", RequestOutcome::refused(409, "pixel_changed"), ms(1));
        stats.record("POST /api/pixel", RequestOutcome::no_response(), ms(1));
        let expected = RequestTotals { messages: 1, reactions: 1, refused: 1, overloaded: 2, unanswered: 1 };
        assert_eq!(stats.totals(), expected);
    }

    #[test]
    fn the_table_names_each_route_once() {
        let stats = RequestStats::default();
        stats.record("POST /api/pixel", RequestOutcome::success(201, false), ms(2));
        stats.record("POST /api/pixel", RequestOutcome::refused(400, "digest_stale"), ms(1));
        let table = table(&stats.rows());
        assert_eq!(table.matches("/api/pixel").count(), 1);
        assert!(table.contains("400 digest_stale"));
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn unreadable_answers_are_counted_apart() {
        let stats = RequestStats::default();
        stats.record("GET  /api/canvas", RequestOutcome::invalid_response(200), ms(1));
        stats.record("GET  /api/canvas", RequestOutcome::success(200, false), ms(1));
        assert_eq!(stats.invalid_response_count(), 1);
    }
}
