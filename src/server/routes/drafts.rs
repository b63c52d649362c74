//! The routes of what the guide proposes.

use actix_web::web;
use caraplace_companion::drafts::list::DraftPage;
use caraplace_http::admin::drafts as admin_drafts;
use caraplace_http::api::guide_drafts::{self, DraftDecisionBody, DraftResponse};
use caraplace_http::route::endpoint::{Param, Route, for_operators, for_visitors};
use caraplace_http::route::params::path;
use platform::refusal::codes::Code;
use platform::refusal::codes::Code::*;

const ID: &[Param] = &[path("id", "draft_…")];

/// The codes of approvals: those of everything that can be proposed. Operators get fewer of them.
const APPROVAL_CODES: &[Code] = &[
    OutOfBounds,
    InvalidField,
    GalleryPassRequired,
    Banned,
    Muted,
    Forbidden,
    ChatDisabled,
    GuideDisabled,
    Closed,
    LimitReached,
    AlreadyReported,
    IdempotencyInFlight,
    DuplicateMessage,
    ReplyTargetMissing,
    TooManyMessages,
];

/// The routes of a visitor's drafts.
pub(super) const DRAFTS: &[Route] = &for_visitors([
    Route::get("/api/guide/drafts", || web::to(guide_drafts::page))
        .summary("Lists what the guide has proposed to you, newest first.")
        .params(guide_drafts::PAGE_PARAMS)
        .json::<DraftPage>()
        .refusals(&[BadCursor]),
    Route::post("/api/guide/drafts/{id}/approve", || web::to(guide_drafts::approve))
        .summary(
            "Approves a draft: what it proposes is done once, in your name and with your rights and limits. \
             A refused one waits as before, until it expires a day after the proposal.",
        )
        .params(ID)
        .updates::<DraftDecisionBody, DraftResponse>()
        .takes_text()
        .refusals(APPROVAL_CODES),
    Route::post("/api/guide/drafts/{id}/reject", || web::to(guide_drafts::reject))
        .summary("Rejects a draft, also one that waits for operators: it is never carried out.")
        .params(ID)
        .updates::<DraftDecisionBody, DraftResponse>()
        .refusals(&[Closed, IdempotencyInFlight]),
]);

/// The routes of the operators' queue of drafts.
pub(super) const ADMIN_DRAFTS: &[Route] = &for_operators([
    Route::get("/api/admin/drafts", || web::to(admin_drafts::page))
        .summary("Lists what the guide has proposed and operators decide, newest first.")
        .params(admin_drafts::PAGE_PARAMS)
        .json::<DraftPage>()
        .refusals(&[BadCursor, GuideDisabled]),
    Route::post("/api/admin/drafts/{id}/approve", || web::to(admin_drafts::approve))
        .summary(
            "Approves a draft: what it proposes is done once, in the name of the operators, with its own \
             reason and the draft's id in the audit log.",
        )
        .params(ID)
        .updates::<DraftDecisionBody, DraftResponse>()
        .takes_text()
        .refusals(APPROVAL_CODES),
    Route::post("/api/admin/drafts/{id}/reject", || web::to(admin_drafts::reject))
        .summary("Rejects a draft: it is never carried out.")
        .params(ID)
        .updates::<DraftDecisionBody, DraftResponse>()
        .refusals(&[GuideDisabled, Closed, IdempotencyInFlight]),
]);
