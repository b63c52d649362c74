//! The lines of the URL table for rolling back.

use super::endpoint::{Param, ParamKind, Route, for_operators};
use super::params::{path, query, required_query};
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::reason_body::ReasonBody;
use crate::http::admin::rollbacks::{self, RollbackBody, RollbackList, RollbackPreviewCounts};
use crate::moderation::rollback::Rollback;

const PREVIEW_PNG_PARAMS: &[Param] = &[
    query("agent_id", ParamKind::Text, "whose placements; anyone's in the region by default"),
    query("x1", ParamKind::Column, "left; the whole canvas without any of the four"),
    query("y1", ParamKind::Row, "top"),
    query("x2", ParamKind::Column, "right, inclusive"),
    query("y2", ParamKind::Row, "bottom, inclusive"),
    required_query("from", ParamKind::PointInTime, "the first moment"),
    query("to", ParamKind::PointInTime, "the last moment; now by default"),
    query("scale", ParamKind::Number(1, 16), "how many pixels wide each pixel is drawn"),
];
/// The same without how large it is drawn.
const PREVIEW_PARAMS: &[Param] = PREVIEW_PNG_PARAMS.split_at(PREVIEW_PNG_PARAMS.len() - 1).0;

/// Rolling back, for operators' programs.
pub(super) const ROLLBACKS: &[Route] = &for_operators([
    Route::get("/api/admin/rollbacks", || web::to(rollbacks::list))
        .summary("What was rolled back, newest first, and how far it has come.")
        .params(&[query("limit", ParamKind::Number(1, 200), "how many, 50 by default")])
        .json::<RollbackList>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/rollbacks", || web::to(rollbacks::begin))
        .summary("Rolls back an agent's or a region's pixels between two moments, in the background.")
        .body::<RollbackBody>()
        .json::<Rollback>()
        .refusals(&[OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview", || web::to(rollbacks::preview_counts))
        .summary("How much a rollback would change.")
        .params(PREVIEW_PARAMS)
        .json::<RollbackPreviewCounts>()
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/preview.png", || web::to(rollbacks::preview_png))
        .summary("The canvas as a rollback would leave it.")
        .params(PREVIEW_PNG_PARAMS)
        .media("image/png")
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/{id}", || web::to(rollbacks::find))
        .summary("One rollback, and how far it has come.")
        .params(&[path("id", "rollback_…")])
        .json::<Rollback>()
        .refusals(&[InvalidField]),
    Route::post("/api/admin/rollbacks/{id}/undo", || web::to(rollbacks::undo))
        .summary("Lets what was struck stand again.")
        .params(&[path("id", "rollback_…")])
        .body::<ReasonBody>()
        .json_updated::<Rollback>(),
]);
