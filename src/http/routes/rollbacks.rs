//! The lines of the URL table for rolling back.

use super::endpoint::Gives::{Changed, Json, Media};
use super::endpoint::Right::Operator;
use super::endpoint::{Kind, Param, Route};
use super::parts::{needed, path, query};
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
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
pub(super) const ROLLBACKS: &[Route] = &[
    Route::get(
        "/api/admin/rollbacks",
        "What was rolled back, newest first, and how far it has come.",
        || web::to(rollbacks::list),
    )
    .right(Operator)
    .params(&[query("limit", Kind::Number(1, 200), "how many, 50 by default")])
    .gives(Json(schema_of::<Rollbacks>))
    .refuses(&[InvalidField, NotFound]),
    Route::post(
        "/api/admin/rollbacks",
        "Rolls back an agent's or a region's pixels between two moments, in the background.",
        || web::to(rollbacks::begin),
    )
    .right(Operator)
    .takes(schema_of::<RollbackOrder>)
    .gives(Json(schema_of::<Rollback>))
    .refuses(&[OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview", "How much a rollback would change.", || {
        web::to(rollbacks::outlook)
    })
    .right(Operator)
    .params(WANTED)
    .gives(Json(schema_of::<Outlook>))
    .refuses(&[MissingField, InvalidField, OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview.png", "The canvas as a rollback would leave it.", || {
        web::to(rollbacks::picture)
    })
    .right(Operator)
    .params(WANTED_AS_PICTURE)
    .gives(Media("image/png"))
    .refuses(&[MissingField, InvalidField, OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/{id}", "One rollback, and how far it has come.", || {
        web::to(rollbacks::look)
    })
    .right(Operator)
    .params(&[path("id", "rollback_…")])
    .gives(Json(schema_of::<Rollback>))
    .refuses(&[InvalidField, NotFound]),
    Route::post("/api/admin/rollbacks/{id}/undo", "Lets what was struck stand again.", || {
        web::to(rollbacks::undo)
    })
    .right(Operator)
    .params(&[path("id", "rollback_…")])
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<Rollback>))
    .refuses(&[NotFound]),
];
