//! `caraplace admin cases` and `decisions`: decides reports with all that follows from it, and undoes that.

use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::decisions::{DecideCaseBody, RollbackMeasure, SanctionKind, SanctionMeasure};
use caraplace_moderation::rollback::ReasonClass;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};

use super::act::act;
use super::arguments::{IdArgs, parse_time};
use super::context::{CliContext, CliOutputResult};

#[derive(Debug, Subcommand)]
pub(super) enum CaseSubcommand {
    /// Decides a report: hides messages, sanctions, rolls back and answers, all or nothing. Without any of
    /// these, the report is closed as unjustified.
    Decide(CaseDecisionArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum DecisionSubcommand {
    /// Undoes a decision within ten minutes, and opens the report again.
    Undo(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct CaseDecisionArgs {
    #[command(flatten)]
    case: IdArgs,
    /// Message to hide, msg_…; can be given several times
    #[arg(long, value_name = "MESSAGE")]
    hide: Vec<String>,
    /// Sanction against the author or --agent: ban, mute or shadow
    #[arg(long, value_parser = parse_sanction)]
    sanction: Option<SanctionKind>,
    /// Time at which the sanction ends, as in 2027-01-31T08:30:00Z; without it there is no end
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "sanction")]
    until: Option<DateTime<Utc>>,
    /// Roll back the reported pixels of the author or --agent
    #[arg(long)]
    roll_back: bool,
    /// Another painter of the reported rectangle, agent_…, for --sanction and --roll-back
    #[arg(long)]
    agent: Option<String>,
    /// Text that those who reported can read
    #[arg(long)]
    reply: Option<String>,
}

fn parse_sanction(name: &str) -> Result<SanctionKind, &'static str> {
    match name {
        "ban" => Ok(SanctionKind::Ban),
        "mute" => Ok(SanctionKind::Mute),
        "shadow" => Ok(SanctionKind::Shadow),
        _ => Err("write ban, mute or shadow"),
    }
}

impl CaseSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        let Self::Decide(args) = self;
        let CaseDecisionArgs { case: IdArgs { id, reason }, hide, sanction, until, roll_back, agent, reply } =
            args;
        let rollback = roll_back.then(|| RollbackMeasure {
            agent_id: agent.clone(),
            region: None,
            from: None,
            to: None,
            reason_class: ReasonClass::default(),
        });
        let sanction = sanction.map(|kind| SanctionMeasure { kind, until, agent_id: agent });
        let reason = reason.into_reason();
        let body = DecideCaseBody { hide, sanction, rollback, outcome: None, reply, reason };
        act(context, &OperatorAction::DecideCase(id, body)).await
    }
}

impl DecisionSubcommand {
    /// Runs the command.
    pub(super) async fn run(self, context: &CliContext) -> CliOutputResult {
        let Self::Undo(IdArgs { id, reason }) = self;
        act(context, &OperatorAction::UndoDecision(id, reason.into_body())).await
    }
}
