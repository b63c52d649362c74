//! `caraplace admin …`: what operators do, from the command line of the server's own machine. One file per noun.

mod cause;
mod key;
mod messages;
mod pass;
mod password;
mod queues;
mod rollback;
mod season;
mod setting;
mod standing;

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use crate::clock::Clock;
use crate::config::Config;
use crate::database::{self, DatabaseError};
use crate::http;
use crate::http::server::with_words;
use crate::log::LogTasks;
use crate::operators::Operator;
use crate::refusal::Refusal;
use crate::state::AppState;

/// The name of the subcommand.
pub const ADMIN: &str = "admin";
const AS_JSON: &str = "json";
const HELP: &str = "Does what operators do in the console. Works on the database that DATABASE_URL names, or on the private \
one in CARAPLACE_DATA_DIR, while servers run and while none does. What is done is in the audit log as by \"command line\".";
const EXIT_CODES: &str = "Exit codes: 0 done, 1 refused or failed, 2 wrong command line.";
/// How long the database may take to let go.
const LEAVE: Duration = Duration::from_secs(2);

/// Every verb; `caraplace admin --help` lists them in this order.
const VERBS: &[Verb] = &[
    messages::HIDE,
    messages::RESTORE,
    messages::ANNOUNCE,
    standing::BAN,
    standing::UNBAN,
    standing::MUTE,
    standing::UNMUTE,
    standing::SHADOW,
    standing::UNSHADOW,
    standing::RENAME,
    queues::REPORTS,
    queues::APPEALS,
    queues::AUDIT,
    rollback::VERB,
    season::VERB,
    setting::LIST,
    setting::SET,
    pass::VERB,
    key::VERB,
    password::HASH,
];

/// Something that an operator can do.
pub struct Verb {
    pub name: &'static str,
    /// What it is called with.
    pub command: fn(Command) -> Command,
    pub act: Act,
}

/// How it is done.
pub enum Act {
    /// Without a database.
    Alone(fn(&ArgMatches) -> Done),
    /// On the log, beside the servers that run.
    At(for<'a> fn(&'a ArgMatches, &'a Desk) -> BoxFuture<'a, Done>),
}

/// What an operator at the command line works with.
pub struct Desk {
    pub state: Arc<AppState>,
    pub config: Config,
    pub operator: Operator,
    tasks: LogTasks,
}

/// What was done, in plain sentences and as JSON; or one sentence why not.
pub type Done = Result<Said, Failure>;

/// What is printed.
pub struct Said {
    text: String,
    json: Value,
}

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Said {
    /// The same, told twice.
    pub fn new(text: impl Into<String>, json: &impl Serialize) -> Self {
        Self { text: text.into(), json: serde_json::to_value(json).unwrap_or_default() }
    }
}

impl Failure {
    /// One sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
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

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self(format!("The log could not be read ({error})."))
    }
}

/// The subcommand with all its verbs.
pub fn command() -> Command {
    let json = Arg::new(AS_JSON).long(AS_JSON).action(ArgAction::SetTrue).global(true);
    let admin = Command::new(ADMIN)
        .about("Does what operators do in the console.")
        .long_about(HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(json.help("Prints one JSON object in place of sentences"))
        .after_help(EXIT_CODES);
    VERBS.iter().fold(admin, |admin, verb| admin.subcommand((verb.command)(Command::new(verb.name))))
}

/// Whether what was asked for needs a database.
pub fn needs_database(asked: &ArgMatches) -> bool {
    verb(asked).is_some_and(|(verb, _)| matches!(verb.act, Act::At(_)))
}

fn verb(asked: &ArgMatches) -> Option<(&'static Verb, &ArgMatches)> {
    let (name, options) = asked.subcommand()?;
    VERBS.iter().find(|verb| verb.name == name).map(|verb| (verb, options))
}

/// Does what was asked for, and prints it.
///
/// # Errors
/// Why it was not done.
pub async fn run(asked: &ArgMatches, config: Config, database_url: Option<&str>) -> Result<(), Failure> {
    let (verb, options) = verb(asked).ok_or_else(|| Failure::new("There is no such verb."))?;
    let said = match (&verb.act, database_url) {
        (Act::Alone(act), _) => act(options)?,
        (Act::At(act), Some(url)) => {
            let desk = Desk::open(config, url).await?;
            let done = act(options, &desk).await;
            desk.leave().await;
            done?
        }
        (Act::At(_), None) => return Err(Failure::new("There is no database.")),
    };
    let told = if options.get_flag(AS_JSON) { said.json.to_string() } else { said.text };
    // Who reads no further has still had it done.
    let _ = writeln!(std::io::stdout(), "{told}");
    Ok(())
}

impl Desk {
    async fn open(config: Config, database_url: &str) -> Result<Self, Failure> {
        let config = with_words(config).map_err(|error| Failure::new(error.to_string()))?;
        let clock = Clock::default();
        let pool = database::open(database_url).await?;
        let operator = Operator::at_the_command_line(&clock);
        let (state, tasks) = AppState::open(pool, clock, &config).await?;
        Ok(Self { state, config, operator, tasks })
    }

    async fn leave(self) {
        self.tasks.follower.abort();
        self.tasks.gate.abort();
        // Done is done: a database that hangs keeps nobody here.
        let _ = tokio::time::timeout(LEAVE, self.state.pool.close()).await;
    }
}

/// A table with a line for each row, its columns as wide as they have to be.
fn table<const COLUMNS: usize>(head: [&str; COLUMNS], rows: Vec<[String; COLUMNS]>) -> String {
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
    fn the_command_line_is_whole() {
        Command::new("caraplace").subcommand(command()).debug_assert();
    }

    #[test]
    fn tables_are_as_wide_as_they_have_to_be() {
        let rows = vec![["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(table(["ID", "N"], rows), "ID      N\na       1\nlonger");
    }
}
