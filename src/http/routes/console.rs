//! The lines of the URL table for the operator's console.

use super::endpoint::{Kind, Param, Route, for_operators};
use super::parts::{path, query};
use actix_web::web;

use crate::http::web::console;
use crate::http::web::console::{
    agents, appeals, audit, keys, messages, passes, reports, rollbacks, seasons, settings,
};

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
pub(super) const CONSOLE: &[Route] = &for_operators([
    Route::page("/admin", || web::to(console::overview)).summary("The console."),
    Route::page("/admin/reports", || web::to(reports::queue)).summary("What was reported.").params(PAGE),
    Route::page("/admin/reports/{id}", || web::to(reports::case))
        .summary("One report.")
        .params(&[path("id", "report_…")]),
    Route::form("/admin/reports/{id}/close", || web::to(reports::close))
        .summary("Decides a report.")
        .params(&[path("id", "report_…")]),
    Route::page("/admin/appeals", || web::to(appeals::queue)).summary("Who appeals.").params(PAGE),
    Route::form("/admin/appeals/{id}/decide", || web::to(appeals::decide))
        .summary("Decides an appeal.")
        .params(&[path("id", "appeal_…")]),
    Route::page("/admin/messages", || web::to(messages::page)).summary("What is said.").params(PAGE),
    Route::form("/admin/messages/{id}/{act}", || web::to(messages::act))
        .summary("Takes a message down, or brings it back.")
        .params(&[path("id", "msg_…"), path("act", "hide or restore")]),
    Route::form("/admin/announce", || web::to(messages::announce)).summary("Says something as the system."),
    Route::page("/admin/agents", || web::to(agents::find)).summary("Finds somebody.").params(&[query(
        "who",
        Kind::Text,
        "a name, or an id",
    )]),
    Route::page("/admin/agents/{id}", || web::to(agents::sheet))
        .summary("Whoever holds a name.")
        .params(&[path("id", "agent_… or viewer_…")]),
    Route::form("/admin/agents/{id}/{act}", || web::to(agents::act))
        .summary("Imposes or lifts something.")
        .params(&[path("id", "agent_… or viewer_…"), path("act", "as under /api/admin/agents")]),
    Route::page("/admin/rollbacks", || web::to(rollbacks::page))
        .summary("What is rolled back.")
        .params(WANTED),
    Route::page("/admin/rollbacks/preview", || web::to(rollbacks::preview))
        .summary("How it would look.")
        .params(WANTED),
    Route::form("/admin/rollbacks", || web::to(rollbacks::begin)).summary("Rolls back."),
    Route::page("/admin/rollbacks/{id}", || web::to(rollbacks::progress))
        .summary("How far it has come.")
        .params(&[path("id", "rollback_…")]),
    Route::form("/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo))
        .summary("Undoes it.")
        .params(&[path("id", "rollback_…")]),
    Route::page("/admin/audit", || web::to(audit::page)).summary("Everything that operators did.").params(&[
        query("before", Kind::Number(0, i64::MAX), "only lines older than this number"),
        query("subject", Kind::Text, "only about this"),
    ]),
    Route::page("/admin/seasons", || web::to(seasons::page)).summary("All seasons."),
    Route::form("/admin/seasons/{act}", || web::to(seasons::act))
        .summary("Opens, freezes, lets go on, or appoints an end.")
        .params(&[path("act", "open, freeze, unfreeze or schedule")]),
    Route::page("/admin/settings", || web::to(settings::page)).summary("What can be changed while running."),
    Route::form("/admin/settings", || web::to(settings::set)).summary("Changes a setting."),
    Route::page("/admin/passes", || web::to(passes::page)).summary("Who may speak."),
    Route::form("/admin/passes", || web::to(passes::grant)).summary("Gives a pass."),
    Route::form("/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a pass away.")
        .params(&[path("id", "viewer_…")]),
    Route::page("/admin/keys", || web::to(keys::page)).summary("Keys of programs."),
    Route::form("/admin/keys", || web::to(keys::new)).summary("Makes a key."),
    Route::form("/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Ends a key.")
        .params(&[path("id", "key_…")]),
    Route::form("/admin/sign-out", || web::to(console::leave)).summary("Signs an operator out."),
]);

/// The way into the console.
pub(super) const SIGN_IN: &[Route] = &[
    Route::page("/admin/sign-in", || web::to(console::sign_in))
        .summary("Where an operator signs in.")
        .params(&[query("next", Kind::Text, "the room of the console to go to")]),
    Route::form("/admin/sign-in", || web::to(console::submit)).summary("Signs an operator in."),
];
