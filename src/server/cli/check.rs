//! `caraplace check`: compares the log with all data derived from it.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use caraplace_accounts::agents::check::KnownPrice;
use caraplace_log::check::CheckReport;
use clap::Args;
use platform::clock::monotonic_now;
use platform::config::Config;
use platform::database;

use super::database::{CliResult, with_existing_database};
use crate::server::log_check;

/// The exit code if the check could not be completed.
pub(super) const EXIT_CODE_NOT_CHECKED: u8 = 2;
const EXIT_CODES: &str = "Exit codes: 0 everything agrees, 1 something differs, 2 it could not be checked.";
/// The time between two progress lines of a long check.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// Compares the whole log with all data derived from it.
///
/// Replays the whole log up to one moment, and compares the result with the head, the stored canvas, the
/// agents' counters, the messages, the reactions, the plans, the control log and the stored responses. It
/// changes nothing, and servers may keep running. It reads the database at DATABASE_URL, or the private one
/// in CARAPLACE_DATA_DIR, whether or not it is running. Each difference is one line on standard output that
/// begins with its kind.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct CheckArgs {
    /// CARAPLACE_PIXELS_PER_MESSAGE has changed since the log began: check chat credits less strictly
    #[arg(long)]
    price_changed: bool,
}

/// Checks the stored log.
pub(super) async fn run(config: Config, options: CheckArgs) -> CliResult<ExitCode> {
    let price = (!options.price_changed).then(|| config.game.message_price());
    let report =
        with_existing_database(&config, async |url: &str| check_database(url, price).await).await??;
    let summary = match report.difference_count() {
        0 => "everything agrees".to_owned(),
        count => format!("differences: {count}"),
    };
    // Even if nothing reads the output, the exit code reports the result.
    let _ = writeln!(std::io::stdout(), "{report}{summary}");
    Ok(if report.difference_count() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_database(url: &str, price: KnownPrice) -> CliResult<CheckReport> {
    let mut connection = database::open_without_migrating(url).await?;
    let mut last_progress_at = monotonic_now();
    let progress = |done, total| {
        if last_progress_at.elapsed() >= PROGRESS_INTERVAL {
            last_progress_at = monotonic_now();
            let _ = writeln!(std::io::stderr(), "checked {done} of {total} events");
        }
    };
    Ok(log_check::check(&mut connection, price, progress).await?)
}
