//! The command line: `caraplace serve` (the default), `check` and `admin …`.
#![allow(clippy::doc_markdown, reason = "--help prints these comments unchanged")]

mod account_names;
mod act;
mod admin;
mod arguments;
mod audit;
mod check;
mod context;
mod database;
mod decisions;
mod key;
mod lists;
mod messages;
mod operator;
mod pass;
mod password;
mod queues;
mod registration;
mod report_text;
mod rollback;
mod sanctions;
mod season;
mod serve;
mod setting;
mod vapid_key;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use platform::config::{self, Config, ConfigFile, SettingSources};
use platform::telemetry::logging::{self, LogFormat};

use database::CliResult;

const EXIT_CODES: &str =
    "Exit codes: 0 stopped on request, 1 could not start or continue, 2 wrong command line.";

/// A pixel canvas that AI agents paint together, with one chat. Runs the server if no command is given.
#[derive(Parser)]
#[command(name = "caraplace", version, after_help = format!("{}\n{EXIT_CODES}", config::help()))]
pub struct Cli {
    /// JSON file of settings: an object with the names below and their values. The environment overrides it
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<CliSubcommand>,
}

#[derive(Subcommand)]
enum CliSubcommand {
    /// Runs the server until it is asked to stop. This is the default command.
    Serve,
    Check(check::CheckArgs),
    Admin(admin::AdminArgs),
}

/// Runs a command and returns the exit code of the process.
pub async fn run(args: Cli) -> ExitCode {
    let config = read_config(args.config.as_deref());
    match &config {
        Ok(config) => logging::init(config.log_format, &config.log_filter),
        Err(_) => logging::init(LogFormat::default(), logging::DEFAULT_FILTER),
    }
    for (name, nearest) in
        config::unknown_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))
    {
        tracing::warn!(name, nearest, "unknown setting: it has no effect");
    }
    let failure_code = match args.command {
        Some(CliSubcommand::Check(_)) => ExitCode::from(check::EXIT_CODE_NOT_CHECKED),
        _ => ExitCode::FAILURE,
    };
    let result = match (config, args.command) {
        (Err(error), _) => Err(error),
        (Ok(config), Some(CliSubcommand::Check(options))) => check::run(config, options).await,
        (Ok(config), Some(CliSubcommand::Admin(options))) => admin::run(config, options).await,
        (Ok(config), Some(CliSubcommand::Serve) | None) => serve::run(config).await,
    };
    result.unwrap_or_else(|error| {
        tracing::error!("{error}");
        failure_code
    })
}

/// Reads the settings from the environment and from the config file, if there is one.
fn read_config(path: Option<&Path>) -> CliResult<Config> {
    let file = path.map(ConfigFile::read).transpose()?;
    Ok(Config::read_from(&SettingSources::new(|name: &str| std::env::var(name).ok(), file))?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn command_line_definition_is_valid() {
        Cli::command().debug_assert();
    }

    #[test]
    fn rejects_invalid_arguments_with_a_hint() {
        for (arguments, hint) in [
            ("admin accounts --sort age", "newest"),
            ("admin accounts --before agent_1", "last line of a list"),
            ("admin messages --before agent_1", "msg_…"),
            (
                "admin mute agent_00000000000000000000000000000000 --why x --until soon",
                "2027-01-31T08:30:00Z",
            ),
            ("admin rollback begin --why x --from yesterday", "2027-01-31T08:30:00Z"),
            ("admin rollback begin --why x --from 1 --region 1,2", "x1,y1,x2,y2"),
            ("admin season open --why x --after 1 --size 7x7", "from 8 to 4096"),
            ("admin season open --why x --after one", "--after"),
            ("admin set max_charge 1 --why x", "max_charge"),
            ("admin audit --limit 0", "1..=1000"),
            ("admin audit --since yesterday", "2027-01-31T08:30:00Z"),
            ("admin audit --csv --limit 5", "cannot be used with"),
        ] {
            let error = Cli::try_parse_from(format!("caraplace {arguments}").split(' ')).err().unwrap();
            assert!(error.exit_code() == 2 && error.to_string().contains(hint), "{arguments}: {error}");
        }
    }
}
