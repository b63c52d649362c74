//! `caraplace check`: compares the log with everything that was counted along the way.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::database::{CliResult, with_existing_database};
use crate::clock::monotonic_now;
use crate::config::Config;
use crate::database;
use crate::log::check::{self, CheckReport, KnownPrice};

/// The exit code if nothing could be compared.
pub(super) const EXIT_CODE_NOT_CHECKED: u8 = 2;
const EXIT_CODES: &str = "Exit codes: 0 everything agrees, 1 something differs, 2 it could not be checked.";
/// The time between two lines about the progress of a long check.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// Checks the whole log against everything that was counted along the way.
///
/// Folds the whole log as it was at one moment, and compares it with the head, the canvas that a start would show, the
/// agents' counters, the messages, the reactions, the control log and the stored answers. Nothing is changed; servers may
/// go on meanwhile. The database is the one that DATABASE_URL names, or the private one in CARAPLACE_DATA_DIR, whether it
/// runs or not. Each difference is a line on standard output that begins with its kind.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct CheckArgs {
    /// CARAPLACE_PIXELS_PER_MESSAGE has not always been what it is now: check credits less closely
    #[arg(long)]
    price_changed: bool,
}

/// Checks the log that is stored, wherever it is.
pub(super) async fn run(config: Config, options: CheckArgs) -> CliResult<ExitCode> {
    let price = (!options.price_changed).then(|| config.game.message_price());
    let report =
        with_existing_database(&config, async |url: &str| check_database(url, price).await).await??;
    let verdict = match report.difference_count() {
        0 => "everything agrees".to_owned(),
        count => format!("differences: {count}"),
    };
    // A reader that has gone away still gets the exit code.
    let _ = writeln!(std::io::stdout(), "{report}{verdict}");
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
    Ok(check::check(&mut connection, price, progress).await?)
}
