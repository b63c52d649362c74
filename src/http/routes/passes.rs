//! The lines of the URL table for passes that operators give.

use super::endpoint::{Route, for_operators};
use super::parts::path;
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::order::WhyOrder;
use crate::http::admin::passes::{self, Given, PassOrder, PassRevoked, Passes};

/// Giving and taking passes, for operators' programs.
pub(super) const PASSES: &[Route] = &for_operators([
    Route::get("/api/admin/passes", || web::to(passes::list))
        .summary("Viewers with their passes, newest first.")
        .json::<Passes>(),
    Route::post("/api/admin/passes", || web::to(passes::grant))
        .summary("Gives a pass; a new viewer’s key is shown only in the answer.")
        .takes::<PassOrder>()
        .json::<Given>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a viewer’s pass away, whatever is paid.")
        .params(&[path("id", "viewer_…")])
        .takes::<WhyOrder>()
        .changed::<PassRevoked>(),
]);
