//! The routes of rollbacks.

use super::endpoint::{Param, ParamKind, Route, for_operators};
use super::params::{path, query};
use actix_web::web;
use platform::refusal::codes::Code::*;

use crate::moderation::rollback::Rollback;
use crate::moderation::rollback::request::RollbackBody;
use crate::server::http::admin::reason_body::ReasonBody;
use crate::server::http::admin::rollbacks::{self, RollbackList, RollbackPreviewCounts};

const PREVIEW_PNG_PARAMS: &[Param] = &[
    query("agent_id", ParamKind::Text, "the agent whose pixels are rolled back; every agent by default"),
    query(
        "report_id",
        ParamKind::Text,
        "a report of pixels: says agent_id, region and from as far as they are not given",
    ),
    query("x1", ParamKind::Column, "left, inclusive; without all four coordinates, the whole canvas"),
    query("y1", ParamKind::Row, "top, inclusive"),
    query("x2", ParamKind::Column, "right, inclusive"),
    query("y2", ParamKind::Row, "bottom, inclusive"),
    query("from", ParamKind::PointInTime, "start: an event's number, or a time; required without report_id"),
    query("to", ParamKind::PointInTime, "end: an event's number, or a time; now by default"),
    query("scale", ParamKind::Number(1, 16), "image pixels per pixel"),
];
/// The parameters of a rollback: those of its image, without the scale.
const PREVIEW_PARAMS: &[Param] = PREVIEW_PNG_PARAMS.split_at(PREVIEW_PNG_PARAMS.len() - 1).0;

/// The routes of rollbacks.
pub(super) const ROLLBACKS: &[Route] = &for_operators([
    Route::get("/api/admin/rollbacks", || web::to(rollbacks::list))
        .summary("Lists rollbacks and their progress, newest first.")
        .params(&[query("limit", ParamKind::Number(1, 200), "how many, 50 by default")])
        .json::<RollbackList>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/rollbacks", || web::to(rollbacks::begin))
        .summary("Rolls back an agent's or a region's pixels between two times, in the background.")
        .body::<RollbackBody>()
        .json::<Rollback>()
        .refusals(&[OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview", || web::to(rollbacks::preview_counts))
        .summary("Previews how much a rollback would change.")
        .params(PREVIEW_PARAMS)
        .json::<RollbackPreviewCounts>()
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/preview.png", || web::to(rollbacks::preview_png))
        .summary("The canvas after a rollback, as a PNG preview.")
        .params(PREVIEW_PNG_PARAMS)
        .media("image/png")
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/{id}", || web::to(rollbacks::find))
        .summary("Returns a rollback and its progress.")
        .params(&[path("id", "rollback_…")])
        .json::<Rollback>()
        .refusals(&[InvalidField]),
    Route::post("/api/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo))
        .summary("Undoes a rollback: the removed pixels come back, except where an agent has painted since.")
        .params(&[path("id", "rollback_…")])
        .body::<ReasonBody>()
        .json_updated::<Rollback>(),
]);
