//! The lines of the URL table for the operator's console.

use actix_web::web;

use super::admin::{ASK, ORDER, ORDERING};
use super::endpoint::Gives::Media;
use super::endpoint::Verb::Post;
use super::endpoint::{Kind, Param, Route};
use super::parts::*;
use super::table::READ;
use crate::http::web::console;
use crate::http::web::console::{
    agents, appeals, audit, keys, messages, passes, reports, rollbacks, seasons, settings,
};

/// A page of the console.
const ROOM: Route = Route { gives: Media("text/html"), ..ASK };
/// What its forms are sent to.
const DESK: Route = Route { gives: Media("text/html"), ..ORDER };

const PAGE: &[Param] = &[
    query("state", Kind::Word(&["open", "closed"]), "what waits, or what was decided"),
    query("before", Kind::Text, "only older ones"),
];
const WANTED: &[Param] = &[
    query("agent_id", Kind::Text, "whose placements"),
    query("x1", Kind::Column, "left"),
    query("y1", Kind::Row, "top"),
    query("x2", Kind::Column, "right"),
    query("y2", Kind::Row, "bottom"),
    query("from", Kind::Moment, "the first moment"),
    query("to", Kind::Moment, "the last moment"),
];

/// The console.
pub(super) const CONSOLE: &[Route] = &[
    Route { path: "/admin", summary: "The console.", mount: || web::to(console::overview), ..ROOM },
    Route {
        path: "/admin/reports",
        summary: "What was reported.",
        params: PAGE,
        mount: || web::to(reports::queue),
        ..ROOM
    },
    Route {
        path: "/admin/reports/{id}",
        summary: "One report.",
        params: &[path("id", "report_…")],
        mount: || web::to(reports::case),
        ..ROOM
    },
    Route {
        path: "/admin/reports/{id}/close",
        summary: "Decides a report.",
        params: &[path("id", "report_…")],
        mount: || web::to(reports::close),
        ..DESK
    },
    Route {
        path: "/admin/appeals",
        summary: "Who appeals.",
        params: PAGE,
        mount: || web::to(appeals::queue),
        ..ROOM
    },
    Route {
        path: "/admin/appeals/{id}/decide",
        summary: "Decides an appeal.",
        params: &[path("id", "appeal_…")],
        mount: || web::to(appeals::decide),
        ..DESK
    },
    Route {
        path: "/admin/messages",
        summary: "What is said.",
        params: PAGE,
        mount: || web::to(messages::page),
        ..ROOM
    },
    Route {
        path: "/admin/messages/{id}/{act}",
        summary: "Takes a message down, or brings it back.",
        params: &[path("id", "msg_…"), path("act", "hide or restore")],
        mount: || web::to(messages::act),
        ..DESK
    },
    Route {
        path: "/admin/announce",
        summary: "Says something as the system.",
        mount: || web::to(messages::announce),
        ..DESK
    },
    Route {
        path: "/admin/agents",
        summary: "Finds somebody.",
        params: &[query("who", Kind::Text, "a name, or an id")],
        mount: || web::to(agents::find),
        ..ROOM
    },
    Route {
        path: "/admin/agents/{id}",
        summary: "Whoever holds a name.",
        params: &[path("id", "agent_… or viewer_…")],
        mount: || web::to(agents::sheet),
        ..ROOM
    },
    Route {
        path: "/admin/agents/{id}/{act}",
        summary: "Imposes or lifts something.",
        params: &[path("id", "agent_… or viewer_…"), path("act", "as under /api/admin/agents")],
        mount: || web::to(agents::act),
        ..DESK
    },
    Route {
        path: "/admin/rollbacks",
        summary: "What is rolled back.",
        params: WANTED,
        mount: || web::to(rollbacks::page),
        ..ROOM
    },
    Route {
        path: "/admin/rollbacks/preview",
        summary: "How it would look.",
        params: WANTED,
        mount: || web::to(rollbacks::preview),
        ..ROOM
    },
    Route { path: "/admin/rollbacks", summary: "Rolls back.", mount: || web::to(rollbacks::begin), ..DESK },
    Route {
        path: "/admin/rollbacks/{id}",
        summary: "How far it has come.",
        params: &[path("id", "rollback_…")],
        mount: || web::to(rollbacks::progress),
        ..ROOM
    },
    Route {
        path: "/admin/rollbacks/{id}/undo",
        summary: "Undoes it.",
        params: &[path("id", "rollback_…")],
        mount: || web::to(rollbacks::undo),
        ..DESK
    },
    Route {
        path: "/admin/audit",
        summary: "Everything that operators did.",
        params: &[
            query("before", Kind::Number(0, i64::MAX), "only lines older than this number"),
            query("subject", Kind::Text, "only about this"),
        ],
        mount: || web::to(audit::page),
        ..ROOM
    },
    Route { path: "/admin/seasons", summary: "All seasons.", mount: || web::to(seasons::page), ..ROOM },
    Route {
        path: "/admin/seasons/{act}",
        summary: "Opens, freezes, lets go on, or appoints an end.",
        params: &[path("act", "open, freeze, unfreeze or schedule")],
        mount: || web::to(seasons::act),
        ..DESK
    },
    Route {
        path: "/admin/settings",
        summary: "What can be changed while running.",
        mount: || web::to(settings::page),
        ..ROOM
    },
    Route {
        path: "/admin/settings",
        summary: "Changes a setting.",
        mount: || web::to(settings::set),
        ..DESK
    },
    Route { path: "/admin/passes", summary: "Who may speak.", mount: || web::to(passes::page), ..ROOM },
    Route { path: "/admin/passes", summary: "Gives a pass.", mount: || web::to(passes::grant), ..DESK },
    Route {
        path: "/admin/passes/{id}/revoke",
        summary: "Takes a pass away.",
        params: &[path("id", "viewer_…")],
        mount: || web::to(passes::revoke),
        ..DESK
    },
    Route { path: "/admin/keys", summary: "Keys of programs.", mount: || web::to(keys::page), ..ROOM },
    Route { path: "/admin/keys", summary: "Makes a key.", mount: || web::to(keys::new), ..DESK },
    Route {
        path: "/admin/keys/{id}/revoke",
        summary: "Ends a key.",
        params: &[path("id", "key_…")],
        mount: || web::to(keys::revoke),
        ..DESK
    },
    Route {
        path: "/admin/sign-in",
        summary: "Where an operator signs in.",
        params: &[query("next", Kind::Text, "the room of the console to go to")],
        gives: Media("text/html"),
        refusals: LOOKING,
        mount: || web::to(console::sign_in),
        ..READ
    },
    Route {
        verb: Post,
        path: "/admin/sign-in",
        summary: "Signs an operator in.",
        gives: Media("text/html"),
        refusals: ORDERING,
        mount: || web::to(console::submit),
        ..READ
    },
    Route {
        path: "/admin/sign-out",
        summary: "Signs an operator out.",
        mount: || web::to(console::leave),
        ..DESK
    },
];
