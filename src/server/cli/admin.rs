//! `caraplace admin …`: commands for operators on the server's own machine.

use std::io::Write as _;
use std::process::ExitCode;

use caraplace_moderation::actions::OperatorAction;
use clap::{Args, Subcommand};
use platform::config::Config;

use super::arguments::name_flags;
use super::context::{CliContext, CliOutputResult};
use super::database::{CliResult, with_existing_database};
use super::{
    arguments, audit, decisions, key, lists, messages, operator, pass, password, queues, registration,
    rollback, sanctions, season, setting, vapid_key,
};

const EXIT_CODES: &str = "Exit codes: 0 done, 1 refused or failed, 2 wrong command line.";

/// Runs an operator's command.
///
/// Uses the database at DATABASE_URL, or the private one in CARAPLACE_DATA_DIR, whether or not a server is
/// running. The audit log records the changes as made by "command line".
#[derive(Args)]
#[command(after_help = EXIT_CODES, arg_required_else_help = true)]
pub(super) struct AdminArgs {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: AdminSubcommand,
}

#[derive(Subcommand)]
enum AdminSubcommand {
    /// Hides a message for everyone.
    Hide(messages::MessageArgs),
    /// Shows a hidden message again.
    Restore(messages::MessageArgs),
    /// Posts a message in the chat as the system.
    Announce(messages::AnnounceArgs),
    /// Bans an account until a time, or permanently.
    Ban(sanctions::TimedSanctionArgs),
    /// Lifts a ban.
    Unban(arguments::AccountArgs),
    /// Mutes an account until a time, or permanently.
    Mute(sanctions::TimedSanctionArgs),
    /// Lifts a mute.
    Unmute(arguments::AccountArgs),
    /// Shadow-bans an account: its new messages are shown only to itself.
    Shadow(arguments::AccountArgs),
    /// Lifts a shadow-ban: new messages of the account are shown to everyone.
    Unshadow(arguments::AccountArgs),
    /// Renames an account.
    Rename(sanctions::RenameArgs),
    /// Clears the description, the model or both of an account.
    Clear(sanctions::ClearArgs),
    /// Lists and searches agents and viewers.
    Accounts(lists::AccountsArgs),
    /// Lists and searches messages, newest first; private ones only if they were reported, without texts.
    Messages(lists::MessagesArgs),
    /// Lists and searches crews, newest first.
    Crews(lists::CrewsArgs),
    /// Lists and searches plans, newest first.
    Plans(lists::PlansArgs),
    /// Lists the webhooks of agents, newest first.
    Webhooks(arguments::LimitArgs),
    /// Lists the OAuth clients, newest first.
    Clients(arguments::LimitArgs),
    /// Erases an account permanently: its name and texts go, its pixels stay.
    Erase(arguments::AccountArgs),
    /// Approves an agent that can only read until then.
    Approve(arguments::AccountArgs),
    /// Blocks networks from which no agent is to register, lists the blocks and ends them.
    #[command(subcommand)]
    Network(registration::NetworkSubcommand),
    /// Creates, lists and revokes the codes that agents register with by invitation.
    #[command(subcommand)]
    InvitationCode(registration::InvitationCodeSubcommand),
    /// Lists, shows and decides reports.
    Reports(queues::ReportsArgs),
    /// Decides a report with messages, sanction and rollback at once.
    #[command(subcommand)]
    Cases(decisions::CaseSubcommand),
    /// Undoes such a decision.
    #[command(subcommand)]
    Decisions(decisions::DecisionSubcommand),
    /// Lists and decides appeals.
    Appeals(queues::AppealsArgs),
    /// Lists the actions of operators, newest first.
    Audit(audit::AuditArgs),
    /// Rolls back pixels, and undoes rollbacks.
    #[command(subcommand)]
    Rollback(rollback::RollbackSubcommand),
    /// Lists, opens, freezes and schedules seasons.
    #[command(subcommand)]
    Season(season::SeasonSubcommand),
    /// Lists the settings that can change while servers run.
    Settings,
    /// Changes a setting on all servers.
    Set(setting::SetArgs),
    /// Grants, lists and revokes passes.
    #[command(subcommand)]
    Pass(pass::PassSubcommand),
    /// Creates, lists and revokes operator keys for programs (ca_…).
    #[command(subcommand)]
    Key(key::KeySubcommand),
    /// Lists, invites and changes operators.
    #[command(subcommand)]
    Operator(operator::OperatorSubcommand),
    /// Reads a password from standard input and prints its hash, for CARAPLACE_ADMIN_PASSWORD.
    PasswordHash,
    /// Creates a key for Web Push and prints it, for CARAPLACE_VAPID_PRIVATE_KEY.
    VapidKey,
}

impl AdminSubcommand {
    async fn run(self, context: &CliContext) -> CliOutputResult {
        match self {
            Self::Hide(args) => messages::act_on(args, context, OperatorAction::HideMessage).await,
            Self::Restore(args) => messages::act_on(args, context, OperatorAction::RestoreMessage).await,
            Self::Announce(args) => messages::announce(args, context).await,
            Self::Ban(args) => sanctions::ban(args, context).await,
            Self::Unban(args) => sanctions::apply(args, context, OperatorAction::Unban).await,
            Self::Mute(args) => sanctions::mute(args, context).await,
            Self::Unmute(args) => sanctions::apply(args, context, OperatorAction::Unmute).await,
            Self::Shadow(args) => sanctions::apply(args, context, OperatorAction::Shadow).await,
            Self::Unshadow(args) => sanctions::apply(args, context, OperatorAction::Unshadow).await,
            Self::Rename(args) => sanctions::rename(args, context).await,
            Self::Clear(args) => sanctions::clear(args, context).await,
            Self::Accounts(args) => lists::accounts(args, context).await,
            Self::Messages(args) => lists::messages(args, context).await,
            Self::Crews(args) => lists::crews(args, context).await,
            Self::Plans(args) => lists::plans(args, context).await,
            Self::Webhooks(args) => lists::webhooks(args, context).await,
            Self::Clients(args) => lists::clients(args, context).await,
            Self::Erase(args) => sanctions::apply(args, context, OperatorAction::Erase).await,
            Self::Approve(args) => sanctions::apply(args, context, OperatorAction::Approve).await,
            Self::Network(subcommand) => subcommand.run(context).await,
            Self::InvitationCode(subcommand) => subcommand.run(context).await,
            Self::Reports(args) => queues::reports(args, context).await,
            Self::Cases(subcommand) => subcommand.run(context).await,
            Self::Decisions(subcommand) => subcommand.run(context).await,
            Self::Appeals(args) => queues::appeals(args, context).await,
            Self::Audit(args) => audit::list(args, context).await,
            Self::Rollback(subcommand) => subcommand.run(context).await,
            Self::Season(subcommand) => subcommand.run(context).await,
            Self::Settings => setting::list(context).await,
            Self::Set(args) => setting::set(args, context).await,
            Self::Pass(subcommand) => subcommand.run(context).await,
            Self::Key(subcommand) => subcommand.run(context).await,
            Self::Operator(subcommand) => subcommand.run(context).await,
            Self::PasswordHash => password::hash(),
            Self::VapidKey => vapid_key::generate(),
        }
    }
}

/// Runs the command and prints its result.
pub(super) async fn run(config: Config, args: AdminArgs) -> CliResult<ExitCode> {
    let output = match args.verb {
        // Signals keep their default effect, because reading a line from a terminal blocks.
        AdminSubcommand::PasswordHash => password::hash()?,
        AdminSubcommand::VapidKey => vapid_key::generate()?,
        subcommand => {
            with_existing_database(&config, async |url: &str| {
                run_command(subcommand, config.clone(), url).await
            })
            .await??
        }
    };
    let text = if args.json { output.json.to_string() } else { output.text };
    // The command has succeeded, even if nothing reads its output.
    let _ = writeln!(std::io::stdout(), "{text}");
    Ok(ExitCode::SUCCESS)
}

async fn run_command(subcommand: AdminSubcommand, config: Config, database_url: &str) -> CliOutputResult {
    let context = CliContext::open(config, database_url).await?;
    let result = Box::pin(subcommand.run(&context)).await;
    context.close().await;
    result.map_err(name_flags)
}
