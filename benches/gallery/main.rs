//! Measures the page in a real browser: its first view, its frames and its memory. Also takes screenshots.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failed assumption must fail the measurement")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are small constants"
)]

mod admin_console;

#[allow(dead_code, reason = "the browser of the tests, of which only a part is used")]
#[path = "../caraplace/background_load.rs"]
mod background_load;
mod browser_usage;
#[allow(dead_code, reason = "the tests' browser, of which this needs a part")]
#[path = "../../tests/browser/chrome.rs"]
mod chrome;
mod crew_screens;
mod demo_canvas;
mod drawing;
#[path = "../../tests/browser/driver.rs"]
mod driver;
mod first_view;
mod frames;
mod guide_screens;
mod metrics;
#[allow(dead_code, reason = "as above")]
#[path = "../../tests/browser/page.rs"]
mod page;
#[path = "../../tests/browser/pages.rs"]
mod pages;

mod plan_screens;
#[allow(dead_code, reason = "as above")]
#[path = "../caraplace/process_usage.rs"]
mod process_usage;

#[path = "../../tests/browser/sample_crew.rs"]
mod sample_crew;
#[path = "../../tests/browser/sample_plans.rs"]
mod sample_plans;
#[allow(dead_code, reason = "as above")]
#[path = "../caraplace/samples.rs"]
mod samples;
mod screens;
mod screenshots;
#[allow(dead_code, reason = "as above")]
#[path = "../caraplace/server.rs"]
mod server;
mod soak;
#[path = "../../tests/browser/states.rs"]
mod states;
#[allow(dead_code, reason = "as above")]
#[path = "../caraplace/table.rs"]
mod table;
mod viewer_states;

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

use table::Table;

/// Measures the page in a real browser.
#[derive(Parser)]
struct Args {
    /// Measurement to run: page (first view and drawing), frames, screens, soak
    what: Option<String>,
    /// Number of rounds of the first view
    #[arg(long, default_value_t = 9)]
    rounds: usize,
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

fn main() -> Result<ExitCode> {
    if std::env::args_os().nth(1).is_some_and(|first| first == demo_canvas::SWARM_ARGUMENT) {
        return Ok(swarm::start(std::env::args_os().skip(1)));
    }
    let args = Args::parse();
    if args.list {
        return Ok(ExitCode::SUCCESS);
    }
    tokio::runtime::Runtime::new()?.block_on(run(&args))
}

async fn run(args: &Args) -> Result<ExitCode> {
    let mut table = Table::default();
    match args.what.as_deref() {
        Some("page") => {
            first_view::run(args.rounds, &mut table).await?;
            drawing::run(&mut table).await?;
        }
        Some("frames") => frames::run(&mut table).await?,
        Some("soak") => soak::run(&mut table).await?,
        Some("screens") => return screens::run().await.map(|()| ExitCode::SUCCESS),
        other => bail!("{} is not one of page, frames, screens, soak", other.unwrap_or("nothing")),
    }
    table.print();
    Ok(if table.is_met() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
