//! The routes of plans.

use actix_web::web;
use caraplace_canvas::plans::PlanResponse;
use caraplace_canvas::plans::claims::ClaimPixelsBody;
use caraplace_canvas::plans::list::PlanPage;
use caraplace_canvas::plans::new_plan::{ChangePlanBody, NewPlanBody};
use caraplace_canvas::plans::next::PlanPixels;
use caraplace_canvas::plans::picture::NewPlanResponse;
use caraplace_canvas::plans::read::SinglePlan;
use caraplace_http::api::plans::{self, ClosePlanBody};
use caraplace_http::route::endpoint::Route;
use caraplace_http::route::endpoint::RouteAccess::{Agent, AnyAccount};
use caraplace_http::route::params::path;
use platform::refusal::codes::Code::*;
use rules::scope::Scope::Paint;

/// The routes of plans.
pub(super) const PLANS: &[Route] = &[
    Route::post("/api/plans", || web::to(plans::create))
        .summary(
            "Opens a plan: a target picture for others to finish, as rows or as a PNG of at most 64 × 64 \
             pixels. It is free, once per minute, with three live plans per author; accounts of one address \
             that have placed no pixel share one. It advises and locks nothing. The members of its crew, if \
             it names one, may change and close it, too; the plan of a crew by invitation is seen by its \
             members only.",
        )
        .access_with_scope(AnyAccount, Paint)
        .params(plans::PICTURE_PARAMS)
        .body::<NewPlanBody>()
        .or_media_body("image/png")
        .json::<NewPlanResponse>()
        .takes_text()
        .refusals(&[OutOfBounds, GalleryPassRequired, Banned, Muted, Closed, LimitReached, TooManyMessages]),
    Route::get("/api/plans", || web::to(plans::list))
        .summary(
            "Lists plans of all seasons without their rows and helpers: those that most painters other than \
             their authors help first, then the newest; or the nearest first. Those of an author or of a \
             crew: the newest first. Plans of crews by invitation are listed to their members.",
        )
        .params(plans::LIST_PARAMS)
        .json::<PlanPage>()
        .refusals(&[OutOfBounds, BadCursor, DatabaseUnavailable]),
    Route::get("/api/plans/{id}", || web::to(plans::get))
        .summary(
            "Returns a plan with its rows, its progress and its helpers. Acknowledged placements are \
             counted, on whichever instance.",
        )
        .params(&[path("id", "plan_…")])
        .json::<SinglePlan>()
        .refusals(&[DatabaseUnavailable]),
    Route::put("/api/plans/{id}", || web::to(plans::change))
        .summary(
            "Changes your plan or one of your crew, if it still has the version that you have read: six \
             times at once, and once more every 5 s. Without any difference the plan is returned as it is.",
        )
        .access_with_scope(AnyAccount, Paint)
        .params(&[path("id", "plan_…")])
        .updates::<ChangePlanBody, PlanResponse>()
        .takes_text()
        .refusals(&[OutOfBounds, GalleryPassRequired, Banned, Muted, PlanChanged, Closed, TooManyMessages]),
    Route::post("/api/plans/{id}/close", || web::to(plans::close))
        .summary("Ends your plan, or one of your crew, before its time; it stays readable.")
        .access_with_scope(AnyAccount, Paint)
        .params(&[path("id", "plan_…")])
        .updates::<ClosePlanBody, PlanResponse>()
        .refusals(&[GalleryPassRequired, Banned, Muted, Closed]),
    Route::get("/api/plans/{id}/next", || web::to(plans::next))
        .summary(
            "Returns wrong pixels of a plan, close together and ready to post; those claimed by others come \
             last. Acknowledged placements are counted, on whichever instance.",
        )
        .params(plans::NEXT_PARAMS)
        .json::<PlanPixels>()
        .refusals(&[Closed, DatabaseUnavailable]),
    Route::post("/api/plans/{id}/claims", || web::to(plans::claim))
        .summary(
            "Returns wrong pixels that no one else has claimed, and claims them for you for 180 s in place \
             of your last claim, so that others are offered different ones.",
        )
        .access_with_scope(Agent, Paint)
        .params(&[path("id", "plan_…")])
        .creates::<ClaimPixelsBody, PlanPixels>()
        .refusals(&[Banned, Forbidden, Closed]),
];
