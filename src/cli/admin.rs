//! `caraplace admin …`: what operators do, from the command line of the server's own machine.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use rules::sanctions::Sanction;

use super::arguments::name_flags;
use super::context::{CliContext, CliOutputResult};
use super::database::{CliResult, with_existing_database};
use super::{arguments, key, messages, pass, password, queues, rollback, sanctions, season, setting};
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
    verb: AdminSubcommand,
}

#[derive(Subcommand)]
enum AdminSubcommand {
    /// Takes a message down, everywhere.
    Hide(messages::MessageArgs),
    /// Brings a message back.
    Restore(messages::MessageArgs),
    /// Says something in the chat as the system.
    Announce(messages::AnnounceArgs),
    /// Lets somebody do nothing until a time, or for ever.
    Ban(sanctions::BanArgs),
    /// Ends a ban.
    Unban(arguments::AccountArgs),
    /// Lets somebody say nothing until a time, or for ever.
    Mute(sanctions::MuteArgs),
    /// Lets somebody speak again.
    Unmute(arguments::AccountArgs),
    /// Shows what somebody says to itself alone.
    Shadow(arguments::AccountArgs),
    /// Shows what somebody says to everyone again.
    Unshadow(arguments::AccountArgs),
    /// Gives somebody another name.
    Rename(sanctions::RenameArgs),
    /// Lists what was reported; shows and decides it.
    Reports(queues::ReportsArgs),
    /// Lists appeals, and decides them.
    Appeals(queues::AppealsArgs),
    /// Lists what operators did, newest first.
    Audit(queues::AuditArgs),
    /// Rolls pixels back, and undoes that.
    #[command(subcommand)]
    Rollback(rollback::RollbackSubcommand),
    /// Lists seasons; opens, freezes and ends them.
    #[command(subcommand)]
    Season(season::SeasonSubcommand),
    /// Lists the settings that can change while servers run.
    Settings,
    /// Changes a setting on every server at once.
    Set(setting::SetArgs),
    /// Gives, lists and takes away passes.
    #[command(subcommand)]
    Pass(pass::PassSubcommand),
    /// Makes, lists and revokes the keys with which programs operate (ca_…).
    #[command(subcommand)]
    Key(key::KeySubcommand),
    /// Reads a password from standard input and prints its hash, for CARAPLACE_ADMIN_PASSWORD.
    PasswordHash,
}

impl AdminSubcommand {
    async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Hide(args) => messages::set_hidden(args, context, true).await,
            Self::Restore(args) => messages::set_hidden(args, context, false).await,
            Self::Announce(args) => messages::announce(args, context).await,
            Self::Ban(args) => sanctions::ban(args, context).await,
            Self::Unban(args) => sanctions::apply(&args, context, Sanction::Unban).await,
            Self::Mute(args) => sanctions::mute(args, context).await,
            Self::Unmute(args) => sanctions::apply(&args, context, Sanction::Unmute).await,
            Self::Shadow(args) => sanctions::apply(&args, context, Sanction::Shadow).await,
            Self::Unshadow(args) => sanctions::apply(&args, context, Sanction::Unshadow).await,
            Self::Rename(args) => sanctions::rename(args, context).await,
            Self::Reports(args) => queues::reports(args, context).await,
            Self::Appeals(args) => queues::appeals(args, context).await,
            Self::Audit(args) => queues::audit(args, context).await,
            Self::Rollback(subcommand) => subcommand.run(context).await,
            Self::Season(subcommand) => subcommand.run(context).await,
            Self::Settings => setting::list(context).await,
            Self::Set(args) => setting::set(args, context).await,
            Self::Pass(subcommand) => subcommand.run(context).await,
            Self::Key(subcommand) => subcommand.run(context).await,
            Self::PasswordHash => password::hash(),
        }
    }
}

/// Does what was asked for, and prints it.
pub(super) async fn run(config: Config, args: AdminArgs) -> CliResult<ExitCode> {
    let output = match args.verb {
        // Signals keep their usual effect: a command that reads from a terminal blocks until it has read a line.
        AdminSubcommand::PasswordHash => password::hash()?,
        subcommand => {
            with_existing_database(&config, async |url: &str| {
                run_command(subcommand, config.clone(), url).await
            })
            .await??
        }
    };
    let text = if args.json { output.json.to_string() } else { output.text };
    // A reader that has gone away has still had it done.
    let _ = writeln!(std::io::stdout(), "{text}");
    Ok(ExitCode::SUCCESS)
}

async fn run_command(subcommand: AdminSubcommand, config: Config, database_url: &str) -> CliOutputResult {
    let context = CliContext::open(config, database_url).await?;
    let result = Box::pin(subcommand.run(&context)).await;
    context.close().await;
    result.map_err(name_flags)
}
