//! The table of faults and results.

use std::time::Duration;

use parking_lot::Mutex;

/// The result of one fault test.
pub struct FaultRow {
    pub fault: &'static str,
    pub duration: Duration,
    pub outcome: TestOutcome,
}

/// The outcome of a fault test.
pub enum TestOutcome {
    /// Passed, with a summary.
    Passed(String),
    Failed,
    /// Skipped, with the reason.
    Skipped(String),
}

static ROWS: Mutex<Vec<FaultRow>> = Mutex::new(Vec::new());

pub fn add(row: FaultRow) {
    ROWS.lock().push(row);
}

/// Prints the table, unless no test has run.
pub fn print() {
    let rows = ROWS.lock();
    if rows.is_empty() {
        return;
    }
    println!("\n{:<58} {:<8} {:>6}  seen", "fault", "verdict", "time");
    for FaultRow { fault, duration, outcome } in rows.iter() {
        let (label, details) = match outcome {
            TestOutcome::Passed(seen) => ("holds", seen.as_str()),
            TestOutcome::Failed => ("FAILS", "see above"),
            TestOutcome::Skipped(reason) => ("SKIPPED", reason.as_str()),
        };
        println!("{fault:<58} {label:<8} {:>5.0}s  {details}", duration.as_secs_f64());
    }
}
