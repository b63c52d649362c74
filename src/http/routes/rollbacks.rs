//! The lines of the URL table for rolling back.

use super::endpoint::{Kind, Param, Route, for_operators};
use super::parts::{needed, path, query};
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::order::WhyOrder;
use crate::http::admin::rollbacks::{self, Outlook, RollbackOrder, Rollbacks};
use crate::moderation::rollback::Rollback;

const WANTED_AS_PICTURE: &[Param] = &[
    query("agent_id", Kind::Text, "whose placements; anyone's in the region by default"),
    query("x1", Kind::Column, "left; the whole canvas without any of the four"),
    query("y1", Kind::Row, "top"),
    query("x2", Kind::Column, "right, inclusive"),
    query("y2", Kind::Row, "bottom, inclusive"),
    needed("from", Kind::Moment, "the first moment"),
    query("to", Kind::Moment, "the last moment; now by default"),
    query("scale", Kind::Number(1, 16), "how many pixels wide each pixel is drawn"),
];
/// The same without how large it is drawn.
const WANTED: &[Param] = WANTED_AS_PICTURE.split_at(WANTED_AS_PICTURE.len() - 1).0;

/// Rolling back, for operators' programs.
pub(super) const ROLLBACKS: &[Route] = &for_operators([
    Route::get("/api/admin/rollbacks", || web::to(rollbacks::list))
        .summary("What was rolled back, newest first, and how far it has come.")
        .params(&[query("limit", Kind::Number(1, 200), "how many, 50 by default")])
        .json::<Rollbacks>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/rollbacks", || web::to(rollbacks::begin))
        .summary("Rolls back an agent's or a region's pixels between two moments, in the background.")
        .takes::<RollbackOrder>()
        .json::<Rollback>()
        .refuses(&[OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview", || web::to(rollbacks::outlook))
        .summary("How much a rollback would change.")
        .params(WANTED)
        .json::<Outlook>()
        .refuses(&[NotFound]),
    Route::get("/api/admin/rollbacks/preview.png", || web::to(rollbacks::picture))
        .summary("The canvas as a rollback would leave it.")
        .params(WANTED_AS_PICTURE)
        .media("image/png")
        .refuses(&[NotFound]),
    Route::get("/api/admin/rollbacks/{id}", || web::to(rollbacks::look))
        .summary("One rollback, and how far it has come.")
        .params(&[path("id", "rollback_…")])
        .json::<Rollback>()
        .refuses(&[InvalidField]),
    Route::post("/api/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo))
        .summary("Lets what was struck stand again.")
        .params(&[path("id", "rollback_…")])
        .takes::<WhyOrder>()
        .changed::<Rollback>(),
]);
