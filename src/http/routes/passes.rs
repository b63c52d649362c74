//! The lines of the URL table for passes that operators give.

use actix_web::web;

use super::admin::{ASK, ORDER};
use super::endpoint::Gives::{Changed, Json};
use super::endpoint::{Route, schema_of};
use super::parts::*;
use crate::http::admin::order::WhyOrder;
use crate::http::admin::passes::{self, Given, PassOrder, PassRevoked, Passes};

/// Giving and taking passes, for operators' programs.
pub(super) const PASSES: &[Route] = &[
    Route {
        path: "/api/admin/passes",
        summary: "Viewers with their passes, newest first.",
        gives: Json(schema_of::<Passes>),
        mount: || web::to(passes::list),
        ..ASK
    },
    Route {
        path: "/api/admin/passes",
        summary: "Gives a pass; a new viewer’s key is shown only in the answer.",
        takes: Some(schema_of::<PassOrder>),
        gives: Json(schema_of::<Given>),
        mount: || web::to(passes::grant),
        ..ORDER
    },
    Route {
        path: "/api/admin/passes/{id}/revoke",
        summary: "Takes a viewer’s pass away, whatever is paid.",
        params: &[path("id", "viewer_…")],
        takes: Some(schema_of::<WhyOrder>),
        gives: Changed(schema_of::<PassRevoked>),
        mount: || web::to(passes::revoke),
        ..ORDER
    },
];
