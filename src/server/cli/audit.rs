//! `caraplace admin audit`.

use caraplace_moderation::audit;
use caraplace_moderation::audit_filter::AuditFilter;
use clap::Args;

use super::arguments::LimitArgs;
use super::context::{CliContext, CliOutput, CliOutputResult, format_table, format_time};

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    limit: LimitArgs,
    /// Only actions on this id
    #[arg(long, value_name = "ID")]
    subject: Option<String>,
}

/// Lists the actions of operators.
pub(super) async fn list(args: AuditArgs, context: &CliContext) -> CliOutputResult {
    let filter = args.subject.as_deref().map_or_else(AuditFilter::default, AuditFilter::for_subject);
    let page = audit::page(&context.state, &filter, None, args.limit.limit).await?;
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
    Ok(CliOutput::new(format_table(header, rows), &page))
}
