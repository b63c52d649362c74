//! The lines of the URL table for passes that operators give.

use super::endpoint::Right::Operator;
use super::endpoint::Route;
use super::parts::path;
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::order::WhyOrder;
use crate::http::admin::passes::{self, Given, PassOrder, PassRevoked, Passes};

/// Giving and taking passes, for operators' programs.
pub(super) const PASSES: &[Route] = &[
    Route::get("/api/admin/passes", || web::to(passes::list))
        .summary("Viewers with their passes, newest first.")
        .right(Operator)
        .json::<Passes>(),
    Route::post("/api/admin/passes", || web::to(passes::grant))
        .summary("Gives a pass; a new viewer’s key is shown only in the answer.")
        .right(Operator)
        .takes::<PassOrder>()
        .json::<Given>()
        .refuses(&[NotFound]),
    Route::post("/api/admin/passes/{id}/revoke", || web::to(passes::revoke))
        .summary("Takes a viewer’s pass away, whatever is paid.")
        .right(Operator)
        .params(&[path("id", "viewer_…")])
        .takes::<WhyOrder>()
        .changed::<PassRevoked>()
        .refuses(&[NotFound]),
];
