//! Measures Caraplace and compares it with the bare framework in the same run: `make bench`.
#![forbid(unsafe_code)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small constants"
)]

mod background_load;
mod baseline;
mod database;
mod groups;
mod load;
mod process_usage;
mod samples;
mod server;
mod table;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::Parser;

use table::Table;

/// Measures the hot paths. Everything runs on this machine, including the load generator.
#[derive(Parser)]
struct Args {
    /// Run only groups whose name contains this: placements, reads, messages, mcp, waits, guide, plans,
    /// streams, start, waking, rollback, moments, soak
    filter: Option<String>,
    /// Number of rounds in which each row and its baseline are measured in turn
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Duration of each measurement in seconds
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Serve the baselines (for the benchmark itself)
    #[arg(long, hide = true)]
    bare: bool,
    /// Added by cargo
    #[arg(long, hide = true)]
    bench: bool,
    /// List tests for test runners: there are none
    #[arg(long, hide = true)]
    list: bool,
    #[arg(long, hide = true)]
    format: Option<String>,
    #[arg(long, hide = true)]
    ignored: bool,
}

/// The number and duration of measurements.
#[derive(Clone, Copy)]
struct RunOptions {
    rounds: usize,
    duration: Duration,
}

/// The server's allocator, so that baselines are comparable.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if args.list {
        return Ok(ExitCode::SUCCESS);
    }
    if args.bare {
        return baseline::serve_baselines().map(|()| ExitCode::SUCCESS);
    }
    let options = RunOptions { rounds: args.rounds, duration: Duration::from_secs(args.seconds) };
    tokio::runtime::Runtime::new()?.block_on(measure(args.filter.as_deref(), options))
}

async fn measure(filter: Option<&str>, options: RunOptions) -> Result<ExitCode> {
    let mut table = Table::default();
    for group in groups::select_groups(filter) {
        eprintln!("{}: {}", group.name, group.description);
        (group.run)(options, &mut table).await?;
    }
    table.print();
    Ok(if table.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
