//! The context of operators' commands, and how their results are told.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::clock::Clock;
use crate::config::Config;
use crate::database::{self, DatabaseError};
use crate::http;
use crate::http::server::with_words;
use crate::log::LogTasks;
use crate::log::error::LogError;
use crate::operators::Operator;
use crate::refusal::Refusal;
use crate::state::AppState;

/// How long the database may take to let go.
const LEAVE: Duration = Duration::from_secs(2);

/// What an operator at the command line works with.
pub(super) struct Desk {
    pub(super) state: Arc<AppState>,
    pub(super) config: Config,
    pub(super) operator: Operator,
    tasks: LogTasks,
}

/// What was done, in plain sentences and as JSON; or one sentence why not.
pub(super) type Done = Result<Said, Failure>;

/// What is printed.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) json: Value,
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Failure(String);

impl Said {
    /// The same, told twice.
    pub(super) fn new(text: impl Into<String>, json: &impl Serialize) -> Self {
        Self { text: text.into(), json: serde_json::to_value(json).unwrap_or_default() }
    }
}

impl Failure {
    /// One sentence.
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self(http::sentence(refusal))
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self(error.to_string())
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        Self(format!("The log could not be read ({error})."))
    }
}

impl Desk {
    /// Opens the log in this database.
    pub(super) async fn open(config: Config, database_url: &str) -> Result<Self, Failure> {
        let config = with_words(config).map_err(|error| Failure::new(error.to_string()))?;
        let clock = Clock::default();
        let pool = database::open(database_url).await?;
        let operator = Operator::at_the_command_line(&clock);
        let (state, tasks) = AppState::open(pool, clock, &config).await?;
        Ok(Self { state, config, operator, tasks })
    }

    /// Closes the log.
    pub(super) async fn leave(self) {
        self.tasks.follower.abort();
        self.tasks.gate.abort();
        // Done is done: a database that hangs keeps nobody here.
        let _ = tokio::time::timeout(LEAVE, self.state.pool.close()).await;
    }
}

/// Returns a time as lists show it.
pub(super) fn time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

/// A table with a line for each row, its columns as wide as they have to be.
pub(super) fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: Vec<[String; COLUMNS]>) -> String {
    let lines: Vec<[String; COLUMNS]> = std::iter::once(head.map(str::to_owned)).chain(rows).collect();
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
    fn tables_are_as_wide_as_they_have_to_be() {
        let rows = vec![["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(table(["ID", "N"], rows), "ID      N\na       1\nlonger");
    }
}
