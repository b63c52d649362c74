//! One line about how it goes: rewritten every second on a terminal, else a line every five.

use std::{
    io::{IsTerminal, Write, stderr},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use crate::{stop::pause, world::World};

pub struct Progress {
    pub world: Arc<World>,
    pub agents: usize,
    pub dots: usize,
}

impl Progress {
    pub async fn show(self) {
        let terminal = stderr().is_terminal();
        let every = Duration::from_secs(if terminal { 1 } else { 5 });
        let started = Instant::now();
        let mut before = 0;
        while pause(&self.world.stop, every).await {
            let pixels = self.world.ledger.count();
            let rate = (pixels - before) as f64 / every.as_secs_f64();
            before = pixels;
            print(&self.line(started.elapsed().as_secs(), rate), terminal);
        }
        if terminal {
            eprintln!();
        }
    }

    fn line(&self, seconds: u64, rate: f64) -> String {
        let sums = self.world.client.tally.sums();
        let percent = (self.world.ledger.fresh_count() * 100).checked_div(self.dots).unwrap_or(100);
        format!(
            "{seconds:>4}s  {} agents  {} pixels ({rate:.0}/s)  picture {percent} %  {} messages  \
             {} reactions  refused {}  busy {}  lost {}",
            self.agents,
            self.world.ledger.count(),
            sums.messages,
            sums.reactions,
            sums.refused,
            sums.busy,
            sums.lost
        )
    }
}

/// Progress that cannot be shown is no reason to stop.
fn print(line: &str, terminal: bool) {
    let mut out = stderr().lock();
    let _ = if terminal { write!(out, "\r\x1b[K{line}") } else { writeln!(out, "{line}") };
    let _ = out.flush();
}
