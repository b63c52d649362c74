//! `caraplace admin reports`, `appeals` and `audit`: what waits to be decided, and what was done.

use clap::{Args, Subcommand, value_parser};
use serde_json::to_string_pretty;

use super::arguments::IdArgs;
use super::desk::{Desk, Done, Said, table, time};
use crate::moderation::appeals::{self, Decision};
use crate::moderation::audit;
use crate::moderation::reports::review::{self, Finding};

#[derive(Debug, Args)]
struct LimitArgs {
    /// How many are listed
    #[arg(long, default_value = "50", value_parser = value_parser!(i64).range(1..=1_000))]
    limit: i64,
}

#[derive(Debug, Args)]
struct QueueArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// Lists what was decided, instead of what waits
    #[arg(long)]
    closed: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportsArgs {
    #[command(flatten)]
    queue: QueueArgs,
    #[command(subcommand)]
    verb: Option<ReportVerb>,
}

#[derive(Debug, Subcommand)]
enum ReportVerb {
    /// Shows a report with its evidence.
    Show {
        /// report_…
        id: String,
    },
    /// Finds a report right.
    Uphold(IdArgs),
    /// Finds a report wrong, and ends the shadow that reports alone have cast.
    Reject(IdArgs),
}

#[derive(Debug, Args)]
pub(super) struct AppealsArgs {
    #[command(flatten)]
    queue: QueueArgs,
    #[command(subcommand)]
    verb: Option<AppealVerb>,
}

#[derive(Debug, Subcommand)]
enum AppealVerb {
    /// Ends ban and mute.
    Grant(DecideArgs),
    /// Leaves it as it is.
    Deny(DecideArgs),
}

#[derive(Debug, Args)]
struct DecideArgs {
    #[command(flatten)]
    appeal: IdArgs,
    /// The answer to the one who appealed
    #[arg(long)]
    answer: String,
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// Only what was done to this id
    #[arg(long, value_name = "ID")]
    subject: Option<String>,
}

fn none(id: &str) -> String {
    format!("There is nothing with the id {id}.")
}

/// Lists, shows or decides reports.
pub(super) async fn reports(asked: ReportsArgs, desk: &Desk) -> Done {
    match asked.verb {
        Some(ReportVerb::Show { id }) => show(&id, desk).await,
        Some(ReportVerb::Uphold(asked)) => close(&asked, desk, Finding::Upheld).await,
        Some(ReportVerb::Reject(asked)) => close(&asked, desk, Finding::Rejected).await,
        None => list_reports(&asked.queue, desk).await,
    }
}

async fn list_reports(queue: &QueueArgs, desk: &Desk) -> Done {
    let page = review::page(&desk.state, !queue.closed, None, queue.limit.limit).await?;
    let rows = page.reports.iter().map(|case| {
        let [author, outcome] =
            [&case.author_name, &case.outcome].map(|text| text.clone().unwrap_or_default());
        let (since, reports) = (time(case.opened_at), case.reports.to_string());
        [case.id.clone(), since, reports, case.target.clone(), author, outcome]
    });
    let text = table(["ID", "SINCE", "REPORTS", "WHAT", "WHOSE", "OUTCOME"], rows);
    Ok(Said::new(text, &page))
}

async fn show(id: &str, desk: &Desk) -> Done {
    let case = review::look(&desk.state, id).await?.ok_or_else(|| none(id))?;
    Ok(Said::new(to_string_pretty(&case).unwrap_or_default(), &case))
}

async fn close(asked: &IdArgs, desk: &Desk, finding: Finding) -> Done {
    let closed = review::close(&desk.state, &asked.why.cause(desk)?, &asked.id, finding).await?;
    let case = closed.ok_or_else(|| none(&asked.id))?;
    let outcome = case.outcome.clone().unwrap_or_default();
    Ok(Said::new(format!("{} is closed: {outcome}.", case.id), &case))
}

/// Lists or decides appeals.
pub(super) async fn appeals(asked: AppealsArgs, desk: &Desk) -> Done {
    match asked.verb {
        Some(AppealVerb::Grant(asked)) => decide(&asked, desk, Decision::Grant).await,
        Some(AppealVerb::Deny(asked)) => decide(&asked, desk, Decision::Deny).await,
        None => list_appeals(&asked.queue, desk).await,
    }
}

async fn list_appeals(queue: &QueueArgs, desk: &Desk) -> Done {
    let page = appeals::page(&desk.state, !queue.closed, queue.limit.limit).await?;
    let rows = page.appeals.iter().map(|plea| {
        let appeal = &plea.appeal;
        [appeal.id.clone(), time(appeal.created_at), plea.agent_name.clone(), appeal.text.clone()]
    });
    Ok(Said::new(table(["ID", "SINCE", "WHO", "WHAT"], rows), &page))
}

async fn decide(asked: &DecideArgs, desk: &Desk, decision: Decision) -> Done {
    let (id, cause) = (&asked.appeal.id, asked.appeal.why.cause(desk)?);
    let decided = appeals::decide(&desk.state, &cause, id, decision, &asked.answer).await?;
    let appeal = decided.ok_or_else(|| none(id))?;
    Ok(Said::new(format!("{} is decided.", appeal.id), &appeal))
}

/// Lists what operators did.
pub(super) async fn audit(asked: AuditArgs, desk: &Desk) -> Done {
    let page = audit::page(&desk.state, None, asked.limit.limit, asked.subject.as_deref()).await?;
    let rows = page.acts.iter().map(|line| {
        [time(line.at), line.operator.clone(), line.act.clone(), line.subject.clone(), line.why.clone()]
    });
    Ok(Said::new(table(["WHEN", "WHO", "WHAT", "TO WHAT", "WHY"], rows), &page))
}
