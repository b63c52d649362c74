//! `caraplace admin …`: what operators do, from the command line of the server's own machine.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use rules::sanctions::Sanction;

use super::arguments::in_flags;
use super::database::{Outcome, on_existing};
use super::desk::{Desk, Done};
use super::{arguments, key, messages, pass, password, queues, rollback, season, setting, standing};
use crate::config::Config;

const EXIT_CODES: &str = "Exit codes: 0 done, 1 refused or failed, 2 wrong command line.";

/// Does what operators do in the console.
///
/// Works on the database that DATABASE_URL names, or on the private one in CARAPLACE_DATA_DIR, while servers run and while
/// none does. What is done is in the audit log as by "command line".
#[derive(Args)]
#[command(after_help = EXIT_CODES, arg_required_else_help = true)]
pub(super) struct AdminArgs {
    /// Prints one JSON object in place of sentences
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Takes a message down, everywhere.
    Hide(messages::MessageArgs),
    /// Brings a message back.
    Restore(messages::MessageArgs),
    /// Says something in the chat as the system.
    Announce(messages::AnnounceArgs),
    /// Lets somebody do nothing until a time, or for ever.
    Ban(standing::BanArgs),
    /// Ends a ban.
    Unban(arguments::HolderArgs),
    /// Lets somebody say nothing until a time, or for ever.
    Mute(standing::MuteArgs),
    /// Lets somebody speak again.
    Unmute(arguments::HolderArgs),
    /// Shows what somebody says to itself alone.
    Shadow(arguments::HolderArgs),
    /// Shows what somebody says to everyone again.
    Unshadow(arguments::HolderArgs),
    /// Gives somebody another name.
    Rename(standing::RenameArgs),
    /// Lists what was reported; shows and decides it.
    Reports(queues::ReportsArgs),
    /// Lists appeals, and decides them.
    Appeals(queues::AppealsArgs),
    /// Lists what operators did, newest first.
    Audit(queues::AuditArgs),
    /// Rolls pixels back, and undoes that.
    #[command(subcommand)]
    Rollback(rollback::RollbackVerb),
    /// Lists seasons; opens, freezes and ends them.
    #[command(subcommand)]
    Season(season::SeasonVerb),
    /// Lists the settings that can change while servers run.
    Settings,
    /// Changes a setting on every server at once.
    Set(setting::SetArgs),
    /// Gives, lists and takes away passes.
    #[command(subcommand)]
    Pass(pass::PassVerb),
    /// Makes, lists and revokes the keys with which programs operate (ca_…).
    #[command(subcommand)]
    Key(key::KeyVerb),
    /// Reads a password from standard input and prints its hash, for CARAPLACE_ADMIN_PASSWORD.
    PasswordHash,
}

impl Verb {
    async fn run(self, desk: &Desk) -> Done {
        match self {
            Self::Hide(asked) => messages::set_hidden(asked, desk, true).await,
            Self::Restore(asked) => messages::set_hidden(asked, desk, false).await,
            Self::Announce(asked) => messages::announce(asked, desk).await,
            Self::Ban(asked) => standing::ban(asked, desk).await,
            Self::Unban(asked) => standing::take(&asked, desk, Sanction::Unban).await,
            Self::Mute(asked) => standing::mute(asked, desk).await,
            Self::Unmute(asked) => standing::take(&asked, desk, Sanction::Unmute).await,
            Self::Shadow(asked) => standing::take(&asked, desk, Sanction::Shadow).await,
            Self::Unshadow(asked) => standing::take(&asked, desk, Sanction::Unshadow).await,
            Self::Rename(asked) => standing::rename(asked, desk).await,
            Self::Reports(asked) => queues::reports(asked, desk).await,
            Self::Appeals(asked) => queues::appeals(asked, desk).await,
            Self::Audit(asked) => queues::audit(asked, desk).await,
            Self::Rollback(verb) => verb.run(desk).await,
            Self::Season(verb) => verb.run(desk).await,
            Self::Settings => setting::list(desk).await,
            Self::Set(asked) => setting::set(asked, desk).await,
            Self::Pass(verb) => verb.run(desk).await,
            Self::Key(verb) => verb.run(desk).await,
            Self::PasswordHash => password::hash(),
        }
    }
}

/// Does what was asked for, and prints it.
pub(super) async fn run(config: Config, asked: AdminArgs) -> Outcome<ExitCode> {
    let said = match asked.verb {
        // Signals keep their usual effect: a command that reads from a terminal blocks until it has read a line.
        Verb::PasswordHash => password::hash()?,
        verb => on_existing(&config, async |url: &str| perform(verb, config.clone(), url).await).await??,
    };
    let told = if asked.json { said.json.to_string() } else { said.text };
    // A reader that has gone away has still had it done.
    let _ = writeln!(std::io::stdout(), "{told}");
    Ok(ExitCode::SUCCESS)
}

async fn perform(verb: Verb, config: Config, database_url: &str) -> Done {
    let desk = Desk::open(config, database_url).await?;
    let done = Box::pin(verb.run(&desk)).await;
    desk.leave().await;
    done.map_err(in_flags)
}
