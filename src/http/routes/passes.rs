//! The lines of the URL table for passes that operators give.

use super::endpoint::Gives::{Changed, Json};
use super::endpoint::Right::Operator;
use super::endpoint::Route;
use super::parts::path;
use crate::http::response::codes::Code::*;
use crate::schema::schema_of;
use actix_web::web;

use crate::http::admin::order::WhyOrder;
use crate::http::admin::passes::{self, Given, PassOrder, PassRevoked, Passes};

/// Giving and taking passes, for operators' programs.
pub(super) const PASSES: &[Route] = &[
    Route::get("/api/admin/passes", "Viewers with their passes, newest first.", || web::to(passes::list))
        .right(Operator)
        .gives(Json(schema_of::<Passes>)),
    Route::post(
        "/api/admin/passes",
        "Gives a pass; a new viewer’s key is shown only in the answer.",
        || web::to(passes::grant),
    )
    .right(Operator)
    .takes(schema_of::<PassOrder>)
    .gives(Json(schema_of::<Given>))
    .refuses(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", "Takes a viewer’s pass away, whatever is paid.", || {
        web::to(passes::revoke)
    })
    .right(Operator)
    .params(&[path("id", "viewer_…")])
    .takes(schema_of::<WhyOrder>)
    .gives(Changed(schema_of::<PassRevoked>))
    .refuses(&[NotFound]),
];
