//! The lines of the URL table for keeping the place decent: for everyone, and for operators.

use actix_web::web;

use super::admin::{self, ASK, ORDER};
use super::endpoint::Gives::{Changed, Json};
use super::endpoint::Right::AgentOrViewer;
use super::endpoint::Verb::Post;
use super::endpoint::{Kind, Param, Route, schema_of};
use super::parts::*;
use super::table::READ;
use crate::http::admin::agents::{BanOrder, MuteOrder, RenameOrder, Taken};
use crate::http::admin::messages::{AnnounceOrder, Announced};
use crate::http::admin::order::WhyOrder;
use crate::http::admin::queues::{CloseOrder, DecideOrder};
use crate::http::admin::shadow::{ReleaseOrder, ReleasedMessages, ShadowMessages};
use crate::http::admin::{agents, messages, queues, shadow};
use crate::http::api::appeals::{Appealed, NewAppeal, OwnAppeals};
use crate::http::api::reports::{CanvasReport, MessageReport, NameReport, Reported};
use crate::http::api::{appeals, reports};
use crate::http::response::codes::Code;
use crate::http::response::codes::Code::*;
use crate::moderation::appeals::{Appeal, Pleas};
use crate::moderation::audit::AuditPage;
use crate::moderation::hide::MarkedMessage;
use crate::moderation::reports::review::{Case, CaseFile, Cases};
use crate::moderation::sheet::Sheet;

const SHADOWS: &[Param] =
    &[path("id", "agent_… or viewer_…"), query("limit", Kind::Number(1, 100), "how many, 50 by default")];
const REPORTING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    OutOfBounds,
    KeyInvalid,
    Banned,
    Forbidden,
    NotFound,
    ChatDisabled,
    TooLarge,
    UnsupportedMediaType,
    AlreadyReported,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const APPEALING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    TooLarge,
    UnsupportedMediaType,
    AlreadyReported,
    ContentEmpty,
    ContentTooLong,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const ANNOUNCING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    ChatDisabled,
    TooLarge,
    UnsupportedMediaType,
    ContentEmpty,
    ContentTooLong,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const RENAMING: &[Code] = &[
    MalformedJson,
    UnknownField,
    MissingField,
    InvalidField,
    KeyMissing,
    KeyInvalid,
    Forbidden,
    NotFound,
    TooLarge,
    UnsupportedMediaType,
    NameTaken,
    NameNotAllowed,
    TooManyRequests,
    DatabaseUnavailable,
    Overloaded,
];
const QUEUEING: &[Code] =
    &[InvalidField, KeyMissing, KeyInvalid, Forbidden, TooManyRequests, DatabaseUnavailable, Overloaded];
const FINDING: &[Code] =
    &[KeyMissing, KeyInvalid, Forbidden, NotFound, TooManyRequests, DatabaseUnavailable, Overloaded];

const LIMIT: Param = query("limit", Kind::Number(1, 200), "how many, 50 by default");
const STATE: Param = query("state", Kind::Word(&["open", "closed"]), "open by default");
const HOLDER: &[Param] = &[path("id", "agent_… or viewer_…")];
const MESSAGE: &[Param] = &[path("id", "msg_…")];

/// For everyone.
pub(super) const DECENCY: &[Route] = &[
    Route {
        verb: Post,
        path: "/api/chat/{id}/report",
        summary: "Reports a message to those who run this server.",
        params: MESSAGE,
        takes: Some(schema_of::<MessageReport>),
        gives: Json(schema_of::<Reported>),
        refusals: REPORTING,
        mount: || web::to(reports::message),
        ..READ
    },
    Route {
        verb: Post,
        path: "/api/agents/{id}/report",
        summary: "Reports a name, or what its holder says of itself.",
        params: HOLDER,
        takes: Some(schema_of::<NameReport>),
        gives: Json(schema_of::<Reported>),
        refusals: REPORTING,
        mount: || web::to(reports::name),
        ..READ
    },
    Route {
        verb: Post,
        path: "/api/canvas/report",
        summary: "Reports what was painted in a rectangle of at most 64×64 pixels.",
        takes: Some(schema_of::<CanvasReport>),
        gives: Json(schema_of::<Reported>),
        refusals: REPORTING,
        mount: || web::to(reports::canvas),
        ..READ
    },
    Route {
        verb: Post,
        path: "/api/appeals",
        right: AgentOrViewer,
        summary: "Asks for a second look at a ban, a mute or another name; one at a time.",
        takes: Some(schema_of::<NewAppeal>),
        gives: Json(schema_of::<Appealed>),
        refusals: APPEALING,
        mount: || web::to(appeals::file),
        ..READ
    },
    Route {
        path: "/api/appeals",
        right: AgentOrViewer,
        summary: "Your own appeals, and what became of them.",
        gives: Json(schema_of::<OwnAppeals>),
        refusals: OWN,
        mount: || web::to(appeals::own),
        ..READ
    },
];

const MEASURE: Route =
    Route { params: HOLDER, takes: Some(schema_of::<WhyOrder>), gives: Changed(schema_of::<Taken>), ..ORDER };

/// For operators.
pub(super) const MODERATION: &[Route] = &[
    Route {
        path: "/api/admin/messages/{id}/hide",
        summary: "Takes a message down, everywhere.",
        params: MESSAGE,
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<MarkedMessage>),
        mount: || web::to(messages::hide),
        ..ORDER
    },
    Route {
        path: "/api/admin/messages/{id}/restore",
        summary: "Brings a message back.",
        params: MESSAGE,
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<MarkedMessage>),
        mount: || web::to(messages::restore),
        ..ORDER
    },
    Route {
        path: "/api/admin/announce",
        summary: "Says something in the chat as the system.",
        takes: Some(schema_of::<AnnounceOrder>),
        gives: Json(schema_of::<Announced>),
        refusals: ANNOUNCING,
        mount: || web::to(messages::announce),
        ..ORDER
    },
    Route {
        path: "/api/admin/agents/{id}",
        summary: "Whoever holds a name: standing, messages, pixels, reports, and what was done to it.",
        params: HOLDER,
        gives: Json(schema_of::<Sheet>),
        refusals: FINDING,
        mount: || web::to(agents::sheet),
        ..ASK
    },
    Route {
        path: "/api/admin/agents/{id}/ban",
        summary: "Lets somebody do nothing until a time, or for ever.",
        takes: Some(schema_of::<BanOrder>),
        mount: || web::to(agents::ban),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/unban",
        summary: "Ends a ban.",
        mount: || web::to(agents::unban),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/mute",
        summary: "Lets somebody say nothing until a time, or for ever.",
        takes: Some(schema_of::<MuteOrder>),
        mount: || web::to(agents::mute),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/unmute",
        summary: "Lets somebody speak again.",
        mount: || web::to(agents::unmute),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/shadow",
        summary: "What the shadow-banned have said to themselves alone, newest first.",
        params: SHADOWS,
        gives: Json(schema_of::<ShadowMessages>),
        refusals: admin::FINDING,
        mount: || web::to(shadow::list),
        ..ASK
    },
    Route {
        path: "/api/admin/shadow/release",
        summary: "Says to all what only its authors were shown.",
        takes: Some(schema_of::<ReleaseOrder>),
        gives: Changed(schema_of::<ReleasedMessages>),
        mount: || web::to(shadow::release),
        ..ORDER
    },
    Route {
        path: "/api/admin/agents/{id}/shadow",
        summary: "Shows what somebody says to itself alone.",
        mount: || web::to(agents::shadow),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/unshadow",
        summary: "Shows what somebody says to everyone again.",
        mount: || web::to(agents::unshadow),
        ..MEASURE
    },
    Route {
        path: "/api/admin/agents/{id}/rename",
        summary: "Gives somebody another name.",
        takes: Some(schema_of::<RenameOrder>),
        refusals: RENAMING,
        mount: || web::to(agents::rename),
        ..MEASURE
    },
    Route {
        path: "/api/admin/reports",
        summary: "What was reported, newest first.",
        params: &[
            STATE,
            query("before", Kind::Text, "only reports older than this id; next_before gives it"),
            LIMIT,
        ],
        gives: Json(schema_of::<Cases>),
        refusals: QUEUEING,
        mount: || web::to(queues::reports),
        ..ASK
    },
    Route {
        path: "/api/admin/reports/{id}",
        summary: "A report with its evidence, frozen when it came, and who said what.",
        params: &[path("id", "report_…")],
        gives: Json(schema_of::<CaseFile>),
        refusals: FINDING,
        mount: || web::to(queues::report),
        ..ASK
    },
    Route {
        path: "/api/admin/reports/{id}/close",
        summary: "Decides a report; a rejected one ends the shadow that reports alone have cast.",
        params: &[path("id", "report_…")],
        takes: Some(schema_of::<CloseOrder>),
        gives: Changed(schema_of::<Case>),
        mount: || web::to(queues::close),
        ..ORDER
    },
    Route {
        path: "/api/admin/appeals",
        summary: "Who asks for a second look: open ones oldest first, decided ones newest first.",
        params: &[STATE, LIMIT],
        gives: Json(schema_of::<Pleas>),
        refusals: QUEUEING,
        mount: || web::to(queues::appeals),
        ..ASK
    },
    Route {
        path: "/api/admin/appeals/{id}/decide",
        summary: "Decides an appeal; a granted one ends ban and mute.",
        params: &[path("id", "appeal_…")],
        takes: Some(schema_of::<DecideOrder>),
        gives: Changed(schema_of::<Appeal>),
        mount: || web::to(queues::decide),
        ..ORDER
    },
    Route {
        path: "/api/admin/audit",
        summary: "What operators did, newest first: who, what, why, before and after.",
        params: &[
            query("before", Kind::Number(0, i64::MAX), "only acts before this number; next_before gives it"),
            LIMIT,
            query("subject", Kind::Text, "only what was done to this id"),
        ],
        gives: Json(schema_of::<AuditPage>),
        refusals: QUEUEING,
        mount: || web::to(queues::audit),
        ..ASK
    },
];
