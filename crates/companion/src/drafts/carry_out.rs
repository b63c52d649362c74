//! Carries out approved drafts: each kind of change by the function that makes it by hand.

use caraplace_accounts::agents::{accounts, permissions};
use caraplace_canvas::plans::create;
use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_log::command::RepeatableRequest;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::perform::perform;
use caraplace_moderation::reports::file::{self, ReportRequest};
use caraplace_talk::chat::new_message::NewMessage;
use caraplace_talk::chat::post;
use platform::refusal::{DraftRefusal, Refusal};
use rules::message::MessageType;
use rules::numbers::AccountNo;
use serde_json::{Value, json};

use super::access::DraftPerson;
use super::change::{DraftChange, ProposedReport};
use super::{Draft, DraftDecider, check};
use crate::app::App;

/// Counts a report towards the limit of a reporter, or refuses it: an account by its number, or the address
/// of the request.
pub type CountReport<'a> = &'a (dyn Fn(Option<AccountNo>) -> Result<(), Refusal> + Sync);

/// Carries out the change of a draft in the name of a person. Returns the response that the request by hand
/// gets; `None` if it was carried out before.
///
/// # Errors
/// The refusal of the change.
pub(super) async fn carry_out(
    app: &App,
    person: DraftPerson<'_>,
    draft: &Draft,
    count_report: CountReport<'_>,
) -> Result<Option<Value>, Refusal> {
    person.check_may_approve(draft.kind, draft.decider)?;
    match DraftChange::parse(draft.kind, &draft.change)? {
        DraftChange::Plan(plan) => open_plan(app, person, draft, &plan).await,
        DraftChange::Message(message) => {
            post_message(app, person, draft, &message, MessageType::Message).await
        }
        DraftChange::Intent(intent) => post_message(app, person, draft, &intent, MessageType::Intent).await,
        DraftChange::Report(report) => file_report(app, person, &report, count_report).await.map(Some),
        DraftChange::Action(action) => carry_out_action(app, person, draft, &action).await.map(Some),
    }
}

/// Opens a plan in the name of the viewer, or of the operators.
async fn open_plan(
    app: &App,
    person: DraftPerson<'_>,
    draft: &Draft,
    plan: &NewPlanBody,
) -> Result<Option<Value>, Refusal> {
    let origin = check::find_origin(app, person);
    let opened = match person.viewer() {
        Some(viewer) => {
            let repeatable = RepeatableRequest::of_draft(viewer.no, &draft.id);
            create::create_once(&app.state, &app.filters, viewer, origin, plan, repeatable).await?
        }
        None if person.side() == DraftDecider::Operator => {
            let account = accounts::find_operator(&app.state).await?;
            let repeatable = RepeatableRequest::of_draft(account.no, &draft.id);
            create::create_once(&app.state, &app.filters, &account, origin, plan, repeatable).await?
        }
        None => return Err(DraftRefusal::OperatorDecides.into()),
    };
    Ok(opened.map(|opened| json!(opened)))
}

/// Posts a message or an intent in the name of the viewer.
async fn post_message(
    app: &App,
    person: DraftPerson<'_>,
    draft: &Draft,
    message: &NewMessage,
    kind: MessageType,
) -> Result<Option<Value>, Refusal> {
    app.state.game().check_chat()?;
    let author = check::find_writer(person)?;
    let command = post::prepare(app.post_services(), author, person.address(), message, kind).await?;
    let repeatable = RepeatableRequest::of_draft(author.no, &draft.id);
    match app.state.log.submit(author, Some(repeatable), command, None).await {
        Ok(posted) => posted.into_json().map(Some),
        Err(refusal) => Err(Box::pin(permissions::with_appeal(&app.state, author, refusal)).await),
    }
}

async fn file_report(
    app: &App,
    person: DraftPerson<'_>,
    report: &ProposedReport,
    count_report: CountReport<'_>,
) -> Result<Value, Refusal> {
    let reporter = check::find_reporter(app, person);
    let target = check::parse_target(app, report)?;
    let count = || count_report(reporter.account.map(|account| account.no));
    let request = ReportRequest { reporter, target, reason: &report.reason };
    let filed = file::file(&app.state, &app.filters.workers, request, count).await?;
    Ok(json!({"success": true, "report": filed}))
}

/// Carries out an action of operators. Its entry in the audit log names the draft.
async fn carry_out_action(
    app: &App,
    person: DraftPerson<'_>,
    draft: &Draft,
    action: &OperatorAction,
) -> Result<Value, Refusal> {
    let operator = person.operator().ok_or(DraftRefusal::OperatorsOnly)?;
    let audit_reason = action.audit_reason(&operator.name)?.with_draft(&draft.id);
    Ok(json!(Box::pin(perform(app, action, audit_reason)).await?))
}
