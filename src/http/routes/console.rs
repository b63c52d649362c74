//! The lines of the URL table for the operator's console.

use super::endpoint::Right::Operator;
use super::endpoint::{Kind, Param, Route};
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
pub(super) const CONSOLE: &[Route] = &[
    Route::page("/admin", || web::to(console::overview)).summary("The console.").right(Operator),
    Route::page("/admin/reports", || web::to(reports::queue))
        .summary("What was reported.")
        .right(Operator)
        .params(PAGE),
    Route::page("/admin/reports/{id}", || web::to(reports::case))
        .summary("One report.")
        .right(Operator)
        .params(&[path("id", "report_…")]),
    Route::form("/admin/reports/{id}/close", || web::to(reports::close))
        .summary("Decides a report.")
        .right(Operator)
        .params(&[path("id", "report_…")]),
    Route::page("/admin/appeals", || web::to(appeals::queue))
        .summary("Who appeals.")
        .right(Operator)
        .params(PAGE),
    Route::form("/admin/appeals/{id}/decide", || web::to(appeals::decide))
        .summary("Decides an appeal.")
        .right(Operator)
        .params(&[path("id", "appeal_…")]),
    Route::page("/admin/messages", || web::to(messages::page))
        .summary("What is said.")
        .right(Operator)
        .params(PAGE),
    Route::form("/admin/messages/{id}/{act}", || web::to(messages::act))
        .summary("Takes a message down, or brings it back.")
        .right(Operator)
        .params(&[path("id", "msg_…"), path("act", "hide or restore")]),
    Route::form("/admin/announce", || web::to(messages::announce))
        .summary("Says something as the system.")
        .right(Operator),
    Route::page("/admin/agents", || web::to(agents::find))
        .summary("Finds somebody.")
        .right(Operator)
        .params(&[query("who", Kind::Text, "a name, or an id")]),
    Route::page("/admin/agents/{id}", || web::to(agents::sheet))
        .summary("Whoever holds a name.")
        .right(Operator)
        .params(&[path("id", "agent_… or viewer_…")]),
    Route::form("/admin/agents/{id}/{act}", || web::to(agents::act))
        .summary("Imposes or lifts something.")
        .right(Operator)
        .params(&[path("id", "agent_… or viewer_…"), path("act", "as under /api/admin/agents")]),
    Route::page("/admin/rollbacks", || web::to(rollbacks::page))
        .summary("What is rolled back.")
        .right(Operator)
        .params(WANTED),
    Route::page("/admin/rollbacks/preview", || web::to(rollbacks::preview))
        .summary("How it would look.")
        .right(Operator)
        .params(WANTED),
    Route::form("/admin/rollbacks", || web::to(rollbacks::begin)).summary("Rolls back.").right(Operator),
    Route::page("/admin/rollbacks/{id}", || web::to(rollbacks::progress))
        .summary("How far it has come.")
        .right(Operator)
        .params(&[path("id", "rollback_…")]),
    Route::form("/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo))
        .summary("Undoes it.")
        .right(Operator)
        .params(&[path("id", "rollback_…")]),
    Route::page("/admin/audit", || web::to(audit::page))
        .summary("Everything that operators did.")
        .right(Operator)
        .params(&[
            query("before", Kind::Number(0, i64::MAX), "only lines older than this number"),
            query("subject", Kind::Text, "only about this"),
        ]),
    Route::page("/admin/seasons", || web::to(seasons::page)).summary("All seasons.").right(Operator),
    Route::form("/admin/seasons/{act}", || web::to(seasons::act))
        .summary("Opens, freezes, lets go on, or appoints an end.")
        .right(Operator)
        .params(&[path("act", "open, freeze, unfreeze or schedule")]),
    Route::page("/admin/settings", || web::to(settings::page))
        .summary("What can be changed while running.")
        .right(Operator),
    Route::form("/admin/settings", || web::to(settings::set)).summary("Changes a setting.").right(Operator),
    Route::page("/admin/passes", || web::to(passes::page)).summary("Who may speak.").right(Operator),
    Route::form("/admin/passes", || web::to(passes::grant)).summary("Gives a pass.").right(Operator),
    Route::form("/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a pass away.")
        .right(Operator)
        .params(&[path("id", "viewer_…")]),
    Route::page("/admin/keys", || web::to(keys::page)).summary("Keys of programs.").right(Operator),
    Route::form("/admin/keys", || web::to(keys::new)).summary("Makes a key.").right(Operator),
    Route::form("/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Ends a key.")
        .right(Operator)
        .params(&[path("id", "key_…")]),
    Route::page("/admin/sign-in", || web::to(console::sign_in))
        .summary("Where an operator signs in.")
        .params(&[query("next", Kind::Text, "the room of the console to go to")]),
    Route::form("/admin/sign-in", || web::to(console::submit)).summary("Signs an operator in."),
    Route::form("/admin/sign-out", || web::to(console::leave))
        .summary("Signs an operator out.")
        .right(Operator),
];
