//! The progress line: rewritten every second on a terminal, otherwise a new line every five seconds.

use std::{
    io::{IsTerminal, Write, stderr},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use crate::{run_context::RunContext, stop::pause};

/// The progress line of a run.
pub struct Progress {
    pub context: Arc<RunContext>,
    pub agents: usize,
    pub pixel_count: usize,
}

impl Progress {
    /// Shows the progress until the run ends.
    pub async fn show(self) {
        let is_terminal = stderr().is_terminal();
        let interval = Duration::from_secs(if is_terminal { 1 } else { 5 });
        let started = Instant::now();
        let mut previous = 0;
        while pause(&self.context.stop, interval).await {
            let pixels = self.context.ledger.placement_count();
            let rate = (pixels - previous) as f64 / interval.as_secs_f64();
            previous = pixels;
            print(&self.progress_line(started.elapsed().as_secs(), rate), is_terminal);
        }
        if is_terminal {
            eprintln!();
        }
    }

    fn progress_line(&self, seconds: u64, rate: f64) -> String {
        let totals = self.context.client.stats.totals();
        let percent =
            (self.context.ledger.painted_count() * 100).checked_div(self.pixel_count).unwrap_or(100);
        format!(
            "{seconds:>4}s  {} agents  {} pixels ({rate:.0}/s)  picture {percent} %  {} messages  \
             {} reactions  refused {}  busy {}  lost {}",
            self.agents,
            self.context.ledger.placement_count(),
            totals.messages,
            totals.reactions,
            totals.refused,
            totals.overloaded,
            totals.unanswered
        )
    }
}

/// Prints a line and ignores failures, because the progress is not essential.
fn print(line: &str, is_terminal: bool) {
    let mut out = stderr().lock();
    let _ = if is_terminal { write!(out, "\r\x1b[K{line}") } else { writeln!(out, "{line}") };
    let _ = out.flush();
}
