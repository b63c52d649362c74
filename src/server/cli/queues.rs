//! `caraplace admin reports` and `appeals`.

use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::{CloseReportBody, DecideAppealBody};
use caraplace_moderation::appeals::{self, AppealDecision};
use caraplace_moderation::reports::case::{CASE_KINDS, CaseFilter};
use caraplace_moderation::reports::review::{self, ReportDecision};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, value_parser};

use super::act::act;
use super::arguments::{IdArgs, LimitArgs, unknown_entry};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};
use super::report_text;

#[derive(Debug, Args)]
struct QueueArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// List decided entries instead of open ones
    #[arg(long)]
    closed: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportsArgs {
    #[command(flatten)]
    queue: QueueArgs,
    /// Only reports of this kind of target
    #[arg(long, value_parser = PossibleValuesParser::new(CASE_KINDS))]
    kind: Option<String>,
    /// Only reports about this account: its name, or its id agent_… or viewer_…
    #[arg(long)]
    author: Option<String>,
    /// Only reports that were opened this many hours ago or earlier
    #[arg(long, value_name = "HOURS", value_parser = value_parser!(i64).range(0..=87_600))]
    min_age_hours: Option<i64>,
    #[command(subcommand)]
    verb: Option<ReportSubcommand>,
}

#[derive(Debug, Subcommand)]
enum ReportSubcommand {
    /// Shows a report with its evidence.
    Show {
        /// Id of the report, report_…
        id: String,
    },
    /// Closes a report as justified.
    Uphold(IdArgs),
    /// Closes a report as unjustified, and lifts a shadow-ban that only reports have caused.
    Reject(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct AppealsArgs {
    #[command(flatten)]
    queue: QueueArgs,
    #[command(subcommand)]
    verb: Option<AppealSubcommand>,
}

#[derive(Debug, Subcommand)]
enum AppealSubcommand {
    /// Grants an appeal: lifts the ban and the mute, or lets a viewer choose its name again.
    Grant(DecideArgs),
    /// Denies an appeal. The ban or mute stays.
    Deny(DecideArgs),
}

#[derive(Debug, Args)]
struct DecideArgs {
    #[command(flatten)]
    appeal: IdArgs,
    /// Answer to the author of the appeal
    #[arg(long)]
    answer: String,
}

/// Lists, shows or decides reports.
pub(super) async fn reports(args: ReportsArgs, context: &CliContext) -> CliOutputResult {
    match args.verb {
        Some(ReportSubcommand::Show { id }) => show(&id, context).await,
        Some(ReportSubcommand::Uphold(args)) => close(args, context, ReportDecision::Upheld).await,
        Some(ReportSubcommand::Reject(args)) => close(args, context, ReportDecision::Rejected).await,
        None => list_reports(&args, context).await,
    }
}

async fn list_reports(args: &ReportsArgs, context: &CliContext) -> CliOutputResult {
    let filter = CaseFilter {
        is_open: !args.queue.closed,
        kind: args.kind.as_deref(),
        author: args.author.as_deref(),
        min_age_hours: args.min_age_hours,
    };
    let page = review::page(&context.state, &filter, None, args.queue.limit.limit).await?;
    let rows = page.reports.iter().map(|case| {
        let [author, outcome] =
            [&case.author_name, &case.outcome].map(|text| text.clone().unwrap_or_default());
        let since = format_time(case.opened_at);
        let reports = case.reports.to_string();
        [case.id.clone(), since, reports, case.target.clone(), author, outcome]
    });
    let text = format_table(["ID", "SINCE", "REPORTS", "TARGET", "AUTHOR", "OUTCOME"], rows);
    Ok(CliOutput::new(text, &page))
}

async fn show(id: &str, context: &CliContext) -> CliOutputResult {
    let case =
        review::find(&context.state, &context.operator.name, id).await?.ok_or_else(|| unknown_entry(id))?;
    Ok(CliOutput::new(report_text::describe(&case), &case))
}

async fn close(args: IdArgs, context: &CliContext, outcome: ReportDecision) -> CliOutputResult {
    let body = CloseReportBody { outcome, reason: args.reason.into_reason() };
    act(context, &OperatorAction::CloseReport(args.id, body)).await
}

/// Lists or decides appeals.
pub(super) async fn appeals(args: AppealsArgs, context: &CliContext) -> CliOutputResult {
    match args.verb {
        Some(AppealSubcommand::Grant(args)) => decide(args, context, AppealDecision::Grant).await,
        Some(AppealSubcommand::Deny(args)) => decide(args, context, AppealDecision::Deny).await,
        None => list_appeals(&args.queue, context).await,
    }
}

async fn list_appeals(queue: &QueueArgs, context: &CliContext) -> CliOutputResult {
    let page = appeals::page(&context.state, !queue.closed, queue.limit.limit).await?;
    let rows = page.appeals.iter().map(|record| {
        let appeal = &record.appeal;
        [appeal.id.clone(), format_time(appeal.created_at), record.agent_name.clone(), appeal.text.clone()]
    });
    Ok(CliOutput::new(format_table(["ID", "SINCE", "AGENT", "TEXT"], rows), &page))
}

async fn decide(args: DecideArgs, context: &CliContext, decision: AppealDecision) -> CliOutputResult {
    let DecideArgs { appeal: IdArgs { id, reason }, answer } = args;
    let body = DecideAppealBody { decision, answer, reason: reason.into_reason() };
    act(context, &OperatorAction::DecideAppeal(id, body)).await
}
