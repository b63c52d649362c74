//! The fault table: what was done to the servers, and the verdict.

use std::time::Duration;

use parking_lot::Mutex;

/// One fault.
pub struct FaultRow {
    pub fault: &'static str,
    pub duration: Duration,
    pub outcome: TestOutcome,
}

/// What became of a proof.
pub enum TestOutcome {
    /// With what was seen.
    Passed(String),
    Failed,
    /// With the reason.
    Skipped(String),
}

static ROWS: Mutex<Vec<FaultRow>> = Mutex::new(Vec::new());

pub fn add(row: FaultRow) {
    ROWS.lock().push(row);
}

/// Prints what there is to print; nothing was proved where tests were only listed.
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
