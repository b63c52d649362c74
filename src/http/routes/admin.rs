//! The lines of the URL table for those who run the place: the API under `/api/admin`, and the console.

use super::endpoint::{Route, for_operators};
use super::parts::path;
use crate::http::response::codes::Code::*;
use actix_web::web;

use crate::http::admin::keys::{KeyOrder, OperatorKeys, Revoked};
use crate::http::admin::session::Session;
use crate::http::admin::{keys, session};
use crate::operators::keys::NewOperatorKey;

/// What programs of operators use.
pub(super) const ADMIN: &[Route] = &for_operators([
    Route::get("/api/admin/session", || web::to(session::session))
        .summary("Who you are, and what X-CSRF-Token must hold in a browser.")
        .json::<Session>(),
    Route::get("/api/admin/keys", || web::to(keys::list))
        .summary("The keys with which programs operate, newest first.")
        .json::<OperatorKeys>(),
    Route::post("/api/admin/keys", || web::to(keys::new))
        .summary("Makes a key; the answer holds the only copy of it.")
        .takes::<KeyOrder>()
        .json::<NewOperatorKey>()
        .refuses(&[NameTaken]),
    Route::post("/api/admin/keys/{id}/revoke", || web::to(keys::revoke))
        .summary("Ends a key, on every instance.")
        .params(&[path("id", "key_…")])
        .changed::<Revoked>()
        .refuses(&[MalformedJson, UnknownField, MissingField, InvalidField, TooLarge, UnsupportedMediaType]),
]);
