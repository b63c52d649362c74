//! The fault table: what was done to the servers, and the verdict.

use std::time::Duration;

use parking_lot::Mutex;

/// One fault.
pub struct Row {
    pub fault: &'static str,
    pub took: Duration,
    pub verdict: Verdict,
}

/// What became of a proof.
pub enum Verdict {
    /// With what was seen.
    Holds(String),
    Fails,
    /// With the reason.
    Skipped(String),
}

static ROWS: Mutex<Vec<Row>> = Mutex::new(Vec::new());

pub fn add(row: Row) {
    ROWS.lock().push(row);
}

/// Prints what there is to print; nothing was proved where tests were only listed.
pub fn print() {
    let rows = ROWS.lock();
    if rows.is_empty() {
        return;
    }
    println!("\n{:<58} {:<8} {:>6}  seen", "fault", "verdict", "time");
    for Row { fault, took, verdict } in rows.iter() {
        let (verdict, seen) = match verdict {
            Verdict::Holds(seen) => ("holds", seen.as_str()),
            Verdict::Fails => ("FAILS", "see above"),
            Verdict::Skipped(why) => ("SKIPPED", why.as_str()),
        };
        println!("{fault:<58} {verdict:<8} {:>5.0}s  {seen}", took.as_secs_f64());
    }
}
