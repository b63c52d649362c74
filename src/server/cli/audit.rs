//! `caraplace admin audit`.

use caraplace_moderation::audit::AuditPage;
use caraplace_moderation::audit_csv::MAX_CSV_ENTRIES;
use caraplace_moderation::audit_filter::AuditFilter;
use caraplace_moderation::{audit, audit_csv};
use chrono::{DateTime, Utc};
use clap::Args;

use super::arguments::{LimitArgs, parse_time};
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// Only actions before the one with this number; next_before of --json has it
    #[arg(long, value_name = "NUMBER")]
    before: Option<i64>,
    /// Only actions of this operator, as the list names it
    #[arg(long)]
    operator: Option<String>,
    /// Only this action, such as ban
    #[arg(long, value_name = "ACTION")]
    act: Option<String>,
    /// Only actions on this id, or on the account with this name
    #[arg(long, value_name = "ID_OR_NAME")]
    subject: Option<String>,
    /// Only actions at this time or later, as in 2027-01-31T08:30:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,
    /// Only actions at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<DateTime<Utc>>,
    /// Print CSV, with the newest 10000 entries
    #[arg(long, conflicts_with = "limit")]
    csv: bool,
}

/// Lists the actions of operators.
pub(super) async fn list(args: AuditArgs, context: &CliContext) -> CliOutputResult {
    let AuditArgs { limit, before, operator, act, subject, since, until, csv } = args;
    let filter = AuditFilter { operator, act, subject, since, until };
    let limit = if csv { MAX_CSV_ENTRIES } else { limit.limit };
    let page = audit::page(&context.state, &filter, before, limit).await?;
    let text = if csv { audit_csv::render(&page.acts).trim_end().to_owned() } else { format_entries(&page) };
    Ok(CliOutput::new(text, &page))
}

/// Returns the entries with their names, but without the values before and after.
fn format_entries(page: &AuditPage) -> String {
    let rows = page.acts.iter().map(|line| {
        [
            format_time(line.at),
            line.operator.clone(),
            line.act.clone(),
            line.subject.clone(),
            line.subject_name.clone().unwrap_or_default(),
            line.reason.clone(),
        ]
    });
    let header = ["TIME", "OPERATOR", "ACTION", "SUBJECT", "NAME", "REASON"];
    format_table(header, rows)
}
