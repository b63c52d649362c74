//! The lines of the URL table for the operator's console.

use super::endpoint::Gives::Media;
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
    Route::get("/admin", "The console.", || web::to(console::overview))
        .right(Operator)
        .gives(Media("text/html")),
    Route::get("/admin/reports", "What was reported.", || web::to(reports::queue))
        .right(Operator)
        .params(PAGE)
        .gives(Media("text/html")),
    Route::get("/admin/reports/{id}", "One report.", || web::to(reports::case))
        .right(Operator)
        .params(&[path("id", "report_…")])
        .gives(Media("text/html")),
    Route::post("/admin/reports/{id}/close", "Decides a report.", || web::to(reports::close))
        .right(Operator)
        .params(&[path("id", "report_…")])
        .gives(Media("text/html")),
    Route::get("/admin/appeals", "Who appeals.", || web::to(appeals::queue))
        .right(Operator)
        .params(PAGE)
        .gives(Media("text/html")),
    Route::post("/admin/appeals/{id}/decide", "Decides an appeal.", || web::to(appeals::decide))
        .right(Operator)
        .params(&[path("id", "appeal_…")])
        .gives(Media("text/html")),
    Route::get("/admin/messages", "What is said.", || web::to(messages::page))
        .right(Operator)
        .params(PAGE)
        .gives(Media("text/html")),
    Route::post("/admin/messages/{id}/{act}", "Takes a message down, or brings it back.", || {
        web::to(messages::act)
    })
    .right(Operator)
    .params(&[path("id", "msg_…"), path("act", "hide or restore")])
    .gives(Media("text/html")),
    Route::post("/admin/announce", "Says something as the system.", || web::to(messages::announce))
        .right(Operator)
        .gives(Media("text/html")),
    Route::get("/admin/agents", "Finds somebody.", || web::to(agents::find))
        .right(Operator)
        .params(&[query("who", Kind::Text, "a name, or an id")])
        .gives(Media("text/html")),
    Route::get("/admin/agents/{id}", "Whoever holds a name.", || web::to(agents::sheet))
        .right(Operator)
        .params(&[path("id", "agent_… or viewer_…")])
        .gives(Media("text/html")),
    Route::post("/admin/agents/{id}/{act}", "Imposes or lifts something.", || web::to(agents::act))
        .right(Operator)
        .params(&[path("id", "agent_… or viewer_…"), path("act", "as under /api/admin/agents")])
        .gives(Media("text/html")),
    Route::get("/admin/rollbacks", "What is rolled back.", || web::to(rollbacks::page))
        .right(Operator)
        .params(WANTED)
        .gives(Media("text/html")),
    Route::get("/admin/rollbacks/preview", "How it would look.", || web::to(rollbacks::preview))
        .right(Operator)
        .params(WANTED)
        .gives(Media("text/html")),
    Route::post("/admin/rollbacks", "Rolls back.", || web::to(rollbacks::begin))
        .right(Operator)
        .gives(Media("text/html")),
    Route::get("/admin/rollbacks/{id}", "How far it has come.", || web::to(rollbacks::progress))
        .right(Operator)
        .params(&[path("id", "rollback_…")])
        .gives(Media("text/html")),
    Route::post("/admin/rollbacks/{id}/undo", "Undoes it.", || web::to(rollbacks::undo))
        .right(Operator)
        .params(&[path("id", "rollback_…")])
        .gives(Media("text/html")),
    Route::get("/admin/audit", "Everything that operators did.", || web::to(audit::page))
        .right(Operator)
        .params(&[
            query("before", Kind::Number(0, i64::MAX), "only lines older than this number"),
            query("subject", Kind::Text, "only about this"),
        ])
        .gives(Media("text/html")),
    Route::get("/admin/seasons", "All seasons.", || web::to(seasons::page))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/seasons/{act}", "Opens, freezes, lets go on, or appoints an end.", || {
        web::to(seasons::act)
    })
    .right(Operator)
    .params(&[path("act", "open, freeze, unfreeze or schedule")])
    .gives(Media("text/html")),
    Route::get("/admin/settings", "What can be changed while running.", || web::to(settings::page))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/settings", "Changes a setting.", || web::to(settings::set))
        .right(Operator)
        .gives(Media("text/html")),
    Route::get("/admin/passes", "Who may speak.", || web::to(passes::page))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/passes", "Gives a pass.", || web::to(passes::grant))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/passes/{id}/revoke", "Takes a pass away.", || web::to(passes::revoke))
        .right(Operator)
        .params(&[path("id", "viewer_…")])
        .gives(Media("text/html")),
    Route::get("/admin/keys", "Keys of programs.", || web::to(keys::page))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/keys", "Makes a key.", || web::to(keys::new))
        .right(Operator)
        .gives(Media("text/html")),
    Route::post("/admin/keys/{id}/revoke", "Ends a key.", || web::to(keys::revoke))
        .right(Operator)
        .params(&[path("id", "key_…")])
        .gives(Media("text/html")),
    Route::get("/admin/sign-in", "Where an operator signs in.", || web::to(console::sign_in))
        .params(&[query("next", Kind::Text, "the room of the console to go to")])
        .gives(Media("text/html")),
    Route::post("/admin/sign-in", "Signs an operator in.", || web::to(console::submit))
        .gives(Media("text/html")),
    Route::post("/admin/sign-out", "Signs an operator out.", || web::to(console::leave))
        .right(Operator)
        .gives(Media("text/html")),
];
