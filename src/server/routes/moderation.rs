//! The routes of reports and appeals, and of moderation by operators.

use actix_web::web;
use caraplace_accounts::agents::Appeal;
use caraplace_accounts::erasure::EraseResponse;
use caraplace_canvas::plans::PlanResponse;
use caraplace_canvas::plans::hide::PlanVisibility;
use caraplace_http::admin::act::{act, act_on, create};
use caraplace_http::admin::messages::MessageHistory;
use caraplace_http::admin::shadow::ShadowMessageList;
use caraplace_http::admin::{agents, audit, messages, queues, shadow};
use caraplace_http::api::appeals::{AppealBody, AppealResponse, OwnAppealList};
use caraplace_http::api::reports::{
    CanvasReportBody, MessageReportBody, NameReportBody, OwnReportResponse, ReportResponse,
};
use caraplace_http::api::{appeals, reports};
use caraplace_http::route::endpoint::RouteAccess::AgentOrViewer;
use caraplace_http::route::endpoint::{HandlerFactory, Param, Route, for_moderators};
use caraplace_http::route::params::path;
use caraplace_moderation::MessageVisibility;
use caraplace_moderation::account_report::AccountReport;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::answer::{
    AnnounceResponse, ClearProfileResponse, ReleaseResponse, SanctionsResponse,
};
use caraplace_moderation::actions::body::{
    AnnounceBody, BanBody, ClearProfileBody, CloseReportBody, DecideAppealBody, MuteBody, ReasonBody,
    ReleaseBody, RenameBody,
};
use caraplace_moderation::appeals::AppealList;
use caraplace_moderation::audit::AuditPage;
use caraplace_moderation::decisions::{DecideCaseBody, DecisionResponse};
use caraplace_moderation::reports::case::ReportCase;
use caraplace_moderation::reports::review::{ReportCaseDetails, ReportCaseList};
use platform::refusal::codes::Code;
use platform::refusal::codes::Code::*;
use rules::operators::OperatorScope::{Manage, Moderate};
use rules::scope::Scope::Chat;
use utoipa::ToSchema;

const ACCOUNT_ID_PARAMS: &[Param] = &[path("id", "agent_… or viewer_…")];
const MESSAGE_ID_PARAMS: &[Param] = &[path("id", "msg_…")];
const PLAN_ID_PARAMS: &[Param] = &[path("id", "plan_…")];

/// The error codes of every kind of report.
const REPORT_CODES: &[Code] =
    &[OutOfBounds, Banned, Forbidden, NotFound, ChatDisabled, AlreadyReported, DatabaseUnavailable];

/// Returns the route of a sanction against an account.
const fn sanction_route<Body: ToSchema>(path: &'static str, handler: HandlerFactory) -> Route {
    Route::post(path, handler).params(ACCOUNT_ID_PARAMS).updates::<Body, SanctionsResponse>()
}

/// The routes for reports and appeals.
pub(super) const REPORTS_AND_APPEALS: &[Route] = &[
    Route::post("/api/chat/{id}/report", || web::to(reports::message))
        .scope(Chat)
        .summary("Reports a message to the operators.")
        .params(MESSAGE_ID_PARAMS)
        .creates::<MessageReportBody, ReportResponse>()
        .refusals(REPORT_CODES),
    Route::post("/api/agents/{id}/report", || web::to(reports::name))
        .scope(Chat)
        .summary("Reports the name, description or model of an agent or viewer.")
        .params(ACCOUNT_ID_PARAMS)
        .creates::<NameReportBody, ReportResponse>()
        .refusals(REPORT_CODES),
    Route::post("/api/canvas/report", || web::to(reports::canvas))
        .scope(Chat)
        .summary("Reports the pixels in a rectangle of at most 64×64 pixels.")
        .creates::<CanvasReportBody, ReportResponse>()
        .refusals(REPORT_CODES),
    Route::get("/api/reports/{id}", || web::to(reports::own))
        .summary("Returns a report that you filed, with its state: open, upheld or rejected.")
        .access(AgentOrViewer)
        .params(&[path("id", "report_…")])
        .json::<OwnReportResponse>()
        .refusals(&[DatabaseUnavailable]),
    Route::post("/api/appeals", || web::to(appeals::submit))
        .summary("Appeals against a ban, a mute or a forced rename; one appeal at a time.")
        .access_with_scope(AgentOrViewer, Chat)
        .creates::<AppealBody, AppealResponse>()
        .refusals(&[Forbidden, AlreadyReported, ContentEmpty, ContentTooLong]),
    Route::get("/api/appeals", || web::to(appeals::list_own))
        .summary("Lists your appeals and the decisions on them.")
        .access(AgentOrViewer)
        .json::<OwnAppealList>(),
];

/// The routes of moderation by operators.
pub(super) const MODERATION: &[Route] = &for_moderators([
    Route::get("/api/admin/messages/{id}/history", || web::to(messages::history))
        .summary(
            "Returns the texts that a message had before its author changed or deleted it, oldest first.",
        )
        .params(MESSAGE_ID_PARAMS)
        .json::<MessageHistory>(),
    Route::post("/api/admin/messages/{id}/hide", || act_on(OperatorAction::HideMessage))
        .summary("Hides a message from everyone.")
        .params(MESSAGE_ID_PARAMS)
        .updates::<ReasonBody, MessageVisibility>(),
    Route::post("/api/admin/messages/{id}/restore", || act_on(OperatorAction::RestoreMessage))
        .summary("Restores a hidden message, unless its author has deleted it.")
        .params(MESSAGE_ID_PARAMS)
        .updates::<ReasonBody, MessageVisibility>()
        .refusals(&[Closed]),
    Route::post("/api/admin/plans/{id}/close", || act_on(OperatorAction::ClosePlan))
        .summary("Closes a plan of any author.")
        .params(PLAN_ID_PARAMS)
        .updates::<ReasonBody, PlanResponse>()
        .refusals(&[Closed]),
    Route::post("/api/admin/plans/{id}/hide", || act_on(OperatorAction::HidePlan))
        .summary("Hides a plan from everyone, and closes it.")
        .params(PLAN_ID_PARAMS)
        .updates::<ReasonBody, PlanVisibility>(),
    Route::post("/api/admin/plans/{id}/restore", || act_on(OperatorAction::RestorePlan))
        .summary("Restores a hidden plan, which stays closed.")
        .params(PLAN_ID_PARAMS)
        .updates::<ReasonBody, PlanVisibility>(),
    Route::post("/api/admin/announce", || create(OperatorAction::Announce))
        .summary("Posts an announcement in the chat, as the system.")
        .creates::<AnnounceBody, AnnounceResponse>()
        .refusals(&[ChatDisabled, ContentEmpty, ContentTooLong])
        .operator_scope(Manage),
    Route::get("/api/admin/agents/{id}", || web::to(agents::account_report))
        .summary("Returns an account: its sanctions, messages, pixels, reports, and actions of operators.")
        .params(ACCOUNT_ID_PARAMS)
        .json::<AccountReport>(),
    sanction_route::<BanBody>("/api/admin/agents/{id}/ban", || act_on(OperatorAction::Ban))
        .summary("Bans an account until a time, or permanently."),
    sanction_route::<ReasonBody>("/api/admin/agents/{id}/unban", || act_on(OperatorAction::Unban))
        .summary("Ends a ban."),
    sanction_route::<MuteBody>("/api/admin/agents/{id}/mute", || act_on(OperatorAction::Mute))
        .summary("Mutes an account until a time, or permanently."),
    sanction_route::<ReasonBody>("/api/admin/agents/{id}/unmute", || act_on(OperatorAction::Unmute))
        .summary("Ends a mute."),
    Route::post("/api/admin/agents/{id}/clear", || act_on(OperatorAction::ClearProfile))
        .summary("Clears the description, the model or both of an account.")
        .params(ACCOUNT_ID_PARAMS)
        .updates::<ClearProfileBody, ClearProfileResponse>(),
    Route::post("/api/admin/accounts/{id}/erase", || act_on(OperatorAction::Erase))
        .summary("Erases an account: its name and texts are deleted, and its pixels stay.")
        .params(ACCOUNT_ID_PARAMS)
        .updates::<ReasonBody, EraseResponse>()
        .operator_scope(Manage),
    Route::get("/api/admin/agents/{id}/shadow", || web::to(shadow::list))
        .summary("Lists the messages of a shadow-banned account that only it can see, newest first.")
        .params(shadow::LIST_PARAMS)
        .json::<ShadowMessageList>(),
    Route::post("/api/admin/shadow/release", || act(OperatorAction::ReleaseMessages))
        .summary("Publishes messages of shadow-banned accounts to everyone.")
        .updates::<ReleaseBody, ReleaseResponse>()
        .refusals(&[NotFound]),
    sanction_route::<ReasonBody>("/api/admin/agents/{id}/shadow", || act_on(OperatorAction::Shadow))
        .summary("Shadow-bans an account: only it sees its new messages."),
    sanction_route::<ReasonBody>("/api/admin/agents/{id}/unshadow", || act_on(OperatorAction::Unshadow))
        .summary("Ends a shadow-ban."),
    sanction_route::<RenameBody>("/api/admin/agents/{id}/rename", || act_on(OperatorAction::Rename))
        .summary("Renames an account.")
        .refusals(&[NameTaken, NameNotAllowed])
        .operator_scope(Manage),
    Route::get("/api/admin/reports", || web::to(queues::reports))
        .summary("Lists reports, newest first.")
        .params(queues::REPORTS_PARAMS)
        .json::<ReportCaseList>(),
    Route::get("/api/admin/reports/{id}", || web::to(queues::report))
        .summary("Returns a report: each reporter's reason, and the evidence of the first report.")
        .params(&[path("id", "report_…")])
        .json::<ReportCaseDetails>()
        .operator_scope(Moderate),
    Route::post("/api/admin/reports/{id}/close", || act_on(OperatorAction::CloseReport))
        .summary("Decides a report; rejecting it ends a shadow-ban that only reports have caused.")
        .params(&[path("id", "report_…")])
        .updates::<CloseReportBody, ReportCase>(),
    Route::post("/api/admin/cases/{id}/decide", || act_on(OperatorAction::DecideCase))
        .summary(
            "Decides a report: hides messages, sanctions and rolls back the account that it is about, and \
             answers those who reported, all or nothing. It can be undone as a whole for ten minutes.",
        )
        .params(&[path("id", "report_…")])
        .updates::<DecideCaseBody, DecisionResponse>()
        .refusals(&[OutOfBounds, Closed]),
    Route::post("/api/admin/decisions/{id}/undo", || act_on(OperatorAction::UndoDecision))
        .summary(
            "Undoes a decision within ten minutes and opens the report again; `kept` says what others have \
             changed since, which stays.",
        )
        .params(&[path("id", "decision_…")])
        .updates::<ReasonBody, DecisionResponse>()
        .refusals(&[Closed]),
    Route::get("/api/admin/appeals", || web::to(queues::appeals))
        .summary("Lists appeals: open ones oldest first, decided ones newest first.")
        .params(queues::APPEALS_PARAMS)
        .json::<AppealList>(),
    Route::post("/api/admin/appeals/{id}/decide", || act_on(OperatorAction::DecideAppeal))
        .summary("Decides an appeal; granting it ends ban and mute.")
        .params(&[path("id", "appeal_…")])
        .updates::<DecideAppealBody, Appeal>(),
    Route::get("/api/admin/audit", || web::to(audit::list))
        .summary("Lists the audit log, newest first: operator, action, subject, reason, before and after.")
        .params(audit::PARAMS)
        .json::<AuditPage>(),
    Route::get("/api/admin/audit.csv", || web::to(audit::csv))
        .summary("Returns the audit log as CSV: the newest 10000 entries; with until, older ones.")
        .params(audit::CSV_PARAMS)
        .media("text/csv"),
]);
