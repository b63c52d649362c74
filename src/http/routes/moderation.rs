//! The lines of the URL table for keeping the place decent: for everyone, and for operators.

use super::endpoint::Right::AgentOrViewer;
use super::endpoint::{Kind, Mount, Param, Route, for_operators};
use super::parts::{path, query};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::agents::{BanOrder, MuteOrder, RenameOrder, Taken};
use crate::http::admin::messages::{AnnounceOrder, Announced};
use crate::http::admin::order::WhyOrder;
use crate::http::admin::queues::{CloseOrder, DecideOrder};
use crate::http::admin::shadow::{ReleaseOrder, ReleasedMessages, ShadowMessages};
use crate::http::admin::{agents, messages, queues, shadow};
use crate::http::api::appeals::{Appealed, NewAppeal, OwnAppeals};
use crate::http::api::reports::{CanvasReport, MessageReport, NameReport, Reported};
use crate::http::api::{appeals, reports};
use crate::moderation::appeals::{Appeal, Pleas};
use crate::moderation::audit::AuditPage;
use crate::moderation::hide::MarkedMessage;
use crate::moderation::reports::case::Case;
use crate::moderation::reports::review::{CaseFile, Cases};
use crate::moderation::sheet::Sheet;

const SHADOWS: &[Param] =
    &[path("id", "agent_… or viewer_…"), query("limit", Kind::Number(1, 100), "how many, 50 by default")];

const LIMIT: Param = query("limit", Kind::Number(1, 200), "how many, 50 by default");
const STATE: Param = query("state", Kind::Word(&["open", "closed"]), "open by default");
const HOLDER: &[Param] = &[path("id", "agent_… or viewer_…")];
const MESSAGE: &[Param] = &[path("id", "msg_…")];

/// The codes of every kind of report.
const REPORT_CODES: &[Code] = &[
    OutOfBounds,
    Banned,
    Forbidden,
    NotFound,
    ChatDisabled,
    AlreadyReported,
    DatabaseUnavailable,
    Overloaded,
];

/// Returns the row of an act on an account.
const fn act(path: &'static str, mount: Mount) -> Route {
    Route::post(path, mount).params(HOLDER).changed::<Taken>()
}

/// For everyone.
pub(super) const DECENCY: &[Route] = &[
    Route::post("/api/chat/{id}/report", || web::to(reports::message))
        .summary("Reports a message to those who run this server.")
        .params(MESSAGE)
        .takes::<MessageReport>()
        .json::<Reported>()
        .refuses(REPORT_CODES),
    Route::post("/api/agents/{id}/report", || web::to(reports::name))
        .summary("Reports a name, or what its holder says of itself.")
        .params(HOLDER)
        .takes::<NameReport>()
        .json::<Reported>()
        .refuses(REPORT_CODES),
    Route::post("/api/canvas/report", || web::to(reports::canvas))
        .summary("Reports what was painted in a rectangle of at most 64×64 pixels.")
        .takes::<CanvasReport>()
        .json::<Reported>()
        .refuses(REPORT_CODES),
    Route::post("/api/appeals", || web::to(appeals::file))
        .summary("Asks for a second look at a ban, a mute or another name; one at a time.")
        .right(AgentOrViewer)
        .takes::<NewAppeal>()
        .json::<Appealed>()
        .refuses(&[Forbidden, AlreadyReported, ContentEmpty, ContentTooLong]),
    Route::get("/api/appeals", || web::to(appeals::own))
        .summary("Your own appeals, and what became of them.")
        .right(AgentOrViewer)
        .json::<OwnAppeals>(),
];

/// For operators.
pub(super) const MODERATION: &[Route] = &for_operators([
    Route::post("/api/admin/messages/{id}/hide", || web::to(messages::hide))
        .summary("Takes a message down, everywhere.")
        .params(MESSAGE)
        .takes::<WhyOrder>()
        .changed::<MarkedMessage>(),
    Route::post("/api/admin/messages/{id}/restore", || web::to(messages::restore))
        .summary("Brings a message back.")
        .params(MESSAGE)
        .takes::<WhyOrder>()
        .changed::<MarkedMessage>(),
    Route::post("/api/admin/announce", || web::to(messages::announce))
        .summary("Says something in the chat as the system.")
        .takes::<AnnounceOrder>()
        .json::<Announced>()
        .refuses(&[ChatDisabled, ContentEmpty, ContentTooLong]),
    Route::get("/api/admin/agents/{id}", || web::to(agents::sheet))
        .summary("Whoever holds a name: standing, messages, pixels, reports, and what was done to it.")
        .params(HOLDER)
        .json::<Sheet>(),
    act("/api/admin/agents/{id}/ban", || web::to(agents::ban))
        .summary("Lets somebody do nothing until a time, or for ever.")
        .takes::<BanOrder>(),
    act("/api/admin/agents/{id}/unban", || web::to(agents::unban)).summary("Ends a ban.").takes::<WhyOrder>(),
    act("/api/admin/agents/{id}/mute", || web::to(agents::mute))
        .summary("Lets somebody say nothing until a time, or for ever.")
        .takes::<MuteOrder>(),
    act("/api/admin/agents/{id}/unmute", || web::to(agents::unmute))
        .summary("Lets somebody speak again.")
        .takes::<WhyOrder>(),
    Route::get("/api/admin/agents/{id}/shadow", || web::to(shadow::list))
        .summary("What the shadow-banned have said to themselves alone, newest first.")
        .params(SHADOWS)
        .json::<ShadowMessages>(),
    Route::post("/api/admin/shadow/release", || web::to(shadow::release))
        .summary("Says to all what only its authors were shown.")
        .takes::<ReleaseOrder>()
        .changed::<ReleasedMessages>()
        .refuses(&[NotFound]),
    act("/api/admin/agents/{id}/shadow", || web::to(agents::shadow))
        .summary("Shows what somebody says to itself alone.")
        .takes::<WhyOrder>(),
    act("/api/admin/agents/{id}/unshadow", || web::to(agents::unshadow))
        .summary("Shows what somebody says to everyone again.")
        .takes::<WhyOrder>(),
    act("/api/admin/agents/{id}/rename", || web::to(agents::rename))
        .summary("Gives somebody another name.")
        .takes::<RenameOrder>()
        .refuses(&[NameTaken, NameNotAllowed]),
    Route::get("/api/admin/reports", || web::to(queues::reports))
        .summary("What was reported, newest first.")
        .params(&[
            STATE,
            query("before", Kind::Text, "only reports older than this id; next_before gives it"),
            LIMIT,
        ])
        .json::<Cases>(),
    Route::get("/api/admin/reports/{id}", || web::to(queues::report))
        .summary("A report with its evidence, frozen when it came, and who said what.")
        .params(&[path("id", "report_…")])
        .json::<CaseFile>(),
    Route::post("/api/admin/reports/{id}/close", || web::to(queues::close))
        .summary("Decides a report; a rejected one ends the shadow that reports alone have cast.")
        .params(&[path("id", "report_…")])
        .takes::<CloseOrder>()
        .changed::<Case>(),
    Route::get("/api/admin/appeals", || web::to(queues::appeals))
        .summary("Who asks for a second look: open ones oldest first, decided ones newest first.")
        .params(&[STATE, LIMIT])
        .json::<Pleas>(),
    Route::post("/api/admin/appeals/{id}/decide", || web::to(queues::decide))
        .summary("Decides an appeal; a granted one ends ban and mute.")
        .params(&[path("id", "appeal_…")])
        .takes::<DecideOrder>()
        .changed::<Appeal>(),
    Route::get("/api/admin/audit", || web::to(queues::audit))
        .summary("What operators did, newest first: who, what, why, before and after.")
        .params(&[
            query("before", Kind::Number(0, i64::MAX), "only acts before this number; next_before gives it"),
            LIMIT,
            query("subject", Kind::Text, "only what was done to this id"),
        ])
        .json::<AuditPage>(),
]);
