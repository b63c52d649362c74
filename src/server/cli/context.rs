//! The context of operators' commands, and the output format of their results.

use std::sync::{Arc, OnceLock};

use caraplace_accounts::filters::Filters;
use caraplace_accounts::gallery::tiers::Tiers;
use caraplace_accounts::operators::Operator;
use caraplace_canvas::history::History;
use caraplace_log::LogTasks;
use caraplace_log::state::AppState;
use caraplace_moderation::actions::perform::ActionServices;
use chrono::{DateTime, Utc};
use platform::clock::Clock;
use platform::config::Config;
use platform::{database, time_format};
use serde::Serialize;
use serde_json::Value;

use super::database::CliResult;
use crate::server::nouns;

/// The context of a command: the log, the settings and the operator, and what few commands need.
pub(super) struct CliContext {
    pub(super) state: Arc<AppState>,
    pub(super) operator: Operator,
    /// The address of the server, for links.
    pub(super) base_url: String,
    tasks: LogTasks,
    tiers: Tiers,
    filters: OnceLock<Filters>,
    history: OnceLock<History>,
}

/// The output of a command, or an error in one sentence.
pub(super) type CliOutputResult = CliResult<CliOutput>;

/// The output of a command, as text and as JSON.
pub(super) struct CliOutput {
    pub(super) text: String,
    pub(super) json: Value,
}

impl CliOutput {
    /// Returns an output with this text and JSON.
    pub(super) fn new(text: impl Into<String>, json: &impl Serialize) -> Self {
        Self { text: text.into(), json: serde_json::to_value(json).unwrap_or_default() }
    }
}

impl CliContext {
    /// Opens the log in this database.
    pub(super) async fn open(config: Config, database_url: &str) -> CliResult<Self> {
        let config = config.with_files()?;
        let clock = Clock::default();
        let pool = database::open(database_url).await?;
        let operator = Operator::for_command_line(&clock);
        let opened = AppState::open(pool, clock, &config, &nouns::NOUNS).await;
        let (state, tasks) = opened.map_err(|error| {
            format!("The log cannot be read: {error}. Check the database, then try again.")
        })?;
        let tiers = Tiers::new(&config.payments);
        let base_url = config.public_url.clone().unwrap_or_else(|| format!("http://{}", config.listen));
        Ok(Self {
            state,
            operator,
            base_url,
            tasks,
            tiers,
            filters: OnceLock::new(),
            history: OnceLock::new(),
        })
    }

    /// Closes the log.
    pub(super) async fn close(self) {
        self.state.close(&self.tasks).await;
    }
}

impl ActionServices for CliContext {
    fn state(&self) -> &AppState {
        &self.state
    }

    fn filters(&self) -> &Filters {
        self.filters.get_or_init(|| Filters::from_state(&self.state))
    }

    fn tiers(&self) -> &Tiers {
        &self.tiers
    }

    fn history(&self) -> &History {
        self.history.get_or_init(|| History::new(self.state.clone()))
    }
}

/// Formats a time for lists.
pub(super) fn format_time(at: DateTime<Utc>) -> String {
    at.format(time_format::MINUTE).to_string()
}

/// Formats rows as a table, with each column as wide as its longest cell.
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
