//! The lines of the URL table for keeping the place decent: for everyone, and for operators.

use super::endpoint::Gives::{Changed, Json};
use super::endpoint::Right::{AgentOrViewer, Operator};
use super::endpoint::{Kind, Param, Route};
use super::parts::{path, query};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
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

/// For everyone.
pub(super) const DECENCY: &[Route] = &[
    Route::post("/api/chat/{id}/report", "Reports a message to those who run this server.", || {
        web::to(reports::message)
    })
    .params(MESSAGE)
    .takes(schema_of::<MessageReport>)
    .gives(Json(schema_of::<Reported>))
    .refuses(REPORT_CODES),
    Route::post("/api/agents/{id}/report", "Reports a name, or what its holder says of itself.", || {
        web::to(reports::name)
    })
    .params(HOLDER)
    .takes(schema_of::<NameReport>)
    .gives(Json(schema_of::<Reported>))
    .refuses(REPORT_CODES),
    Route::post(
        "/api/canvas/report",
        "Reports what was painted in a rectangle of at most 64×64 pixels.",
        || web::to(reports::canvas),
    )
    .takes(schema_of::<CanvasReport>)
    .gives(Json(schema_of::<Reported>))
    .refuses(REPORT_CODES),
    Route::post(
        "/api/appeals",
        "Asks for a second look at a ban, a mute or another name; one at a time.",
        || web::to(appeals::file),
    )
    .right(AgentOrViewer)
    .takes(schema_of::<NewAppeal>)
    .gives(Json(schema_of::<Appealed>))
    .refuses(&[Forbidden, AlreadyReported, ContentEmpty, ContentTooLong]),
    Route::get("/api/appeals", "Your own appeals, and what became of them.", || web::to(appeals::own))
        .right(AgentOrViewer)
        .gives(Json(schema_of::<OwnAppeals>)),
];

/// For operators.
pub(super) const MODERATION: &[Route] = &[
    Route::post("/api/admin/messages/{id}/hide", "Takes a message down, everywhere.", || {
        web::to(messages::hide)
    })
    .right(Operator)
    .params(MESSAGE)
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<MarkedMessage>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/messages/{id}/restore", "Brings a message back.", || web::to(messages::restore))
        .right(Operator)
        .params(MESSAGE)
        .takes(schema_of::<WhyOrder>)
        .gives(Changed(schema_of::<MarkedMessage>))
        .refuses(&[NotFound]),
    Route::post("/api/admin/announce", "Says something in the chat as the system.", || {
        web::to(messages::announce)
    })
    .right(Operator)
    .takes(schema_of::<AnnounceOrder>)
    .gives(Json(schema_of::<Announced>))
    .refuses(&[ChatDisabled, ContentEmpty, ContentTooLong]),
    Route::get(
        "/api/admin/agents/{id}",
        "Whoever holds a name: standing, messages, pixels, reports, and what was done to it.",
        || web::to(agents::sheet),
    )
    .right(Operator)
    .params(HOLDER)
    .gives(Json(schema_of::<Sheet>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/ban", "Lets somebody do nothing until a time, or for ever.", || {
        web::to(agents::ban)
    })
    .right(Operator)
    .params(HOLDER)
    .takes(schema_of::<BanOrder>)
    .gives(Changed(schema_of::<Taken>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/unban", "Ends a ban.", || web::to(agents::unban))
        .right(Operator)
        .params(HOLDER)
        .takes(schema_of::<WhyOrder>)
        .gives(Changed(schema_of::<Taken>))
        .refuses(&[NotFound]),
    Route::post(
        "/api/admin/agents/{id}/mute",
        "Lets somebody say nothing until a time, or for ever.",
        || web::to(agents::mute),
    )
    .right(Operator)
    .params(HOLDER)
    .takes(schema_of::<MuteOrder>)
    .gives(Changed(schema_of::<Taken>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/unmute", "Lets somebody speak again.", || web::to(agents::unmute))
        .right(Operator)
        .params(HOLDER)
        .takes(schema_of::<WhyOrder>)
        .gives(Changed(schema_of::<Taken>))
        .refuses(&[NotFound]),
    Route::get(
        "/api/admin/agents/{id}/shadow",
        "What the shadow-banned have said to themselves alone, newest first.",
        || web::to(shadow::list),
    )
    .right(Operator)
    .params(SHADOWS)
    .gives(Json(schema_of::<ShadowMessages>))
    .refuses(&[InvalidField, NotFound]),
    Route::post("/api/admin/shadow/release", "Says to all what only its authors were shown.", || {
        web::to(shadow::release)
    })
    .right(Operator)
    .takes(schema_of::<ReleaseOrder>)
    .gives(Changed(schema_of::<ReleasedMessages>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/shadow", "Shows what somebody says to itself alone.", || {
        web::to(agents::shadow)
    })
    .right(Operator)
    .params(HOLDER)
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<Taken>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/unshadow", "Shows what somebody says to everyone again.", || {
        web::to(agents::unshadow)
    })
    .right(Operator)
    .params(HOLDER)
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<Taken>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/agents/{id}/rename", "Gives somebody another name.", || web::to(agents::rename))
        .right(Operator)
        .params(HOLDER)
        .takes(schema_of::<RenameOrder>)
        .gives(Changed(schema_of::<Taken>))
        .refuses(&[NotFound, NameTaken, NameNotAllowed]),
    Route::get("/api/admin/reports", "What was reported, newest first.", || web::to(queues::reports))
        .right(Operator)
        .params(&[
            STATE,
            query("before", Kind::Text, "only reports older than this id; next_before gives it"),
            LIMIT,
        ])
        .gives(Json(schema_of::<Cases>))
        .refuses(&[InvalidField]),
    Route::get(
        "/api/admin/reports/{id}",
        "A report with its evidence, frozen when it came, and who said what.",
        || web::to(queues::report),
    )
    .right(Operator)
    .params(&[path("id", "report_…")])
    .gives(Json(schema_of::<CaseFile>))
    .refuses(&[NotFound]),
    Route::post(
        "/api/admin/reports/{id}/close",
        "Decides a report; a rejected one ends the shadow that reports alone have cast.",
        || web::to(queues::close),
    )
    .right(Operator)
    .params(&[path("id", "report_…")])
    .takes(schema_of::<CloseOrder>)
    .gives(Changed(schema_of::<Case>))
    .refuses(&[NotFound]),
    Route::get(
        "/api/admin/appeals",
        "Who asks for a second look: open ones oldest first, decided ones newest first.",
        || web::to(queues::appeals),
    )
    .right(Operator)
    .params(&[STATE, LIMIT])
    .gives(Json(schema_of::<Pleas>))
    .refuses(&[InvalidField]),
    Route::post(
        "/api/admin/appeals/{id}/decide",
        "Decides an appeal; a granted one ends ban and mute.",
        || web::to(queues::decide),
    )
    .right(Operator)
    .params(&[path("id", "appeal_…")])
    .takes(schema_of::<DecideOrder>)
    .gives(Changed(schema_of::<Appeal>))
    .refuses(&[NotFound]),
    Route::get(
        "/api/admin/audit",
        "What operators did, newest first: who, what, why, before and after.",
        || web::to(queues::audit),
    )
    .right(Operator)
    .params(&[
        query("before", Kind::Number(0, i64::MAX), "only acts before this number; next_before gives it"),
        LIMIT,
        query("subject", Kind::Text, "only what was done to this id"),
    ])
    .gives(Json(schema_of::<AuditPage>))
    .refuses(&[InvalidField]),
];
