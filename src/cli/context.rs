//! The context of operators' commands, and how their results are told.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::database::CliResult;
use crate::clock::Clock;
use crate::config::Config;
use crate::database;
use crate::log::LogTasks;
use crate::operators::Operator;
use crate::state::AppState;
use crate::time_format;

/// What an operator at the command line works with.
pub(super) struct CliContext {
    pub(super) state: Arc<AppState>,
    pub(super) config: Config,
    pub(super) operator: Operator,
    tasks: LogTasks,
}

/// What was done, in plain sentences and as JSON; or one sentence why not.
pub(super) type CliOutputResult = CliResult<CliOutput>;

/// What is printed.
pub(super) struct CliOutput {
    pub(super) text: String,
    pub(super) json: Value,
}

impl CliOutput {
    /// The same, told twice.
    pub(super) fn new(text: impl Into<String>, json: &impl Serialize) -> Self {
        Self { text: text.into(), json: serde_json::to_value(json).unwrap_or_default() }
    }
}

impl CliContext {
    /// Opens the log in this database.
    pub(super) async fn open(config: Config, database_url: &str) -> CliResult<Self> {
        let (config, clock) = (config.with_words()?, Clock::default());
        let pool = database::open(database_url).await?;
        let operator = Operator::for_command_line(&clock);
        let opened = AppState::open(pool, clock, &config).await;
        let (state, tasks) = opened.map_err(|error| format!("The log could not be read ({error})."))?;
        Ok(Self { state, config, operator, tasks })
    }

    /// Closes the log.
    pub(super) async fn close(self) {
        self.state.close(&self.tasks).await;
    }
}

/// Returns a time as lists show it.
pub(super) fn format_time(at: DateTime<Utc>) -> String {
    at.format(time_format::MINUTE).to_string()
}

/// A table with a line for each row, its columns as wide as they have to be.
pub(super) fn format_table<const COLUMNS: usize>(
    header: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [String; COLUMNS]>,
) -> String {
    let lines: Vec<[String; COLUMNS]> = std::iter::once(header.map(str::to_owned)).chain(rows).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let line = |line: &[String; COLUMNS]| {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pads_columns_to_their_widest_cell() {
        let rows = vec![["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(format_table(["ID", "N"], rows), "ID      N\na       1\nlonger");
    }
}
