//! Checks proposed changes as the requests check them that make them by hand. Nothing is changed.

use caraplace_accounts::address_limit::SenderAddress;
use caraplace_accounts::agents::{accounts, permissions};
use caraplace_canvas::plans::create;
use caraplace_canvas::plans::new_plan::NewPlanBody;
use caraplace_log::identity::Identity;
use caraplace_moderation::reports::file::{self, ReportRequest, effective_reporter};
use caraplace_moderation::reports::{self, ReportTarget, Reporter};
use caraplace_talk::chat::new_message::NewMessage;
use caraplace_talk::chat::post;
use platform::refusal::{DraftRefusal, InputError, InputErrorKind, Refusal};
use rules::ids::{AccountId, MessageId};
use rules::message::MessageType;
use rules::rights::{AccountAction, Denied};

use super::access::DraftPerson;
use super::change::{DraftChange, ProposedReport};
use super::{DraftDecider, check_action};
use crate::app::App;

/// Checks a change that is proposed to a person, and returns the person whose decision it waits for.
///
/// # Errors
/// The refusal that the change would have now, without the limits that only the log knows.
pub(super) async fn check(
    app: &App,
    person: DraftPerson<'_>,
    change: &DraftChange,
) -> Result<DraftDecider, Refusal> {
    match change {
        DraftChange::Plan(plan) => return Box::pin(check_plan(app, person, plan)).await,
        DraftChange::Message(message) => check_message(app, person, message, MessageType::Message).await?,
        DraftChange::Intent(intent) => check_message(app, person, intent, MessageType::Intent).await?,
        DraftChange::Report(report) => {
            let reporter = find_reporter(app, person);
            let target = parse_target(app, report)?;
            let request = ReportRequest { reporter, target, reason: &report.reason };
            Box::pin(file::check(&app.state, &app.filters.workers, request)).await?;
        }
        DraftChange::Action(action) => check_action::check(app, action).await?,
    }
    Ok(person.side())
}

/// Checks a plan. One that its visitor may not open is for operators, who would open it in their own name.
async fn check_plan(app: &App, person: DraftPerson<'_>, plan: &NewPlanBody) -> Result<DraftDecider, Refusal> {
    let origin = find_origin(app, person);
    if let Some(viewer) = person.viewer() {
        match permissions::check(&app.state, viewer, AccountAction::Plan).await {
            Err(Refusal::Denied { denied: Denied::NoPass { .. }, .. }) => {}
            allowed => {
                allowed?;
                create::check(&app.state, &app.filters, viewer, origin, plan).await?;
                return Ok(DraftDecider::Visitor);
            }
        }
    }
    if plan.crew_id.is_some() {
        let detail = "Only a member can open a plan of a crew. Leave crew_id out.";
        return Err(Refusal::invalid("crew_id", detail));
    }
    let operator = accounts::find_operator(&app.state).await?;
    create::check(&app.state, &app.filters, &operator, origin, plan).await?;
    Ok(DraftDecider::Operator)
}

async fn check_message(
    app: &App,
    person: DraftPerson<'_>,
    message: &NewMessage,
    kind: MessageType,
) -> Result<(), Refusal> {
    app.state.game().check_chat()?;
    let author = find_writer(person)?;
    Box::pin(post::prepare(app.post_services(), author, person.address(), message, kind)).await.map(|_| ())
}

/// Returns the origin of a person's request.
pub(super) fn find_origin<'a>(app: &'a App, person: DraftPerson<'_>) -> SenderAddress<'a> {
    SenderAddress { limiter: &app.address_limiter, address: person.address() }
}

/// Returns the viewer in whose name a message is posted.
///
/// # Errors
/// `Draft` if the person is no viewer.
pub(super) fn find_writer(person: DraftPerson<'_>) -> Result<&Identity, Refusal> {
    Ok(person.viewer().ok_or(DraftRefusal::NeedsPass)?)
}

/// Returns the reporter of a report: the viewer, or the address of a person without a pass.
pub(super) fn find_reporter<'a>(app: &App, person: DraftPerson<'a>) -> Reporter<'a> {
    effective_reporter(&app.state, Reporter::new(person.viewer(), person.address()))
}

/// Returns the target of a report; `None` if its id is malformed.
///
/// # Errors
/// `Input` if there is not exactly one target, or the region is invalid; `ChatDisabled`.
pub(super) fn parse_target(app: &App, report: &ProposedReport) -> Result<Option<ReportTarget>, Refusal> {
    match report {
        ProposedReport { message_id: Some(id), agent_id: None, region: None, .. } => {
            app.state.game().check_chat()?;
            Ok(MessageId::parse(id).map(ReportTarget::Message))
        }
        ProposedReport { message_id: None, agent_id: Some(id), region: None, .. } => {
            Ok(AccountId::parse(id).map(ReportTarget::Name))
        }
        ProposedReport { message_id: None, agent_id: None, region: Some(region), .. } => {
            reports::parse_region(&app.state, *region).map(|rect| Some(ReportTarget::Canvas(rect)))
        }
        ProposedReport { message_id: None, agent_id: None, region: None, .. } => {
            let detail = "Send message_id, agent_id or region to say what is reported.";
            Err(InputError::for_field(InputErrorKind::Missing, "message_id", detail).into())
        }
        _ => Err(Refusal::invalid("message_id", "Send only one of message_id, agent_id and region.")),
    }
}
