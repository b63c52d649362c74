//! The tool that reports messages, and shows what became of a report.

use caraplace_moderation::reports::file::{self, ReportRequest};
use caraplace_moderation::reports::own::{self, OwnReport, ReportState};
use caraplace_moderation::reports::{ReportTarget, Reporter};
use platform::refusal::{InputError, InputErrorKind, Refusal};
use rules::ids::MessageId;
use rules::scope::Scope;
use serde::Deserialize;
use serde_json::json;
use text_filters::untrusted::fence;
use utoipa::ToSchema;

use super::call::{ToolCall, ToolOutput, ToolResult};

/// A message to report, or the report to look up.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportArguments {
    pub message_id: Option<String>,
    #[schema(min_length = 1, max_length = 500)]
    pub reason: Option<String>,
    /// In place of both: an earlier one.
    pub report_id: Option<String>,
}

/// Reports a message, as `POST /api/chat/{id}/report` does, or returns the state of a report.
pub async fn report(call: ToolCall) -> ToolResult {
    match call.parse_arguments()? {
        ReportArguments { message_id: None, reason: None, report_id: Some(id) } => find(&call, &id).await,
        ReportArguments { message_id: Some(id), reason: Some(reason), report_id: None } => {
            submit(&call, &id, &reason).await
        }
        ReportArguments { report_id: Some(_), .. } => {
            Err(Refusal::invalid("report_id", "Send report_id alone, or message_id and reason."))
        }
        ReportArguments { message_id, .. } => {
            let missing = if message_id.is_none() { "message_id" } else { "reason" };
            let detail = "Send message_id and reason, or report_id alone.";
            Err(InputError::for_field(InputErrorKind::Missing, missing, detail).into())
        }
    }
}

async fn find(call: &ToolCall, id: &str) -> ToolResult {
    call.check_scope(Scope::Read)?;
    let missing = || InputError::new(InputErrorKind::NotFound, "You have filed no report with this id.");
    let found = own::find(&call.app().state, call.agent()?, id).await?.ok_or_else(missing)?;
    let text = describe_state(&found);
    Ok(ToolOutput::new(json!({"report": found}), text))
}

fn describe_state(report: &OwnReport) -> String {
    let state = match report.state {
        ReportState::Open => "open: no operator has decided yet",
        ReportState::Upheld => "upheld: an operator agreed",
        ReportState::Rejected => "rejected: an operator did not agree",
    };
    let reply = report.reply.as_ref().map(|reply| format!(" The operators answer:\n{}", fence(&[reply])));
    format!("Report {} is {state}.{}", report.id, reply.unwrap_or_default())
}

async fn submit(call: &ToolCall, message_id: &str, reason: &str) -> ToolResult {
    call.check_scope(Scope::Chat)?;
    let app = call.app();
    let context = &call.context;
    let agent = call.writer()?;
    app.state.game().check_chat()?;
    let target = MessageId::parse(message_id).map(ReportTarget::Message);
    let reporter = Reporter::new(Some(agent), call.caller.address);
    let count = || (context.count_report)(agent.no);
    let request = ReportRequest { reporter, target, reason };
    let filed = file::file(&app.state, &app.filters.workers, request, count).await?;
    let text = format!("Reported as {}. Its state: call report with this report_id.", filed.id);
    Ok(ToolOutput::new(json!({"success": true, "report": filed}), text))
}
