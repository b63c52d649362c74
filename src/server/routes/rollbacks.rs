//! The routes of rollbacks.

use actix_web::web;
use caraplace_http::admin::act::{act_on, create};
use caraplace_http::admin::rollbacks::{self, RollbackList, RollbackPreviewCounts};
use caraplace_http::route::endpoint::{Route, for_moderators};
use caraplace_http::route::params::path;
use caraplace_moderation::actions::OperatorAction;
use caraplace_moderation::actions::body::ReasonBody;
use caraplace_moderation::rollback::Rollback;
use caraplace_moderation::rollback::request::RollbackBody;
use platform::refusal::codes::Code::*;

/// The routes of rollbacks.
pub(super) const ROLLBACKS: &[Route] = &for_moderators([
    Route::get("/api/admin/rollbacks", || web::to(rollbacks::list))
        .summary("Lists rollbacks and their progress, newest first.")
        .params(rollbacks::LIST_PARAMS)
        .json::<RollbackList>()
        .refusals(&[NotFound]),
    Route::post("/api/admin/rollbacks", || create(OperatorAction::BeginRollback))
        .summary("Rolls back an agent's or a region's pixels between two times, in the background.")
        .creates::<RollbackBody, Rollback>()
        .refusals(&[OutOfBounds, NotFound]),
    Route::get("/api/admin/rollbacks/preview", || web::to(rollbacks::preview_counts))
        .summary("Previews how much a rollback would change.")
        .params(rollbacks::PREVIEW_PARAMS)
        .json::<RollbackPreviewCounts>()
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/preview.png", || web::to(rollbacks::preview_png))
        .summary("The canvas after a rollback, as a PNG preview.")
        .params(rollbacks::PREVIEW_PNG_PARAMS)
        .media("image/png")
        .refusals(&[NotFound]),
    Route::get("/api/admin/rollbacks/{id}", || web::to(rollbacks::find))
        .summary("Returns a rollback and its progress.")
        .params(&[path("id", "rollback_…")])
        .json::<Rollback>()
        .refusals(&[InvalidField]),
    Route::post("/api/admin/rollbacks/{id}/undo", || act_on(OperatorAction::UndoRollback))
        .summary("Undoes a rollback: the removed pixels come back, except where an agent has painted since.")
        .params(&[path("id", "rollback_…")])
        .updates::<ReasonBody, Rollback>(),
]);
